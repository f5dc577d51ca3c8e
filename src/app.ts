import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { DEMO_AGENT } from './agent/config/agentSettings';
import { settlesWithin } from './base/async';
import { systemClock } from './base/clock';
import { Lazy } from './base/lazy';
import { DisposableStore } from './base/lifecycle';
import { commandTable, registerCommands } from './commands';
import { AgentRuntime } from './agentRuntime';
import { CoreServices } from './services';
import type { TestApi } from './testApi';
import type { Worktrees } from './worktrees/worktrees';
import type { ParleyApi } from './mcp/extensionApi/parleyApi';
import type { EditAndResend } from './session/turn/editAndResend';
import { SessionCatalog } from './session/sessionCatalog';
import { IdleAgentMonitor } from './session/agents/idleAgents';
import { LastUsedAgent } from './session/agents/lastUsedAgent';
import { lastViewedSession } from './session/lastViewedSession';
import { closeToOthers } from './node/fs/privateFiles';
import { Sessions } from './session/sessions';
import { createBudgets } from './session/turn/sessionBudget';
import { WorkspaceStateFile } from './node/fs/workspaceStateFile';
import type { ReviewChat, ReviewCommands } from './review/editor/reviewCommands';
import { registerReviewEditor } from './review/editor/registerReviewEditor';
import type { Follow } from './review/follow/followAgent';
import { createFollow } from './review/follow/createFollow';
import { ReviewService } from './review/reviewService';
import { trackViewedSession } from './session/trackViewedSession';
import type { SessionHistoryCommands } from './ui/sessions/registerSessionHistory';
import { registerSessionHistory } from './ui/sessions/registerSessionHistory';
import { activeFolder, localFolders, virtualFolders, workingFolder } from './workbench/workspaceFolders';
import { warnUnsaved } from './ui/reportErrors';
import type { Ui } from './ui/registerUi';
import { registerUi } from './ui/registerUi';
import type { EditorActionDeps } from './ui/editorActions/registerEditorActions';
import type { TrafficFeature } from './ui/traffic/registerTraffic';
import { registerTraffic } from './ui/traffic/registerTraffic';

/** Memento key: the chat view was shown once. */
const SHOWN_KEY = 'parley.shown';

/** Milliseconds for the review to scan files when the window closes; VS Code waits a few seconds in all. */
const REVIEW_SHUTDOWN_TIMEOUT_MS = 2_000;
/** Milliseconds to write the transcripts and the review before the agents are ended. */
const SAVE_TIMEOUT_MS = 3_000;

/** The composition root: creates all parts in order, connects them, and disposes them in reverse order. */
export class App {
  readonly #store = new DisposableStore();
  readonly #services: CoreServices;
  readonly #traffic: TrafficFeature;
  readonly #agents: AgentRuntime;
  readonly #lastUsed: LastUsedAgent;
  #state: WorkspaceStateFile | undefined;
  #sessions: Sessions | undefined;
  #view: Ui | undefined;
  #follow: Follow | undefined;
  #engine: ReviewService | undefined;
  #testApi: TestApi | undefined;
  /** Clients and tools are created before the review. Until the review exists, they write without it. */
  readonly #edit: ReviewService['edit'] = (sessionId, path, write) =>
    this.#engine?.edit(sessionId, path, write) ?? write();

