// Imported first: later imports get this stub of `vscode`.
import { resetStub, stub, toasts } from '../../vscodeStub';
import assert from 'node:assert/strict';
import type { Sessions } from '../../../../../src/session/sessions';
import type { ContentIntent } from '../../../../../src/shared/protocol/chatPageProtocol';
import type { WorkspaceFileIndex } from '../../../../../src/ui/attachments/workspaceFileIndex';
import { CodeApplier } from '../../../../../src/ui/chat/content/applyCode';
import { ContentActions } from '../../../../../src/ui/chat/content/contentActions';
import { EmbeddedData } from '../../../../../src/ui/chat/content/embeddedData';
import { insertCode } from '../../../../../src/ui/chat/content/insertCode';
import { openFile, openLink } from '../../../../../src/ui/chat/content/openLink';
import { DiffDocuments } from '../../../../../src/ui/chat/content/toolDiffDocuments';
import type { IntentPage, Review } from '../../../../../src/ui/window';
import type { Notice } from '../../../../../src/workbench/notice';
import { stubOf } from '../../../../kit/stubOf';
import { FakeSession } from '../../fakes';

const nothing = (): object => ({ dispose: () => undefined });

describe('the results of content actions', () => {
  const session = new FakeSession('one');
  const notices: [id: string | undefined, text: string | undefined, isWarning: boolean][] = [];
  const show = (notice: Notice | undefined, id?: string): void =>
    void notices.push([id, notice?.text, notice?.isWarning === true]);
  const inPage = (notice: Notice | undefined): void => show(notice, session.id);
  /** Only in this file: others in the same process have their own stub. */
  const more = { window: { ...stub.window }, workspace: { ...stub.workspace } };

  before(() => {
    // Otherwise it would be loaded on first use, with the `vscode` of another test.
    for (const loaded of [CodeApplier, insertCode, EmbeddedData]) assert.equal(typeof loaded, 'function');
    Object.assign(stub.window, {
      visibleTextEditors: [],
      tabGroups: { all: [], activeTabGroup: {}, onDidChangeTabs: nothing },
      onDidChangeActiveTextEditor: nothing,
      showSaveDialog: async () => ({}),
    });
    Object.assign(stub.workspace, {
      registerTextDocumentContentProvider: nothing,
      registerFileSystemProvider: nothing,
      onDidCloseTextDocument: nothing,
      fs: { writeFile: () => Promise.reject(new Error('no room')) },
    });
  });
  after(() => {
    Object.assign(stub.window, more.window);
    Object.assign(stub.workspace, more.workspace);
  });

  beforeEach(() => {
    resetStub();
    notices.length = 0;
  });
  afterEach(() => assert.deepEqual(toasts, []));

  async function act(intent: ContentIntent): Promise<void> {
    const actions = new ContentActions(stubOf<WorkspaceFileIndex>({}), stubOf<Review>({}), show);
    await actions.handle({ session, page: stubOf<IntentPage>({}) }, intent);
    actions.dispose();
  }

  it('are shown in the page if no editor accepts the code', async () => {
    await act({ type: 'insertCode', code: 'x' });
    await act({ type: 'applyCode', code: 'x', info: 'ts', links: [] });
    await act({ type: 'applyCode', code: 'x', info: 'ts /elsewhere/a.ts', links: [] });
    assert.deepEqual(notices, [
      ['one', 'Open a file and place the cursor where you want the code, then insert the code again.', true],
      ['one', 'Open the file that you want to change, then apply the code again.', true],
      ['one', '/elsewhere/a.ts is outside the workspace. Parley does not write there.', true],
    ]);
  });

  it('are shown in the page if media cannot be saved', async () => {
    await act({ type: 'saveData', data: '', mimeType: 'image/png' });
    assert.deepEqual(notices, [['one', 'Could not save image.png: no room', true]]);
  });

  it('are shown in the page if a link, a file or a diff cannot be opened', async () => {
    await openLink('command:x', session, inPage);
    await openLink('not-there.ts', session, inPage);
    await openFile('//host/share', session, {}, inPage);
    const diffs = new DiffDocuments(stubOf<Sessions>({ allOpen: () => [session] }), show);
    await diffs.open(session, 'gone');
    diffs.dispose();
    assert.deepEqual(
      notices.map(([id, text]) => `${id}: ${text?.split(':')[0]}`),
      [
        'one: Parley did not open “command',
        'one: “/work space/not-there.ts” does not exist.',
        'one: Could not open “//host/share”',
        'one: This diff is no longer available.',
      ],
    );
  });
});
