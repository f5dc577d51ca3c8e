import { isDeepStrictEqual } from 'node:util';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import type { AgentState } from '../../agent/connection/agentLaunch';
import { CanceledError, ParleyError } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { AgentRef } from '../../shared/state/sessionState';
import type { AgentPool } from './agentPool';
import { canSuspend, isBusy } from './idleAgents';
import type { Connect } from './sharedAgent';
import { SharedAgent } from './sharedAgent';
import type { RunInTerminal } from './signInFlow';

/** Implemented by the composition root, so that this room does not need vscode. */
interface SharedAgentsOptions {
  definitions(): readonly AgentDefinition[];
  /** False in an untrusted workspace, whose agents are not among {@link definitions}. True if undefined. */
  readonly isTrusted?: () => boolean;
  readonly connect: Connect;
  /** Loads the code that {@link connect} needs, before the first agent starts. */
  readonly load?: () => Promise<void>;
  /** Whether an agent starts without asking the user anything. True if undefined. */
  readonly startsWithoutAsking?: (definition: AgentDefinition) => Promise<boolean>;
  /** Runs a sign-in command in a visible terminal. */
  readonly runInTerminal?: RunInTerminal;
}

const HIDDEN = t(
  'If this workspace defines the agent, trust the workspace first (“Workspaces: Manage Workspace Trust”).',
);
/** Not running, but `start()` of the same connection can start it. */
const WAITING: ReadonlySet<string> = new Set<AgentState['status']>(['stopped', 'reconnecting']);

export class SharedAgents implements AgentPool, Disposable {
  readonly #links = new Map<string, SharedAgent>();
  /** Ending processes, awaited when the window closes. */
  readonly #stopping = new Set<Promise<void>>();
  readonly #onDidChangeState = new Emitter<SharedAgent>();
  readonly willPrompt = new Emitter<void>();
  #isClosed = false;
  #isReady: boolean;

  readonly onDidChangeState: Event<SharedAgent> = this.#onDidChangeState.event;

  constructor(private readonly options: SharedAgentsOptions) {
    this.#isReady = options.load === undefined;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  async ready(): Promise<void> {
    if (this.#isReady) return;
    await this.options.load?.();
    this.#isReady = true;
  }

  get isTrusted(): boolean {
    return this.options.isTrusted?.() !== false;
  }

  names(): readonly string[] {
    return this.options.definitions().map(({ name }) => name);
  }

  definition(name: string): AgentDefinition | undefined {
    return this.options.definitions().find((definition) => definition.name === name);
  }

  async startsWithoutAsking(name: string): Promise<boolean> {
    const definition = this.definition(name);
    return definition !== undefined && (await this.options.startsWithoutAsking?.(definition)) !== false;
  }

  refOf(name: string): AgentRef;
  refOf(name: string | undefined): AgentRef | undefined;
  refOf(name: string | undefined): AgentRef | undefined {
    return name === undefined ? undefined : { name, title: this.definition(name)?.title ?? name };
  }

  isOutdated(name: string): boolean {
    const link = this.#links.get(name);
    const definition = this.definition(name);
    if (!link || !definition || isDeepStrictEqual(link.definition, definition)) return false;
    // The last session may not be attached yet.
    const isUsed = link.lastSession !== undefined && isBusy(link.lastSession.state);
    return link.connection.state.status !== 'starting' && !isUsed && canSuspend(link);
  }

  /**
   * The link of an agent, created if needed once {@link ready}; `connection.start()` starts the process. An agent whose definition was
   * changed is started again where nothing is lost.
   * @throws ParleyError `agentNotFound` when no such agent is configured
   * @throws CanceledError after {@link shutdown}
   */
  acquire(name: string): SharedAgent {
    if (this.isOutdated(name)) void this.stop(name);
    const current = this.#links.get(name);
    if (current && (current.isAlive || WAITING.has(current.connection.state.status))) return current;
    if (this.#isClosed) throw new CanceledError(t('The window is closing'));
    const definition = this.definition(name);
    if (!definition) {
      const choose = t('Select another agent, or add this agent to the setting parley.agents.');
      throw new ParleyError('agentNotFound', t('There is no agent named “{0}”.', name), {
        nextStep: !this.isTrusted ? `${HIDDEN} ${choose}` : choose,
      });
    }
    current?.dispose();
    const link = new SharedAgent(definition, this.options.connect, this.options.runInTerminal);
    link.connection.onDidChangeState(() => this.#onDidChangeState.fire(link));
    this.#links.set(name, link);
    return link;
  }

  get(name: string): SharedAgent | undefined {
    return this.#links.get(name);
  }

  all(): readonly SharedAgent[] {
    return Array.from(this.#links.values());
  }

  async stop(name: string): Promise<void> {
    const link = this.#links.get(name);
    if (!link) return;
    this.#links.delete(name);
    await this.#track(link.stop());
  }

  /** Ends all processes and waits. Afterwards none can start: it would outlive the window (I5). */
  async shutdown(): Promise<void> {
    this.#isClosed = true;
    for (const link of this.#links.values()) void this.#track(link.stop());
    this.#links.clear();
    await Promise.allSettled(this.#stopping);
  }

  dispose(): void {
    for (const link of this.#links.values()) link.dispose();
    this.#links.clear();
    this.#onDidChangeState.dispose();
    this.willPrompt.dispose();
  }

  async #track(stopping: Promise<void>): Promise<void> {
    this.#stopping.add(stopping);
    await stopping.finally(() => this.#stopping.delete(stopping));
  }
}
