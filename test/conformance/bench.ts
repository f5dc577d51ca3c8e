import { OpenChangesStub } from '../kit/openChangesStub';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientFeature } from '../../src/agent/clientFeature';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { AgentConnection } from '../../src/agent/connection/agentConnection';
import type { TerminalLaunch } from '../../src/agent/connection/authMethods';
import { terminalAuthFeature } from '../../src/agent/connection/authMethods';
import { systemClock } from '../../src/base/clock';
import { nullLogger } from '../../src/base/logger';
import { elicitationFeature } from '../../src/client/elicitationFeature';
import { permissionFeature } from '../../src/client/permissionFeature';
import { sessionUpdateCapabilitiesFeature } from '../../src/session/agents/sessionUpdateCapabilities';
import type { AgentServices } from '../../src/session/agents/sharedAgent';
import { SharedAgents } from '../../src/session/agents/sharedAgents';
import type { LiveSession } from '../../src/session/liveSession';
import { MergedCatalog } from '../../src/session/mergedCatalog';
import type { SessionLookup } from '../../src/session/sessionHandle';
import { WindowSessions } from '../../src/session/windowSessions';
import type { SessionState } from '../../src/shared/state/sessionState';
import { fakeAgent, fakeAgentPath } from '../fakeAgent/definition';
import { untilEvent } from '../kit/waiting';
import type { RemoteServer } from '../remoteAgent/server';
import { startRemoteServer } from '../remoteAgent/server';
import { emptyPolicy } from '../unit/permissions/emptyPolicy';
import type { Mutation } from './mutation';
import { shown } from './shown';
import { BenchToolServers } from './toolServers';
import { Evidence, evidenceOf } from './wire';

/** Features that need VS Code, for a bench in the extension host. */
export type MoreFeatures = (lookup: SessionLookup) => { features: readonly ClientFeature[]; services: AgentServices };

/** Services that only VS Code provides. */
export interface Editor {
  /** A new folder inside the open workspace. */
  readonly folder: string;
  /** Changes the buffer of a file without saving it. */
  type(path: string, text: string): Promise<void>;
}

export interface BenchOptions {
  /** Switches of the fake agent. */
  readonly env?: (root: string) => Readonly<Record<string, string>>;
  /** Workspace folders; default: one new folder. The first one must be real. */
  readonly folders?: (root: string) => readonly string[];
  readonly mutation?: Mutation | undefined;
  readonly more?: MoreFeatures | undefined;
  /** A real workspace folder, for a bench in VS Code. */
  readonly editor?: Editor | undefined;
  readonly runInTerminal?: (launch: TerminalLaunch, signal: AbortSignal) => Promise<number | undefined>;
  /** The agent runs on another machine, and the relay with it. */
  readonly remote?: 'http' | 'ws';
}

/** Parley without its UI: the real sessions and the real client; the relay is at the other end. */
export class ConformanceBench {
  readonly root: string;
  readonly #options: BenchOptions;
  #agents!: SharedAgents;
  #sessions!: WindowSessions;
  #catalog!: MergedCatalog;
  #toolServers!: BenchToolServers;
  #server: RemoteServer | undefined;

  private constructor(options: BenchOptions) {
    this.#options = options;
    this.root = mkdtempSync(join(tmpdir(), 'parley-conformance-'));
  }

  static async open(options: BenchOptions = {}): Promise<ConformanceBench> {
    const bench = new ConformanceBench(options);
    for (const folder of bench.folders) mkdirSync(folder, { recursive: true });
    if (options.remote) bench.#server = await startRemoteServer(bench.#launch());
    await bench.openWindow();
    return bench;
  }

  get folders(): readonly string[] {
    const { folders, editor } = this.#options;
    return folders?.(this.root) ?? [editor?.folder ?? join(this.root, 'workspace')];
  }

  get isRemote(): boolean {
    return this.#options.remote !== undefined;
  }

  get editor(): Editor {
    const { editor } = this.#options;
    if (!editor) throw new Error('This scenario needs VS Code.');
    return editor;
  }

  get session(): LiveSession {
    return this.#sessions.active;
  }

  get sessions(): WindowSessions {
    return this.#sessions;
  }

  get catalog(): MergedCatalog {
    return this.#catalog;
  }

