import type { Deferred } from '../../base/async';
import { createDeferred } from '../../base/async';
import { CanceledError, ParleyError, errorMessage } from '../../base/errors';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { asObject } from '../../base/json';
import { RpcError } from '../../base/jsonRpc';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { AgentQuirk } from '../quirks/agentQuirk';
import { quirkNotifications, quirkOf } from '../quirks/agentQuirks';
import { TrafficRecorder } from '../traffic/trafficRecorder';
import type { AgentState, ConnectionOptions, RunningAgent, AgentLaunchEvents, RequestOptions } from './agentLaunch';
import type { AgentInfo } from './initialize';
import { LocalAgent } from './localAgent';
import { RemoteAgent } from './remoteAgent';
import { createTrace, TRACED_METHOD } from './traceContext';

/** The agent answered one of our requests with a result or an error. */
export interface AnsweredRequest {
  readonly method: string;
  readonly error?: RpcError;
}

/** Only an agent in one of these states can be stopped. */
const LIVE: ReadonlySet<AgentState['status']> = new Set(['starting', 'ready', 'reconnecting']);

/** One agent: its process and its JSON-RPC connection. Can be started again after it has ended. */
export class AgentConnection implements Disposable {
  readonly #options: ConnectionOptions;
  readonly #onDidChangeState: Emitter<AgentState>;
  readonly #onSlow: Emitter<string>;
  readonly #onAnswered: Emitter<AnsweredRequest>;
  readonly #onAuthStatus: Emitter<unknown>;
  #state: AgentState = { status: 'stopped' };
  #running: RunningAgent | undefined;
  #starting: Promise<AgentInfo> | undefined;
  /** Settles when a lost connection is restored. */
  #returning: Deferred<AgentInfo> | undefined;
  #isDisposed = false;

  /** The latest messages with this agent, across all its starts. */
  readonly traffic: TrafficRecorder;
  readonly onDidChangeState: Event<AgentState>;
  /**
   * Fires with a message when the agent is slow to answer `initialize`. It may still answer (a first `npx` downloads).
   */
  readonly onSlow: Event<string>;
  /** Fires in wire order, before the caller gets the answer. */
  readonly onAnswered: Event<AnsweredRequest>;
  /** Fires with the unparsed params of the agent's sign-in status; they must not be logged. */
  readonly onAuthStatus: Event<unknown>;

  constructor(options: ConnectionOptions) {
    const extra = quirkNotifications(() => this.quirk, options.onUpdate);
    this.#options = { ...options, features: [...options.features, extra] };
    this.traffic = new TrafficRecorder(options.definition.env, options.redactor, options.isRecording);
    const onListenerError = (error: unknown): void =>
      options.log.error('agent', `Failed to notify a listener: ${errorMessage(error)}`, error);
    this.#onDidChangeState = new Emitter<AgentState>(onListenerError);
    this.#onSlow = new Emitter<string>(onListenerError);
    this.onDidChangeState = this.#onDidChangeState.event;
    this.onSlow = this.#onSlow.event;
    this.#onAnswered = new Emitter<AnsweredRequest>(onListenerError);
    this.onAnswered = this.#onAnswered.event;
    this.#onAuthStatus = new Emitter<unknown>(onListenerError);
    this.onAuthStatus = this.#onAuthStatus.event;
  }

  get state(): AgentState {
    return this.#state;
  }

  /** Set once the agent is ready; undefined for most agents. */
  get quirk(): AgentQuirk | undefined {
    return this.#state.status === 'ready' ? quirkOf(this.#state.info.agentInfo?.name) : undefined;
  }

