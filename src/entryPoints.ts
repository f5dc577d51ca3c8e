import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from './base/errors';
import { Emitter } from './base/event';
import { t } from './base/l10n';
import { Lazy } from './base/lazy';
import type { Disposable } from './base/lifecycle';
import { DisposableStore, MutableDisposable } from './base/lifecycle';
import { Redactor } from './base/redactor';
import type { CommandTable } from './commands';
import { BUILT_IN_NAMES } from './mcp/builtin/lazyBuiltIns';
import { ToolServers } from './mcp/contract/toolServerRegistry';
import { createParleyApi } from './mcp/extensionApi/createParleyApi';
import type { ParleyApi } from './mcp/extensionApi/parleyApi';
import { VendorMethods } from './mcp/extensionApi/vendorMethods';
import { OutputLog } from './outputLog';
import { registerBaselineFileSystem } from './review/editor/baselineFileSystem';
import { RACE_PANEL } from './shared/protocol/racePageProtocol';
import { loadChatDocument } from './ui/chat/chatDocument';
import type { ChatTabs } from './ui/chat/chatTabs';
import type { ChatView } from './ui/chat/chatView';
import { registerAskAgentLenses } from './ui/editorActions/askAgentLenses';
import { problemActions } from './ui/editorActions/quickFixes';
import type { SessionNode, SessionTree } from './ui/sessions/sessionTree';
import { CHAT_VIEW, SESSIONS_VIEW } from './ui/viewIds';
import { CHAT_EDITOR } from './workbench/activeEditor';
import type { VirtualFiles } from './workbench/virtualDocuments';
import { showErrorMessage } from './workbench/windowMessages';

/** Memento key: the chat view was shown once. */
const SHOWN_KEY = 'parley.shown';

/** Milliseconds in which VS Code asks for a visible chat, whose page then loads while the application starts. */
const BACKGROUND_START_DELAY_MS = 200;

/** Folders of a window's data: the transcripts, the files under review, unsent comments and drafts. */
const WINDOW_FOLDERS = ['sessions', 'review', 'state'];

/** Parts that exist before the application and outlive a failed start. */
export interface SharedParts {
  readonly context: vscode.ExtensionContext;
  readonly log: OutputLog;
  readonly redactor: Redactor;
  /** What other extensions have registered. */
  readonly servers: ToolServers;
  readonly vendor: VendorMethods;
  readonly baselines: Pick<VirtualFiles, 'refresh'>;
  /** Its rows come from the application. */
  readonly sessionsView: vscode.TreeView<SessionNode>;
  /** Removes the status bar item that is shown until the application has its own. */
  readonly releasePlaceholder: () => void;
}

/** The application as the entry points use it. */
export interface StartedApp {
  readonly commands: CommandTable;
  readonly chatView: Pick<ChatView, 'resolveWebviewView'>;
  readonly chatTabs: Pick<ChatTabs, 'deserializeWebviewPanel'>;
  readonly raceBoard: vscode.WebviewPanelSerializer;
  readonly links: vscode.UriHandler;
  readonly sessionTree: SessionTree;
  readonly baselines: { read(uri: vscode.Uri): Promise<Uint8Array> };
  /** For integration tests: see `TestApi`. */
  readonly testApi: object;
  stop(): Promise<void>;
}

/** What VS Code must find as soon as the extension is active. The first use of any of it starts the application, whose code is large. */
export class EntryPoints {
  readonly #store = new DisposableStore();
  readonly #placeholder = this.#store.add(new MutableDisposable());
  readonly #rowsChanged = this.#store.add(new Emitter<undefined>());
  readonly #shared: SharedParts;
  readonly #app: Lazy<StartedApp>;
  /** The chat view that waits for the application, and what its page has sent meanwhile. */
  #waiting: ({ readonly view: vscode.WebviewView; readonly early: unknown[] } & Disposable) | undefined;

  readonly api: ParleyApi;

