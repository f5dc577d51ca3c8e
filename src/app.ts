import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { AgentInstalls } from './agent/registry/agentInstalls';
import { AgentRuntime } from './agentRuntime';
import { createDeferred, settlesWithin } from './base/async';
import { systemClock } from './base/clock';
import { Lazy } from './base/lazy';
import { DisposableStore } from './base/lifecycle';
import type { PermissionPolicyService } from './client/permissionPolicyService';
import { commandTable } from './commands';
import type { SharedParts, StartedApp } from './entryPoints';
import type { McpService } from './mcp/mcpService';
import { closeToOthers } from './node/fs/privateFiles';
import { recordTemporaryFiles } from './node/fs/temporaryFiles';
import { WorkspaceStateFile } from './node/fs/workspaceStateFile';
import type { OutputLog } from './outputLog';
import { createFollow } from './review/follow/createFollow';
import type { Follow } from './review/follow/followAgent';
import type { ReviewEditor } from './review/registerReviewEditor';
import { registerReviewEditor } from './review/registerReviewEditor';
import type { ReviewService } from './review/reviewService';
import { WindowReview } from './review/windowReview';
import { CoreServices } from './services';
import { IdleAgentMonitor } from './session/agents/idleAgents';
import { LastUsedAgent } from './session/agents/lastUsedAgent';
import type { EditAndResend, EditAndResendOptions } from './session/commands/editAndResend';
import { LAST_VIEWED_KEY, readLastViewed } from './session/lastViewedSession';
import { MergedCatalog } from './session/mergedCatalog';
import type { PromptFileStore } from './session/promptFiles/promptFileStore';
import type { SessionCatalog } from './session/sessionCatalog';
import type { Sessions } from './session/sessions';
import { trackViewedSession } from './session/trackViewedSession';
import { createBudgets } from './session/turn/sessionBudget';
import { WindowSessions } from './session/windowSessions';
import { AttachmentService } from './ui/attachments/attachmentService';
import { WorkspaceFileIndex } from './ui/attachments/workspaceFileIndex';
import { ChatPages } from './ui/chat/chatPages';
import { DraftStore } from './ui/chat/draftStore';
import { WhatsNew } from './ui/editorActions/whatsNew';
import type { DraftMemory } from './ui/messages/unsentMessages';
import { UnsentMessages } from './ui/messages/unsentMessages';
import { WindowEnvironment } from './ui/pageEnvironment';
import type { Ui } from './ui/registerUi';
import { registerUi } from './ui/registerUi';
import { createSaveWarning, registerLossWarning, warnUnread } from './ui/reportErrors';
import { StartPageSource } from './ui/startPageSource';
import type { TrafficFeature } from './ui/traffic/registerTraffic';
import { registerTraffic } from './ui/traffic/registerTraffic';
import type { Review, MessageAttachments, Window } from './ui/window';
import { activeFolder, localFolders, virtualFolders } from './workbench/workspaceFolders';
import type { Worktrees } from './worktrees/worktrees';

/** Milliseconds for the review to scan files when the window closes; VS Code waits a few seconds in all. */
const REVIEW_SHUTDOWN_TIMEOUT_MS = 2_000;
/** Milliseconds to write the transcripts and the review before the agents are ended. */
const SAVE_TIMEOUT_MS = 3_000;

/** For integration tests only. */
export interface TestApi {
  readonly sessions: WindowSessions;
  readonly log: OutputLog;
  readonly catalog: MergedCatalog;
  readonly sessionTree: Ui['sessionTree'];
  readonly installs: AgentInstalls;
  readonly traffic: TrafficFeature;
  readonly prompts: PromptFileStore;
  readonly reviewService: ReviewService;
  readonly reviewEditor: ReviewEditor;
  readonly policy: PermissionPolicyService;
  readonly mcp: McpService;
  readonly worktrees: Worktrees;
}

/** The parts that are created by the start, after the services and the agents. */
interface LateParts {
  readonly worktrees: Worktrees;
  readonly sessions: WindowSessions;
  readonly reviewService: ReviewService;
  readonly catalog: MergedCatalog;
  readonly follow: Follow;
  readonly chat: ChatPages;
  readonly reviewEditor: ReviewEditor;
}

/** The composition root: creates all parts in order, connects them, and disposes them in reverse order. */
export class App {
  readonly #store = new DisposableStore();
  readonly #services: CoreServices;
  readonly #traffic: TrafficFeature;
  readonly #lastUsed: LastUsedAgent;
  readonly #agents: AgentRuntime;
  readonly #warnUnsaved = createSaveWarning();
  /** Agents and tools are created before the review, and wait for it. */
  readonly #review = createDeferred<ReviewService>();
  #state: WorkspaceStateFile | undefined;
  #sessions: WindowSessions | undefined;
  #reviewService: ReviewService | undefined;
  /** Sessions are created before what prepares their messages. */
  #attachments: AttachmentService | undefined;
  #ui: Ui | undefined;

