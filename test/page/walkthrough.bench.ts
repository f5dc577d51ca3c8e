import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Race, RaceHostMessage, RacePageMessage } from '../../src/shared/protocol/racePageProtocol';
import type { ToolServerItem, ToolsPanelState } from '../../src/shared/protocol/toolsPanelState';
import type { DiffContent } from '../../src/shared/state/contentBlocks';
import type { Action } from '../../src/shared/state/sessionActions';
import { emptySession } from '../../src/shared/state/sessionState';
import { closeBrowser } from './browserPage';
import { drawing, markColours } from './drawing';
import { ChatPage, environment } from './harness';
import { PanelPage } from './panelPage';
import { options } from './sample';
import type { ScenePage } from './scenes/scene';

/** The pictures of the walkthrough, taken from the real page: `npm run pictures walkthrough` writes them to media/walkthrough. */

const FOLDER = join('media', 'walkthrough');
/** Size limit of all pictures together: they are part of the package. */
const MAX_BYTES = 70_000;
const AT = Date.UTC(2026, 0, 5, 14, 2, 0);

interface Scene {
  readonly name: string;
  readonly height: number;
  /** Opens the page and waits until it is stable. */
  readonly open: (size: { readonly width: number; readonly height: number }) => Promise<ScenePage>;
}

/** A chat page, always a few seconds into the turn. */
function chat(prepare: (page: ChatPage) => Promise<void>): Scene['open'] {
  return async (size) => {
    const page = await ChatPage.with([], { ...size, reducedMotion: true });
    await page.page.clock.setFixedTime(AT + 12_000);
    await prepare(page);
    return page;
  };
}

async function openRaceBoard(size: { readonly width: number; readonly height: number }): Promise<ScenePage> {
  const board = await PanelPage.open<RaceHostMessage, RacePageMessage>({
    ...size,
    reducedMotion: true,
    script: 'races',
    title: 'Parley Races',
  });
  await board.page.clock.setFixedTime(AT + 12_000);
  await board.post({ type: 'races', races: [race] });
  await board.page.getByRole('article').nth(1).waitFor();
  return board;
}

const race: Race = {
  id: 'race-1',
  title: 'Retry failed uploads',
  attempts: [
    {
      id: '1',
      agent: 'Claude Code',
      branch: 'parley/retry-failed-uploads',
      status: 'done',
      activity: 'All 42 tests pass.',
      ms: 96_000,
      files: 2,
      added: 41,
      removed: 6,
      problems: 0,
      cost: '$0.21',
    },
    {
      id: '2',
      agent: 'Codex',
      branch: 'parley/retry-failed-uploads-2',
      status: 'running',
      since: AT - 60_000,
      activity: 'npm test -- upload',
      ms: 0,
      files: 1,
      added: 12,
      removed: 1,
      problems: 1,
    },
  ],
};

const ready: Action = { type: 'connectionChanged', connection: { status: 'ready' } };
const diff: DiffContent = {
  type: 'diff',
  diffId: 'diff-1',
  path: '/work/src/upload.ts',
  label: 'src/upload.ts',
  isNew: false,
  added: 3,
  removed: 1,
  hunks: [
    {
      oldStart: 51,
      newStart: 51,
      lines: [
        { type: 'same', text: 'async send(chunk: Uint8Array) {' },
        { type: 'removed', text: '  await this.put(chunk);' },
        { type: 'added', text: '  await retry(4, async () => {' },
        { type: 'added', text: '    await this.put(chunk);' },
        { type: 'added', text: '  });' },
        { type: 'same', text: '}' },
      ],
    },
  ],
};
const asked: readonly Action[] = [
  { type: 'agentNamed', agent: { name: 'claude', title: 'Claude Code' } },
  ready,
  { type: 'titleChanged', title: 'Retry failed uploads' },
  { type: 'promptSent', text: 'Retry uploads that fail on a flaky network.', blocks: [], at: AT },
];

const edited: readonly Action[] = [
  {
    type: 'toolStarted',
    toolCallId: 't3',
    patch: { title: 'Edit upload.ts', tool: 'edit', status: 'done', content: [diff] },
    at: AT + 5000,
  },
  { type: 'turnEnded', stopReason: 'end_turn', at: AT + 9000 },
  {
    type: 'changesChanged',
    changed: [
      {
        path: '/work/src/upload.ts',
        label: 'src/upload.ts',
        status: 'changed',
        added: 3,
        removed: 1,
        binary: false,
      },
    ],
    removed: [],
  },
];

