import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { AgentRuntime } from './agentRuntime';
import { createDeferred, settlesWithin } from './base/async';
import { systemClock } from './base/clock';
import { Lazy } from './base/lazy';
import { DisposableStore } from './base/lifecycle';
import { commandTable } from './commands';
import type { SharedParts, StartedApp } from './entryPoints';
import { closeToOthers } from './node/fs/privateFiles';
import { recordTemporaryFiles } from './node/fs/temporaryFiles';
import { WorkspaceStateFile } from './node/fs/workspaceStateFile';
import type { ReviewChat } from './review/editor/reviewCommands';
import { createFollow } from './review/follow/createFollow';
import type { Follow } from './review/follow/followAgent';
import type { ReviewEditor } from './review/registerReviewEditor';
import { registerReviewEditor } from './review/registerReviewEditor';
import { ReviewService } from './review/reviewService';
import { CoreServices } from './services';
import { IdleAgentMonitor } from './session/agents/idleAgents';
import { LastUsedAgent } from './session/agents/lastUsedAgent';
import type { EditAndResend } from './session/commands/editAndResend';
import { lastViewedSession } from './session/lastViewedSession';
import { MergedCatalog } from './session/mergedCatalog';
import type { SessionCatalog } from './session/sessionCatalog';
import type { Sessions } from './session/sessions';
import { trackViewedSession } from './session/trackViewedSession';
import { createBudgets } from './session/turn/sessionBudget';
import { WindowSessions } from './session/windowSessions';
import { testApiOf } from './testApi';
import type { EditorActionDeps } from './ui/editorActions/registerEditorActions';
import type { Ui } from './ui/registerUi';
import { registerUi } from './ui/registerUi';
import { createSaveWarning, registerLossWarning, warnUnread } from './ui/reportErrors';
import type { SessionHistoryCommands } from './ui/sessions/registerSessionHistory';
import { registerSessionHistory } from './ui/sessions/registerSessionHistory';
import type { TrafficFeature } from './ui/traffic/registerTraffic';
import { registerTraffic } from './ui/traffic/registerTraffic';
import { activeFolder, localFolders, virtualFolders } from './workbench/workspaceFolders';
import type { Worktrees } from './worktrees/worktrees';

/** Milliseconds for the review to scan files when the window closes; VS Code waits a few seconds in all. */
const REVIEW_SHUTDOWN_TIMEOUT_MS = 2_000;
/** Milliseconds to write the transcripts and the review before the agents are ended. */
const SAVE_TIMEOUT_MS = 3_000;

/** The composition root: creates all parts in order, connects them, and disposes them in reverse order. */
export class App {
  readonly #store = new DisposableStore();
  readonly #shared: SharedParts;
  readonly #services: CoreServices;
  readonly #traffic: TrafficFeature;
  readonly #agents: AgentRuntime;
  readonly #lastUsed: LastUsedAgent;
  readonly #warnUnsaved = createSaveWarning();
  #state: WorkspaceStateFile | undefined;
  #sessions: WindowSessions | undefined;
  #ui: Ui | undefined;
  #follow: Follow | undefined;
  #reviewService: ReviewService | undefined;
  /** Clients and tools are created before the review, and wait for it. */
  readonly #review = createDeferred<ReviewService>();
  readonly #edit: ReviewService['edit'] = async (...edit) => (await this.#review.promise).edit(...edit);

