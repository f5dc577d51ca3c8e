import type { AgentState } from '../agent/connection';
import { systemClock } from '../base/clock';
import type { Clock } from '../base/clock';
import { ParleyError, messageOf } from '../base/errors';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import type { JsonObject } from '../base/json';
import type { Action } from '../shared/actions';
import { entriesFrom } from '../shared/entries';
import type { AgentSession, PermissionOutcome, SessionState } from '../shared/state';
import type { AgentLink, Agents, LinkedSession } from './agents';
import { Binding } from './binding';
import { Choices } from './choices';
import { toConnection } from './connectionState';
import type { DiffTexts } from './diffStore';
import type { AskedElicitation, ElicitationRequest, Elicitations } from './elicitations';
import type { Transcript } from './history';
import { SessionAuth } from './auth';
import { canComeBack, isBusy } from './idle';
import { SessionModel } from './model';
import type { Dispatched, ModelOptions } from './model';
import type { PermissionRequest } from './port';
import type { Bound } from './opening';
import { Questions } from './questions';
import { reopenAll } from './restart';
import { mayStop } from './lane';
import { openedSelectors } from './selectors';
import { withAbilities } from './fork';
import type { Message } from './steering';
import { steer } from './steering';
import type { Prompts } from './prompts';
import { TurnRunner } from './turn';

export interface SessionOptions extends ModelOptions {
  readonly agents: Agents;
  /** Where the agent works: absolute. */
  readonly cwd: string;
  /** Name of the agent when a prompt is sent before one was chosen. */
  readonly fallbackAgent: string;
  /** Names of workspace folders that are not on disk. */
  readonly virtualFolders?: readonly string[];
  /** Decides when a replay is over; the system's when absent. */
  readonly clock?: Clock;
  /** The person's prompt files. */
  readonly prompts?: Pick<Prompts, 'expand'>;
  /** Milliseconds a Stop may take before Force Stop is offered. */
  readonly stopDeadline: number;
}

/** One conversation with one agent. Its methods never reject: what goes wrong becomes an entry of the transcript. */
export class Session implements LinkedSession {
  readonly #options: SessionOptions;
  readonly #model: SessionModel;
  readonly #binding: Binding;
  readonly #questions: Questions;
  readonly #turn: TurnRunner;
  readonly #asked = new Emitter<number>();
  readonly #choices: Choices;

  /** Signing in to the session's agent, and out of it. */
  readonly auth: SessionAuth;

