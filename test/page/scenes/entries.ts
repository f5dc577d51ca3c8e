import type { Action, ToolPatch } from '../../../src/shared/actions';
import type { ToolKind } from '../../../src/shared/content';
import { NOON, beside, changedFiles, diff } from '../sample';
import { scenesOf } from './scene';

const KINDS: readonly ToolKind[] = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
];
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
    await page.act(prompt, { type: 'changesChanged', put: changedFiles, gone: [] });
  },
});
