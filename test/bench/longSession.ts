import type { Action } from '../../src/shared/state/sessionActions';
import { reduce } from '../../src/shared/state/sessionReducer';
import type { SessionState } from '../../src/shared/state/sessionState';
import { emptySession } from '../../src/shared/state/sessionState';

const ENTRIES_PER_TURN = 5;

/** A typical session: prompts, thoughts, tool calls and answers in Markdown. */
export function longSession(id: string, entries: number): SessionState {
  let state = emptySession(id, { name: 'demo', title: 'Demo agent' });
  for (const action of longConversation(entries)) state = reduce(state, action);
  return state;
}

/** The actions of a conversation with so many entries. */
export function* longConversation(entries: number): Generator<Action> {
  for (let at = 0; at < entries / ENTRIES_PER_TURN; at++) yield* turn(at);
}

function turn(at: number): Action[] {
  const said = `The answer ${at} says **what** was done in [\`src/part${at}.ts\`](src/part${at}.ts):\n\n- one\n- two\n\n\`\`\`ts\nconst part = ${at};\n\`\`\`\n`;
  const tool = (toolCallId: string): Action => ({
    type: 'toolStarted',
    toolCallId,
    patch: { title: `Read part${at}.ts`, tool: 'read', status: 'done', rawInput: { path: `src/part${at}.ts` } },
    at,
  });
  return [
    { type: 'promptSent', text: `Do part ${at} of the work.`, blocks: [], at },
    { type: 'textAppended', role: 'thought', text: `Part ${at} needs another look.`, at },
    tool(`${at}a`),
    tool(`${at}b`),
    { type: 'textAppended', role: 'agent', text: said, at },
    { type: 'turnEnded', stopReason: 'end_turn', at },
  ];
}
