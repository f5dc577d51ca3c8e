import { OpenChangesStub } from '../../kit/openChangesStub';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientFeature } from '../../../src/agent/clientFeature';
import type { AgentDefinition, RemoteEndpoint } from '../../../src/agent/config/agentDefinition';
import { AgentConnection } from '../../../src/agent/connection/agentConnection';
import type { ConnectionOptions } from '../../../src/agent/connection/agentLaunch';
import { terminalAuthFeature } from '../../../src/agent/connection/authMethods';
import { systemClock } from '../../../src/base/clock';
import type { JsonObject } from '../../../src/base/json';
import { nullLogger } from '../../../src/base/logger';
import type { Memento } from '../../../src/base/memento';
import { elicitationFeature } from '../../../src/client/elicitationFeature';
import { permissionFeature } from '../../../src/client/permissionFeature';
import { sessionUpdateCapabilitiesFeature } from '../../../src/session/agents/sessionUpdateCapabilities';
import type { AgentServices } from '../../../src/session/agents/sharedAgent';
import { SharedAgents } from '../../../src/session/agents/sharedAgents';
import type { RunInTerminal } from '../../../src/session/agents/signInFlow';
import type { LiveSession } from '../../../src/session/liveSession';
import { MergedCatalog } from '../../../src/session/mergedCatalog';
import type { SessionLookup } from '../../../src/session/sessionHandle';
import type { SessionsOptions } from '../../../src/session/sessionsOptions';
import { WindowSessions } from '../../../src/session/windowSessions';
import type { SessionState } from '../../../src/shared/state/sessionState';
import { fakeAgent } from '../../fakeAgent/definition';
import { MemoryMemento } from '../../kit/memoryMemento';
import { untilEvent } from '../../kit/waiting';
import { render } from '../../replay/render';
import { emptyPolicy } from '../permissions/emptyPolicy';

/** Additions of a test to a connection. `connection` is available once it exists. */
export type MoreOfConnection = (
  lookup: SessionLookup,
  definition: AgentDefinition,
  connection: () => AgentConnection,
) => { readonly features: readonly ClientFeature[]; readonly services: AgentServices };

/** The workspace state, by the folder of its windows. */
const memories = new Map<string, MemoryMemento>();

function memoryOf(folder: string): Memento {
  const memory = memories.get(folder) ?? new MemoryMemento();
  memories.set(folder, memory);
  return memory;
}

/** The sessions of a window with real fake agent processes, without VS Code. */
export class SessionBench {
  readonly folder: string;
  readonly agents: SharedAgents;
  readonly sessions: WindowSessions;
  readonly catalog: MergedCatalog;
  readonly changes = new OpenChangesStub();
  /** The agent's ids of the sessions that were unbound from their process. */
  readonly closed: readonly string[];
  readonly #log: string;

  private constructor(folder: string, agents: SharedAgents, sessions: WindowSessions, closed: readonly string[]) {
    this.closed = closed;
    this.catalog = new MergedCatalog(sessions, agents, this.changes, nullLogger, memoryOf(folder));
    this.folder = folder;
    this.agents = agents;
    this.sessions = sessions;
    this.#log = join(folder, 'received.jsonl');
  }

