import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TerminalLaunch } from './agent/connection/authMethods';
import { DEMO_AGENT, defaultAgent } from './agent/config/agentSettings';
import type { AgentInstalls } from './agent/registry/agentInstalls';
import { resolveSecrets } from './agent/config/resolveSecrets';
import type { StartFolders } from './agent/process/startFolder';
import { startFolder } from './agent/process/startFolder';
import { defined } from './base/assert';
import { systemClock } from './base/clock';
import { t } from './base/l10n';
import { Lazy } from './base/lazy';
import { DisposableStore } from './base/lifecycle';
import type { AcpClient, ClientOptions } from './client/acpClient';
import type { PermissionPolicyService } from './client/permissionPolicyService';
import { runInTerminal } from './client/terminal/runInTerminal';
import { workspaceStartFolders } from './client/workspaceStartFolders';
import { commandTable, registerCommands } from './commands';
import { A2A_CALLER } from './a2a/sessionTools';
import type { A2aService } from './a2a/a2aService';
import { openA2a } from './a2a/a2aService';
import { CoreServices } from './services';
import type { ParleyApi } from './mcp/extensionApi/parleyApi';
import { McpService } from './mcp/mcpService';
import { ExternalCalls } from './mcp/externalCalls';
import { AgentPool } from './session/agents/agentPool';
import type { EditAndResend } from './session/turn/editAndResend';
import { SessionCatalog } from './session/sessionCatalog';
import { IdleAgentMonitor } from './session/agents/idleAgents';
import { lastViewedSession } from './session/lastViewedSession';
import { closeToOthers } from './node/fs/privateFiles';
import type { PromptFileStore } from './session/promptFiles/promptFileStore';
import { Sessions } from './session/sessions';
import { WorkspaceStateFile } from './node/fs/workspaceStateFile';
import type { ReviewChat, ReviewCommands } from './review/editor/reviewCommands';
import { registerReviewEditor } from './review/editor/registerReviewEditor';
import type { Follow } from './review/follow/followAgent';
import { createFollow } from './review/follow/createFollow';
import { ReviewService } from './review/reviewService';
import { trackViewedSession } from './session/trackViewedSession';
import type { SessionHistoryCommands } from './ui/sessions/registerSessionHistory';
import { registerSessionHistory } from './ui/sessions/registerSessionHistory';
import { openExternalUrl } from './workbench/openExternal';
import { localFolders, virtualFolders, workingFolder } from './workbench/workspaceFolders';
import type { Ui } from './ui/registerUi';
import { registerUi } from './ui/registerUi';
import type { EditorActionDeps } from './ui/editorActions/registerEditorActions';
import { openPromptFiles } from './ui/attachments/promptFileWatcher';
import type { TrafficFeature } from './ui/traffic/registerTraffic';
import { registerTraffic } from './ui/traffic/registerTraffic';

/** Memento keys: the chat view was shown once; the agent used last. */
const SHOWN_KEY = 'parley.shown';
const LAST_AGENT_KEY = 'parley.lastAgent';

/** For integration tests only. */
export interface TestApi {
  readonly sessions: Sessions;
  readonly catalog: SessionCatalog;
  readonly sessionTree: Ui['sessionTree'];
  readonly installs: AgentInstalls;
  readonly traffic: TrafficFeature;
  readonly prompts: PromptFileStore;
  readonly engine: ReviewService;
  readonly reviewEditor: ReviewCommands;
  readonly policy: PermissionPolicyService;
  readonly mcp: McpService;
}

/** Milliseconds for the review to scan files when the window closes; VS Code waits a few seconds in all. */
const REVIEW_DEADLINE = 2_000;

