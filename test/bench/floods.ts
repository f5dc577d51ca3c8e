import type { JsonObject } from '../../src/base/json';
import { settled } from '../kit/waiting';
import { lastWord, sampleText } from './sample';

/** A flood: agent updates and their rate per second; without a rate all are sent at once. */
export interface Flood {
  readonly what: string;
  readonly updates: readonly JsonObject[];
  readonly perSecond?: number;
  /** Text shown at the very end of the conversation. */
  readonly last: string;
  /** `session/load`: the page opens with the history replay, without a turn. */
  readonly load?: boolean;
  /** Settings of Parley's window. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

const textUpdate = (text: string, sessionUpdate = 'agent_message_chunk', messageId = 'm'): JsonObject => ({
  sessionUpdate,
  messageId,
  content: { type: 'text', text },
});

function chunks(count: number, size = 24): JsonObject[] {
  const text = sampleText((count * size) / 6);
  return Array.from({ length: count }, (_, at) => textUpdate(text.slice(at * size, (at + 1) * size)));
}

function edits(count: number, folder: string): JsonObject[] {
  return Array.from({ length: count }, (_, call) => {
    const lines = Array.from({ length: 40 }, (_, at) => `const line${at} = compute(${call}, '${at}');`);
    const after = lines.map((line, at) => (at % 2 === 0 ? line : `${line} // ${call}`));
    return {
      sessionUpdate: 'tool_call',
      toolCallId: `t${call}`,
      title: call === count - 1 ? `Edit ${lastWord}` : `Edit file${call}.ts`,
      kind: 'edit',
      status: 'completed',
      locations: [{ path: `${folder}/file${call}.ts`, line: 1 }],
      content: [
        { type: 'diff', path: `${folder}/file${call}.ts`, oldText: lines.join('\n'), newText: after.join('\n') },
      ],
    };
  });
}

function snapshots(lines: number, count: number): JsonObject[] {
  const all = Array.from(
    { length: lines },
    (_, at) => `[${at}] PASS src/part${at % 7}/file${at}.test.ts (${at % 90} ms)`,
  );
  all[lines - 1] = lastWord;
  const start: JsonObject = {
    sessionUpdate: 'tool_call',
    toolCallId: 'c',
    title: 'npm test',
    kind: 'execute',
    status: 'in_progress',
  };
  const parts = Array.from({ length: count }, (_, at): JsonObject => {
    const text = all.slice(0, ((at + 1) * lines) / count).join('\n');
    const content = [{ type: 'content', content: { type: 'text', text } }];
    return { sessionUpdate: 'tool_call_update', toolCallId: 'c', content };
  });
  return [start, ...parts];
}

/** History of a loaded session: prompts, thoughts, tool calls, answers in chunks. */
function history(count: number, folder: string): JsonObject[] {
  const turns = Array.from({ length: count / 10 }, (_, at) => [
    textUpdate(`Do part ${at} of the work.`, 'user_message_chunk', `u${at}`),
    textUpdate(`Part ${at} needs another look.`, 'agent_thought_chunk', `h${at}`),
    ...edits(2, folder).map((edit, call) => ({ ...edit, toolCallId: `${at}t${call}`, title: `Edit file${call}.ts` })),
    ...Array.from({ length: 6 }, (_, part) =>
      textUpdate(
        `The answer ${at}.${part} says **what** was done in \`src/part${at}.ts\`.\n\n- one\n- two\n\n`,
        'agent_message_chunk',
        `a${at}`,
      ),
    ),
  ]);
  return [...turns.flat().slice(0, -1), textUpdate(`\n\n${lastWord}`, 'agent_message_chunk', `a${count / 10 - 1}`)];
}

function bigTable(cells: number): JsonObject[] {
  const rows = Array.from(
    { length: cells / 10 },
    (_, at) => `| ${Array.from({ length: 10 }, (_, column) => `c${at}.${column}`).join(' | ')} |`,
  );
  const text = `| ${'h | '.repeat(10)}\n|${'---|'.repeat(10)}\n${rows.join('\n')}\n\n${lastWord}`;
  return [textUpdate(text)];
}

/**
 * @param folder Absolute path; the edits change `file0.ts`, `file1.ts`, … in it.
 * @param part Size of the floods compared with their names: 1, or less to see how the cost grows.
 */
export function floods(folder: string, part = 1): readonly Flood[] {
  return [
    { what: '2,000 chunks, 200 a second', updates: chunks(2000 * part), perSecond: 200, last: lastWord },
    { what: '20,000 chunks at once', updates: chunks(20_000 * part), last: lastWord },
    {
      what: '500 edits at once, Follow off',
      updates: edits(500 * part, folder),
      last: lastWord,
      settings: { 'parley.follow': false },
    },
    { what: '500 edits at once', updates: edits(500 * part, folder), last: lastWord },
    { what: '5,000 lines in 250 snapshots', updates: snapshots(5000 * part, 250), perSecond: 100, last: lastWord },
    { what: 'load 2,000 updates', updates: history(2000 * part, folder), last: lastWord, load: true },
    { what: 'a table of 200,000 cells', updates: bigTable(200_000 * part), last: lastWord },
  ];
}

/** Passes the updates to `send` at the rate of the flood. */
export async function feed({ updates, perSecond }: Flood, send: (update: JsonObject) => void): Promise<void> {
  const started = performance.now();
  for (const [at, update] of updates.entries()) {
    if (perSecond !== undefined) {
      const wait = started + (at * 1000) / perSecond - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    } else if (at % 200 === 0) await settled();
    send(update);
  }
}

/** Runs in the page. Resolves with the time (`Date.now()`) at which the end of a flood is rendered. */
export function endDrawn(last: string): Promise<number> {
  const isShown = (): boolean => {
    const slots = document.querySelectorAll('.slot');
    const end = slots[slots.length - 1];
    if (!end) return false;
    let part = end.querySelector('.markdown, .terminal-output');
    // Reading the whole text would cost more than what is measured.
    while (part?.lastElementChild) part = part.lastElementChild;
    return (part ?? end.querySelector('.tool-row'))?.textContent?.includes(last) ?? false;
  };
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isShown()) setTimeout(look, 15);
      else requestAnimationFrame(() => setTimeout(() => resolve(Date.now())));
    };
    look();
  });
}

/** Runs in the page of any client. Resolves with the time (`Date.now()`) at which the last texts of the page contain this one. */
export function lastTextDrawn(last: string): Promise<number> {
  const isShown = (): boolean => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.lastChild());
    // As many as a list of sessions, menus and a message box may have after the chat.
    const found: string[] = [];
    for (let left = 2000; left > 0 && texts.currentNode !== document.body; left--) {
      found.unshift(texts.currentNode.textContent ?? '');
      if (!texts.previousNode()) break;
    }
    return found.join('').includes(last);
  };
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isShown()) setTimeout(look, 15);
      else requestAnimationFrame(() => setTimeout(() => resolve(Date.now())));
    };
    look();
  });
}