  /**
   * Starts the agent unless it runs or is starting.
   * @throws ParleyError; CanceledError when the agent was stopped meanwhile
   */
  start(): Promise<AgentInfo> {
    if (this.#isDisposed) return Promise.reject(new CanceledError());
    if (this.#starting) return this.#starting;
    const before = this.#running?.stop();
    const events: AgentLaunchEvents = {
      onSlow: (hint) => this.#onSlow.fire(hint),
      onAuthStatus: (params) => this.#onAuthStatus.fire(params),
      onDidLoseConnection: (attempt) => this.#handleLoss(running, attempt),
      onDidReconnect: (info) => this.#handleReconnect(running, info),
      onDidEnd: (state) => this.#handleEnd(running, state),
    };
    const { remote } = this.#options.definition;
    const running: RunningAgent = remote
      ? new RemoteAgent(this.#options, remote, this.traffic, events)
      : new LocalAgent(this.#options, this.traffic, events);
    this.#running = running;
    this.#setState({ status: 'starting' });
    this.#starting = this.#start(running, before);
    return this.#starting;
  }

  /** A trace for the `_meta` of one request; requests of a session without one get one here. */
  createTrace(): JsonObject {
    return createTrace({ ...process.env, ...this.#options.definition.env });
  }

  /**
   * Sends a request. `params` must be plain JSON.
   * @throws RpcError the agent's own error
   * @throws CanceledError by `signal`
   * @throws ParleyError the agent ended
   */
  request(method: string, params: object, options: RequestOptions = {}): Promise<unknown> {
    if (this.#state.status !== 'ready' || !this.#running) {
      const error = this.#notRunning();
      options.onSettled?.({ error });
      return Promise.reject(error);
    }
    return this.#running.request(method, this.#withMeta(method, { ...params }), {
      ...options,
      onSettled: (outcome) => {
        if ('result' in outcome) this.#onAnswered.fire({ method });
        else if (outcome.error instanceof RpcError) this.#onAnswered.fire({ method, error: outcome.error });
        options.onSettled?.(outcome);
      },
    });
  }

  /** Sends a notification; a failure is logged. */
  notify(method: string, params: object): void {
    if (this.#state.status === 'ready' && this.#running) this.#running.notify(method, params);
    else this.#options.log.warn('agent', `Failed to send "${method}": ${this.#notRunning().message}`);
  }

  /** Ends the agent gracefully; resolves when its process and all child processes have ended. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    const done = running.stop();
    if (LIVE.has(this.#state.status)) this.#handleEnd(running, { status: 'stopped' });
    await done;
  }

  /** As {@link stop}, without waiting. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    void this.stop();
    this.#onDidChangeState.dispose();
    this.#onSlow.dispose();
    this.#onAnswered.dispose();
    this.#onAuthStatus.dispose();
  }

  #withMeta(method: string, params: JsonObject): JsonObject {
    if (!TRACED_METHOD.test(method)) return params;
    const { features } = this.#options;
    const isMessage = method === 'session/prompt' || method === '_session/steering';
    const added = isMessage ? features.map((feature) => feature.promptMeta?.(String(params['sessionId']))) : [];
    return { ...params, _meta: Object.assign({}, ...added, this.createTrace(), asObject(params['_meta'])) };
  }

  async #start(running: RunningAgent, before: Promise<void> | undefined): Promise<AgentInfo> {
    await before;
    try {
      await this.#options.allow?.(this.#options.definition);
      const info = await running.start();
      if (this.#running === running && this.#starting) this.#setState({ status: 'ready', info });
      return info;
    } catch (error) {
      const failure =
        error instanceof ParleyError ? error : new ParleyError('internal', errorMessage(error), { cause: error });
      if (!ParleyError.is(failure, 'canceled')) this.#handleEnd(running, { status: 'failed', error: failure });
      throw failure;
    }
  }

  /** Callers of `start` wait until the connection is restored. */
  #handleLoss(running: RunningAgent, attempt: number): void {
    if (this.#running !== running || !this.#starting) return;
    if (!this.#returning) {
      this.#returning = createDeferred<AgentInfo>();
      this.#returning.promise.catch(() => undefined);
      this.#starting = this.#returning.promise;
    }
    this.#setState({ status: 'reconnecting', attempt });
  }

  #handleReconnect(running: RunningAgent, info: AgentInfo): void {
    if (this.#running !== running || !this.#returning) return;
    this.#setState({ status: 'ready', info });
    this.#returning.resolve(info);
    this.#returning = undefined;
  }

  #handleEnd(running: RunningAgent, state: AgentState): void {
    if (this.#running !== running || !this.#starting) return;
    this.#starting = undefined;
    this.#returning?.reject(state.status === 'failed' ? state.error : new CanceledError());
    this.#returning = undefined;
    this.#setState(state);
  }

  #setState(state: AgentState): void {
    this.#state = state;
    this.#onDidChangeState.fire(state);
  }

  #notRunning(): ParleyError {
    return new ParleyError('agentExited', t('{0} is not running', this.#options.definition.title), {
      nextStep: t('Restart the agent.'),
      ...(this.#state.status === 'exited' ? { detail: this.#state.stderr } : {}),
    });
  }
}
