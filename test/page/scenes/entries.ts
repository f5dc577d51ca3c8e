import type { ToolKind } from '../../../src/shared/state/contentBlocks';
import type { Action } from '../../../src/shared/state/sessionActions';
import type { ToolPatch } from '../../../src/shared/state/toolCallState';
import { NOON, beside, changedFiles, diff } from '../sample';
import { call, calls } from '../toolSample';
import { scenesOf } from './scene';

const KINDS = Object.keys(calls) as ToolKind[];
const STATES = ['pending', 'running', 'done', 'failed', 'rejected', 'canceled'] as const;
const prompt: Action = { type: 'promptSent', text: 'Show me everything', blocks: [], at: NOON };
const tool = (patch: ToolPatch): Action => ({ type: 'toolStarted', toolCallId: patch.title ?? '', patch, at: NOON });
const PIXELS =
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAFElEQVR42mNkYPhfz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

/** Entries of every kind. */
export const entryScenes = scenesOf({
  kinds: (page) =>
    page.act(prompt, ...KINDS.map((kind) => tool({ title: `Kind ${kind}`, tool: kind, status: 'done' }))),
  states: (page) => page.act(prompt, ...STATES.map((status) => tool({ title: `State ${status}`, status }))),
  reads: async (page) => {
    const read = (name: string): Action => {
      const label = `src/webview/components/${name}`;
      return tool({
        title: `Read /work/${label}`,
        tool: 'read',
        status: 'done',
        locations: [{ path: `/work/${label}`, label, line: 40 }],
        rawInput: { path: label },
      });
    };
    const reads = ['transcript.tsx', 'composer.tsx', 'toolCallRow.tsx', 'changesPanel.tsx'].map(read);
    const between: Action = { type: 'textAppended', role: 'agent', text: 'Now the rest.', at: NOON };
    await page.act(prompt, ...reads, between, ...reads, call('edit'), read('a-rather-long-name-of-a-file.test.tsx'));
    await page.page.locator('.entry:has(> .codicon-files) .tool-name').last().click();
  },
  views: async (page) => {
    await page.act(prompt, ...KINDS.map((kind) => call(kind)));
    const folded = page.page.locator('button.tool-name[aria-expanded="false"]');
    while ((await folded.count()) > 0) await folded.first().click();
    await page.page.locator('.tool-rest').last().waitFor();
    await page.page.locator('.ansi-line').nth(1).waitFor();
  },
  code: async (page) => {
    const text = 'See `src/upload.ts:52`.\n\n```ts src/upload.ts\nexport const attempts = 4;\n```\n';
    await page.act(prompt, { type: 'textAppended', role: 'agent', text, at: NOON });
    await page.act({ type: 'turnEnded', stopReason: 'end_turn', at: NOON });
    await page.sentType('findPlaces');
    const found = [{ text: 'src/upload.ts', path: '/work/src/upload.ts' }];
    await page.post({ type: 'places', asked: ['src/upload.ts'], found });
    await page.page.getByRole('link').waitFor();
    await page.button('Copy').focus();
  },
  unfolded: async (page) => {
    await page.act(
      prompt,
      tool({
        title: 'Edit upload.ts',
        tool: 'edit',
        status: 'done',
        content: [diff],
        rawInput: { file_path: 'src/upload.ts' },
      }),
      tool({
        title: 'Look it up',
        tool: 'fetch',
        status: 'failed',
        rawInput: { url: 'https://a.test' },
        rawOutput: 'HTTP 503',
      }),
    );
  },
  blocks: (page) =>
    page.act(
      prompt,
      { type: 'blockAppended', role: 'agent', block: { type: 'image', data: PIXELS, mimeType: 'image/png' }, at: NOON },
      { type: 'blockAppended', role: 'agent', block: { type: 'audio', data: 'UklG', mimeType: 'audio/wav' }, at: NOON },
      { type: 'blockAppended', role: 'agent', block: { type: 'link', uri: 'https://a.test/b', name: 'b' }, at: NOON },
      {
        type: 'blockAppended',
        role: 'agent',
        block: { type: 'resource', uri: 'file:///a/b.txt', text: 'inside' },
        at: NOON,
      },
    ),
  notices: (page) =>
    page.act(
      prompt,
      { type: 'noticeShown', severity: 'info', title: 'Canceled', at: NOON },
      { type: 'errorShown', message: 'It broke', detail: 'stack', remedies: ['retry', 'restart', 'showLog'], at: NOON },
      { type: 'rawReceived', label: 'session/update: dance', value: { step: 1 }, at: NOON },
    ),
  asides: async (page) => {
    const before = Array.from({ length: 9 }, (_, index): Action => ({
      type: 'noticeShown',
      severity: 'info',
      title: `Notice ${index}`,
      at: NOON,
    }));
    await page.act(...before, ...beside(NOON));
    await page.page.getByRole('button', { name: 'Check the docs' }).click();
  },
  'changes-open': async (page) => {
    await page.act(prompt, { type: 'changesChanged', changed: changedFiles, removed: [] });
  },
});