const scenes: readonly Scene[] = [
  {
    name: 'agent',
    height: 600,
    open: chat((page) => {
      page.state = emptySession('session-1');
      return page.snapshot([], {
        ...environment,
        agents: environment.agents.filter(({ name }) => name === 'demo'),
        found: [
          { name: 'claude', title: 'Claude Code', description: '/usr/local/bin/claude-agent-acp' },
          { name: 'gemini', title: 'Gemini CLI', description: '/usr/local/bin/gemini --acp' },
        ],
      });
    }),
  },
  {
    name: 'ask',
    height: 460,
    open: chat(async (page) => {
      await page.act(
        ...asked,
        { type: 'planChanged', items: plan() },
        {
          type: 'textAppended',
          role: 'agent',
          text: 'The client gives up at the first error. I will wrap the request in a bounded retry.',
          at: AT + 3000,
        },
        read(),
      );
      await page.post({
        type: 'attach',
        attachments: [
          {
            kind: 'lines',
            uri: 'file:///work/src/upload.ts',
            label: 'src/upload.ts:40-88',
            lines: { first: 40, last: 88 },
          },
        ],
        remarks: [],
      });
    }),
  },
  {
    name: 'approve',
    height: 460,
    open: chat(async (page) => {
      await page.act(
        ...asked,
        read(),
        {
          type: 'toolStarted',
          toolCallId: 't2',
          patch: {
            title: 'npm test -- upload',
            tool: 'execute',
            status: 'pending',
            rawInput: { command: 'npm test -- upload' },
          },
          at: AT + 5000,
        },
        {
          type: 'permissionAsked',
          permissionId: 'p1',
          tool: page.state.entries.count + 2,
          title: 'npm test -- upload',
          options,
          at: AT + 6000,
        },
      );
      await page.page.locator('.question .button:not([aria-disabled="true"])').first().waitFor();
    }),
  },
  {
    name: 'review',
    height: 520,
    open: chat((page) => page.act(...asked, ...edited)),
  },
  {
    name: 'race',
    height: 520,
    open: openRaceBoard,
  },
  {
    name: 'tools',
    height: 520,
    open: chat(async (page) => {
      await page.act(...asked.slice(0, 3));
      await page.post({ type: 'showTools', shown: true });
      await page.post({ type: 'tools', tools: shownTools });
    }),
  },
];

function plan(): Extract<Action, { type: 'planChanged' }>['items'] {
  return [
    { content: 'Read the upload client', priority: 'high', status: 'completed' },
    { content: 'Retry transient errors', priority: 'high', status: 'in_progress' },
    { content: 'Add tests', priority: 'medium', status: 'pending' },
  ];
}

function server(name: string, title: string, description: string, isOn = true): ToolServerItem {
  const tools = ['list', 'find', 'show'].map((tool) => ({
    id: `${name}__${tool}`,
    name: tool,
    title: tool,
    description: '',
  }));
  return {
    name,
    title,
    description,
    origin: 'builtIn',
    isOn,
    ...(!isOn && { unavailableReason: 'Off' }),
    tools,
    resources: [],
  };
}

const shownTools: ToolsPanelState = {
  trusted: true,
  agent: 'Claude Code',
  transport: 'http',
  servers: [
    server('problems', 'Problems', 'What the editor complains about'),
    server('code', 'Code', 'Definitions, uses and symbols'),
    server('refactor', 'Refactor', 'Renames and quick fixes'),
    server('tasks', 'Tasks', 'Runs tasks of the workspace', false),
  ],
  warnings: [],
  calls: [{ number: 1, id: 'problems__list', at: AT, ms: 12, isError: false }],
};

function read(): Action {
  const location = { path: '/work/src/upload.ts', label: 'src/upload.ts', line: 40 };
  return {
    type: 'toolStarted',
    toolCallId: 't1',
    patch: { title: 'Read upload.ts', tool: 'read', status: 'done', locations: [location] },
    at: AT + 4000,
  };
}

async function draw({ name, height, open }: Scene): Promise<number> {
  const size = { width: 420, height };
  const page = await open(size);
  await markColours(page.page);
  await page.frame();
  await page.page.evaluate(() => document.fonts.ready);
  const svg = await drawing(page.page, size);
  await page.close();
  await writeFile(join(FOLDER, `${name}.svg`), svg);
  return Buffer.byteLength(svg);
}

async function main(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  let bytes = 0;
  for (const scene of scenes) bytes += await draw(scene);
  await closeBrowser();
  console.log(`${scenes.length} pictures, ${bytes} bytes of at most ${MAX_BYTES}`);
  if (bytes > MAX_BYTES) throw new Error('The pictures of the walkthrough are too large for the package');
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