  readonly onDidDispatch: Event<Dispatched>;
  /** A question was put to the person: its entry. */
  readonly onDidAsk: Event<number> = this.#asked.event;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#model = new SessionModel(options);
    this.onDidDispatch = this.#model.onDidDispatch;
    this.#questions = new Questions({
      model: this.#model,
      now: options.now,
      asked: (entry) => this.#asked.fire(entry),
    });
    this.#binding = new Binding({
      agents: options.agents,
      session: this,
      cwd: options.cwd,
      clock: options.clock ?? systemClock,
      log: options.log,
      onState: (state, link) => this.#onAgentState(state, link),
      onOpened: (session, result) => this.#onOpened(session, result),
    });
    this.#turn = new TurnRunner({
      session: this,
      binding: this.#binding,
      asks: this.#questions,
      now: options.now,
      stopDeadline: options.stopDeadline,
      virtualFolders: options.virtualFolders ?? [],
      log: options.log,
      ready: () => this.#choices.settled(),
    });
    this.#choices = new Choices({
      session: this,
      bind: () => this.#binding.bind(this.#ensureAgent()),
      log: options.log,
      now: options.now,
    });
    this.onDidDispatch((dispatched) => this.#choices.follow(dispatched));
    this.auth = this.#createAuth();
  }

  #createAuth(): SessionAuth {
    return new SessionAuth({
      agents: this.#options.agents,
      follow: (link) => this.#binding.follow(link),
      agentName: () => this.#ensureAgent(),
      failed: (error) => this.#turn.showFailure(error),
      goOn: (name) => (this.#turn.wasRefused ? this.retry() : this.#turn.start(name)),
    });
  }

  /** Forms and addresses that wait for the person. */
  get elicitations(): Elicitations {
    return this.#questions.elicitations;
  }

  get id(): string {
    return this.#options.id;
  }

  get folders(): readonly string[] {
    return this.#options.folders;
  }

  get state(): SessionState {
    return this.#model.state;
  }

  /** Number of the last action. */
  get seq(): number {
    return this.#model.seq;
  }

  /** There is a transcript of it on disk, or will be soon. */
  get isKept(): boolean {
    return this.#model.isKept;
  }

  /** Nothing would be lost by closing it: nothing runs or waits, and what the agent knows of it can be brought back. */
  get canClose(): boolean {
    return !isBusy(this.state) && canComeBack(this.#binding.current?.link);
  }

  dispatch(action: Action): void {
    this.#model.dispatch(action);
  }

  receive(update: JsonObject, childId?: string): void {
    if (this.#binding.admits(update)) this.#model.receive(update, childId);
  }

  diff(diffId: string): DiffTexts | undefined {
    return this.#model.diff(diffId);
  }

  /**
   * Sends a prompt and waits for the end of its turn. While a turn runs it is brought into that turn where the agent allows it,
   * else it is given back in a notice. Nothing happens for an empty text.
   */
  async send(text: string): Promise<void> {
    if (text.trim() === '') return;
    const message = this.#expand(text);
    if (!message) return;
    if (this.state.turn.status === 'running') {
      const { connection } = this.state;
      if (connection.status === 'ready' && connection.steers) await this.#steer(message);
      // The page sends nothing while a turn runs, but its message may cross the turn's beginning.
      else this.#giveBack('Not sent: a turn was running', text);
      return;
    }
    await this.#turn.run(this.#ensureAgent(), message);
  }

  /** Puts the text of a prompt file in place of its name; undefined when that cannot be done, which is said. */
  #expand(text: string): Message | undefined {
    try {
      const expansion = this.#options.prompts?.expand(text, this.state.commands);
      return { text, ...(expansion && { expansion }) };
    } catch (error) {
      const next = ParleyError.is(error) ? error.nextStep : undefined;
      this.#giveBack(`Not sent: ${[messageOf(error), next].filter(Boolean).join('. ')}`, text);
      return undefined;
    }
  }

  /** What was not sent is not lost. */
  #giveBack(title: string, text: string): void {
    this.dispatch({ type: 'noticeShown', severity: 'warning', title, text, at: this.#options.now() });
  }

  async #steer(message: Message): Promise<void> {
    const prompt = (again: string): Promise<void> => this.send(again);
    const expectEcho = (sent: string): (() => void) => this.#model.expectEcho(sent);
    await steer(message, { session: this, binding: this.#binding, now: this.#options.now, prompt, expectEcho });
  }

  /** Sends the last prompt again. */
  async retry(): Promise<void> {
    const prompt = Array.from(entriesFrom(this.state.entries))
      .toReversed()
      .find(([, entry]) => entry.kind === 'user')?.[1];
    if (prompt?.kind === 'user') await this.send(prompt.text);
  }

  /** Chooses a mode, a model or another option of the agent. */
  async choose(id: string, value: string | boolean): Promise<void> {
    await this.#choices.choose(id, value);
  }

  /** Asks the agent to end a child session, where it lets us. @param childId the agent's id of it */
  stopSubagent(childId: string): void {
    const bound = this.#binding.current;
    if (!bound || !mayStop(this.state, childId)) return;
    bound.link.connection.notify('session/cancel', { sessionId: childId });
  }

  /** Asks the agent to stop the turn. */
  stop(): void {
    this.#turn.stop();
  }

  /** Ends the agent's process because it does not stop by itself; the next prompt starts a new one. */
  async forceStop(): Promise<void> {
    const name = this.state.agent?.name;
    if (name === undefined) return;
    this.#turn.end('cancelled');
    const others = await this.#stopAgent(name);
    if (others.length > 0) await reopenAll(this, others, this.#options.now);
  }

  /** Ends the agent's process, if it runs, and starts it again. */
  async restart(): Promise<void> {
    const name = this.#ensureAgent();
    this.#turn.end('cancelled');
    const others = await this.#stopAgent(name);
    await this.#turn.start(name);
    await reopenAll(this, others, this.#options.now);
  }

  /** Gives a session that has no messages yet to an agent, and starts it. */
  async chooseAgent(name: string): Promise<void> {
    if (this.#assign(name)) await this.#turn.start(name);
  }

  /** Gives a session that has no messages yet to an agent, which is started by the first prompt. */
  nameAgent(name: string): void {
    if (this.state.agent?.name === name || !this.#assign(name)) return;
    this.dispatch({ type: 'connectionChanged', connection: { status: 'idle' } });
  }

  #assign(name: string): boolean {
    if (this.state.entries.count > 0 || this.state.turn.status === 'running') return false;
    this.#binding.release(true);
    this.dispatch({ type: 'agentNamed', agent: this.#options.agents.reference(name) });
    return true;
  }

  ask(request: PermissionRequest): Promise<PermissionOutcome> {
    return this.#questions.ask(request);
  }

  elicit(request: ElicitationRequest): AskedElicitation {
    return this.#questions.elicit(request);
  }

  /** Answers a question with one of its options; without effect when it was answered, or the option was never offered (I7). */
  answer(permissionId: string, optionId: string): void {
    this.#questions.answer(permissionId, optionId);
  }

  /** Brings back a session from its transcript. A turn that was running ends as Interrupted. */
  restore(transcript: Transcript): void {
    this.#model.restore(transcript);
    const at = this.#options.now();
    for (const terminal of Object.values(this.state.terminals)) {
      if (terminal.exit) continue;
      this.dispatch({ type: 'terminalExited', terminalId: terminal.terminalId, signal: 'window reloaded', at });
    }
    if (this.state.turn.status === 'running') this.#turn.end('interrupted');
    this.#questions.forget();
  }

  /** Brings the agent's session back without a prompt, for one that was opened from the list. False when that cannot be done. */
  async reopen(): Promise<boolean> {
    const { agent, agentSession, entries } = this.state;
    if (!agent || !agentSession) return false;
    try {
      return (await this.#binding.reopen(agent.name)) !== undefined;
    } catch (error) {
      this.#options.log.info('session', `Session ${this.id} was not brought back: ${messageOf(error)}`);
      // With a transcript there is something to read, and the connection's state says the rest.
      if (entries.count === 0) this.#turn.showFailure(error);
      return false;
    }
  }

  /** The agent's session while its process lives. */
  get bound(): Bound | undefined {
    return this.#binding.current;
  }

  /** Begins with what was said in another session. */
  copy(transcript: Transcript): void {
    this.#model.copy(transcript);
  }

  /** Takes a session that the agent has opened for this one, with all that was said in it. */
  adopt(link: AgentLink, session: AgentSession, result: JsonObject): void {
    this.#binding.adopt(link, session, result);
  }

  /** The process was ended for all of its sessions. */
  processEnded(): void {
    this.#turn.end('agentRestarted');
    this.#binding.release();
    this.dispatch({ type: 'connectionChanged', connection: { status: 'idle' } });
  }

  /** The window is about to close: what runs ends as Interrupted, before its agent is told to leave. */
  interrupt(): void {
    if (this.state.turn.status === 'running') this.#turn.end('interrupted');
  }

  /** Writes what is left to write. */
  async flush(): Promise<void> {
    await this.#options.history.flush();
  }

  /** Settles when a disposed session has nothing more to write. */
  async written(): Promise<void> {
    await this.#options.history.close();
  }

  dispose(): void {
    this.#questions.cancelAll('the session was closed');
    this.#turn.dispose();
    this.#binding.dispose();
    this.#asked.dispose();
    this.#model.dispose();
    void this.#options.history.close();
  }

  /** The session's agent; gives it one when it has none. */
  #ensureAgent(): string {
    const { agents, fallbackAgent } = this.#options;
    if (this.state.agent) return this.state.agent.name;
    this.dispatch({ type: 'agentNamed', agent: agents.reference(fallbackAgent) });
    return fallbackAgent;
  }

  /** Ends the process. @returns the other sessions that were on it */
  async #stopAgent(name: string): Promise<readonly LinkedSession[]> {
    const { agents } = this.#options;
    const others = (agents.current(name)?.sessions ?? []).filter((session) => session !== this);
    for (const session of others) session.processEnded();
    this.#binding.release();
    // Before the wait: a prompt that is sent meanwhile starts a process of its own, whose state must not be overwritten.
    this.dispatch({ type: 'connectionChanged', connection: { status: 'idle' } });
    await agents.stop(name);
    return others;
  }

  #onOpened(opened: AgentSession, result: JsonObject): void {
    const known = this.state.agentSession;
    const session = withAbilities(opened, this.#binding.current?.link);
    const selectors = openedSelectors(result, (text) => this.#options.log.warn('session', text));
    this.#choices.opened(selectors);
    if (known?.id !== session.id || known.cwd !== session.cwd || known.canFork !== session.canFork)
      this.dispatch({ type: 'agentSessionOpened', session });
  }

  #onAgentState(state: AgentState, link: AgentLink): void {
    const returned = this.state.connection.status === 'reconnecting' && state.status === 'ready';
    this.dispatch({ type: 'connectionChanged', connection: toConnection(state, link.signIn.state) });
    if (returned) void this.reopen();
    if (state.status === 'exited') this.#turn.agentExited(state, link.definition.title);
  }
}