  private constructor(private readonly shared: SharedParts) {
    const { context, log, redactor } = shared;
    const services = (this.#services = this.#store.add(new CoreServices(context, log, redactor)));
    const { extension, settings } = services;
    this.#store.add(registerLossWarning(log));
    this.#lastUsed = new LastUsedAgent(context.workspaceState, settings);
    this.#traffic = this.#store.add(registerTraffic(extension, settings, log));
    this.#agents = this.#store.add(new AgentRuntime(services, this.#traffic, shared, this.#review.promise));
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
    const { log, settings, extension } = this.#services;
    const worktrees = this.#store.add(await this.#services.openWorktrees());
    const sessions = (this.#sessions = this.#store.add(await this.#openSessions(worktrees)));
    const reviewService = (this.#reviewService = this.#store.add(await this.#openReview(sessions, worktrees)));
    this.#review.resolve(reviewService);
    this.#listen(sessions);
    const catalog = this.#store.add(
      new MergedCatalog(sessions, this.#agents.pool, reviewService.review, log, this.#state),
    );
    const follow = this.#store.add(createFollow(sessions, settings, log));
    this.#store.add(this.#agents.onDidAccessFile((access) => follow.recordFileAccess(access)));
    const whatsNew = this.#store.add(new WhatsNew(extension));
    const chat = this.#openChat(sessions, catalog, follow, whatsNew);
    const reviewEditor = this.#registerReview(reviewService, sessions, chat);
    this.shared.releasePlaceholder();
    const parts = { worktrees, sessions, reviewService, catalog, follow, chat, reviewEditor };
    const ui = this.#registerUi(parts, whatsNew);
    const commands = this.#commands(parts, ui);
    log.info('app', `Started Parley ${extension.version}`);
    this.#beginWork(sessions, worktrees);
    const { view: chatView, tabs: chatTabs } = chat;
    const { baselines } = reviewEditor;
    const testApi = this.#testApi(parts, ui);
    return { ...ui, commands, chatView, chatTabs, baselines, testApi, stop: () => this.#stop() };
  }

  #registerUi(parts: LateParts, whatsNew: WhatsNew): Ui {
    const { extension, log, redactor, settings, git, installs, registry, policy, confirm } = this.#services;
    const { worktrees, sessions, catalog, follow, chat, reviewService, reviewEditor } = parts;
    const { pool, prompts, mcp, client } = this.#agents;
    const paths = this.#store.add(new WorkspaceFileIndex(log, git));
    const { content } = mcp;
    const service = this.#store.add(
      new AttachmentService(sessions, catalog, worktrees, chat, paths, content, new UnsentMessages(this.#memory), log),
    );
    const attachments = (this.#attachments = service);
    const window: Window = {
      extension,
      log,
      redactor,
      settings,
      git,
      memory: this.#memory,
      agents: { pool, installs, registry, lastUsed: this.#lastUsed },
      prompts,
      sessions,
      catalog,
      branches: this.#branches(parts, attachments),
      permissions: policy,
      approvals: confirm.approvals,
      review: reviewOf(reviewService, reviewEditor),
      follow,
      tools: mcp.panel,
      terminals: {
        stop: (terminalId) => client.value?.stopCommand(terminalId),
        show: async (session, terminalId) => (await client.load()).mirrors.show(session, terminalId),
      },
      worktrees,
      chat,
      attachments,
      notices: chat.notices,
    };
    return (this.#ui = this.#store.add(registerUi(window, this.shared.sessionsView, paths, whatsNew)));
  }

  /** Stored per workspace. */
  get #memory(): DraftMemory {
    return this.#state ?? this.#services.context.workspaceState;
  }

  #openChat(sessions: Sessions, catalog: SessionCatalog, follow: Follow, whatsNew: WhatsNew): ChatPages {
    const { context, log, settings, installs } = this.#services;
    const { prompts, mcp } = this.#agents;
    const startPage = this.#store.add(new StartPageSource(catalog));
    const { content } = mcp;
    const environment = new WindowEnvironment(settings, installs, prompts, content, follow, whatsNew, startPage, log);
    return this.#store.add(
      new ChatPages({
        extensionUri: context.extensionUri,
        sessions,
        tools: mcp.panel,
        drafts: this.#store.add(new DraftStore(this.#memory)),
        environment: this.#store.add(environment),
        log,
      }),
    );
  }

  #registerReview(review: ReviewService, sessions: Sessions, chat: ChatPages): ReviewEditor {
    const { settings } = this.#services;
    // Windows without a folder share one state.
    const memory = localFolders().length > 0 ? this.#state : undefined;
    const reviewChat = { compose: (text: string) => chat.compose(text, []), showNotice: chat.notices.show };
    const editor = this.#store.add(registerReviewEditor(review, sessions, settings, reviewChat, memory));
    this.#store.add(editor.baselines.onDidChange((uris) => this.shared.baselines.refresh(uris)));
    return editor;
  }

  #commands({ sessions, chat, follow, reviewEditor }: LateParts, ui: Ui): StartedApp['commands'] {
    return commandTable({
      ...ui,
      chat,
      sessions,
      secrets: this.#services.secrets,
      log: this.#services.log,
      tools: this.#agents.mcp.panel,
      traffic: this.#traffic,
      gateway: this.#store.add(this.#agents.openA2a(sessions)),
      follow,
      review: { ...reviewEditor.commands, ...reviewEditor.comments.commands },
    });
  }

  #testApi({ sessions, catalog, worktrees, reviewService, reviewEditor }: LateParts, { sessionTree }: Ui): TestApi {
    const { installs, policy, log } = this.#services;
    const { prompts, mcp } = this.#agents;
    const traffic = this.#traffic;
    const late = { sessions, catalog, worktrees, reviewService, reviewEditor, sessionTree };
    return { ...late, traffic, installs, policy, log, prompts, mcp };
  }

  /** Starts the work that needs no action of the user, once all parts are ready. */
  #beginWork(sessions: WindowSessions, worktrees: Worktrees): void {
    void this.#services.installs.detect(false);
    void this.#removeUnfinished();
    void this.#reportOtherStorages();
    void sessions.openRetries();
    void this.#attachments?.recordCommands();
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

  #listen(sessions: WindowSessions): void {
    if (this.#state) this.#store.add(trackViewedSession(sessions, this.#state));
    this.#store.add(this.#agents.mcp.trackSessions(sessions, this.#agents.pool));
    this.#store.add(this.#services.settings.onDidChange(() => sessions.followSettings()));
    this.#store.add(
      this.#traffic.files.onDidAddReplay((agentName) => {
        sessions.newChat(agentName).dispatch({ type: 'sessionRenamed', title: agentName });
        void vscode.commands.executeCommand('parley.focusChat');
      }),
    );
    this.#store.add(new IdleAgentMonitor(this.#agents.pool, sessions.onDidChange, systemClock, this.#services.log));
    this.#store.add(
      sessions.onDidChange(({ state }) => {
        const running = state.turn.status === 'running' ? state.agent?.name : undefined;
        if (running !== undefined && !this.#traffic.files.isReplay(running)) this.#lastUsed.remember(running);
      }),
    );
  }

  #branches(
    { sessions, reviewService, reviewEditor }: LateParts,
    attachments: MessageAttachments,
  ): Lazy<EditAndResend> {
    const options: EditAndResendOptions = {
      sessions,
      log: this.#services.log,
      read: (session, all) => attachments.read(session, all),
      filesBefore: reviewEditor.filesBefore,
      inherit: (...entries) => reviewService.inherit(...entries),
    };
    return new Lazy(async () => new (await import('./session/commands/editAndResend')).EditAndResend(options));
  }

  async #openReview(sessions: Sessions, worktrees: Worktrees): Promise<WindowReview> {
    const { log, settings, context } = this.#services;
    const shared = this.#services.storage('review');
    let storage = shared;
    if (shared.isShared) {
      const { openWindowFolder } = await import('./node/fs/windowFolder');
      storage = { ...shared, folder: this.#store.add(await openWindowFolder(shared.folder)).path };
    }
    const workFolder = join(context.globalStorageUri.fsPath, 'work');
    const review = new WindowReview(sessions, worktrees, settings, log, storage, workFolder, this.#warnUnsaved);
    await review.load();
    return review;
  }

  async #openSessions(worktrees: Worktrees): Promise<WindowSessions> {
    const { log } = this.#services;
    const file = join(this.#services.storage('state').folder, 'state.json');
    const state = (this.#state = await WorkspaceStateFile.open(file, log, this.#warnUnsaved));
    return WindowSessions.open({
      inView: readLastViewed(state.get(LAST_VIEWED_KEY)),
      presets: () => this.#services.settings.scoped('presets').user,
      agents: this.#agents.pool,
      clock: systemClock,
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
      serverContent: this.#agents.mcp.content,
      policy: this.#services.policy,
      budget: createBudgets(
        () => this.#services.settings.get('budget'),
        this.#services.context.globalStorageUri.fsPath,
      ),
      beforePrompt: async (session, entry) => {
        await this.#ui?.worktrees.beforePrompt(session, entry);
        await this.#reviewService?.beforePrompt(session, entry);
      },
      readAttachments: async (session, given) => (await this.#attachments?.read(session, given)) ?? [],
      onHistoryError: (_session, message) => this.#warnUnsaved(message),
      onSaveError: this.#warnUnsaved,
    });
  }
}

function reviewOf(service: ReviewService, { handle, withCheckpoint }: ReviewEditor): Review {
  const { review } = service;
  return {
    handle,
    withCheckpoint,
    edit: (...edit) => service.edit(...edit),
    changedFiles: (id) => review.files(id).map(({ path }) => path),
    onDidChange: review.onDidChange,
  };
}
