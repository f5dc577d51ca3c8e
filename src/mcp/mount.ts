import * as vscode from 'vscode';
import type { AgentDefinition } from '../agent/definition';
import { systemClock } from '../base/clock';
import { Emitter } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Log } from '../base/log';
import type { Agents } from '../session/agents';
import type { AuditEntry } from '../session/audit';
import type { BuiltIns, BuiltInsDeps } from './builtIns';
import { registerBuiltIns } from './builtIns';
import type { McpPart } from './connectionPart';
import { connectionPart } from './connectionPart';
import { DeclaredServers } from './declared';
import type { FollowedSessions } from './followSessions';
import { followSessions } from './followSessions';
import { RuledGate } from './ruledGate';
import { SessionServers } from './sessionServers';
import type { McpSettings } from './settingsRules';
import { SettingsRules } from './settingsRules';
import type { SwitchMemory } from './switches';
import { Switches } from './switches';
import { ToolsPanel } from './toolsPanel';
import { ToolServers } from './toolServers';
import { Validation } from './validation';

export interface McpOptions extends BuiltInsDeps {
  readonly log: Log;
  readonly version: string;
  /** Absolute path of the bundled relay for agents without HTTP. */
  readonly relay: string;
  readonly audit: (entry: AuditEntry) => void;
  readonly settings: McpSettings;
  /** Of the workspace. */
  readonly memory: SwitchMemory;
}

/** The tool servers of the window and how agents reach them. */
export class MountedMcp implements Disposable {
  readonly #store = new DisposableStore();
  readonly #log: Log;
  readonly #builtIns: BuiltIns;
  readonly #declared = this.#store.add(new DeclaredServers());
  readonly #validation: Validation;
  readonly servers = this.#store.add(new ToolServers());
  readonly sessionServers: SessionServers;
  readonly gate: RuledGate;
  readonly panel: ToolsPanel;

  constructor(options: McpOptions) {
    const { log, version, relay, settings, memory } = options;
    const { servers } = this;
    this.#log = log;
    this.#builtIns = this.#store.add(registerBuiltIns(servers, options));
    const switches = this.#store.add(new Switches(memory));
    const trusted = (): boolean => vscode.workspace.isTrusted;
    const rules = new SettingsRules({ servers, switches, settings, trusted });
    const gate = this.#openGate(options, rules, switches);
    this.gate = gate;
    this.sessionServers = new SessionServers({ servers, gate, log, version, relay });
    this.#store.defer(() => void this.sessionServers.dispose());
    const validation = this.#store.add(new Validation(servers, rules, settings, log));
    this.#validation = validation;
    const panel = { servers, gate, switches, declared: this.#declared, rules, validation };
    this.panel = this.#store.add(new ToolsPanel(panel));
  }

  /** What one agent's connection gets. @param connection gives it once it is made */
  part(definition: AgentDefinition, connection: Parameters<typeof connectionPart>[2]): McpPart {
    const { sessionServers } = this;
    const deps = { sessionServers, declared: this.#declared, log: this.#log, validation: this.#validation };
    return connectionPart(deps, definition, connection);
  }

  /** Goes along with the sessions until the result is disposed. */
  follow(sessions: FollowedSessions, agents: Pick<Agents, 'links' | 'stop'>): Disposable {
    const { servers, gate, panel, sessionServers } = this;
    const own = { builtIns: this.#builtIns, declared: this.#declared, log: this.#log };
    return followSessions({ servers, gate, panel, sessionServers, ...own }, sessions, agents);
  }

  /** Ends all servers in order: no new calls, running ones aborted, then closed. */
  shutdown(): Promise<void> {
    return this.sessionServers.dispose();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #openGate({ log, audit, settings }: McpOptions, rules: SettingsRules, switches: Switches): RuledGate {
    const changed = this.#store.add(new Emitter<void>());
    for (const event of [settings.onDidChange, switches.onDidChange]) {
      this.#store.add(event(() => changed.fire()));
    }
    const onDidChangeRules = changed.event;
    return this.#store.add(
      new RuledGate({ log, audit, clock: systemClock, onDidChangeRules, rules: (session) => rules.of(session) }),
    );
  }
}

export function mountMcp(options: McpOptions): MountedMcp {
  return new MountedMcp(options);
}