  async openWindow(forget = false): Promise<void> {
    if (forget) rmSync(join(this.root, 'sessions'), { recursive: true, force: true });
    const { runInTerminal } = this.#options;
    this.#toolServers = new BenchToolServers();
    this.#agents = new SharedAgents({
      definitions: () => [this.#definition()],
      connect: (definition, lookup, onUpdate) => this.#connect(definition, lookup, onUpdate),
      ...(runInTerminal && { runInTerminal: (launch, signal) => this.#inTerminal(launch, signal) }),
    });
    this.#sessions = await WindowSessions.open({
      policy: emptyPolicy(),
      agents: this.#agents,
      log: nullLogger,
      folder: join(this.root, 'sessions'),
      folders: () => this.folders,
      home: this.root,
      initialAgent: () => undefined,
      fallbackAgent: () => this.#definition().name,
      onHistoryError: () => {},
      clock: systemClock,
    });
    this.#catalog = new MergedCatalog(this.#sessions, this.#agents, new OpenChangesStub(), nullLogger);
  }

  async closeWindow(): Promise<void> {
    this.fact('shown', shown(this.session.state));
    await this.#sessions.flush();
    await this.#agents.shutdown();
    // The end of an agent is part of the transcript.
    await this.#sessions.flush();
    await this.#toolServers.close();
    this.#catalog.dispose();
    this.#sessions.dispose();
  }

  async remove(): Promise<void> {
    await this.#server?.close();
    rmSync(this.root, { recursive: true, force: true });
  }

  /** Sends a prompt, which is the fake agent's script, and waits for the end of the turn. */
  async send(...script: string[]): Promise<void> {
    const text = script.join('\n');
    this.fact('typed', text);
    await this.session.send(text);
    this.fact('shown', shown(this.session.state));
  }

  /** Records what the client did or shows, as a broken client would. */
  fact(name: string, value: unknown): void {
    const { mutation } = this.#options;
    const shown = mutation?.shows ? mutation.shows(name, value) : value;
    appendFileSync(this.#evidence, `${JSON.stringify({ by: 'fact', name, value: shown })}\n`);
  }

  /** Waits until the state of the active session satisfies the predicate. */
  until(wished: (state: SessionState) => boolean): Promise<void> {
    const { session } = this;
    return untilEvent(session.onDidDispatch, () => wished(session.state));
  }

  /** All evidence so far. */
  evidence(): Evidence {
    if (!existsSync(this.#evidence)) return new Evidence([]);
    return evidenceOf(readFileSync(this.#evidence, 'utf8'));
  }

  get #evidence(): string {
    return join(this.root, 'evidence.jsonl');
  }

  #definition(): AgentDefinition {
    const { remote } = this.#options;
    const definition = { ...fakeAgent(), ...this.#launch() };
    if (!remote || !this.#server) return definition;
    const url = `${remote}://127.0.0.1:${this.#server.port}/acp`;
    return { ...definition, command: '', args: [], env: {}, remote: { type: remote, url, headers: {} } };
  }

  /** The relay, which runs the agent. In an extension host its runtime is Electron. */
  #launch(): Pick<AgentDefinition, 'command' | 'args' | 'env'> {
    const { env, mutation } = this.#options;
    const definition = fakeAgent(env?.(this.root));
    const place = fakeAgentPath().replace(/fakeAgent[\\/]main\.js$/, '');
    return {
      command: process.execPath,
      args: [join(place, 'conformance', 'relay.js'), definition.command, ...definition.args],
      env: {
        ELECTRON_RUN_AS_NODE: '1',
        ...definition.env,
        CONFORMANCE_EVIDENCE: this.#evidence,
        ...(mutation && { CONFORMANCE_MUTATION: `${mutation.check}: ${mutation.does}` }),
      },
    };
  }

  #connect(...[definition, lookup, onUpdate]: Parameters<ConstructorParameters<typeof SharedAgents>[0]['connect']>) {
    const more = this.#options.more?.(lookup);
    const tools = this.#toolServers.part(definition, () => connection);
    const connection: AgentConnection = new AgentConnection({
      definition,
      cwd: this.root,
      clientInfo: { name: 'parley', title: 'Parley', version: '0.0.0' },
      features: [
        ...(more?.features ?? []),
        permissionFeature(lookup),
        elicitationFeature(lookup),
        sessionUpdateCapabilitiesFeature(),
        tools.feature,
        ...(this.#options.runInTerminal ? [terminalAuthFeature()] : []),
      ],
      log: nullLogger,
      onUpdate,
    });
    const dispose = (): void => {
      more?.services.dispose();
      tools.services.dispose();
    };
    return { connection, services: { ...more?.services, ...tools.services, dispose } };
  }

  async #inTerminal(launch: TerminalLaunch, signal: AbortSignal): Promise<number | undefined> {
    this.fact('launch', { ...launch, configured: this.#definition() });
    return this.#options.runInTerminal?.(launch, signal);
  }
}
