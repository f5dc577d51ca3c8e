import { commands as executed, resetStub, stub, toasts } from './ui/vscodeStub';
import { PanelStub, ViewStub, asPanel, asView, extensionUri } from './ui/webviewStub';
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExtensionContext, Uri } from 'vscode';
import type { Event } from '../../src/base/event';
import { Emitter } from '../../src/base/event';
import type { SharedParts, StartedApp } from '../../src/entryPoints';
import type { ParleyApi } from '../../src/mcp/extensionApi/parleyApi';
import { MemoryMemento } from '../kit/memoryMemento';
import { stubOf } from '../kit/stubOf';
import { temporaryFolder } from '../kit/temporaryFolder';
import { settled, until } from '../kit/waiting';

const nothing = { dispose: () => undefined };
const registered = new Map<string, unknown>();
const register =
  (kind: string) =>
  (...[id, provider]: unknown[]) => {
    registered.set(typeof id === 'string' ? id : kind, provider ?? id);
    return nothing;
  };
const log: string[] = [];
const channel = { ...nothing, error: (line: string) => void log.push(line), info: () => undefined };
/** Status bar items. */
const items = new Set<object>();

function createStatusBarItem(): object {
  const item = { show: () => items.add(item), dispose: () => items.delete(item) };
  return item;
}

Object.assign(stub.window, {
  createOutputChannel: () => channel,
  createStatusBarItem,
  createTreeView: (id: string, { treeDataProvider }: { treeDataProvider: unknown }) =>
    register('')(id, treeDataProvider),
  registerWebviewViewProvider: register('view'),
  registerWebviewPanelSerializer: register('panel'),
  registerUriHandler: register('uri'),
});
Object.assign(stub.commands, { registerCommand: register('command') });
Object.assign(stub.workspace, {
  registerFileSystemProvider: register('files'),
  onDidChangeConfiguration: () => nothing,
  getConfiguration: () => ({ get: () => false }),
});
Object.assign(stub.languages, { registerCodeActionsProvider: () => nothing });
Object.assign(stub, {
  StatusBarAlignment: { Right: 2 },
  CodeActionKind: { QuickFix: 'quickfix' },
  SymbolKind: {},
  ExtensionMode: { Production: 1, Test: 3 },
  FileType: { File: 1 },
  MarkdownString: Object,
  TreeItem: Object,
});

// Imported now: another test file may replace the stub of `vscode` later.
const loaded = import('../../src/entryPoints');

/** Registered contributions of the entry points, as in the application. */
interface Registered {
  'parley.chat': StartedApp['chatView'];
  'parley.editor': StartedApp['chatTabs'];
  'parley.races': StartedApp['raceBoard'];
  'parley.sessions': { getChildren(row?: string): unknown; onDidChangeTreeData: Event<unknown> };
  'parley-base': { readFile(uri: unknown): Promise<Uint8Array> };
  'parley.newChat': (...given: unknown[]) => Promise<unknown>;
  uri: StartedApp['links'];
}

function provider<Id extends keyof Registered>(id: Id): Registered[Id] {
  assert.ok(registered.has(id), id);
  return registered.get(id) as Registered[Id];
}

const run = (...given: unknown[]): Promise<unknown> => provider('parley.newChat')(...given);

/** Calls of the application. */
class FakeApp {
  readonly calls: unknown[][] = [];
  readonly commands = { 'parley.newChat': (...given: unknown[]) => this.calls.push(['newChat', ...given]) };
  readonly chatView = { resolveWebviewView: (...given: unknown[]) => void this.calls.push(['view', ...given]) };
  readonly chatTabs = {
    deserializeWebviewPanel: async (...given: unknown[]) => void this.calls.push(['tab', ...given]),
  };
  readonly raceBoard = { deserializeWebviewPanel: async (panel: unknown) => void this.calls.push(['board', panel]) };
  readonly links = { handleUri: (uri: unknown) => void this.calls.push(['link', uri]) };
  readonly rowsChanged = new Emitter<void>();
  readonly sessionTree = {
    onDidChangeTreeData: this.rowsChanged.event,
    getChildren: (row?: string) => [row === undefined ? 'row' : `row in ${row}`],
  };
  readonly testApi = { sessions: 'the sessions' };

  readonly baselines = { read: async () => new TextEncoder().encode('before') };

  async stop(): Promise<void> {
    this.calls.push(['stop']);
  }
}