  private constructor(shared: SharedParts) {
    const { context, log, redactor } = shared;
    this.#shared = shared;
    this.#services = this.#store.add(new CoreServices(context, log, redactor));
    this.#store.add(registerLossWarning(log));
    this.#lastUsed = new LastUsedAgent(context.workspaceState, this.#services.settings);
    this.#traffic = this.#store.add(this.#registerTraffic());
    this.#agents = this.#store.add(
      new AgentRuntime(this.#services, this.#traffic, shared, {
        review: this.#review.promise,
        edit: this.#edit,
        onDidAccessFile: (access) => this.#follow?.recordFileAccess(access),
      }),
    );
  }

  /** Releases everything if the start fails, so that another start can follow. */
  static async start(shared: SharedParts): Promise<StartedApp> {
    const app = new App(shared);
    for (const uri of [shared.context.storageUri, shared.context.globalStorageUri])
      if (uri) void closeToOthers(uri.fsPath);
    const cut = await recordTemporaryFiles(join(shared.context.globalStorageUri.fsPath, 'temporary'));
    if (cut.length > 0) void import('./ui/showCutWrites').then(({ showCutWrites }) => showCutWrites(cut, shared.log));
    try {
      return await app.#start();
    } catch (error) {
      await app.#stop();
      throw error;
    }
  }

  /** Ends agents and their commands, and writes pending transcript lines. */
  async #stop(): Promise<void> {
    const sessions = this.#sessions;
    // Transcripts first: VS Code may not wait for the agents' end.
    sessions?.interrupt();
    const saved = Promise.all([sessions?.flush(), this.#reviewService?.flush(REVIEW_SHUTDOWN_TIMEOUT_MS)]);
    // An unresponsive disk or git must not keep the agents alive.
    await settlesWithin(saved, SAVE_TIMEOUT_MS);
    await this.#agents.shutdown();
    await sessions?.flush();
    await this.#services.policy.audit.flush();
    await this.#state?.flush();
    this.#store.dispose();
  }

  async #start(): Promise<StartedApp> {
    const worktrees = this.#store.add(await this.#services.openWorktrees());
    const sessions = this.#store.add(await this.#openSessions(worktrees));
    this.#sessions = sessions;
    const reviewService = this.#store.add(await this.#openReview(sessions, worktrees));
    this.#reviewService = reviewService;
    this.#review.resolve(reviewService);
    this.#listen(sessions);
    const { log, settings } = this.#services;
    const catalog = this.#store.add(new MergedCatalog(sessions, this.#agents.pool, log, this.#state));
    const follow = (this.#follow = this.#store.add(createFollow(sessions, settings, log)));
    // Windows without a folder share one state.
    const memory = localFolders().length > 0 ? this.#state : undefined;
    const review = this.#store.add(registerReviewEditor(reviewService, sessions, settings, this.#reviewChat(), memory));
    this.#store.add(review.baselines.onDidChange((uris) => this.#shared.baselines.refresh(uris)));
    this.#shared.releasePlaceholder();
    const ui: Ui = this.#store.add(this.#registerUi(sessions, catalog, follow, review, worktrees));
    const commands = this.#commands(sessions, catalog, follow, review, ui);
    const parts = { sessions, catalog, reviewService, worktrees, traffic: this.#traffic, sessionTree: ui.sessionTree };
    log.info('app', `Started Parley ${this.#services.version}`);
    this.#beginWork(sessions, worktrees);
    return {
      commands,
      ...ui.pages,
      baselines: review.baselines,
      testApi: testApiOf(this.#services, this.#agents, { ...parts, reviewEditor: review }),
      stop: () => this.#stop(),
    };
  }

  #commands(
    sessions: WindowSessions,
    catalog: SessionCatalog,
    follow: Follow,
    review: ReviewEditor,
    ui: Ui,
  ): StartedApp['commands'] {
    return commandTable({
      ...ui,
      sessions,
      secrets: this.#services.secrets,
      log: this.#services.log,
      tools: this.#agents.mcp.panel,
      traffic: this.#traffic,
      gateway: this.#store.add(this.#agents.openA2a(sessions)),
      history: this.#store.add(this.#registerHistory(sessions, catalog, ui)),
      follow,
      review: { ...review.commands, ...review.comments.commands },
    });
  }

  /** Starts the work that needs no action of the user, once all parts are ready. */
  #beginWork(sessions: WindowSessions, worktrees: Worktrees): void {
    void this.#services.installs.detect(false);
    void this.#removeUnfinished();
    void this.#reportOtherStorages();
    void sessions.openRetries();
    const { problem } = sessions.store;
    // Sessions that could not be read may work in a worktree.
    if (problem !== undefined) return void warnUnread(problem);
    void worktrees.cleanUp((id) => (sessions.getOpen(id) ?? sessions.store.get(id)) !== undefined);
  }

  async #reportOtherStorages(): Promise<void> {
    const { storageUri, workspaceState } = this.#services.context;
    if (!storageUri) return;
    const { reportOtherStorages } = await import('./ui/sessions/otherStorages');
    await reportOtherStorages(storageUri.fsPath, workspaceState);
  }

  async #removeUnfinished(): Promise<void> {
    const { storageUri, globalStorageUri } = this.#services.context;
    const { removeUnfinished } = await import('./node/fs/removeUnfinished');
    for (const uri of [storageUri, globalStorageUri]) if (uri) await removeUnfinished(uri.fsPath);
  }

  #registerHistory(sessions: Sessions, catalog: SessionCatalog, ui: Ui): SessionHistoryCommands {
    const { log, redactor, version, settings } = this.#services;
    const pages = ui.chat;
    return registerSessionHistory({ sessions, catalog, pages, log, redactor, version, clock: systemClock, settings });
  }

  #listen(sessions: WindowSessions): void {
    if (this.#state) this.#store.add(trackViewedSession(sessions, this.#state));
    this.#store.add(this.#agents.mcp.trackSessions(sessions, this.#agents.pool));
    this.#store.add(this.#services.settings.onDidChange(() => sessions.followSettings()));
    this.#store.add(new IdleAgentMonitor(this.#agents.pool, sessions.onDidChange, systemClock, this.#services.log));
    this.#store.add(
      sessions.onDidChange(({ state }) => {
        const running = state.turn.status === 'running' ? state.agent?.name : undefined;
        if (running !== undefined && !this.#traffic.files.isReplay(running)) this.#lastUsed.remember(running);
      }),
    );
  }

  #registerUi(
    sessions: WindowSessions,
    catalog: SessionCatalog,
    follow: Follow,
    review: ReviewEditor,
    worktrees: Worktrees,
  ): Ui {
    const { context, log, settings, installs, registry, policy, git } = this.#services;
    return (this.#ui = registerUi({
      extensionUri: context.extensionUri,
      sessionsView: this.#shared.sessionsView,
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
      showTerminal: async (session, terminalId) => (await this.#agents.client.load()).mirrors.show(session, terminalId),
      follow,
      prompts: this.#agents.prompts,
      branches: this.#branches(sessions, review),
      tools: this.#agents.mcp.panel,
      worktrees,
      approvals: this.#services.confirm.approvals,
      editorActions: this.#editorActionDeps(sessions),
      review,
      edit: this.#edit,
    }));
  }

  #reviewChat(): ReviewChat {
    return {
      compose: async (text) => this.#ui?.chat.compose(text, []),
      showNotice: (...args) => this.#ui?.chat.notices.show(...args),
    };
  }

  #editorActionDeps(sessions: Sessions): EditorActionDeps {
    return {
      lastUsed: this.#lastUsed,
      hide: (agentName, id) => sessions.store.markDeleted(agentName, id),
      version: this.#services.version,
      memory: this.#services.context.globalState,
    };
  }

  #branches(sessions: WindowSessions, review: Pick<ReviewEditor, 'filesBefore'>): Lazy<EditAndResend> {
    const deps = {
      sessions,
      log: this.#services.log,
      read: async (session, attachments) => (await this.#ui?.attachmentService.read(session, attachments)) ?? [],
      filesBefore: (session, entry) => review.filesBefore(session, entry),
      inherit: async (from, to, before) => this.#reviewService?.inherit(from, to, before),
    } satisfies ConstructorParameters<typeof EditAndResend>[0];
    return new Lazy(async () => new (await import('./session/commands/editAndResend')).EditAndResend(deps));
  }

  async #openReview(sessions: Sessions, worktrees: Worktrees): Promise<ReviewService> {
    const { log, settings } = this.#services;
    const { folder, isShared } = this.#services.storage('review');
    let storage = folder;
    if (isShared) {
      const { openWindowFolder } = await import('./node/fs/windowFolder');
      storage = this.#store.add(await openWindowFolder(folder)).path;
    }
    const deps = { sessions, log, storage, isShared, folders: localFolders, worktrees, settings };
    const workFolder = join(this.#services.context.globalStorageUri.fsPath, 'work');
    return ReviewService.open({ ...deps, workFolder, onSaveError: this.#warnUnsaved });
  }

  #registerTraffic(): TrafficFeature {
    const { context, log, version, settings } = this.#services;
    return registerTraffic({
      extensionUri: context.extensionUri,
      log,
      version,
      settings,
      newChat: async (agentName) => {
        this.#sessions?.newChat(agentName).dispatch({ type: 'sessionRenamed', title: agentName });
        await vscode.commands.executeCommand('parley.focusChat');
      },
    });
  }

  async #openSessions(worktrees: Worktrees): Promise<WindowSessions> {
    const { log } = this.#services;
    const file = join(this.#services.storage('state').folder, 'state.json');
    const state = (this.#state = await WorkspaceStateFile.open(file, log, this.#warnUnsaved));
    return WindowSessions.open({
      inView: lastViewedSession(state),
      agents: this.#agents.pool,
      log,
      ...this.#services.storage('sessions'),
      folders: localFolders,
      worktrees,
      virtualFolders,
      initialFolder: activeFolder,
      home: homedir(),
      initialAgent: () => this.#lastUsed.initialAgent(),
      fallbackAgent: () => this.#lastUsed.fallbackAgent(),
      prompts: this.#agents.prompts,
      policy: this.#services.policy,
      budget: createBudgets(
        () => this.#services.settings.get('budget'),
        this.#services.context.globalStorageUri.fsPath,
      ),
      beforePrompt: async (session, entry) => {
        await this.#ui?.worktrees.beforePrompt(session, entry);
        await this.#reviewService?.beforePrompt(session, entry);
      },
      readAttachments: async (session, given) => (await this.#ui?.attachmentService.read(session, given)) ?? [],
      onHistoryError: (_session, message) => this.#warnUnsaved(message),
      onSaveError: this.#warnUnsaved,
    });
  }
}
