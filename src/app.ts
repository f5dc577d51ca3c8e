import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TerminalLaunch } from './agent/auth';
import type { AgentDefinition } from './agent/definition';
import { DEMO_AGENT, defaultAgent } from './agent/agentSettings';
import { AgentInstalls } from './agent/registry/agentInstalls';
import { Registry } from './agent/registry/registry';
import { withSecrets } from './agent/secrets';
import { systemClock } from './base/clock';
import { DisposableStore } from './base/lifecycle';
import { Redactor } from './base/redact';
import { Client } from './client/connect';
import type { MountedPolicy } from './client/policy';
import { mountPolicy } from './client/policy';
import { SecretInputs } from './client/secrets';
import { runInTerminal } from './client/signInTerminal';
import { commandTable, registerCommands } from './commands';
import { Config } from './config';
import { CALLER } from './gateway/door';
import type { MountedGateway } from './gateway/mount';
import { mountGateway } from './gateway/mount';
import { ParleyLog } from './log';
import type { ParleyApi } from './mcp/api';
import type { MountedMcp } from './mcp/mount';
import { mountMcp } from './mcp/mount';
import { OutsideCalls } from './mcp/outsideCalls';
import { Agents } from './session/agents';
import { SessionCatalog } from './session/catalog';
import { IdleWatch } from './session/idle';
import type { Prompts } from './session/prompts';
import { Sessions } from './session/sessions';
import type { ReviewEditor } from './review/editor/mount';
import { mountReviewEditor } from './review/editor/mount';
import type { Follow } from './review/follow';
import { mountFollow } from './review/followMount';
import type { MountedReview } from './review/mount';
import { mountReview } from './review/mount';
import type { Confirm } from './view/confirmMount';
import { mountConfirm } from './view/confirmMount';
import type { MountedView } from './view/mount';
import { mountView } from './view/mount';
import { mountPrompts } from './view/promptFiles';
import { RegistryAddress } from './view/registryAddress';
import type { TrafficTool } from './view/trafficMount';
import { mountTraffic } from './view/trafficMount';

/** Remembers that the chat was shown once, and the agent that was used last. */
const SHOWN_KEY = 'parley.shown';
const LAST_AGENT_KEY = 'parley.lastAgent';

/** What integration tests hold on to; nobody else gets it. */
export interface TestApi {
  readonly sessions: Sessions;
  readonly catalog: SessionCatalog;
  readonly sessionTree: MountedView['sessionTree'];
  readonly installs: AgentInstalls;
  readonly traffic: TrafficTool;
  readonly prompts: Prompts;
  readonly engine: MountedReview;
  readonly reviewEditor: ReviewEditor;
  readonly policy: MountedPolicy;
  readonly mcp: MountedMcp;
}

/** The composition root: builds every part in order, introduces them to each other, and ends them in the reverse order. */
export class App {
  readonly #store = new DisposableStore();
  readonly #context: vscode.ExtensionContext;
  readonly #log: ParleyLog;
  readonly #config: Config;
  readonly #registry: RegistryAddress;
  readonly #confirm: Confirm;
  readonly #installs: AgentInstalls;
  readonly #secrets: SecretInputs;
  readonly #redactor = new Redactor();
  readonly #traffic: TrafficTool;
  readonly #agents: Agents;
  readonly #client: Client;
  readonly #mcp: MountedMcp;
  readonly #prompts: Prompts;
  readonly #policy: MountedPolicy;
  #sessions: Sessions | undefined;
  #follow: Follow | undefined;
  #engine: MountedReview | undefined;
  #testApi: TestApi | undefined;