describe('entryPoints', () => {
  const app = new FakeApp();
  /** Pending starts of the application. */
  let starts: { shared: SharedParts; end(error?: Error): void }[];
  let folder: string;
  let state: Map<string, unknown>;

  beforeEach(() => {
    resetStub();
    for (const list of [app.calls, log]) list.length = 0;
    items.clear();
    registered.clear();
    starts = [];
    state = new Map([['parley.shown', true]]);
    folder = temporaryFolder();
  });

  async function open(mode = 1) {
    const { EntryPoints } = await loaded;
    const packageJSON = { version: '1.0.0', contributes: { commands: [{ command: 'parley.newChat' }] } };
    const context = stubOf<ExtensionContext>({
      extension: { packageJSON },
      extensionUri,
      // An enum of VS Code, which is not there.
      ...({ extensionMode: mode } as object),
      globalState: new MemoryMemento(state),
      storageUri: { fsPath: join(folder, 'own') },
      globalStorageUri: { fsPath: join(folder, 'shared') },
    });
    return new EntryPoints(context, (shared) => {
      return new Promise((resolve, reject) => {
        const end = (error?: Error): void => {
          if (error) return reject(error);
          shared.releasePlaceholder();
          resolve(stubOf<StartedApp>(app as object));
        };
        starts.push({ shared, end });
      });
    });
  }

  /** Waits for one turn of the event loop, including its reads from the disk. */
  async function turn(): Promise<void> {
    await settled();
    const { hasStoredData } = await loaded;
    await hasStoredData(folder, folder);
  }

  it('starts the application once for all early commands, and runs them after the start', async () => {
    await open();
    const runs = [run('one'), run('two', 2)];
    assert.deepEqual([starts.length, app.calls], [1, []]);
    starts[0]?.end();
    await Promise.all(runs);
    await run('three');
    assert.equal(starts.length, 1);
    assert.deepEqual(app.calls, [
      ['newChat', 'one'],
      ['newChat', 'two', 2],
      ['newChat', 'three'],
    ]);
  });

  it('forwards restored tabs, links and baselines of diff editors to the application', async () => {
    await open();
    const panel = new PanelStub();
    const tabs = provider('parley.editor').deserializeWebviewPanel(asPanel(panel), 'state');
    const boardPanel = asPanel(new PanelStub());
    const board = provider('parley.races').deserializeWebviewPanel(boardPanel, undefined);
    const uri = stubOf<Uri>({ path: '/c' });
    const link = provider('uri').handleUri(uri);
    const bytes = provider('parley-base').readFile('parley-base:/a');
    assert.equal(starts.length, 1);
    starts[0]?.end();
    await Promise.all([tabs, board, link]);
    assert.deepEqual(
      app.calls.map((call) => call.slice(0, 2)),
      [
        ['tab', panel],
        ['board', boardPanel],
        ['link', uri],
      ],
    );
    assert.equal(Buffer.from(await bytes).toString(), 'before');
  });

  it('shows the reason of a failed start, retries at the next use, and then fills the waiting view', async () => {
    await open();
    const view = new ViewStub();
    provider('parley.chat').resolveWebviewView(asView(view));
    starts[0]?.end(new Error('no room'));
    await until(() => toasts.length > 0);
    assert.match(toasts[0]?.message ?? '', /could not start: no room/);
    assert.match(log[0] ?? '', /no room/);
    assert.equal(items.size, 1, 'there is something to click on');
    const again = run();
    starts[1]?.end();
    await again;
    assert.deepEqual(app.calls, [['view', view, []], ['newChat']]);
    assert.deepEqual([starts.length, toasts.length], [2, 1]);
  });

  it('loads the chat page before the application, which gets the page’s earlier messages', async () => {
    await open();
    const view = new ViewStub();
    const { resolveWebviewView } = provider('parley.chat');
    resolveWebviewView(asView(view));
    assert.match(view.webview.html, /page\.js/);
    view.webview.say({ type: 'ready' });
    starts[0]?.end();
    await run();
    view.webview.say({ type: 'focused' });
    assert.deepEqual(app.calls, [['view', view, [{ type: 'ready' }]], ['newChat']]);
    resolveWebviewView(asView(view));
    assert.deepEqual(app.calls.at(-1), ['view', view]);
  });

  it('loads the page of a restored tab before the application, which gets the page’s earlier messages', async () => {
    await open();
    const [panel, closed] = [new PanelStub(), new PanelStub()];
    const { deserializeWebviewPanel } = provider('parley.editor');
    const restored = [panel, closed].map((each) => deserializeWebviewPanel(asPanel(each), 'state'));
    assert.match(panel.webview.html, /page\.js/);
    assert.match(panel.webview.html, /data-location="editor"/);
    panel.webview.say({ type: 'ready' });
    closed.dispose();
    starts[0]?.end();
    await Promise.all(restored);
    assert.deepEqual(app.calls, [['tab', panel, 'state', [{ type: 'ready' }]]]);
    const late = new PanelStub();
    await deserializeWebviewPanel(asPanel(late), 'state');
    assert.deepEqual(app.calls.at(-1), ['tab', late, 'state']);
    assert.equal(late.webview.html, '');
  });

  it('does not fill a view that was closed during the start', async () => {
    await open();
    const closed = new ViewStub();
    provider('parley.chat').resolveWebviewView(asView(closed));
    closed.dispose();
    starts[0]?.end();
    await run();
    assert.deepEqual(app.calls, [['newChat']]);
  });

  it('shows a status bar item until the application has its own', async () => {
    await open();
    assert.equal(items.size, 1);
    void run();
    starts[0]?.end();
    await run();
    assert.equal(items.size, 0);
  });

  it('gets the session rows from the application, also after a failed start', async () => {
    await open();
    const tree = provider('parley.sessions');
    const changes: unknown[] = [];
    tree.onDidChangeTreeData((value) => changes.push(value));
    const [failed] = [tree.getChildren(), starts[0]?.end(new Error('no room'))];
    assert.equal(await failed, undefined);
    const rows = tree.getChildren();
    starts[1]?.end();
    assert.deepEqual(await rows, ['row']);
    await until(() => changes.length > 0);
    assert.deepEqual(tree.getChildren('row'), ['row in row']);
    app.rowsChanged.fire();
    assert.equal(changes.length, 2);
  });

  it('does not start in a window where Parley was never used', async () => {
    await mkdir(join(folder, 'shared/worktrees/.locks'), { recursive: true });
    const entries = await open();
    await entries.activate();
    for (let count = 0; count < 5; count += 1) await turn();
    assert.deepEqual([starts.length, executed], [0, []]);
    await entries.stop();
  });

  for (const name of ['own/sessions', 'own/review', 'own/state', 'shared/worktrees']) {
    it(`starts after activation if an earlier window left data in ${name}`, async () => {
      await mkdir(join(folder, name), { recursive: true });
      await writeFile(join(folder, name, 'left'), '');
      const entries = await open();
      await entries.activate();
      assert.equal(starts.length, 0, 'not during the activation');
      await until(() => starts.length > 0);
      assert.deepEqual(executed, []);
      starts[0]?.end();
      await entries.stop();
    });
  }

  it('starts and shows the chat on first use of the extension', async () => {
    state.clear();
    const entries = await open();
    await entries.activate();
    await until(() => starts.length > 0);
    assert.deepEqual([executed, state.get('parley.shown')], [['parley.chat.focus'], true]);
    starts[0]?.end();
    await entries.stop();
  });

  it('exposes parts of the application to integration tests', async () => {
    const entries = await open(3);
    const api: Promise<ParleyApi & { readonly sessions?: unknown }> = entries.activate();
    starts[0]?.end();
    const { sessions, version } = await api;
    assert.deepEqual([sessions, version], ['the sessions', 1]);
    await entries.stop();
  });

  it('keeps registrations of other extensions for the application', async () => {
    const { api } = await open();
    api.registerToolServer({ name: 'clock', title: 'Clock', tools: [] });
    void run();
    assert.deepEqual(
      starts[0]?.shared.servers.list().map(({ name }) => name),
      ['clock'],
    );
  });

  it('stops an application that is still starting, and does not start one only to stop it', async () => {
    const unused = await open();
    await unused.stop();
    assert.equal(starts.length, 0);
    const entries = await open();
    void run();
    const stopped = entries.stop();
    starts[0]?.end();
    await stopped;
    assert.deepEqual(app.calls.at(-1), ['stop']);
  });

  it('stops after a failed start', async () => {
    const entries = await open();
    void run();
    const stopped = entries.stop();
    starts[0]?.end(new Error('no room'));
    await stopped;
    assert.deepEqual(app.calls, []);
  });
});
