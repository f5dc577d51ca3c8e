import type { Attachment, Mention } from '../../src/shared/state/attachments';
import type { Action } from '../../src/shared/state/sessionActions';

/** Sixteen pixels of one colour. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAFElEQVR42mNkYPhfz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

/** Every kind of attachment, one of them with a long name. */
export const attached: readonly Attachment[] = [
  { kind: 'file', uri: 'file:///w/src/session/sessions.ts', label: 'src/session/sessions.ts' },
  { kind: 'folder', uri: 'file:///w/docs', label: 'docs' },
  {
    kind: 'lines',
    uri: 'file:///w/a.ts',
    label: 'src/a-rather-long-name-of-a-file-that-somebody-gave.component.ts:118-240',
    lines: { first: 118, last: 240 },
  },
  { kind: 'problems', label: 'Problems' },
  { kind: 'changes', label: 'Git changes' },
  { kind: 'session', id: 's', label: 'How the retry works' },
  { kind: 'text', label: 'Terminal selection', text: 'npm ERR!' },
  { kind: 'data', label: 'screenshot.png', mimeType: 'image/png', data: PICTURE },
];

/** Search results of the host for a few letters. */
export const mentions: readonly Mention[] = [
  {
    label: 'Selection',
    detail: 'src/app.ts:3-9',
    group: 'Context',
    gives: { kind: 'lines', uri: 'file:///w/src/app.ts', label: 'src/app.ts:3-9', lines: { first: 3, last: 9 } },
  },
  { label: 'Terminal selection', detail: 'bash', group: 'Context', gives: 'terminal' },
  { label: 'npm run session:check', detail: 'bash · Exit code 1', group: 'Context', gives: 'command 2' },
  ...['sessions.ts', 'session.ts', 'sessionCommands.ts'].map((label): Mention => ({
    label,
    detail: 'src/session',
    group: 'Files and folders',
    gives: { kind: 'file', uri: `file:///w/src/session/${label}`, label: `src/session/${label}` },
  })),
  {
    label: 'session/',
    detail: 'src',
    group: 'Files and folders',
    gives: { kind: 'folder', uri: 'file:///w/src/session', label: 'src/session' },
  },
];

/** A turn whose message had a file, lines, a link and a picture attached. */
export function withContext(at: number): readonly Action[] {
  return [
    {
      type: 'promptSent',
      text: 'Why does @app.ts do that?',
      blocks: [
        {
          type: 'resource',
          uri: 'file:///w/src/app.ts#L3-L9',
          text: 'const app = start();\napp.run();\n',
          isFile: true,
        },
        { type: 'link', uri: 'file:///w/docs', name: 'docs' },
        { type: 'resource', uri: 'parley:git-changes', text: '--- a/x\n+++ b/x\n', mimeType: 'text/plain' },
        { type: 'image', data: PICTURE, mimeType: 'image/png' },
      ],
      at,
    },
    { type: 'textAppended', role: 'agent', text: 'Because of the lines that you sent.', at },
    { type: 'turnEnded', stopReason: 'end_turn', at },
  ];
}