  private constructor(context: vscode.ExtensionContext) {
    this.#context = context;
    const redactor = this.#redactor;
    this.#secrets = new SecretInputs({ storage: context.secrets, redactor });
    this.#log = this.#store.add(new ParleyLog(redactor));
    this.#confirm = mountConfirm(this.#store, context.workspaceState, workingFolder);
    this.#registry = new RegistryAddress(() => this.#config.registry, this.#confirm.approvals);
    this.#installs = this.#store.add(this.#openInstalls());
    const installed = (): readonly AgentDefinition[] => this.#installs.definitions();
    const options = { log: this.#log, redactor, extensionPath: context.extensionPath, installed };
    this.#config = this.#store.add(new Config(options));
    this.#store.add(this.#installs.onDidChange(() => this.#config.refresh()));
    this.#store.add(vscode.window.onDidChangeWindowState(({ focused }) => focused && this.#installs.recheck()));
    this.#policy = this.#store.add(this.#mountPolicy());
    this.#traffic = this.#store.add(this.#mountTraffic());
    this.#prompts = mountPrompts(this.#store, this.#log);
    this.#mcp = this.#store.add(this.#mountMcp());
    this.#client = this.#store.add(this.#createClient());
    this.#agents = this.#store.add(
      new Agents({
        definitions: () => [...this.#config.agents(), ...this.#traffic.files.definitions()],
        trusted: () => vscode.workspace.isTrusted,
        connect: (definition, lookup, onUpdate) => this.#client.connect(definition, lookup, onUpdate),
        runInTerminal: (launch, signal) => this.#runInTerminal(launch, signal),
      }),
    );
  }

  static async start(context: vscode.ExtensionContext): Promise<App> {
    const app = new App(context);
    await app.#start();
    return app;
  }

  /** What other extensions get; tests in the extension host get more. */
  get api(): ParleyApi & Partial<TestApi> {
    const isTest = this.#context.extensionMode === vscode.ExtensionMode.Test;
    return { ...this.#mcp.api, ...(isTest && this.#testApi) };
  }

  /** Ends agents and their commands, and writes what is left of the transcripts. */
  async stop(): Promise<void> {
    const sessions = this.#sessions;
    // First on paper, then the agents: VS Code may not wait for their end.
    sessions?.interrupt();
    await sessions?.flush();
    await this.#engine?.flush();
    await this.#agents.shutdown();
    await this.#mcp.shutdown();
    await sessions?.flush();
    await this.#policy.audit.flush();
    this.#store.dispose();
  }

  async #start(): Promise<void> {
    const sessions = this.#store.add(await this.#openSessions());
    this.#sessions = sessions;
    const engine = this.#store.add(await this.#mountReview(sessions));
    this.#engine = engine;
    this.#listen(sessions);
    const catalog = this.#store.add(new SessionCatalog({ sessions, agents: this.#agents, log: this.#log }));
    this.#store.add(new IdleWatch({ sessions, agents: this.#agents, clock: systemClock, log: this.#log }));
    const follow = this.#store.add(mountFollow({ sessions, settings: this.#config, log: this.#log }));
    this.#follow = follow;
    const insertText = (text: string): Promise<void> => view.chat.insert(text);
    const review = this.#store.add(mountReviewEditor({ engine, sessions, settings: this.#config, insertText }));
    const view: MountedView = this.#store.add(this.#mountView(sessions, catalog, follow, review));
    this.#testApi = {
      sessions,
      catalog,
      installs: this.#installs,
      sessionTree: view.sessionTree,
      traffic: this.#traffic,
      prompts: this.#prompts,
      engine,
      reviewEditor: review,
      policy: this.#policy,
      mcp: this.#mcp,
    };
    const table = commandTable({
      ...view,
      sessions,
      forgetSecrets: () => this.#secrets.forget(),
      showLog: () => this.#log.show(),
      traffic: this.#traffic,
      gateway: this.#store.add(this.#mountGateway(sessions)),
      toggleFollow: () => follow.toggle(),
      review: review.commands,
    });
    this.#store.add(registerCommands(table, vscode.commands.registerCommand));
    this.#log.info('app', `Parley ${this.#version} is ready`);
    void this.#installs.look(false);
    await this.#showOnce(() => view.chat.focus());
  }

