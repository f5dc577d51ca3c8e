import * as vscode from 'vscode';
import type { AgentDefinition } from '../agent/config/agentDefinition';
import { systemClock } from '../base/clock';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { Memento } from '../base/memento';
import type { AuditLog } from '../permissions/auditLog';
import type { AgentPool } from '../session/agents/agentPool';
import type { ConnectionContribution } from '../session/agents/sharedAgent';
import type { Sessions } from '../session/sessions';
import { showErrorMessage } from '../workbench/windowMessages';
import { agentToolServers } from './agentToolServers';
import { AvailabilityLog } from './availability/availabilityLog';
import { SettingValidation } from './availability/settingValidation';
import { ToolEnablement } from './availability/toolEnablement';
import type { McpSettings } from './availability/toolFilterSettings';
import { ToolFilterSettings } from './availability/toolFilterSettings';
import type { BuiltInsDeps } from './builtin/builtInServers';
import type { LazyBuiltIns } from './builtin/lazyBuiltIns';
import { lazyBuiltIns } from './builtin/lazyBuiltIns';
import { ToolCallGate } from './calls/toolCallGate';
import type { ToolServers } from './contract/toolServerRegistry';
import type { VendorMethods } from './extensionApi/vendorMethods';
import { DeclaredServers } from './host/declaredServers';
import { HostedServers } from './hostedServers';
import { ToolsPanelModel } from './panel/toolsPanelModel';
import { trackSessions } from './sessionLifecycle';
import type { UserServersDeps } from './userServers/userServersService';
import { UserServersService } from './userServers/userServersService';

export interface McpOptions extends BuiltInsDeps {
  readonly version: string;
  /** Absolute path of the bundled relay for agents without HTTP. */
  readonly relay: string;
  readonly audit: Pick<AuditLog, 'append'>;
  /** Not disposed here: other extensions may register before and after. */
  readonly servers: ToolServers;
  readonly vendor: VendorMethods;
  readonly settings: McpSettings & UserServersDeps['settings'];
  readonly userServers: Omit<UserServersDeps, 'settings'>;
  /** Workspace state. */
  readonly memory: Memento;
}

export class McpService implements Disposable {
  readonly #store = new DisposableStore();
  readonly #log: Logger;
  readonly #vendor: VendorMethods;
  readonly builtIns: LazyBuiltIns;
  readonly #declared = this.#store.add(new DeclaredServers());
  readonly #validation: SettingValidation;
  readonly #availabilityLog: AvailabilityLog;
  readonly #userServers: UserServersService;
  readonly servers: ToolServers;
  readonly hostedServers: HostedServers;
  readonly gate: ToolCallGate;
  readonly panel: ToolsPanelModel;

  constructor(options: McpOptions) {
    const { log, version, relay, settings, memory, servers } = options;
    this.servers = servers;
    this.#log = log;
    this.#availabilityLog = new AvailabilityLog(log);
    this.#vendor = options.vendor;
    this.builtIns = this.#store.add(
      lazyBuiltIns(async () => new (await import('./builtin/builtInServers')).BuiltInServers(servers, options), log),
    );
    const enablement = this.#store.add(new ToolEnablement(memory));
    const isTrusted = (): boolean => vscode.workspace.isTrusted;
    const userServers = (): UserServersService | undefined => this.#userServers;
    const rules = new ToolFilterSettings({ servers, enablement, settings, isTrusted, userServers });
    const gate = this.#store.add(new ToolCallGate(rules, options.audit, systemClock, log, servers));
    this.gate = gate;
    this.#userServers = this.#store.add(
      new UserServersService({ ...options.userServers, settings, registry: servers, rules, gate, log, version }),
    );
    const prepared = this.#userServers.servers;
    this.hostedServers = new HostedServers({ servers, gate, log, version, relay, userServers: prepared });
    this.#store.defer(() => void this.hostedServers.dispose());
    const validation = this.#store.add(new SettingValidation(servers, rules, settings, log));
    this.#validation = validation;
    this.#store.add(this.#userServers.sources.onDidChange(() => validation.revalidate()));
    const { builtIns, hostedServers } = this;
    const showError = (sentence: string): void => void showErrorMessage(sentence);
    const panel = new ToolsPanelModel({
      showError,
      servers,
      builtIns,
      gate,
      enablement,
      declared: this.#declared,
      rules,
      validation,
      hostedServers,
      userServers: prepared,
    });
    this.panel = this.#store.add(panel);
  }

  /**
   * The contribution to one agent's connection.
   * @param connection available once the connection exists.
   */
  createContribution(
    definition: AgentDefinition,
    connection: Parameters<typeof agentToolServers>[2],
  ): ConnectionContribution {
    const { hostedServers, builtIns } = this;
    const deps = {
      hostedServers,
      builtIns,
      declared: this.#declared,
      log: this.#log,
      validation: this.#validation,
    };
    const { features, services } = agentToolServers(deps, definition, connection);
    const vendor = this.#vendor.createContribution(definition, connection);
    const dispose = (): void => {
      vendor.dispose();
      services.dispose();
    };
    const mcpServers: NonNullable<typeof services.mcpServers> = async (session) => {
      const declared = (await services.mcpServers?.(session)) ?? [];
      this.#availabilityLog.write(this.panel.stateFor(session));
      return declared;
    };
    return { features: [...features, vendor.feature], services: { ...services, mcpServers, dispose } };
  }

  trackSessions(sessions: Sessions, agents: AgentPool): Disposable {
    const { servers, gate, panel, hostedServers } = this;
    const own = { builtIns: this.builtIns, declared: this.#declared, log: this.#log };
    return trackSessions({ servers, gate, panel, hostedServers, ...own }, sessions, agents);
  }

  /** Ends all servers: refuses new calls, aborts running ones, then closes. */
  async shutdown(): Promise<void> {
    await this.hostedServers.dispose();
    await this.#userServers.servers.shutdown();
  }

  dispose(): void {
    this.#store.dispose();
  }
}