  private constructor(context: vscode.ExtensionContext) {
    this.#services = this.#store.add(new CoreServices(context));
    this.#lastUsed = new LastUsedAgent(context.workspaceState);
    this.#traffic = this.#store.add(this.#registerTraffic());
    this.#agents = this.#store.add(
      new AgentRuntime(this.#services, this.#traffic, {
        edit: this.#edit,
        onDidAccessFile: (touch) => this.#follow?.touched(touch),
      }),
    );
  }

  static async start(context: vscode.ExtensionContext): Promise<App> {
    const app = new App(context);
    for (const uri of [context.storageUri, context.globalStorageUri]) if (uri) void closeToOthers(uri.fsPath);
    await app.#start();
    return app;
  }

  /** The API for other extensions; integration tests get more. */
  get api(): ParleyApi & Partial<TestApi> {
    const isTest = this.#services.context.extensionMode === vscode.ExtensionMode.Test;
    return { ...this.#agents.mcp.api, ...(isTest && this.#testApi) };
  }

  /** Ends agents and their commands, and writes pending transcript lines. */
  async stop(): Promise<void> {
    const sessions = this.#sessions;
    // Transcripts first: VS Code may not wait for the agents' end.
    sessions?.interrupt();
    const saved = Promise.all([sessions?.flush(), this.#engine?.flush(REVIEW_SHUTDOWN_TIMEOUT_MS)]);
    // An unresponsive disk or git must not keep the agents alive.
    await settlesWithin(saved, SAVE_TIMEOUT_MS);
    await this.#agents.shutdown();
    await sessions?.flush();
    await this.#services.policy.audit.flush();
    await this.#state?.flush();
    this.#store.dispose();
  }

  async #start(): Promise<void> {
    const worktrees = this.#store.add(await this.#services.openWorktrees());
    const sessions = this.#store.add(await this.#openSessions(worktrees));
    this.#sessions = sessions;
    const engine = this.#store.add(await this.#openReview(sessions, worktrees));
    this.#engine = engine;
    this.#listen(sessions);
    const { log, settings } = this.#services;
    const catalog = this.#store.add(new SessionCatalog(sessions, this.#agents.pool, log, this.#state));
    const follow = (this.#follow = this.#store.add(createFollow({ sessions, settings, log })));
    // Windows without a folder share one state.
    const memory = localFolders().length > 0 ? this.#state : undefined;
    const review = this.#store.add(registerReviewEditor(engine, sessions, settings, this.#reviewChat(), memory));
    const view: Ui = this.#store.add(this.#registerUi(sessions, catalog, follow, review, worktrees));
    this.#testApi = this.#testApiOf({ sessions, catalog, engine, reviewEditor: review, worktrees }, view);
    const table = commandTable({
      ...view,
      sessions,
      forgetSecrets: () => this.#services.secrets.forget(),
      showLog: () => log.show(),
      traffic: this.#traffic,
      gateway: this.#store.add(this.#agents.openA2a(sessions)),
      history: this.#store.add(this.#registerHistory(sessions, catalog, view)),
      toggleFollow: () => follow.toggle(),
      review: { ...review.commands, ...review.comments.commands },
    });
    this.#store.add(registerCommands(table, vscode.commands.registerCommand));
    log.info('app', `Parley ${this.#services.version} is ready`);
    this.#beginWork(sessions, worktrees);
    await this.#showOnce(() => view.chat.view.reveal());
  }

  #testApiOf(
    parts: Pick<TestApi, 'sessions' | 'catalog' | 'engine' | 'reviewEditor' | 'worktrees'>,
    { sessionTree }: Ui,
  ): TestApi {
    const { installs, policy, log } = this.#services;
    const { prompts, mcp } = this.#agents;
    return { ...parts, log, sessionTree, installs, traffic: this.#traffic, prompts, policy, mcp };
  }

  /** Starts the work that needs no action of the user, once all parts are ready. */
  #beginWork(sessions: Sessions, worktrees: Worktrees): void {
    void this.#services.installs.detect(false);
    void sessions.openScheduled();
    void worktrees.cleanUp((id) => (sessions.get(id) ?? sessions.store.get(id)) !== undefined);
  }

  #registerHistory(sessions: Sessions, catalog: SessionCatalog, view: Ui): SessionHistoryCommands {
    const { log, redactor, version, settings } = this.#services;
    const pages = view.chat;
    return registerSessionHistory({ sessions, catalog, pages, log, redactor, version, clock: systemClock, settings });
  }

  #listen(sessions: Sessions): void {
    if (this.#state) this.#store.add(trackViewedSession(sessions, this.#state));
    this.#store.add(this.#agents.mcp.follow(sessions, this.#agents.pool));
    this.#store.add(new IdleAgentMonitor(this.#agents.pool, sessions.onDidChange, systemClock, this.#services.log));
    this.#store.add(
      sessions.onDidChange(({ state }) => {
        const running = state.turn.status === 'running' ? state.agent?.name : undefined;
        if (running !== undefined && !this.#traffic.files.isReplay(running)) this.#lastUsed.remember(running);
      }),
    );
  }

  #registerUi(
    sessions: Sessions,
    catalog: SessionCatalog,
    follow: Follow,
    review: ReturnType<typeof registerReviewEditor>,
    worktrees: Worktrees,
  ): Ui {
    const { context, log, settings, installs, registry, policy, git } = this.#services;
    this.#view = registerUi({
      extensionUri: context.extensionUri,
      sessions,
      catalog,
      log,
      git,
      memory: this.#state ?? context.workspaceState,
      settings,
      installs,
      registry,
      agentPool: this.#agents.pool,
      policy,
      stopCommand: (_session, terminalId) => this.#agents.client.value?.stopCommand(terminalId),
      showTerminal: async (session, terminalId) => (await this.#agents.client.load()).showTerminal(session, terminalId),
      follow,
      prompts: this.#agents.prompts,
      branches: this.#branches(sessions, review),
      tools: this.#agents.mcp.panel,
      worktrees,
      worktreeSettings: (key) => settings.scoped(`worktrees.${key}`),
      approvals: this.#services.confirm.approvals,
      editorActions: this.#editorActionDeps(sessions),
      review,
      edit: this.#edit,
    });
    return this.#view;
  }

  #reviewChat(): ReviewChat {
    return {
      compose: async (text) => this.#view?.chat.compose(text, []),
      showNotice: (...args) => this.#view?.chat.notices.show(...args),
    };
  }

  #editorActionDeps(sessions: Sessions): EditorActionDeps {
    return {
      cwd: workingFolder,
      initialAgent: () => this.#initialAgent(),
      hide: (agentName, id) => sessions.store.markDeleted(agentName, id),
      version: this.#services.version,
      memory: this.#services.context.globalState,
    };
  }

  #branches(sessions: Sessions, review: ReviewCommands): Lazy<EditAndResend> {
    const deps = {
      sessions,
      log: this.#services.log,
      read: async (session, attachments) => (await this.#view?.attaching.read(session, attachments)) ?? [],
      filesBefore: (session, entry) => review.filesBefore(session, entry),
      inherit: async (from, to, before) => this.#engine?.inherit(from, to, before),
    } satisfies ConstructorParameters<typeof EditAndResend>[0];
    return new Lazy(async () => new (await import('./session/turn/editAndResend')).EditAndResend(deps));
  }

  #openReview(sessions: Sessions, worktrees: Worktrees): Promise<ReviewService> {
    const { log, settings } = this.#services;
    const { folder: storage, shared } = this.#services.storage('review');
    return ReviewService.open({ sessions, log, storage, shared, folders: localFolders, worktrees, settings });
  }

  #registerTraffic(): TrafficFeature {
    const { context, log, version, settings } = this.#services;
    return registerTraffic({
      extensionUri: context.extensionUri,
      log,
      version,
      settings,
      folders: localFolders,
      newChat: async (agentName) => {
        this.#sessions?.newChat(agentName).dispatch({ type: 'sessionRenamed', title: agentName });
        await vscode.commands.executeCommand('parley.focusChat');
      },
    });
  }

  async #openSessions(worktrees: Worktrees): Promise<Sessions> {
    const state = await WorkspaceStateFile.open(
      join(this.#services.storage('state').folder, 'state.json'),
      this.#services.log,
    );
    this.#state = state;
    return Sessions.open({
      inView: lastViewedSession(state),
      agents: this.#agents.pool,
      log: this.#services.log,
      ...this.#services.storage('sessions'),
      folders: localFolders,
      worktreeOf: (folder) => worktrees.folderAround(folder),
      virtualFolders,
      initialFolder: activeFolder,
      home: homedir(),
      initialAgent: () => this.#initialAgent(),
      fallbackAgent: DEMO_AGENT,
      prompts: this.#agents.prompts,
      policy: this.#services.policy,
      budget: createBudgets(
        () => this.#services.settings.get('budget'),
        this.#services.context.globalStorageUri.fsPath,
      ),
      beforePrompt: async (session, entry) => {
        await this.#view?.worktrees.beforePrompt(session, entry);
        await this.#engine?.beforePrompt(session, entry);
      },
      readAttachments: async (session, attachments) => (await this.#view?.attaching.read(session, attachments)) ?? [],
      onHistoryError: (_session, message) => void warnUnsaved(message),
    });
  }

  #initialAgent(): string | undefined {
    const { settings } = this.#services;
    return this.#lastUsed.initial(settings.agents(), settings.get('defaultAgent'));
  }

  /** On a first start VS Code shows an empty container until the view is opened once. */
  async #showOnce(show: () => Promise<void>): Promise<void> {
    if (this.#services.context.globalState.get(SHOWN_KEY)) return;
    await this.#services.context.globalState.update(SHOWN_KEY, true);
    await show();
  }
}