/** The composition root: creates all parts in order, connects them, and disposes them in reverse order. */
export class App {
  readonly #store = new DisposableStore();
  readonly #ground: CoreServices;
  readonly #traffic: TrafficFeature;
  readonly #agents: AgentPool;
  readonly #client: Lazy<AcpClient>;
  readonly #mcp: McpService;
  readonly #prompts: PromptFileStore;
  #state: WorkspaceStateFile | undefined;
  #sessions: Sessions | undefined;
  #view: Ui | undefined;
  #follow: Follow | undefined;
  #engine: ReviewService | undefined;
  #testApi: TestApi | undefined;
  readonly #startFolders: StartFolders;
  /** Clients and tools exist before the review; without it they write at once. */
  readonly #edit: ReviewService['edit'] = (sessionId, path, write) =>
    this.#engine?.edit(sessionId, path, write) ?? write();

  private constructor(context: vscode.ExtensionContext) {
    this.#ground = this.#store.add(new CoreServices(context));
    this.#startFolders = workspaceStartFolders(join(context.globalStorageUri.fsPath, 'start'), localFolders);
    this.#traffic = this.#store.add(this.#registerTraffic());
    this.#prompts = openPromptFiles(this.#store, this.#ground.log);
    this.#mcp = this.#store.add(this.#createMcp());
    this.#client = this.#store.add(
      new Lazy(async () => new (await import('./client/acpClient')).AcpClient(this.#clientOptions())),
    );
    this.#agents = this.#store.add(
      new AgentPool({
        definitions: () => [...this.#ground.config.agents(), ...this.#traffic.files.definitions()],
        trusted: () => vscode.workspace.isTrusted,
        load: async () => void (await this.#client.load()),
        connect: (...args) => defined(this.#client.value, 'the loaded client').connect(...args),
        runInTerminal: (launch, signal) => this.#runInTerminal(launch, signal),
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
    const isTest = this.#ground.context.extensionMode === vscode.ExtensionMode.Test;
    return { ...this.#mcp.api, ...(isTest && this.#testApi) };
  }

  /** Ends agents and their commands, and writes pending transcript lines. */
  async stop(): Promise<void> {
    const sessions = this.#sessions;
    // Transcripts first: VS Code may not wait for the agents' end.
    sessions?.interrupt();
    await sessions?.flush();
    // An unresponsive disk or git must not keep the agents alive.
    await this.#engine?.flush(REVIEW_DEADLINE);
    await this.#agents.shutdown();
    await this.#mcp.shutdown();
    await sessions?.flush();
    await this.#ground.policy.audit.flush();
    await this.#state?.flush();
    this.#store.dispose();
  }

  async #start(): Promise<void> {
    const sessions = this.#store.add(await this.#openSessions());
    this.#sessions = sessions;
    const engine = this.#store.add(await this.#openReview(sessions));
    this.#engine = engine;
    this.#listen(sessions);
    const { log, config: settings } = this.#ground;
    const catalog = this.#store.add(new SessionCatalog(sessions, this.#agents, log));
    const follow = (this.#follow = this.#store.add(createFollow({ sessions, settings, log })));
    // Windows without a folder share one state.
    const memory = localFolders().length > 0 ? this.#state : undefined;
    const review = this.#store.add(registerReviewEditor(engine, sessions, settings, this.#reviewChat(), memory));
    const view: Ui = this.#store.add(this.#registerUi(sessions, catalog, follow, review));
    this.#testApi = {
      sessions,
      catalog,
      installs: this.#ground.installs,
      sessionTree: view.sessionTree,
      traffic: this.#traffic,
      prompts: this.#prompts,
      engine,
      reviewEditor: review,
      policy: this.#ground.policy,
      mcp: this.#mcp,
    };
    const table = commandTable({
      ...view,
      sessions,
      forgetSecrets: () => this.#ground.secrets.forget(),
      showLog: () => log.show(),
      traffic: this.#traffic,
      gateway: this.#store.add(this.#openA2a(sessions)),
      history: this.#store.add(this.#registerHistory(sessions, catalog, view)),
      toggleFollow: () => follow.toggle(),
      review: { ...review.commands, ...review.comments.commands },
    });
    this.#store.add(registerCommands(table, vscode.commands.registerCommand));
    log.info('app', `Parley ${this.#ground.version} is ready`);
    void this.#ground.installs.detect(false);
    await this.#showOnce(() => view.chat.view.reveal());
  }

  #registerHistory(sessions: Sessions, catalog: SessionCatalog, view: Ui): SessionHistoryCommands {
    const { log, redactor, version, config } = this.#ground;
    const pages = view.chat;
    return registerSessionHistory({
      sessions,
      catalog,
      pages,
      log,
      redactor,
      version,
      clock: systemClock,
      settings: config,
    });
  }

  #listen(sessions: Sessions): void {
    if (this.#state) this.#store.add(trackViewedSession(sessions, this.#state));
    this.#store.add(this.#mcp.follow(sessions, this.#agents));
    this.#store.add(new IdleAgentMonitor(this.#agents, sessions.onDidChange, systemClock, this.#ground.log));
    this.#store.add(
      sessions.onDidChange(({ state }) => {
        if (state.agent && state.turn.status === 'running') this.#rememberAgent(state.agent.name);
      }),
    );
  }

  #registerUi(sessions: Sessions, catalog: SessionCatalog, follow: Follow, review: ReviewCommands): Ui {
    this.#view = registerUi({
      extensionUri: this.#ground.context.extensionUri,
      sessions,
      catalog,
      log: this.#ground.log,
      memory: this.#state ?? this.#ground.context.workspaceState,
      settings: this.#ground.config,
      installs: this.#ground.installs,
      registry: this.#ground.registry,
      agentPool: this.#agents,
      policy: this.#ground.policy,
      stopCommand: (_session, terminalId) => this.#client.value?.stopCommand(terminalId),
      showTerminal: async (session, terminalId) => (await this.#client.load()).showTerminal(session, terminalId),
      follow,
      prompts: this.#prompts,
      branches: this.#branches(sessions, review),
      tools: this.#mcp.panel,
      surfaces: this.#surfaces(sessions),
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

  #surfaces(sessions: Sessions): EditorActionDeps {
    return {
      cwd: () => sessions.cwd,
      initialAgent: () => this.#initialAgent(),
      hide: (agentName, id) => sessions.store.markDeleted(agentName, id),
      version: this.#ground.version,
      memory: this.#ground.context.globalState,
    };
  }

  #branches(sessions: Sessions, review: ReviewCommands): Lazy<EditAndResend> {
    const deps = {
      sessions,
      log: this.#ground.log,
      read: async (session, attachments) => (await this.#view?.attaching.read(session, attachments)) ?? [],
      filesBefore: (session, entry) => review.filesBefore(session, entry),
      inherit: async (from, to, before) => this.#engine?.inherit(from, to, before),
    } satisfies ConstructorParameters<typeof EditAndResend>[0];
    return new Lazy(async () => new (await import('./session/turn/editAndResend')).EditAndResend(deps));
  }

  #openReview(sessions: Sessions): Promise<ReviewService> {
    const { log, config } = this.#ground;
    const { folder: storage, shared } = this.#ground.storage('review');
    return ReviewService.open({ sessions, log, storage, shared, folders: localFolders, settings: config });
  }

  #registerTraffic(): TrafficFeature {
    return registerTraffic({
      extensionUri: this.#ground.context.extensionUri,
      log: this.#ground.log,
      version: this.#ground.version,
      settings: this.#ground.config,
      folders: localFolders,
      newChat: async (agentName) => {
        this.#sessions?.newChat(agentName).dispatch({ type: 'sessionRenamed', title: agentName });
        await vscode.commands.executeCommand('parley.focusChat');
      },
    });
  }

  #clientOptions(): ClientOptions {
    return {
      cwd: workingFolder,
      startFolders: this.#startFolders,
      allow: (definition) => this.#ground.confirm.agents.allow(definition),
      clientInfo: { name: 'parley', title: 'Parley', version: this.#ground.version },
      log: this.#ground.log,
      secrets: this.#ground.secrets,
      traffic: { redactor: this.#ground.redactor, recording: () => this.#ground.config.get('traffic.record') },
      outputLimit: () => this.#ground.config.get('terminal.outputLimit'),
      touched: (touch) => this.#follow?.touched(touch),
      edit: this.#edit,
      part: (definition, connection) => this.#mcp.part(definition, connection),
      connected: (definition, connection) => this.#traffic.connections.add(definition.title, connection),
    };
  }

  #createMcp(): McpService {
    return new McpService({
      log: this.#ground.log,
      version: this.#ground.version,
      relay: join(this.#ground.context.extensionPath, 'dist', 'relay.js'),
      audit: (entry) => this.#ground.policy.audit.append(entry),
      settings: this.#ground.config,
      person: {
        confirm: this.#ground.confirm.servers,
        inputs: this.#ground.secrets,
        openAddress: openExternalUrl,
        globalStorage: this.#ground.context.globalStorageUri,
      },
      memory: this.#ground.context.workspaceState,
      prompts: this.#prompts,
      agentEdit: this.#edit,
    });
  }

  #openA2a(sessions: Sessions): A2aService {
    const { servers, builtIns, gate } = this.#mcp;
    const shared = { log: this.#ground.log, version: this.#ground.version };
    return openA2a({
      ...shared,
      redactor: this.#ground.redactor,
      audit: (entry) => this.#ground.policy.audit.append(entry),
      sessionTools: new ExternalCalls({ ...shared, servers, gate, caller: A2A_CALLER }),
      ready: () => builtIns.load(),
      addServer: (server) => servers.add(server, 'a2a'),
      settings: this.#ground.config,
      decisions: this.#ground.confirm.approvals,
      memory: this.#ground.context.globalState,
      secrets: this.#ground.secrets,
      sessions,
    });
  }

  async #openSessions(): Promise<Sessions> {
    const state = await WorkspaceStateFile.open(
      join(this.#ground.storage('state').folder, 'state.json'),
      this.#ground.log,
    );
    this.#state = state;
    return Sessions.open({
      inView: lastViewedSession(state),
      agents: this.#agents,
      log: this.#ground.log,
      ...this.#ground.storage('sessions'),
      folders: localFolders,
      virtualFolders,
      home: homedir(),
      initialAgent: () => this.#initialAgent(),
      fallbackAgent: DEMO_AGENT,
      prompts: this.#prompts,
      policy: this.#ground.policy,
      beforePrompt: async (session, entry) => this.#engine?.beforePrompt(session, entry),
      readAttachments: async (session, attachments) => (await this.#view?.attaching.read(session, attachments)) ?? [],
      onHistoryError: (_session, message) => {
        const sentence = t(
          'Could not save this session: {0}. Parley keeps it in memory and saves it as soon as storage is available again.',
          message,
        );
        void vscode.window.showWarningMessage(sentence);
      },
    });
  }

  /** The selected agent, else the last used, else the only configured one. */
  #initialAgent(): string | undefined {
    const last = this.#ground.context.workspaceState.get<string>(LAST_AGENT_KEY);
    return defaultAgent(this.#ground.config.agents(), this.#ground.config.get('defaultAgent'), last)?.name;
  }

  #rememberAgent(name: string): void {
    if (this.#traffic.files.isReplay(name)) return;
    if (this.#ground.context.workspaceState.get(LAST_AGENT_KEY) === name) return;
    void this.#ground.context.workspaceState.update(LAST_AGENT_KEY, name);
  }

  /** Runs a sign-in command with the agent's own secrets and folder. */
  async #runInTerminal(launch: TerminalLaunch, signal: AbortSignal): Promise<number | undefined> {
    const definition = this.#agents.definition(launch.agent);
    const env = definition ? await resolveSecrets(definition, launch.env, this.#ground.secrets) : launch.env;
    const cwd = await startFolder(launch, workingFolder(), this.#startFolders);
    return runInTerminal({ ...launch, env, cwd }, signal);
  }

  /** On a first start VS Code shows an empty container until the view is opened once. */
  async #showOnce(show: () => Promise<void>): Promise<void> {
    if (this.#ground.context.globalState.get(SHOWN_KEY)) return;
    await this.#ground.context.globalState.update(SHOWN_KEY, true);
    await show();
  }
}
