import { join } from 'node:path';
import * as vscode from 'vscode';
import { A2aService } from './a2a/a2aService';
import { hasSecrets, resolveSecrets } from './agent/config/resolveSecrets';
import type { AgentEnvironment } from './agent/connection/agentLaunch';
import type { TerminalLaunch } from './agent/connection/authMethods';
import type { TrafficConnections } from './agent/connection/trafficConnections';
import { FetchedPackages } from './agent/process/fetchedPackages';
import type { StartFolders } from './agent/process/startFolder';
import { startFolder } from './agent/process/startFolder';
import { assertDefined } from './base/assert';
import { Emitter } from './base/event';
import { Lazy } from './base/lazy';
import type { Disposable } from './base/lifecycle';
import { DisposableStore } from './base/lifecycle';
import type { AcpClient } from './client/acpClient';
import { runInTerminal } from './client/terminal/runInTerminal';
import { workspaceStartFolders } from './client/workspaceStartFolders';
import type { McpTraffic } from './mcp/contract/recordedMcpConnection';
import { ExternalCalls } from './mcp/externalCalls';
import type { McpOptions } from './mcp/mcpService';
import { McpService } from './mcp/mcpService';
import type { ReviewService } from './review/reviewService';
import type { CoreServices } from './services';
import { SharedAgents } from './session/agents/sharedAgents';
import type { PromptFileStore } from './session/promptFiles/promptFileStore';
import type { FileAccess } from './session/sessionHandle';
import type { Sessions } from './session/sessions';
import { openPromptFiles } from './ui/attachments/promptFileWatcher';
import type { TrafficFeature } from './ui/traffic/registerTraffic';
import { localFolders, workingFolder } from './workbench/workspaceFolders';

/** What other extensions register, also before the runtime exists. */
type RegisteredByExtensions = Pick<McpOptions, 'servers' | 'vendor'>;

/** What runs agents and serves their requests: processes, ACP client, tool servers, prompt files. */
export class AgentRuntime implements Disposable {
  readonly #store = new DisposableStore();
  readonly #startFolders: StartFolders;
  readonly #onDidAccessFile = this.#store.add(new Emitter<FileAccess>());
  readonly prompts: PromptFileStore;
  readonly mcp: McpService;
  readonly client: Lazy<AcpClient>;
  readonly pool: SharedAgents;
  /** An agent has read or written a file. */
  readonly onDidAccessFile = this.#onDidAccessFile.event;

  /** @param review is created later */
  constructor(
    private readonly services: CoreServices,
    traffic: TrafficFeature,
    registered: RegisteredByExtensions,
    private readonly review: Promise<ReviewService>,
  ) {
    this.#startFolders = workspaceStartFolders(join(services.context.globalStorageUri.fsPath, 'start'), localFolders);
    this.prompts = openPromptFiles(this.#store, services.log);
    this.mcp = this.#store.add(this.#createMcp(registered, traffic.connections));
    this.client = this.#store.add(
      new Lazy(async () => {
        const [{ AcpClient }, loaded] = await Promise.all([import('./client/acpClient'), review]);
        const { settings } = services;
        const created = new AcpClient(this.#environment(), settings, loaded, this.mcp, traffic.connections);
        created.onDidAccessFile((access) => this.#onDidAccessFile.fire(access));
        return created;
      }),
    );
    const packages = new FetchedPackages(services.context.globalState);
    this.pool = this.#store.add(
      new SharedAgents({
        definitions: () => [...services.settings.agents(), ...traffic.files.definitions()],
        isTrusted: () => vscode.workspace.isTrusted,
        load: async () => void (await Promise.all([this.client.load(), services.policy.engine.load()])),
        connect: (...args) => assertDefined(this.client.value, 'the loaded client').connect(...args),
        startsWithoutAsking: async (definition) =>
          services.confirm.agents.isAllowed(definition) &&
          packages.isFetched(definition) &&
          hasSecrets(definition, services.secrets),
        runInTerminal: (launch, signal) => this.#runInTerminal(launch, signal),
      }),
    );
    this.#store.add(
      this.pool.onDidChangeState(({ definition, connection }) => {
        if (connection.state.status === 'ready') packages.record(definition);
      }),
    );
  }

  /** Prepares the A2A gateway and the A2A agents; their code loads when one is used. */
  openA2a(sessions: Sessions): A2aService {
    const { servers, builtIns, gate } = this.mcp;
    const { context, log, extension, redactor, policy, settings, confirm, secrets } = this.services;
    return new A2aService({
      log,
      version: extension.version,
      redactor,
      audit: policy.audit,
      tools: new ExternalCalls(servers, builtIns, gate, log, extension.version),
      settings,
      decisions: confirm.approvals,
      memory: context.globalState,
      secrets,
      sessions,
    });
  }

  /** Ends agents and their commands, then the tool servers. */
  async shutdown(): Promise<void> {
    await this.pool.shutdown();
    await this.mcp.shutdown();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #createMcp({ servers, vendor }: RegisteredByExtensions, connections: TrafficConnections): McpService {
    const { context, log, extension, settings, policy, confirm, secrets } = this.services;
    const options: McpOptions = {
      log,
      version: extension.version,
      relay: join(context.extensionPath, 'dist', 'relay.js'),
      servers,
      vendor,
      audit: policy.audit,
      settings,
      confirm: confirm.servers,
      secrets,
      globalStorage: context.globalStorageUri,
      memory: context.workspaceState,
      prompts: this.prompts,
      agentEdit: async (...edit) => (await this.review).edit(...edit),
    };
    return new McpService(options, { connections, ...this.#recording });
  }

  #environment(): AgentEnvironment {
    const { confirm, extension, log, secrets } = this.services;
    return {
      startFolders: this.#startFolders,
      allow: (definition) => confirm.agents.allow(definition),
      clientInfo: { name: 'parley', title: 'Parley', version: extension.version },
      log,
      secrets,
      ...this.#recording,
    };
  }

  /** How traffic is recorded. */
  get #recording(): Omit<McpTraffic, 'connections'> {
    const { redactor, settings } = this.services;
    return { redactor, isRecording: () => settings.get('traffic.record') };
  }

  /** Runs a sign-in command with the agent's own secrets and folder. */
  async #runInTerminal(launch: TerminalLaunch, signal: AbortSignal): Promise<number | undefined> {
    const definition = this.pool.definition(launch.agent);
    const env = definition ? await resolveSecrets(definition, launch.env, this.services.secrets) : launch.env;
    const cwd = await startFolder(launch, workingFolder(), this.#startFolders);
    return runInTerminal({ ...launch, env, cwd }, signal);
  }
}