  #listen(sessions: Sessions): void {
    this.#store.add(this.#mcp.follow(sessions, this.#agents));
    this.#store.add(
      sessions.onDidChange(({ state }) => {
        if (state.agent && state.turn.status === 'running') this.#rememberAgent(state.agent.name);
      }),
    );
  }

  #mountView(sessions: Sessions, catalog: SessionCatalog, follow: Follow, review: ReviewEditor): MountedView {
    return mountView({
      extensionUri: this.#context.extensionUri,
      sessions,
      catalog,
      log: this.#log,
      agents: () => this.#config.agents(),
      installs: this.#installs,
      registry: this.#registry,
      stopAgent: (name) => this.#agents.stop(name),
      notify: () => this.#config.get('permissions.notify'),
      sound: () => this.#config.get('sound'),
      policy: this.#policy,
      onDidChangeSettings: this.#config.onDidChange,
      stopCommand: (_session, terminalId) => this.#client.stopCommand(terminalId),
      showTerminal: (session, terminalId) => this.#client.showTerminal(session, terminalId),
      follow,
      prompts: this.#prompts,
      tools: this.#mcp.panel,
      review: (session, intent) => review.handle(session, intent),
      showLog: () => this.#log.show(),
    });
  }

  #mountReview(sessions: Sessions): Promise<MountedReview> {
    const { storageUri, globalStorageUri } = this.#context;
    const storage = vscode.Uri.joinPath(storageUri ?? globalStorageUri, 'review').fsPath;
    const shared = storageUri === undefined;
    const folders = (): readonly string[] => localFolders();
    return mountReview({ sessions, log: this.#log, storage, shared, folders, settings: this.#config });
  }

  #mountPolicy(): MountedPolicy {
    return mountPolicy({
      context: this.#context,
      rules: () => this.#config.scoped('permissions.rules'),
      onDidChangeSettings: this.#config.onDidChange,
      redactor: this.#redactor,
      log: this.#log,
    });
  }

  #mountTraffic(): TrafficTool {
    return mountTraffic({
      extensionUri: this.#context.extensionUri,
      log: this.#log,
      version: this.#version,
      recording: () => this.#config.get('traffic.record'),
      onDidChangeSettings: this.#config.onDidChange,
      folders: () => localFolders(),
      newChat: async (agentName) => {
        this.#sessions?.newChat(agentName).dispatch({ type: 'sessionRenamed', title: agentName });
        await vscode.commands.executeCommand('parley.focusChat');
      },
    });
  }

  #createClient(): Client {
    return new Client({
      cwd: workingFolder,
      allow: (definition) => this.#confirm.agents.allow(definition),
      clientInfo: { name: 'parley', title: 'Parley', version: this.#version },
      log: this.#log,
      secrets: this.#secrets,
      traffic: { redactor: this.#redactor, recording: () => this.#config.get('traffic.record') },
      outputLimit: () => this.#config.get('terminal.outputLimit'),
      touched: (touch) => this.#follow?.touched(touch),
      edit: (sessionId, path, write) => this.#engine?.edit(sessionId, path, write) ?? write(),
      part: (definition, connection) => this.#mcp.part(definition, connection),
      connected: (definition, connection) => this.#traffic.connections.add(definition.title, connection),
    });
  }

  #mountMcp(): MountedMcp {
    return mountMcp({
      log: this.#log,
      version: this.#version,
      relay: join(this.#context.extensionPath, 'dist', 'relay.js'),
      audit: (entry) => this.#policy.audit.append(entry),
      settings: this.#config,
      person: { confirm: this.#confirm.servers, inputs: this.#secrets, globalStorage: this.#context.globalStorageUri },
      memory: this.#context.workspaceState,
      prompts: this.#prompts,
      agentEdit: (sessionId, path, write) => this.#engine?.edit(sessionId, path, write) ?? write(),
    });
  }

  #mountGateway(sessions: Sessions): MountedGateway {
    const { servers, gate } = this.#mcp;
    const shared = { log: this.#log, version: this.#version };
    return mountGateway({
      ...shared,
      redactor: this.#redactor,
      audit: (entry) => this.#policy.audit.append(entry),
      door: new OutsideCalls({ ...shared, servers, gate, caller: CALLER }),
      addServer: (server) => servers.add(server, 'a2a'),
      settings: this.#config,
      decisions: this.#confirm.approvals,
      memory: this.#context.globalState,
      secrets: this.#secrets,
      sessions,
    });
  }

  #openInstalls(): AgentInstalls {
    const folder = this.#context.globalStorageUri.fsPath;
    const cache = join(folder, 'registry.json');
    const registry = new Registry({ url: () => this.#registry.url, cache, log: this.#log, now: () => Date.now() });
    const memory = this.#context.globalState;
    return new AgentInstalls({ registry, memory, folder: join(folder, 'agents'), log: this.#log });
  }

  get #version(): string {
    return String((this.#context.extension.packageJSON as { version?: unknown }).version);
  }

  #openSessions(): Promise<Sessions> {
    const storage = this.#context.storageUri ?? this.#context.globalStorageUri;
    return Sessions.open({
      agents: this.#agents,
      log: this.#log,
      folder: vscode.Uri.joinPath(storage, 'sessions').fsPath,
      shared: this.#context.storageUri === undefined,
      folders: () => localFolders(),
      virtualFolders: () => virtualFolders(),
      home: homedir(),
      initialAgent: () => this.#initialAgent(),
      fallbackAgent: DEMO_AGENT,
      prompts: this.#prompts,
      policy: this.#policy,
      beforePrompt: async (session, entry) => this.#engine?.beforePrompt(session, entry),
      onHistoryError: (_session, message) => {
        const sentence = `Parley cannot save this conversation: ${message}. It is kept in memory and saved as soon as that works again.`;
        void vscode.window.showWarningMessage(sentence);
      },
    });
  }

  /** The agent of a new chat: the chosen one, else the last used, else the only configured one, else none (experience.md, section 3). */
  #initialAgent(): string | undefined {
    const last = this.#context.workspaceState.get<string>(LAST_AGENT_KEY);
    return defaultAgent(this.#config.agents(), this.#config.get('defaultAgent'), last)?.name;
  }

  #rememberAgent(name: string): void {
    if (this.#traffic.files.isReplay(name)) return;
    if (this.#context.workspaceState.get(LAST_AGENT_KEY) === name) return;
    void this.#context.workspaceState.update(LAST_AGENT_KEY, name);
  }

  /** The command of a sign-in, with the secrets that the agent itself gets. */
  async #runInTerminal(launch: TerminalLaunch, signal: AbortSignal): Promise<number | undefined> {
    const definition = this.#agents.definition(launch.agent);
    const env = definition ? await withSecrets(definition, launch.env, this.#secrets) : launch.env;
    return runInTerminal({ ...launch, env }, signal);
  }

  /** On a first start VS Code shows our container empty until the view was asked for once. */
  async #showOnce(show: () => Promise<void>): Promise<void> {
    if (this.#context.globalState.get(SHOWN_KEY)) return;
    await this.#context.globalState.update(SHOWN_KEY, true);
    await show();
  }
}

/** Where agents work that have no folder of their own. */
function workingFolder(): string {
  return localFolders()[0] ?? homedir();
}

function localFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter((folder) => folder.uri.scheme === 'file').map((folder) => folder.uri.fsPath);
}

/** Names of the folders that agents, which work on files on disk, cannot see. */
function virtualFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter((folder) => folder.uri.scheme !== 'file').map((folder) => folder.name);
}
