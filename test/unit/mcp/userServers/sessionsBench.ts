import type { Clock } from '../../../../src/base/clock';
import { systemClock } from '../../../../src/base/clock';
import { Emitter } from '../../../../src/base/event';
import type { JsonObject } from '../../../../src/base/json';
import { Lazy } from '../../../../src/base/lazy';
import type { Disposable } from '../../../../src/base/lifecycle';
import { toDisposable } from '../../../../src/base/lifecycle';
import { nullLogger } from '../../../../src/base/logger';
import type { ToolRules } from '../../../../src/mcp/availability/toolFilter';
import type { ToolFilterSettings } from '../../../../src/mcp/availability/toolFilterSettings';
import { ToolServers } from '../../../../src/mcp/contract/toolServerRegistry';
import { HostedServers } from '../../../../src/mcp/hostedServers';
import { LocalTransports } from '../../../../src/mcp/transport/localTransports';
import type {
  ServerDefinition,
  ServerLaunch,
  ServerOrigin,
} from '../../../../src/mcp/userServers/config/serverDefinition';
import { serverContent } from '../../../../src/mcp/userServers/config/serverDefinition';
import type { ServerSourceReader } from '../../../../src/mcp/userServers/config/serverSources';
import type { GatewaySettings } from '../../../../src/mcp/userServers/gatewaySettings';
import type { ServerConsent } from '../../../../src/mcp/userServers/serverLauncher';
import type { GatewayMode } from '../../../../src/mcp/userServers/serverRoute';
import { WindowUserServers } from '../../../../src/mcp/userServers/windowUserServers';
import type { SessionHandle } from '../../../../src/session/sessionHandle';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { stubOf } from '../../../kit/stubOf';
import { until } from '../../../kit/waiting';
import { OpenGate } from '../sample';
import { factoryOf } from './userServersBench';

export const own = { id: 'settings', label: 'your settings', isOfWorkspace: false };
export const theirs = { id: 'mcp.json:/app', label: '.vscode/mcp.json', isOfWorkspace: true };

/** Deadlines of seconds end only on {@link expire}: a slow machine changes no result. */
class PatientClock implements Clock {
  now(): number {
    return systemClock.now();
  }

  elapsed(): number {
    return systemClock.elapsed();
  }

  readonly #deadlines = new Set<() => void>();

  after(ms: number, callback: () => void): Disposable {
    if (ms < 5_000) return systemClock.after(ms, callback);
    this.#deadlines.add(callback);
    return toDisposable(() => this.#deadlines.delete(callback));
  }

  expire(): void {
    for (const callback of this.#deadlines) callback();
  }
}

export class SessionsBench {
  readonly clock = new PatientClock();
  readonly servers = new ToolServers();
  readonly gate = new OpenGate(this.servers);
  readonly changed = new Emitter<void>();
  readonly rulesChanged = new Emitter<void>();
  readonly allowed = new Set<string>();
  readonly asked: string[] = [];
  definitions: readonly ServerDefinition[] = [];
  mode: GatewayMode = 'whenRules';
  rules: ToolRules = { isTrusted: true, isOn: () => true, deny: [], allow: [] };
  permissions: readonly string[] = [];
  folders: readonly string[] = [process.cwd()];
  readonly person: WindowUserServers;
  readonly loaded = new Lazy(async () => this.person);
  readonly hostedServers: HostedServers;
  readonly session = this.sessionIn('s1', process.cwd());

  constructor() {
    const sources = stubOf<ServerSourceReader>({
      onDidChange: this.changed.event,
      ready: Promise.resolve(),
      definitions: () => this.definitions,
    });
    const rules = stubOf<ToolFilterSettings>({ rulesOf: () => this.rules, onDidChange: this.rulesChanged.event });
    const modeOf = (): GatewayMode => this.mode;
    const permissionsOf = (): readonly string[] => this.permissions;
    const gateway = stubOf<GatewaySettings>({
      get mode() {
        return modeOf();
      },
      get toolPatterns() {
        return permissionsOf();
      },
    });
    const consent: ServerConsent = {
      isAllowed: (definition) => this.allowed.has(serverContent(definition)),
      confirm: async (definition) => {
        this.asked.push(definition.name);
        return false;
      },
    };
    const factory = factoryOf({ clock: this.clock, consent, folders: () => this.folders });
    this.person = new WindowUserServers(this.servers, sources, rules, gateway, factory);
    this.person.onDidChange(() => this.gate.changed.fire());
    // As the real gate does.
    this.gate.isServerAvailable = (session, registered) =>
      this.servers.get(registered.name)?.server.unavailableReason?.(session) === undefined;
    const transports = new LocalTransports(nullLogger, '/relay.js');
    this.hostedServers = new HostedServers(this.gate, transports, nullLogger, '1.0.0', this.loaded);
  }

  sessionIn(id: string, cwd: string): SessionHandle {
    return stubOf<SessionHandle>({
      id,
      cwd,
      folders: [cwd],
      state: emptySession(id, { name: 'agent', title: 'Agent' }),
    });
  }

  define(...definitions: readonly ServerDefinition[]): void {
    this.definitions = definitions;
    this.changed.fire();
  }

  /** The servers in `session/new`. */
  declare(mcpCapabilities: JsonObject = {}, session = this.session): Promise<readonly JsonObject[]> {
    const reach = { capabilities: { mcpCapabilities }, isRemote: false };
    return this.hostedServers.declareServers(session, 'acp', false, reach);
  }

  /** Resolves when a server is connected. */
  connected(name: string): Promise<void> {
    return until(() => this.person.stateOf(name) === 'ready');
  }

  get names(): readonly string[] {
    return this.servers.list().map(({ name }) => name);
  }

  async dispose(): Promise<void> {
    await this.hostedServers.dispose();
    this.person.dispose();
  }
}

export function define(name: string, start: ServerLaunch, place: ServerOrigin = own): ServerDefinition {
  return { name, start, origin: place, written: {}, inputs: new Map() };
}