  constructor(context: vscode.ExtensionContext, start: (shared: SharedParts) => Promise<StartedApp>) {
    const redactor = new Redactor();
    const log = this.#store.add(new OutputLog(redactor));
    const servers = this.#store.add(new ToolServers(BUILT_IN_NAMES));
    const vendor = this.#store.add(new VendorMethods(log));
    const version = String((context.extension.packageJSON as { version?: unknown }).version);
    this.api = createParleyApi(servers, vendor, log, version);
    const read = async (uri: vscode.Uri): Promise<Uint8Array> => (await this.#app.load()).baselines.read(uri);
    const baselines = this.#store.add(registerBaselineFileSystem(read));
    const releasePlaceholder = (): void => void (this.#placeholder.value = undefined);
    const sessionsView = this.#createSessionsView();
    this.#shared = { context, log, redactor, servers, vendor, baselines, sessionsView, releasePlaceholder };
    this.#app = new Lazy(() => this.#start(start));
    this.#placeholder.value = this.#createPlaceholder();
    this.#registerCommands();
    this.#registerPages();
    this.#store.add(problemActions());
    this.#store.add(registerAskAgentLenses());
  }

  /** Starts the application later if it has work without the user, so that the activation does not take its time. */
  async activate(): Promise<ParleyApi> {
    if (this.#shared.context.extensionMode === vscode.ExtensionMode.Test) {
      const { testApi } = await this.#app.load();
      await this.#showOnce();
      return { ...this.api, ...testApi };
    }
    const timer = setTimeout(() => void this.#startIfNeeded(), BACKGROUND_START_DELAY_MS);
    this.#store.defer(() => clearTimeout(timer));
    return this.api;
  }

  /** Ends the application, also one that is just starting. */
  async stop(): Promise<void> {
    const app = await this.#app.loading?.catch(() => undefined);
    await app?.stop();
    this.#store.dispose();
  }

  async #startIfNeeded(): Promise<void> {
    const { storageUri, globalStorageUri: shared, globalState } = this.#shared.context;
    const isFirst = !globalState.get(SHOWN_KEY);
    const hasWork = isFirst || (await hasStoredData((storageUri ?? shared).fsPath, shared.fsPath));
    if (hasWork && !this.#store.isDisposed) await Promise.all([this.#withApp(() => undefined), this.#showOnce()]);
  }

  /** On a first start VS Code shows an empty container until the view is opened once. */
  async #showOnce(): Promise<void> {
    const { globalState } = this.#shared.context;
    if (globalState.get(SHOWN_KEY)) return;
    await globalState.update(SHOWN_KEY, true);
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`, { preserveFocus: true });
  }

  async #start(start: (shared: SharedParts) => Promise<StartedApp>): Promise<StartedApp> {
    const app = await start(this.#shared).catch((error: unknown) => this.#reportFailure(error));
    if (this.#waiting) app.chatView.resolveWebviewView(this.#waiting.view, this.#waiting.early);
    this.#waiting?.dispose();
    const fire = (): void => this.#rowsChanged.fire(undefined);
    this.#store.add(app.sessionTree.onDidChangeTreeData(fire));
    // Refreshes rows that VS Code requested before a start that failed.
    setImmediate(fire);
    return app;
  }

  /** Shows why the application could not start. The next use tries again. */
  #reportFailure(error: unknown): never {
    const { log, releasePlaceholder } = this.#shared;
    log.error('app', `Failed to start: ${errorMessage(error)}`, error);
    releasePlaceholder();
    this.#placeholder.value = this.#createPlaceholder();
    const message = t(
      'Parley could not start: {0}. Use Parley again or reload the window to retry.',
      errorMessage(error),
    );
    void showErrorMessage(message);
    throw error;
  }

  /** Runs a job with the application. Does nothing if it cannot start: the user has seen why. */
  async #withApp<T>(job: (app: StartedApp) => T): Promise<Awaited<T> | undefined> {
    const app = await this.#app.load().catch(() => undefined);
    return app && (await job(app));
  }

  #registerCommands(): void {
    const { contributes } = this.#shared.context.extension.packageJSON as {
      contributes: { commands: readonly { command: keyof CommandTable }[] };
    };
    for (const { command } of contributes.commands) {
      const run = (...given: unknown[]): Promise<unknown> => this.#withApp((app) => app.commands[command]?.(...given));
      this.#store.add(vscode.commands.registerCommand(command, run));
    }
  }

  #registerPages(): void {
    const { window } = vscode;
    const resolveWebviewView = (view: vscode.WebviewView): void => this.#resolveView(view);
    // Without it, VS Code would load the page again each time the view is shown, which takes longer than an empty page may.
    const webviewOptions = { retainContextWhenHidden: true };
    this.#store.add(window.registerWebviewViewProvider(CHAT_VIEW, { resolveWebviewView }, { webviewOptions }));
    const chatTabs: vscode.WebviewPanelSerializer = {
      deserializeWebviewPanel: (panel, state) => this.#restoreTab(panel, state),
    };
    const raceBoard: vscode.WebviewPanelSerializer = {
      deserializeWebviewPanel: async (...given) => (await this.#app.load()).raceBoard.deserializeWebviewPanel(...given),
    };
    this.#store.add(window.registerWebviewPanelSerializer(CHAT_EDITOR, chatTabs));
    this.#store.add(window.registerWebviewPanelSerializer(RACE_PANEL, raceBoard));
    const handleUri = async (uri: vscode.Uri): Promise<void> =>
      void (await this.#withApp((app) => app.links.handleUri(uri)));
    this.#store.add(window.registerUriHandler({ handleUri }));
  }

  /** As {@link #resolveView}, for a tab of an earlier window. */
  async #restoreTab(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    if (this.#app.value) return this.#app.value.chatTabs.deserializeWebviewPanel(panel, state);
    const early: unknown[] = [];
    const store = new DisposableStore();
    store.add(panel.webview.onDidReceiveMessage((message) => early.push(message)));
    store.add(panel.onDidDispose(() => store.dispose()));
    loadChatDocument(panel.webview, this.#shared.context.extensionUri, 'editor');
    const app = await this.#app.load();
    if (!store.isDisposed) await app.chatTabs.deserializeWebviewPanel(panel, state, early);
    store.dispose();
  }

  /** The page loads at the same time as the application. After a failed start, the next one fills it: VS Code does not ask again. */
  #resolveView(view: vscode.WebviewView): void {
    if (this.#app.value) return this.#app.value.chatView.resolveWebviewView(view);
    this.#waiting?.dispose();
    const early: unknown[] = [];
    const store = new DisposableStore();
    store.add(view.webview.onDidReceiveMessage((message) => early.push(message)));
    store.add(view.onDidDispose(() => store.dispose()));
    store.defer(() => (this.#waiting = undefined));
    this.#waiting = { view, early, dispose: () => store.dispose() };
    loadChatDocument(view.webview, this.#shared.context.extensionUri, 'view');
    void this.#withApp(() => undefined);
  }

  /** VS Code asks for the rows when the tree is first visible. */
  #createSessionsView(): vscode.TreeView<SessionNode> {
    const tree = (): SessionTree | undefined => this.#app.value?.sessionTree;
    const treeDataProvider: vscode.TreeDataProvider<SessionNode> = {
      onDidChangeTreeData: this.#rowsChanged.event,
      getChildren: (node) => tree()?.getChildren(node) ?? this.#withApp((app) => app.sessionTree.getChildren(node)),
      getTreeItem: (node) => tree()?.getTreeItem(node) ?? new vscode.TreeItem(''),
      getParent: (node) => tree()?.getParent(node),
      resolveTreeItem: (item, node) => tree()?.resolveTreeItem(item, node),
    };
    const options = { treeDataProvider, showCollapseAll: false };
    return this.#store.add(vscode.window.createTreeView(SESSIONS_VIEW, options));
  }

  /** The status bar item until the application has its own. */
  #createPlaceholder(): Disposable {
    const item = vscode.window.createStatusBarItem('parley.status', vscode.StatusBarAlignment.Right, 100);
    const tooltip = t('Click to open the chat.');
    const accessibilityInformation = { label: 'Parley', role: 'button' };
    const text = '$(comment-discussion) Parley';
    Object.assign(item, { name: 'Parley', text, tooltip, command: 'parley.focusChat', accessibilityInformation });
    item.show();
    return item;
  }
}

/**
 * Whether an earlier window left data that may need work without the user: a scheduled message, marks of a review, comments, a worktree.
 * @param storage absolute folder of this window's data
 * @param shared absolute folder of the data of all windows
 */
export async function hasStoredData(storage: string, shared: string): Promise<boolean> {
  const folders = [...WINDOW_FOLDERS.map((name) => join(storage, name)), join(shared, 'worktrees')];
  const names = await Promise.all(folders.map(namesIn));
  // The folders of locks begin with a dot and stay behind.
  return names.flat().some((name) => !name.startsWith('.'));
}

/** A folder that cannot be read is no reason to start: the application reports it when it is used. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
