import { writeFile } from 'node:fs/promises';
import type { DiffContent } from '../../src/shared/state/contentBlocks';
import type { Action } from '../../src/shared/state/sessionActions';
import type { Frame } from './animatedPng';
import { animatedPng } from './animatedPng';
import { closeBrowser } from './browserPage';
import { ChatPage } from './harness';
import { commands, options, selectors } from './sample';

/** `npm run pictures animation`: one turn for the README (ask, approve, review), as an animated PNG. */

const FILE = 'docs/pictures/turn.png';
const REQUEST = 'Fix the bug in src/todo.ts.';
const ANSWER = '`remaining` counts what is **done**. It must count what is left.';
const place = { path: '/work/src/todo.ts', label: 'src/todo.ts', line: 20 };

const diff: DiffContent = {
  type: 'diff',
  diffId: 'd',
  path: place.path,
  label: place.label,
  isNew: false,
  added: 1,
  removed: 1,
  hunks: [
    {
      oldStart: 18,
      newStart: 18,
      lines: [
        { type: 'same', text: 'export function remaining(list: Todo[]) {' },
        { type: 'removed', text: '  return list.filter((todo) => todo.done).length;', marks: [[31, 40]] },
        { type: 'added', text: '  return list.filter((todo) => !todo.done).length;', marks: [[31, 41]] },
        { type: 'same', text: '}' },
      ],
    },
  ],
};

/** The page, and a screenshot of each of its states. */
class Film {
  readonly frames: Frame[] = [];
  /** Shown where the picture does not move: the permission request, the most informative frame. */
  still: Frame | undefined;
  readonly chat: ChatPage;

  constructor(chat: ChatPage) {
    this.chat = chat;
  }

  /** @param delay Milliseconds for which the state is shown. */
  async show(delay: number, ...actions: readonly Action[]): Promise<void> {
    if (actions.length > 0) await this.chat.act(...actions);
    await this.chat.frame();
    this.frames.push({ png: await this.chat.page.screenshot(), delay });
  }
}

async function play(film: Film, at: number): Promise<void> {
  const { chat } = film;
  await chat.act(
    { type: 'connectionChanged', connection: { status: 'ready' } },
    { type: 'selectorsChanged', selectors },
    { type: 'commandsChanged', commands },
  );
  await film.show(900);
  await chat.box.fill(REQUEST.slice(0, 14));
  await film.show(350);
  await chat.box.fill(REQUEST);
  await film.show(900);
  await chat.box.fill('');
  await film.show(
    500,
    { type: 'titleChanged', title: 'Fix remaining()' },
    { type: 'promptSent', text: REQUEST, blocks: [], at },
  );
  const read = { title: 'Read todo.ts', tool: 'read', status: 'done', locations: [place] } as const;
  await film.show(700, { type: 'toolStarted', toolCallId: 'read', patch: read, at });
  await film.show(400, { type: 'textAppended', role: 'agent', text: ANSWER.slice(0, 32), at });
  await film.show(800, { type: 'textAppended', role: 'agent', text: ANSWER.slice(32), at });
  await approve(film, at);
  await review(film, at);
}

async function approve(film: Film, at: number): Promise<void> {
  const edit = { title: 'Edit todo.ts', tool: 'edit', locations: [place], content: [diff] } as const;
  await film.chat.act(
    { type: 'toolStarted', toolCallId: 'edit', patch: { ...edit, status: 'pending' }, at },
    { type: 'permissionAsked', permissionId: 'p', tool: 3, title: 'Edit todo.ts', options, at },
  );
  const allow = film.chat.page.locator('.question .button:not([aria-disabled="true"])').first();
  await allow.waitFor();
  await film.show(1800);
  film.still = film.frames.at(-1);
  await allow.hover();
  await film.show(600);
  const outcome = { type: 'selected', optionId: 'once' } as const;
  await film.chat.act({ type: 'permissionAnswered', entry: 4, outcome, at });
  await film.show(900, { type: 'toolChanged', entry: 3, patch: { status: 'done' }, at });
}

async function review(film: Film, at: number): Promise<void> {
  const command = 'npm test';
  await film.show(
    900,
    { type: 'terminalCreated', terminalId: 't', command, cwd: '/work', at },
    {
      type: 'terminalOutput',
      terminalId: 't',
      data: '\u001b[32m✔\u001b[0m counts what is left\r\n\u001b[32m✔\u001b[0m 4 tests passed\r\n',
    },
    { type: 'terminalExited', terminalId: 't', code: 0, at },
    {
      type: 'toolStarted',
      toolCallId: 'test',
      patch: { title: command, tool: 'execute', status: 'done', content: [{ type: 'terminal', terminalId: 't' }] },
      at,
    },
  );
  const file = {
    path: place.path,
    label: place.label,
    status: 'changed',
    added: 1,
    removed: 1,
    binary: false,
  } as const;
  await film.show(
    2200,
    { type: 'textAppended', role: 'agent', text: 'Fixed. All tests pass.', at },
    { type: 'changesChanged', changed: [file], removed: [] },
    { type: 'turnEnded', stopReason: 'end_turn', at },
  );
  await film.chat.button('Keep All').hover();
  await film.show(700);
  await film.show(1800, { type: 'changesChanged', changed: [], removed: [place.path] });
}

async function main(): Promise<void> {
  const chat = await ChatPage.with([], { width: 450, height: 620, reducedMotion: true });
  const film = new Film(chat);
  await play(film, Date.now());
  await chat.close();
  await closeBrowser();
  if (!film.still) throw new Error('There is no frame.');
  const picture = animatedPng(film.frames, film.still.png);
  await writeFile(FILE, picture);
  console.log(`${FILE}: ${film.frames.length} frames, ${Math.round(picture.length / 1024)} KB`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