  /** @param folder Folder of an earlier bench, to reopen its window. */
  static async open(
    options: {
      env?: Record<string, string>;
      folder?: string;
      stopDeadline?: number;
      command?: string;
      origin?: AgentDefinition['origin'];
      /** What the settings add to the agent's environment; can change. */
      changedEnv?: () => Record<string, string>;
      /** Whether the settings have the agent. */
      isConfigured?: () => boolean;
      runInTerminal?: RunInTerminal;
      /** The agent runs on another machine. */
      remote?: RemoteEndpoint;
      /** Whether the workspace is trusted. */
      trusted?: () => boolean;
      connection?: Partial<ConnectionOptions>;
      /** Features and services of a connection besides those of a bench. */
      more?: MoreOfConnection;
      sessions?: Partial<SessionsOptions>;
      /** Whether agents start without confirmation. */
      startsWithoutAsking?: () => Promise<boolean>;
      /** Loads the code that connects. */
      load?: () => Promise<void>;
    } = {},
  ): Promise<SessionBench> {
    const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'parley-session-'));
    const definition = fakeAgent({ FAKE_LOG: join(folder, 'received.jsonl'), ...options.env });
    const closed: string[] = [];
    const agents = new SharedAgents({
      definitions: () =>
        [
          {
            ...definition,
            env: { ...definition.env, ...options.changedEnv?.() },
            ...(options.command !== undefined && { command: options.command }),
            ...(options.origin && { origin: options.origin }),
            ...(options.remote && { remote: options.remote, command: '', args: [], env: {}, inputs: ['token'] }),
          },
          { ...definition, name: 'other', title: 'Other' },
        ].filter(({ name }) => name !== 'fake' || options.isConfigured?.() !== false),
      connect: (chosen, lookup, onUpdate) => {
        const more = options.more?.(lookup, chosen, () => connection);
        const connection: AgentConnection = new AgentConnection({
          definition: chosen,
          cwd: folder,
          clientInfo: { name: 'parley', title: 'Parley', version: '0.0.0' },
          features: [
            permissionFeature(lookup),
            elicitationFeature(lookup),
            sessionUpdateCapabilitiesFeature(),
            ...(options.runInTerminal ? [terminalAuthFeature()] : []),
            ...(more?.features ?? []),
          ],
          log: nullLogger,
          ...options.connection,
          onUpdate,
        });
        return {
          connection,
          services: { dispose() {}, onDidCloseSession: (id) => closed.push(id), ...more?.services },
        };
      },
      ...(options.runInTerminal && { runInTerminal: options.runInTerminal }),
      ...(options.load && { load: options.load }),
      ...(options.trusted && { isTrusted: options.trusted }),
      ...(options.startsWithoutAsking && { startsWithoutAsking: options.startsWithoutAsking }),
    });
    const sessions = await WindowSessions.open({
      ...sessionsOptions(folder, agents, options.stopDeadline),
      ...options.sessions,
    });
    return new SessionBench(folder, agents, sessions, closed);
  }

  get session(): LiveSession {
    return this.sessions.active;
  }

  get text(): string {
    return render(this.session.state);
  }

  send(...script: string[]): Promise<void> {
    return this.session.send(script.join('\n'));
  }

  /** Waits until the state of the active session satisfies the predicate: checks after every action, without timers. */
  until(wished: (state: SessionState) => boolean): Promise<void> {
    const { session } = this;
    return untilEvent(session.onDidDispatch, () => wished(session.state));
  }

  /** Messages that the agent received, in order. */
  received(): JsonObject[] {
    const lines = readFileSync(this.#log, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as JsonObject);
  }

  /** The methods of the requests and notifications that the agent received, in order. */
  methods(prefix = 'session/'): string[] {
    return this.received()
      .map(({ method }) => String(method))
      .filter((method) => method.startsWith(prefix));
  }

  /**
   * Shows a new session at the same process of the agent, whose start takes most of a short test, and removes what the test before wrote
   * into the folder.
   */
  startOver(): void {
    const own = ['sessions', 'received.jsonl'];
    for (const name of readdirSync(this.folder))
      if (!own.includes(name)) rmSync(join(this.folder, name), { recursive: true });
    // `newChat` would show a session without messages again.
    this.sessions.activate(this.sessions.open.create(randomUUID()));
  }

  /** Closes the window; its folder stays for the next one. */
  async closeWindow(): Promise<void> {
    await this.sessions.flush();
    await this.agents.shutdown();
    // The end of an agent is part of the transcript.
    await this.sessions.flush();
    this.catalog.dispose();
    this.sessions.dispose();
  }

  async close(): Promise<void> {
    await this.closeWindow();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function sessionsOptions(folder: string, agents: SharedAgents, stopDeadline: number | undefined): SessionsOptions {
  return {
    clock: systemClock,
    agents,
    policy: emptyPolicy(),
    log: nullLogger,
    folder: join(folder, 'sessions'),
    folders: () => [folder],
    home: folder,
    initialAgent: () => undefined,
    fallbackAgent: () => 'fake',
    onHistoryError: (_session, message) => {
      throw new Error(message);
    },
    ...(stopDeadline !== undefined && { stopDeadline }),
  };
}
