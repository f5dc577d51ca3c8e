import { randomUUID } from 'node:crypto';
import type { AgentState } from '../agent/connection';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import type { JsonObject } from '../base/json';
import { asObject } from '../base/json';
import type { Action } from '../shared/actions';
import { entriesFrom, entryAt } from '../shared/entries';
import type { PermissionOutcome, SessionState } from '../shared/state';
import type { AgentLink, Agents, LinkedSession } from './agents';
import { Asks, offers } from './asks';
import { Binding } from './binding';
import { toConnection } from './connectionState';
import type { DiffTexts } from './diffStore';
import type { Transcript } from './history';
import { SessionModel } from './model';
import type { Dispatched, ModelOptions } from './model';
import type { PermissionRequest } from './port';
import { toPermissionOptions } from './translate';
import { TurnRunner } from './turn';

export interface SessionOptions extends ModelOptions {
  readonly agents: Agents;
  /** Where the agent works: absolute. */
  readonly cwd: string;
  /** Name of the agent when a prompt is sent before one was chosen. */
  readonly fallbackAgent: string;
  /** Milliseconds a Stop may take before Force Stop is offered. */
  readonly stopDeadline: number;
}

/** One conversation with one agent. Its methods never reject: what goes wrong becomes an entry of the transcript. */
export class Session implements LinkedSession {
  readonly #options: SessionOptions;
  readonly #model: SessionModel;
  readonly #binding: Binding;
  readonly #asks: Asks;
  readonly #turn: TurnRunner;
  readonly #asked = new Emitter<number>();

  readonly onDidDispatch: Event<Dispatched>;
  /** A question was put to the person: its entry. */
  readonly onDidAsk: Event<number> = this.#asked.event;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#model = new SessionModel(options);
    this.onDidDispatch = this.#model.onDidDispatch;
    this.#asks = new Asks((entry, outcome) =>
      this.dispatch({ type: 'permissionAnswered', entry, outcome, at: options.now() }),
    );
    this.#binding = new Binding(options.agents, this, options.cwd, (state, link) => this.#onAgentState(state, link));
    this.#turn = new TurnRunner({
      session: this,
      binding: this.#binding,
      asks: this.#asks,
      now: options.now,
      stopDeadline: options.stopDeadline,
    });
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

  dispatch(action: Action): void {
    this.#model.dispatch(action);
  }

  receive(update: JsonObject): void {
    this.#model.receive(update);
  }

  diff(diffId: string): DiffTexts | undefined {
    return this.#model.diff(diffId);
  }

  /** Sends a prompt and waits for the end of its turn. Without effect while a turn runs, or when there is nothing to send. */
  async send(text: string): Promise<void> {
    if (this.state.turn.status === 'running' || text.trim() === '') return;
    await this.#turn.run(this.#ensureAgent(), text);
  }

  /** Sends the last prompt again. */
  async retry(): Promise<void> {
    const prompt = Array.from(entriesFrom(this.state.entries))
      .toReversed()
      .find(([, entry]) => entry.kind === 'user')?.[1];
    if (prompt?.kind === 'user') await this.send(prompt.text);
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
    await this.#stopAgent(name);
  }

  /** Ends the agent's process, if it runs, and starts it again. */
  async restart(): Promise<void> {
    const name = this.#ensureAgent();
    this.#turn.end('cancelled');
    await this.#stopAgent(name);
    await this.#turn.start(name);
  }

  /** Gives a session that has no messages yet to an agent, and starts it. */
  async chooseAgent(name: string): Promise<void> {
    if (this.state.entries.count > 0 || this.state.turn.status === 'running') return;
    this.#binding.release();
    this.dispatch({ type: 'agentNamed', agent: this.#options.agents.reference(name) });
    await this.#turn.start(name);
  }

  async ask(request: PermissionRequest): Promise<PermissionOutcome> {
    const tool = this.#model.receiveToolCall(asObject(request.toolCall) ?? {});
    const called = entryAt(this.state.entries, tool);
    const title = (called?.kind === 'tool' && called.title) || 'Permission';
    const options = toPermissionOptions(request.options);
    const entry = this.state.entries.count;
    const permissionId = randomUUID();
    this.dispatch({ type: 'permissionAsked', permissionId, tool, title, options, at: this.#options.now() });
    const answered = this.#asks.add(permissionId, entry, request.signal);
    // Nobody could answer a question without options.
    if (options.length === 0) this.#asks.answer(permissionId, { type: 'canceled', reason: 'no option was offered' });
    if (this.state.waiting.includes(entry)) this.#asked.fire(entry);
    return answered;
  }

  /** Answers a question with one of its options; without effect when it was answered, or the option was never offered (I7). */
  answer(permissionId: string, optionId: string): void {
    const entry = this.state.waiting
      .map((index) => entryAt(this.state.entries, index))
      .find((waiting) => waiting?.kind === 'permission' && waiting.permissionId === permissionId);
    if (entry?.kind === 'permission' && offers(entry, optionId)) {
      this.#asks.answer(permissionId, { type: 'selected', optionId });
    }
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
  }

  /** Writes what is left to write. */
  async flush(): Promise<void> {
    await this.#options.history.flush();
  }

  dispose(): void {
    this.#asks.cancelAll('the session was closed');
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

  async #stopAgent(name: string): Promise<void> {
    this.#binding.release();
    await this.#options.agents.stop(name);
    this.dispatch({ type: 'connectionChanged', connection: { status: 'idle' } });
  }

  #onAgentState(state: AgentState, link: AgentLink): void {
    this.dispatch({ type: 'connectionChanged', connection: toConnection(state) });
    if (state.status === 'exited') this.#turn.agentExited(state, link.definition.title);
  }
}
