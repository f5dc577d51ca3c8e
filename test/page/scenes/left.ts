import type { Action } from '../../../src/shared/state/sessionActions';
import { NOON, changedFiles } from '../sample';
import { call } from '../toolSample';
import { scenesOf } from './scene';

const CODE =
  'Here it is:\n\n```ts src/retry.ts\nexport const attempts = 4; // a line that is longer than a narrow view\n```\n';
const prompt = (text: string): Action => ({ type: 'promptSent', text, blocks: [], at: NOON });
/** A conversation with two turns, each long enough for a summary. */
const talk: readonly Action[] = [
  { type: 'connectionChanged', connection: { status: 'ready' } },
  prompt('Make the upload retry.'),
  call('read'),
  { type: 'textAppended', role: 'agent', text: CODE, at: NOON + 1000 },
  { type: 'turnEnded', stopReason: 'end_turn', at: NOON + 95_000 },
  prompt('And write tests for it.'),
  call('execute'),
  { type: 'textAppended', role: 'agent', text: 'They pass.', at: NOON + 100_000 },
  { type: 'turnEnded', stopReason: 'end_turn', at: NOON + 200_000 },
  {
    type: 'turnFilesTold',
    entry: 0,
    files: changedFiles.slice(0, 2).map((file) => ({ ...file, status: 'changed', mark: 'm' })),
  },
];
const imported: Action = {
  type: 'sessionImported',
  session: {
    mark: { file: 'talk.json', exportedAt: NOON },
    title: 'How retries work',
    terminals: {},
    plan: [],
    plans: [],
  },
};

/** Summaries and code of finished turns; imported and continued sessions; other scripts. */
export const leftScenes = scenesOf({
  summary: async (page) => {
    await page.act(...talk);
    await page.page.locator('.code-block').hover();
  },
  imported: (page) =>
    page.snapshot([
      imported,
      { type: 'entriesImported', entries: [{ kind: 'user', text: 'Hello', blocks: [], at: NOON }] },
    ]),
  link: async (page) => {
    await page.post({ type: 'fillComposer', session: 'session-1', text: 'Explain this project', remarks: [] });
    await page.page.locator('.link-note').waitFor();
  },
  cjk: (page) =>
    page.act(
      prompt('アップロードを再試行してください。'),
      {
        type: 'textAppended',
        role: 'agent',
        text: '`retry` で四回まで再試行します。\n\n- 网络错误\n- 한국어',
        at: NOON,
      },
      prompt('اجعل الرفع يعيد المحاولة من فضلك'),
      { type: 'textAppended', role: 'agent', text: '1. أولاً `retry`\n2. ثم الاختبارات', at: NOON },
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
    ),
  /** Names, titles and messages without spaces, in everything around the conversation. */
  'cjk-dock': async (page) => {
    const file = (label: string, added: number, removed: number) =>
      ({ path: `/w/${label}`, label, status: 'changed', added, removed, binary: false }) as const;
    const files = [
      file('文档/网络重试说明与常见问题的详细解答.md', 12, 3),
      file('ソース/アップロード再試行.ts', 41, 0),
    ];
    const asks =
      '一時的なネットワークエラーのときだけアップロードを再試行し、公開APIは変えずにテストも追加してください。';
    await page.act(
      prompt(asks),
      call('edit'),
      { type: 'textAppended', role: 'agent', text: '四回まで再試行します。只有网络错误才会重试。', at: NOON },
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON + 5000 },
      prompt('请继续'),
      { type: 'changesChanged', changed: files, removed: [] },
      { type: 'messageQueued', message: { id: 'q', text: `次に、${asks}`, attachments: [], at: NOON } },
      {
        type: 'planChanged',
        items: [
          { content: '只在网络错误时重试上传请求，并保持公开接口不变', priority: 'high', status: 'in_progress' },
          { content: '運行所有測試', priority: 'low', status: 'pending' },
        ],
      },
    );
    const notice = { id: 'n', text: page.say('Redo'), details: [asks], isWarning: true, button: page.say('Redo') };
    await page.post({ type: 'notice', notice });
    await page.page.getByRole('status', { name: page.say('Notice'), exact: true }).waitFor();
  },
});
