import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '../../../../../src/session/session';
import type { WorkspacePathIndex } from '../../../../../src/ui/attachments/pathIndex';
import type { WorkspaceFileIndex } from '../../../../../src/ui/attachments/workspaceFileIndex';
import type { IntentPage, Review } from '../../../../../src/ui/window';
import { provideVscode } from '../../../../kit/provideVscode';
import { stubOf } from '../../../../kit/stubOf';
import { temporaryFolder } from '../../../../kit/temporaryFolder';

const nothing = (): object => ({ dispose: () => undefined });
const window: { activeTextEditor: unknown; visibleTextEditors: unknown[]; tabGroups: object } = {
  activeTextEditor: undefined,
  visibleTextEditors: [],
  tabGroups: { all: [], activeTabGroup: {}, onDidChangeTabs: nothing },
};
let activated: (editor: unknown) => void = () => undefined;
const stub = {
  window: {
    ...window,
    get activeTextEditor() {
      return window.activeTextEditor;
    },
    get visibleTextEditors() {
      return window.visibleTextEditors;
    },
    onDidChangeActiveTextEditor: (listener: typeof activated) => {
      activated = listener;
      return nothing();
    },
  },
  workspace: {
    registerTextDocumentContentProvider: nothing,
    registerFileSystemProvider: nothing,
    onDidCloseTextDocument: nothing,
  },
  TabInputWebview: Map,
  EventEmitter: class {
    readonly event = nothing;
    dispose(): void {
      nothing();
    }
  },
};

/** Later imports of these tests get this stub, even if other test files in the same process have their own. */
function useStub(): void {
  let restore: () => void;
  before(() => {
    restore = provideVscode(stub);
  });
  after(() => restore());
}

describe('actions on transcript entries', () => {
  useStub();

  it('answer a request for file references even if files cannot be listed', async () => {
    const { ContentActions } = await import('../../../../../src/ui/chat/content/contentActions');
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'there.ts'), '');
    let isBroken = true;
    const entries = new ContentActions(
      stubOf<WorkspaceFileIndex>({
        index: async () => {
          if (isBroken) throw new Error('no index');
          return stubOf<WorkspacePathIndex>({ findByEndings: () => new Map() });
        },
      }),
      stubOf<Review>({}),
      () => undefined,
    );
    const told: unknown[] = [];
    const page = { post: (message: unknown) => told.push(message) };
    const from = { session: stubOf<Session>({ cwd: folder, folders: [folder] }), page: stubOf<IntentPage>(page) };
    const intent = { type: 'findPlaces', texts: ['there.ts', 'gone.ts'] } as const;
    await assert.rejects(entries.handle(from, intent), /no index/);
    assert.deepEqual(told, [{ type: 'places', asked: intent.texts, found: [] }]);
    isBroken = false;
    await entries.handle(from, intent);
    const found = [{ text: 'there.ts', path: join(folder, 'there.ts') }];
    assert.deepEqual(told[1], { type: 'places', asked: intent.texts, found });
    const cwd = join(folder, 'app');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'there.ts'), '');
    await entries.handle(
      { session: stubOf<Session>({ cwd, folders: [folder] }), page: stubOf<IntentPage>(page) },
      intent,
    );
    const inCwd = [{ text: 'there.ts', path: join(cwd, 'there.ts') }];
    assert.deepEqual(told[2], { type: 'places', asked: intent.texts, found: inCwd }, 'the session’s folder is first');
    entries.dispose();
    rmSync(folder, { recursive: true });
  });
});

describe('the last active editor', () => {
  useStub();

  const editor = (name: string, viewColumn?: number): object => ({
    document: { uri: { toString: () => name } },
    viewColumn,
  });

  it('is used while a chat tab has the focus, instead of the first visible editor', async () => {
    const { trackActiveEditor, lastActiveEditor } = await import('../../../../../src/workbench/activeEditor');
    const [first, second] = [editor('a', 1), editor('b', 2)];
    window.visibleTextEditors = [editor('log'), first, second];
    const following = trackActiveEditor();
    assert.equal(lastActiveEditor(), undefined, 'nobody knows which of the two');
    window.activeTextEditor = second;
    activated(second);
    assert.equal(lastActiveEditor(), second);
    // Code must not be written to an extension's log.
    window.activeTextEditor = editor('log');
    activated(window.activeTextEditor);
    assert.equal(lastActiveEditor(), second);
    window.activeTextEditor = undefined;
    activated(undefined);
    assert.equal(lastActiveEditor(), second);
    const again = editor('b', 2);
    window.visibleTextEditors = [first, again];
    assert.equal(lastActiveEditor(), again, 'the same in another object');
    window.visibleTextEditors = [first];
    assert.equal(lastActiveEditor(), first, 'the only one there is');
    following.dispose();
  });
});
