import { mkdir } from 'node:fs/promises';
import type { Action } from '../../src/shared/actions';
import type { PageOptions, ThemeName } from './harness';
import { ChatPage, closeBrowser, surroundings } from './harness';
import { attached, mentions, withContext } from './mentionSample';
import { beside, midTurn, reviewed } from './sample';
import { terminals } from './terminalSample';

/** Pictures of the page, to be looked at: `npm run pictures` writes them to out/pictures. */

const FOLDER = 'out/pictures';
const THEMES: readonly ThemeName[] = ['dark', 'light', 'hc', 'hc-light'];
const WIDTHS = [300, 450, 900] as const;

interface Scene {
  readonly name: string;
  readonly options?: PageOptions;
  readonly prepare: (page: ChatPage) => Promise<void>;
}

const inMidTurn: Scene = {
  name: 'page',
  prepare: async (page) => {
    await page.act(...midTurn(Date.now()));
    // The options are drawn as they are once they can be used.
    await page.page.locator('.question .button:not([aria-disabled="true"])').first().waitFor();
    await page.box.focus();
  },
};

const scenes: readonly Scene[] = [
  { name: 'empty', prepare: async () => {} },
  {
    name: 'error',
    prepare: (page) =>
      page.act(
        { type: 'promptSent', text: 'Hello', blocks: [], at: Date.now() },
        { type: 'turnEnded', stopReason: 'error', at: Date.now() },
        {
          type: 'connectionChanged',
          connection: { status: 'exited', code: 1, detail: 'Error: Cannot find module "claude"\n    at node:internal' },
        },
        {
          type: 'noticeShown',
          severity: 'warning',
          title: 'Token limit reached',
          text: 'The answer was cut off. Send “continue” to go on, or start a new chat.',
          at: Date.now(),
        },
        { type: 'errorShown', message: 'The model is overloaded.', remedies: ['retry', 'showLog'], at: Date.now() },
      ),
  },
  {
    name: 'terminals',
    prepare: async (page) => {
      await page.act(...terminals(Date.now()));
      await page.page.getByText('notes.md').waitFor();
    },
  },
  { name: 'long', prepare: (page) => page.act(...longTalk()) },
  {
    name: 'options',
    prepare: async (page) => {
      await page.act(...midTurn(Date.now()), ...beside(Date.now()));
      await page.page.getByRole('button', { name: 'Check the docs' }).click();
      await page.page.getByRole('combobox', { name: 'Model' }).click();
    },
  },
  {
    name: 'changes',
    prepare: async (page) => {
      await page.act(...reviewed(Date.now()));
      await page.post({ type: 'surroundings', surroundings: { ...surroundings, follow: 'following' } });
      await page.page.getByRole('article', { name: 'You' }).first().hover();
    },
  },
  {
    name: 'commands',
    prepare: async (page) => {
      await page.act(...midTurn(Date.now()), ...beside(Date.now()));
      await page.page.getByRole('button', { name: 'Conversation compacted' }).click();
      await page.box.pressSequentially('/');
    },
  },
  { name: 'mentions', prepare: (page) => showMentions(page) },
];

/** A message with context was sent, another is being written. */
async function showMentions(page: ChatPage): Promise<void> {
  await page.act(...withContext(Date.now()));
  const editor = { kind: 'active', uri: 'file:///w/src/app.ts', label: 'src/app.ts' } as const;
  await page.post({ type: 'surroundings', surroundings: { ...surroundings, editor } });
  await page.post({
    type: 'attach',
    attachments: attached,
    remarks: ['movie.mp4: it has 80.2 MB; an agent gets at most 5 MB'],
  });
  await page.box.pressSequentially('Compare with @ses');
  const asked = await page.sentType('findMentions', 4);
  if (asked.type !== 'findMentions') throw new Error('The page did not ask');
  await page.post({ type: 'mentions', id: asked.id, mentions });
}

function longTalk(): Action[] {
  const at = Date.now() - 3_600_000;
  return [
    { type: 'connectionChanged', connection: { status: 'ready' } },
    { type: 'titleChanged', title: 'How the retry works' },
    { type: 'promptSent', text: 'Explain the retry to me, please. مرحبا بالعالم', blocks: [], at },
    { type: 'textAppended', role: 'agent', text: MARKDOWN, at: at + 2000 },
    { type: 'turnEnded', stopReason: 'end_turn', at: at + 9000 },
    { type: 'promptSent', text: 'And in Arabic?', blocks: [], at: at + 10_000 },
    { type: 'textAppended', role: 'agent', text: 'تعيد الدالة `retry` المحاولة أربع مرات.', at: at + 12_000 },
    { type: 'turnEnded', stopReason: 'end_turn', at: at + 19_000 },
  ];
}

const MARKDOWN = `## What happens

The call is wrapped in \`retry\`, which gives up after **four** attempts:

1. It waits 100 ms, then twice as long each time.
2. Some jitter is added, so that clients do not come back together.

- [x] network errors
- [ ] answers in the 400s

\`\`\`ts
export async function retry<T>(work: () => Promise<T>, attempts = 4): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isTransient(error)) throw error;
    }
  }
}
\`\`\`

| error | retried |
| --- | --- |
| ECONNRESET | yes |
| 403 | no |

> See [the issue](https://example.com/1) for why.
`;

async function picture(scene: Scene, theme: ThemeName, width: number): Promise<void> {
  const page = await ChatPage.with([], {
    theme,
    width,
    height: 1080,
    scale: 1.5,
    reducedMotion: true,
    ...scene.options,
  });
  await scene.prepare(page);
  await page.frame();
  await page.page.evaluate(() => document.fonts.ready);
  await page.page.screenshot({ path: `${FOLDER}/${scene.name}-${theme}-${width}.png` });
  await page.close();
}

async function main(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const only = process.argv[2];
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      for (const scene of [inMidTurn, ...scenes]) {
        const everywhere = ['page', 'changes', 'terminals', 'mentions'].includes(scene.name);
        if (everywhere && (!only || only === scene.name)) await picture(scene, theme, width);
      }
    }
    for (const scene of scenes) {
      if (scene.name !== 'changes' && scene.name !== 'mentions' && (!only || only === scene.name))
        await picture(scene, theme, 450);
    }
  }
  await closeBrowser();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
