import type { AgentDefinition } from '../../agent/config/agentDefinition';
import type { AgentState } from '../../agent/connection/agentLaunch';
import type { Clock } from '../../base/clock';
import { CanceledError, ParleyError, errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { AgentSession } from '../../shared/state/sessionState';
import { ReplayFilter } from '../repeatedUpdates';
import type { AttachedSession } from '../sessionHandle';
import type { AgentPool } from './agentPool';
import type { BoundSession, OpenSessionTarget } from './openAgentSession';
import { discardAgentSession, newAgentSession, resumeAgentSession } from './openAgentSession';
import { capabilitiesOf } from './sessionCapabilities';
import type { SharedAgent } from './sharedAgent';

/** A session that is served by an agent, and hears of it. */
export interface BindableSession extends AttachedSession {
  /** Agent of a prompt that is sent before one was selected. */
  fallbackAgent(): string | undefined;
  onAgentState(state: AgentState, link: SharedAgent): void;
  /** The agent has opened or resumed the session; `result` is the response. */
  onAgentSessionOpened(session: AgentSession, result: JsonObject): void;
  /** The agent cannot delete a session that was never used, and lists it. */
  onAgentSessionAbandoned(agentName: string, agentSessionId: string): void;
}

/** Binds one session to its agent: starts the process, opens the agent's session, and reports the process state. */
export class AgentSessionBinding implements Disposable {
  readonly #subscription = new MutableDisposable<Disposable>();
  #link: SharedAgent | undefined;
  #bound: BoundSession | undefined;
  #binding: Promise<BoundSession | undefined> | undefined;
  /** The agent whose connection code is loading. */
  #loading: string | undefined;
  #refusal: string | undefined;
  /** Incremented to invalidate earlier requests. */
  #attempt = 0;

  constructor(
    private readonly session: BindableSession,
    private readonly agents: AgentPool,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** The agent's session while the agent's process runs. */
  get current(): BoundSession | undefined {
    return this.#bound?.link.isAlive ? this.#bound : undefined;
  }

  /** Whether a session of the agent is open or being opened. */
  get isBound(): boolean {
    return this.#link !== undefined || this.#binding !== undefined || this.#loading !== undefined;
  }

  /** As it was when the agent's process was started. */
  get definition(): AgentDefinition | undefined {
    return this.#link?.definition;
  }

  /** The agent that runs and has not answered yet whether it opens the session. */
  get opening(): SharedAgent | undefined {
    return this.#binding && this.#link?.connection.state.status === 'ready' ? this.#link : undefined;
  }

  /** Why the agent did not reopen its session. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** The session's agent; undefined before one is selected. */
  get selectedAgent(): string | undefined {
    return this.session.state.agent?.name;
  }

  /**
   * The session's agent; sets the default when there is none.
   * @throws ParleyError where the user has to select one
   */
  agentName(): string {
    const { agents, session } = this;
    const { agent } = session.state;
    if (agent) return agent.name;
    const fallback = this.session.fallbackAgent();
    if (fallback === undefined) throw new ParleyError('agentNotFound', t('No agent is selected.'));
    session.dispatch({ type: 'agentNamed', agent: agents.refOf(fallback) });
    return fallback;
  }

  /**
   * The agent's session; starts the process and resumes or opens the session if needed. Concurrent calls share one start.
   * @throws ParleyError or RpcError when the agent cannot be started or refuses a session
   */
  async ensureBound(name: string): Promise<BoundSession> {
    const bound = await this.resume(name);
    if (bound) return bound;
    // A concurrent call was faster: no second session.
    if (this.#binding) return this.ensureBound(name);
    return this.#share(async () => newAgentSession(this.#requireLink(name), this.#target()));
  }

  /**
   * Resumes the agent's session; undefined when that is not possible.
   * @throws ParleyError or RpcError when the agent cannot be started or requires a sign-in
   */
  async resume(name: string): Promise<BoundSession | undefined> {
    const isOnTheWay = this.#loading === name || (this.#link?.definition.name === name && this.#link.isAlive);
    if (this.#binding && isOnTheWay) return this.#binding;
    const { current } = this;
    if (current?.link.definition.name === name) return current;
    this.release();
    return this.#share(() => this.#reopen(name));
  }

  /** Binds to a session that the agent has already opened, with its history. */
  bindTo(link: SharedAgent, session: AgentSession, result: JsonObject): void {
    this.watch(link);
    const replay = new ReplayFilter({ keeps: 'nothing' }, this.clock);
    this.#target().onDidOpen({ link, agentSessionId: session.id, isFresh: false }, session, result);
    link.attach(session.id, this.session, replay);
    void this.#share(async () => {
      await replay.waitUntilSettled();
      return this.#bound;
    });
  }

  /** Reports the state of this process from now on, with or without a session. */
  watch(link: SharedAgent): void {
    if (this.#link === link) return;
    this.release();
    this.#link = link;
    link.lastSession = this.session;
    const subscriptions = new DisposableStore();
    this.#subscription.value = subscriptions;
    subscriptions.add(
      link.connection.onDidChangeState((state) => {
        if (state.status === 'reconnecting') this.#unbind();
        else if (!link.isAlive) this.#closeUnused();
        this.session.onAgentState(state, link);
      }),
    );
    subscriptions.add(
      link.signIn.onDidChange(() => {
        if (link.connection.state.status === 'ready') this.session.onAgentState(link.connection.state, link);
      }),
    );
    if (link.isAlive) this.session.onAgentState(link.connection.state, link);
  }

  /** A new connection does not know the session until it is resumed there. */
  #unbind(): void {
    const bound = this.#bound;
    this.#bound = undefined;
    bound?.link.detach(bound.agentSessionId);
  }

  /**
   * Unbinds from the agent's session; the process stays for the others.
   * @param shouldClose also close the session at the agent
   */
  release({ shouldClose = false } = {}): void {
    if (!shouldClose) this.#closeUnused();
    this.#attempt += 1;
    this.#loading = undefined;
    this.#subscription.value = undefined;
    const bound = this.#bound;
    this.#bound = undefined;
    // The process outlives the session.
    if (this.#link?.lastSession === this.session) this.#link.lastSession = undefined;
    this.#link = undefined;
    if (!bound) return;
    const { link, agentSessionId, isFresh } = bound;
    if (!shouldClose) link.detach(agentSessionId);
    else if (isFresh && !this.session.hasTranscript) this.#discard(link, agentSessionId);
    else link.close(agentSessionId);
  }

  dispose(): void {
    this.release({ shouldClose: true });
    this.#subscription.dispose();
  }

  async #reopen(name: string): Promise<BoundSession | undefined> {
    const { agents, session } = this;
    if (!agents.isReady) await this.#load(name);
    const link = agents.acquire(name);
    this.watch(link);
    await link.connection.start();
    const agentSession = session.state.agentSession;
    this.#refusal = undefined;
    return agentSession && resumeAgentSession(link, agentSession, this.#target());
  }

  /** A session without a message cannot be resumed, because nothing of it is stored: the next start opens another one. */
  #closeUnused(): void {
    const { session } = this;
    if (this.#bound?.isFresh && !session.hasTranscript) session.dispatch({ type: 'agentSessionClosed' });
  }

  /** Closes and deletes an agent session that was never used. */
  #discard(link: SharedAgent, agentSessionId: string): void {
    const { list, delete: canDelete } = capabilitiesOf(link);
    if (list && !canDelete) this.session.onAgentSessionAbandoned(link.definition.name, agentSessionId);
    discardAgentSession(link, agentSessionId, this.log);
  }

  /** @throws CanceledError when another request superseded this one */
  async #load(name: string): Promise<void> {
    const attempt = this.#attempt;
    this.#loading = name;
    try {
      await this.agents.ready();
    } finally {
      if (attempt === this.#attempt) this.#loading = undefined;
    }
    if (attempt !== this.#attempt) throw new CanceledError(t('Another agent was selected'));
  }

  #requireLink(name: string): SharedAgent {
    const link = this.#link;
    if (link?.definition.name === name) return link;
    throw new CanceledError(t('Another agent was selected'));
  }

  #share<T extends BoundSession | undefined>(open: () => Promise<T>): Promise<T> {
    const binding = open();
    this.#binding = binding;
    const forget = (): void => {
      if (this.#binding === binding) this.#binding = undefined;
    };
    binding.then(forget, forget);
    return binding;
  }

  #target(): OpenSessionTarget {
    const { session, clock, log } = this;
    return {
      session,
      clock,
      log,
      isOn: (link) => this.#link === link,
      discard: (link, agentSessionId) => this.#discard(link, agentSessionId),
      onDidRefuse: (error) => {
        this.#refusal = errorMessage(error);
      },
      onDidOpen: (bound, agentSession, result) => {
        this.#bound = bound;
        this.session.onAgentSessionOpened(agentSession, result);
      },
    };
  }
}
