import type { Action } from '../../../src/shared/state/sessionActions';
import type { ChatPage } from '../harness';
import { environment } from '../harness';
import { attached, mentions, withContext } from '../mentionSample';
import { NOON, beside, midTurn, reviewed } from '../sample';
import { terminals } from '../terminalSample';
import type { ChatScene } from './scene';
import { scenesOf } from './scene';

const at = NOON;

/** In an editor tab, which has a header with the title. */
const tabScene: ChatScene = {
  name: 'tab',
  options: { location: 'editor' },
  prepare: (page) => page.act(...reviewed(Date.now())),
};

/** A conversation in its usual states. */
const viewScenes = scenesOf({
  page: async (page) => {
    await page.act(...midTurn(Date.now()));
    // The options are rendered in their enabled state.
    await page.page.locator('.question .button:not([aria-disabled="true"])').first().waitFor();
    await page.box.focus();
  },
  error: (page) => page.act(...broken(Date.now())),
  terminals: async (page) => {
    await page.act(...terminals(Date.now()));
    await page.page.getByText('notes.md').waitFor();
  },
  long: (page) => page.act(...longTalk()),
  pasted: (page) =>
    page.act(
      { type: 'promptSent', text: `Why is this slow?\n\n${'at send (src/upload.ts:52)\n'.repeat(60)}`, blocks: [], at },
      { type: 'textAppended', role: 'agent', text: 'It waits for **each** attempt.', at },
      { type: 'turnEnded', stopReason: 'end_turn', at },
    ),
  options: async (page) => {
    await page.act(...midTurn(Date.now()), ...beside(Date.now()));
    await page.page.getByRole('button', { name: 'Check the docs' }).click();
    const [model, more] = [page.page.getByRole('combobox', { name: 'Model' }), page.button('More options')];
    await model.or(more).first().waitFor();
    if (!(await model.isVisible())) await more.click();
    await model.click();
  },
  changes: async (page) => {
    await page.act(...reviewed(Date.now()));
    await page.post({ type: 'environment', environment: { ...environment, follow: 'following' } });
    await page.page
      .getByRole('article', { name: page.say('You') })
      .first()
      .hover();
  },
  commands: async (page) => {
    await page.act(...midTurn(Date.now()), ...beside(Date.now()));
    await page.page.getByRole('button', { name: page.say('Conversation compacted') }).click();
    await page.box.pressSequentially('/');
  },
  mentions: (page) => showMentions(page),
  dropped: async (page) => {
    const attachments = Array.from({ length: 50 }, (_, index) => {
      const label = `src/upload/retry-${index}.ts`;
      return { kind: 'file', uri: `file:///w/${label}`, label } as const;
    });
    const remarks = ['Could not attach 10 more: the message has reached its attachment limit.'];
    await page.post({ type: 'attach', attachments, remarks });
    await page.page.getByText(remarks[0]!).waitFor();
  },
});

export const talkScenes: readonly ChatScene[] = [tabScene, ...viewScenes];

/** A message with context was sent, another is being written. */
async function showMentions(page: ChatPage): Promise<void> {
  await page.act(...withContext(Date.now()));
  const editor = { kind: 'active', uri: 'file:///w/src/app.ts', label: 'src/app.ts' } as const;
  await page.post({ type: 'environment', environment: { ...environment, editor } });
  await page.post({
    type: 'attach',
    attachments: attached,
    remarks: ['movie.mp4: the file is 80.2 MB; the limit is 5 MB'],
  });
  await page.box.pressSequentially('Compare with @ses');
  const asked = await page.sentType('findMentions', 4);
  if (asked.type !== 'findMentions') throw new Error('The page did not ask');
  await page.post({ type: 'mentions', id: asked.id, mentions });
}

function broken(at: number): Action[] {
  const detail = 'Error: Cannot find module "claude"\n    at node:internal';
  return [
    { type: 'promptSent', text: 'Hello', blocks: [], at },
    { type: 'turnEnded', stopReason: 'error', at },
    { type: 'connectionChanged', connection: { status: 'exited', code: 1, detail } },
    {
      type: 'noticeShown',
      severity: 'warning',
      title: 'Token limit reached',
      text: 'The answer was cut off. Send “continue” to get the rest, or start a new chat.',
      at,
    },
    { type: 'errorShown', message: 'The model is overloaded.', remedies: ['retry', 'showLog'], at },
  ];
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
