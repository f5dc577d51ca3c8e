import * as vscode from 'vscode';
import type { AgentConnection } from '../agent/connection';
import type { AgentDefinition } from '../agent/definition';
import type { ClientFeature } from '../agent/features';
import { systemClock } from '../base/clock';
import type { Event } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import type { AuditEntry } from '../session/audit';
import { DisposableStore } from '../base/lifecycle';
import type { Log } from '../base/log';
import type { AgentServices } from '../session/agents';
import type { ToolRules } from './filter';
import { RuledGate } from './ruledGate';
import { McpOverAcp } from './overAcp';
import { SessionServers } from './sessionServers';
import { ToolServers } from './toolServers';
import { wayTo } from './ways';

export interface McpOptions {
  readonly log: Log;
  readonly version: string;
  /** Absolute path of the bundled relay for agents without HTTP. */
  readonly relay: string;
  readonly audit: (entry: AuditEntry) => void;
  /** Settings or the trust have changed. */
  readonly onDidChangeSettings: Event<void>;
}

/** What one agent's connection gets of the tool servers. */
export interface McpPart {
  readonly features: readonly ClientFeature[];
  readonly services: Pick<AgentServices, 'mcpServers'> & Disposable;
}

/** The tool servers of the window and how agents reach them. */
export interface MountedMcp extends Disposable {
  readonly servers: ToolServers;
  readonly sessionServers: SessionServers;
  readonly gate: RuledGate;
  /** @param connection gives the connection once it is made */
  part(definition: AgentDefinition, connection: () => AgentConnection): McpPart;
  /** Ends all servers in order: no new calls, running ones aborted, then closed. */
  shutdown(): Promise<void>;
}

export function mountMcp(options: McpOptions): MountedMcp {
  const store = new DisposableStore();
  const servers = store.add(new ToolServers());
  const { log, version, relay, audit, onDidChangeSettings } = options;
  const gate = store.add(
    new RuledGate({ log, audit, clock: systemClock, onDidChangeRules: onDidChangeSettings, rules: () => trustRules() }),
  );
  const sessionServers = new SessionServers({ servers, gate, log, version, relay });
  store.defer(() => void sessionServers.dispose());
  return {
    servers,
    sessionServers,
    gate,
    part: (definition, connection) => connectionPart(sessionServers, log, definition, connection),
    shutdown: () => sessionServers.dispose(),
    dispose: () => store.dispose(),
  };
}

function trustRules(): ToolRules {
  return { trusted: vscode.workspace.isTrusted, isOn: () => true, deny: [], allow: [] };
}

function connectionPart(
  sessionServers: SessionServers,
  log: Log,
  definition: AgentDefinition,
  connection: () => AgentConnection,
): McpPart {
  /** Only what this process was told of: the id of another agent's server opens nothing here. */
  const told = new Set<string>();
  const feature = new McpOverAcp({
    find: (serverId) => (told.has(serverId) ? sessionServers.find(serverId) : undefined),
    notify: (method, params) => connection().notify(method, params),
  });
  const mcpServers: AgentServices['mcpServers'] = async (session) => {
    const { state, quirk } = connection();
    if (state.status !== 'ready') return [];
    const reach = { capabilities: state.info.capabilities, isRemote: definition.remote !== undefined };
    const way = wayTo(reach);
    if (way === undefined) {
      log.info('mcp', `${definition.title} is remote and does not take MCP over ACP: it gets no tool servers`);
      return [];
    }
    const declared = await sessionServers.declare(session, way, quirk?.refusesMcpIdTwin !== true);
    for (const { serverId } of declared) if (typeof serverId === 'string') told.add(serverId);
    return declared;
  };
  return { features: [feature], services: { mcpServers, dispose: () => feature.dispose() } };
}
