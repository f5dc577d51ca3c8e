import * as vscode from 'vscode';
import type { ClientFeature } from '../agent/clientFeature';
import type { AgentDefinition } from '../agent/config/agentDefinition';
import type { AgentConnection } from '../agent/connection/agentConnection';
import { systemClock } from '../base/clock';
import type { Lazy } from '../base/lazy';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { Memento } from '../base/memento';
import type { AuditLog } from '../permissions/auditLog';
import type { AgentPool } from '../session/agents/agentPool';
import type { AgentServices, ConnectionContribution } from '../session/agents/sharedAgent';
import type { PromptFileStore } from '../session/promptFiles/promptFileStore';
import type { ServerContent } from '../session/serverContent';
import type { Sessions } from '../session/sessions';
import { showErrorMessage } from '../workbench/windowMessages';
import { AvailabilityLog } from './availability/availabilityLog';
import { SettingValidation } from './availability/settingValidation';
import { ToolEnablement } from './availability/toolEnablement';
import type { McpSettings } from './availability/toolFilterSettings';
import { ToolFilterSettings } from './availability/toolFilterSettings';
import type { AgentEdit } from './builtin/common/applyWorkspaceEdit';
import type { LazyBuiltIns } from './builtin/lazyBuiltIns';
import { lazyServers } from './builtin/lazyBuiltIns';
import type { CallGate } from './calls/callGate';
import { ToolCallGate } from './calls/toolCallGate';
import type { McpTraffic } from './contract/recordedMcpConnection';
import type { ToolServers } from './contract/toolServerRegistry';
import type { VendorMethods } from './extensionApi/vendorMethods';
import { loadServerSdk } from './host/hostedServer';
import { HostedServers } from './hostedServers';
import { ToolsPanelModel } from './panel/toolsPanelModel';
import { WindowServerContent } from './panel/windowServerContent';
import { NewServerRestarter, trackSessions } from './sessionLifecycle';
import { LocalTransports } from './transport/localTransports';
import type { ServerSecrets } from './userServers/config/serverInputs';
import type { ConfirmsServers, UserServerSettings } from './userServers/userServersService';
import type { WindowUserServers } from './userServers/windowUserServers';

export interface McpOptions {
  readonly log: Logger;
  readonly version: string;
  /** Absolute path of the bundled relay for agents without HTTP. */
  readonly relay: string;
  readonly audit: AuditLog;
  /** Not disposed here: other extensions may register before and after. */
  readonly servers: ToolServers;
  readonly vendor: VendorMethods;
  readonly settings: McpSettings & UserServerSettings;
  readonly confirm: ConfirmsServers;
  readonly secrets: ServerSecrets;
  /** Global storage of the extension. */
  readonly globalStorage: vscode.Uri;
  /** Workspace state. */
  readonly memory: Memento;
  readonly agentEdit: AgentEdit;
  readonly prompts: PromptFileStore;
}

/** The tool servers of this window. */
export class McpService implements Disposable {
  readonly #store = new DisposableStore();
  readonly #log: Logger;
  readonly #vendor: VendorMethods;
  readonly #validation: SettingValidation;
  readonly #availabilityLog: AvailabilityLog;
  readonly #userServers: Lazy<WindowUserServers | undefined>;
  readonly #hostedServers: HostedServers;
  readonly builtIns: LazyBuiltIns;
  readonly servers: ToolServers;
  readonly gate: CallGate;
  readonly panel: ToolsPanelModel;
  readonly content: ServerContent;

  constructor(options: McpOptions, traffic: McpTraffic) {
    const { log, version, relay, settings, memory, servers } = options;
    this.servers = servers;
    this.#log = log;
    this.#availabilityLog = new AvailabilityLog(log);
    this.#vendor = options.vendor;
    const builtIns = this.#store.add(
      lazyServers(async () => {
        const [{ BuiltInServers }] = await Promise.all([import('./builtin/builtInServers'), userServers.load()]);
        return new BuiltInServers(servers, settings, options.agentEdit, options.prompts, log);
      }, log),
    );
    this.builtIns = builtIns;
    const enablement = this.#store.add(new ToolEnablement(memory));
    const rules = new ToolFilterSettings(servers, enablement, settings, () => vscode.workspace.isTrusted);
    const gate = this.#store.add(new ToolCallGate(rules, options.audit, systemClock, log, servers));
    this.gate = gate;
    const userServers = this.#store.add(
      lazyServers(async () => {
        const { UserServersService } = await import('./userServers/userServersService');
        return this.#store.add(new UserServersService({ ...options, registry: servers, rules, gate }, traffic)).servers;
      }, log),
    );
    this.#userServers = userServers;
    const transports = new LocalTransports(log, relay);
    const hostedServers = new HostedServers(gate, transports, log, version, userServers, traffic);
    this.#hostedServers = hostedServers;
    this.#store.defer(() => void hostedServers.dispose());
    const validation = this.#store.add(new SettingValidation(servers, rules, userServers, log));
    this.#validation = validation;
    const showError = (sentence: string): void => void showErrorMessage(sentence);
    this.content = new WindowServerContent(servers, gate, rules, userServers);
    this.panel = this.#store.add(
      new ToolsPanelModel({ servers, builtIns, gate, rules, validation, hostedServers, userServers, showError }),
    );
  }

  /**
   * The contribution to one agent's connection.
   * @param connection available once the connection exists.
   */
  createContribution(definition: AgentDefinition, connection: () => AgentConnection): ConnectionContribution {
    const { features, services } = this.#hostedServers.createContribution(definition, connection);
    const vendor = this.#vendor.createContribution(definition, connection);
    const dispose = (): void => {
      vendor.dispose();
      services.dispose();
    };
    const mcpServers: AgentServices['mcpServers'] = async (session) => {
      if (connection().state.status === 'ready') {
        await this.builtIns.load();
        this.#validation.start();
      }
      const declared = (await services.mcpServers?.(session)) ?? [];
      this.#availabilityLog.write(this.panel.stateFor(session));
      return declared;
    };
    const preload: ClientFeature = {
      capabilities: {},
      handlers: [],
      onDidLaunch: () => {
        // What fails here fails again when the servers are declared, and is reported then.
        void Promise.allSettled([this.builtIns.load(), loadServerSdk()]);
      },
    };
    return { features: [...features, vendor.feature, preload], services: { ...services, mcpServers, dispose } };
  }

  trackSessions(sessions: Sessions, agents: AgentPool): Disposable {
    const store = new DisposableStore();
    const restarter = store.add(new NewServerRestarter(this.gate, this.#hostedServers, agents, this.#log));
    store.add(trackSessions(sessions, this.builtIns, this.#hostedServers, restarter));
    return store;
  }

  /** Ends all servers: refuses new calls, aborts running ones, then closes. */
  async shutdown(): Promise<void> {
    await this.#hostedServers.dispose();
    await this.#userServers.value?.shutdown();
  }

  dispose(): void {
    this.#store.dispose();
  }
}
