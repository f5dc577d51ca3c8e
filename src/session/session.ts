import { errorMessage } from '../base/errors';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import type { JsonObject } from '../base/json';
import { t } from '../base/l10n';
import type { Action } from '../shared/state/sessionActions';
import type { Block } from '../shared/state/contentBlocks';
import type { AgentSession, PermissionOutcome, SessionState } from '../shared/state/sessionState';
import type { SharedAgent, AttachedSession } from './agents/agentPool';
import type { DiffTexts } from '../history/diff/diffStore';
import type { UnwrittenLines } from '../history/transcriptWriter';
import type { Elicitations } from './userRequests/elicitations';
import type { SessionAuth } from './agents/sessionAuth';
import { canResume, isBusy } from './agents/idleAgents';
import { SessionModel } from './sessionModel';
import type { Dispatched } from './sessionModel';
import type {
  AgreedCall,
  PendingElicitation,
  AuthorizationResult,
  ElicitationRequest,
  AuthorizationRequest,
  PermissionRequest,
} from './sessionHandle';
import type { BoundSession } from './agents/openAgentSession';
import type { SessionOptions } from './parts';
import { SessionParts } from './parts';
import type { AlwaysRuleResult } from '../permissions/alwaysRules';
import type { RememberScope } from '../permissions/rules/rememberedRules';
import { canStopSubagent } from './subagentPath';
import type { MessageQueue } from './turn/messageQueue';
import type { SendOptions } from './turn/promptSender';
import type { Transcript } from '../history/transcriptFile';

/** One conversation with one agent. Its methods never reject: errors become entries of the transcript. */
export class Session implements AttachedSession {
  readonly #options: SessionOptions;
  readonly #model: SessionModel;
  readonly #parts: SessionParts;
  readonly #asked = new Emitter<number>();

  readonly auth: SessionAuth;

  readonly onDidDispatch: Event<Dispatched>;
  /** Fires the entry of a permission request. */
  readonly onDidAsk: Event<number> = this.#asked.event;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#model = new SessionModel(options);
    this.onDidDispatch = this.#model.onDidDispatch;
    this.#parts = new SessionParts(this, this.#model, options, (entry) => this.#asked.fire(entry));
    this.auth = this.#parts.auth;
  }

  get elicitations(): Elicitations {
    return this.#parts.questions.elicitations;
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

  get seq(): number {
    return this.#model.seq;
  }

  /** Whether a transcript is on disk or will be soon. */
  get isKept(): boolean {
    return this.#model.isKept;
  }

  /** Whether closing loses nothing: nothing runs or waits, and the agent can resume the session. */
  get canClose(): boolean {
    return !isBusy(this.state) && canResume(this.#parts.binding.current?.link);
  }

  dispatch(action: Action): void {
    this.#model.dispatch(action);
  }

  receive(update: JsonObject, childId?: string): void {
    if (this.#parts.binding.admits(update)) this.#model.receive(update, childId);
  }

  diff(diffId: string): DiffTexts | undefined {
    return this.#model.diff(diffId);
  }

  /**
   * Sends a prompt and waits for the end of its turn; queues it while a turn runs. Ignores an empty message.
   * @param blocks attached content; adapted once the agent's capabilities are known
   */
  send(text: string, blocks: readonly Block[] = [], how: SendOptions = {}): Promise<void> {
    // An imported session is read-only.
    if (this.state.imported) return Promise.resolve();
    return this.#parts.sending.send(text, blocks, how);
  }

  get queue(): MessageQueue {
    return this.#parts.queue;
  }

  retry(): Promise<void> {
    if (this.state.imported) return Promise.resolve();
    return this.#parts.sending.retry();
  }

  async choose(id: string, value: string | boolean): Promise<void> {
    await this.#parts.choices.choose(id, value);
  }

  /**
   * Asks the agent to end a child session, if supported.
   * @param childId the agent's id
   */
  stopSubagent(childId: string): void {
    const bound = this.#parts.binding.current;
    if (!bound || !canStopSubagent(this.state, childId)) return;
    bound.link.connection.notify('session/cancel', { sessionId: childId });
  }

  stop(): void {
    this.#parts.turn.stop();
  }

  /** Ends the agent's process because it does not stop; the next prompt starts a new one. */
  forceStop(): Promise<void> {
    return this.#parts.restarting.forceStop();
  }

  restart(): Promise<void> {
    if (this.state.imported) return Promise.resolve();
    return this.#parts.restarting.restart();
  }

  /** Sets the agent of a session without messages, and starts it. */
  async chooseAgent(name: string): Promise<void> {
    if (this.#assign(name)) await this.#parts.turn.start(name);
  }

  /** Sets the agent of a session without messages; the first prompt starts it. */
  nameAgent(name: string): void {
    if (this.state.agent?.name === name || !this.#assign(name)) return;
    this.dispatch({ type: 'connectionChanged', connection: { status: 'idle' } });
  }

  #assign(name: string): boolean {
    if (this.state.entries.count > 0 || this.state.turn.status === 'running') return false;
    this.#parts.binding.release(true);
    this.dispatch({ type: 'agentNamed', agent: this.#options.agents.reference(name) });
    return true;
  }

  get agreed(): readonly AgreedCall[] {
    return this.#parts.questions.agreed;
  }

  ask(request: PermissionRequest): Promise<PermissionOutcome> {
    return this.#parts.questions.ask(request);
  }

  authorize(question: AuthorizationRequest, signal: AbortSignal): Promise<AuthorizationResult> {
    return this.#parts.questions.authorize(question, signal);
  }

  elicit(request: ElicitationRequest): PendingElicitation {
    return this.#parts.questions.elicit(request);
  }

  /** Answers a permission request; ignored when already answered, or when the option was not offered (I7). */
  answer(permissionId: string, optionId: string): void {
    this.#parts.questions.answer(permissionId, optionId);
  }

  /**
   * Stores the answer "always" with this scope; in the session it applies from the answer on. Rejects when the storage cannot be written.
   */
  remember(permissionId: string, scope: RememberScope): Promise<AlwaysRuleResult> {
    return this.#parts.questions.remember(permissionId, scope);
  }

  /** Restores a transcript. A running turn ends as Interrupted. */
  restore(transcript: Transcript): void {
    this.#model.restore(transcript);
    const at = this.#options.now();
    for (const terminal of Object.values(this.state.terminals)) {
      if (terminal.exit) continue;
      this.dispatch({ type: 'terminalExited', terminalId: terminal.terminalId, signal: t('window reloaded'), at });
    }
    if (this.state.turn.status === 'running') this.#parts.turn.end('interrupted');
    this.#parts.questions.forget();
    this.#parts.queue.restored();
  }

  /** A remote agent outlives the window (I5). */
  get isRemote(): boolean {
    const { agent } = this.state;
    return agent !== undefined && this.#options.agents.definition(agent.name)?.remote !== undefined;
  }

  /** Resumes the agent's session without a prompt, after opening from the list. False when that is not possible. */
  async reopen(): Promise<boolean> {
    const { agent, agentSession, entries } = this.state;
    if (!agent || !agentSession) return false;
    try {
      return (await this.#parts.binding.reopen(agent.name)) !== undefined;
    } catch (error) {
      this.#options.log.info('session', `Session ${this.id} was not brought back: ${errorMessage(error)}`);
      // A transcript can be read anyway, and the connection's state shows the error.
      if (entries.count === 0) this.#parts.turn.showFailure(error);
      return false;
    }
  }

  /** The agent's session while its process lives. */
  get bound(): BoundSession | undefined {
    return this.#parts.binding.current;
  }

  /** Starts with the transcript of another session. */
  copy(transcript: Transcript): void {
    this.#model.copy(transcript);
  }

  /** Binds to a session that the agent has already opened, with its history. */
  adopt(link: SharedAgent, session: AgentSession, result: JsonObject): void {
    this.#parts.binding.adopt(link, session, result);
  }

  processEnded(): void {
    this.#parts.restarting.processEnded();
  }

  /** Ends running turns as Interrupted before the window ends the agent. */
  interrupt(): void {
    if (this.isRemote) this.#parts.questions.abandonAll();
    if (this.state.turn.status === 'running') this.#parts.turn.end('interrupted');
  }

  /** Another window continues the session and the agent's session. */
  leaveAgent(): void {
    this.#parts.binding.release();
  }

  /** Closes requests and ends the running turn, because the session is being closed. */
  cancelTurn(): void {
    if (this.state.turn.status !== 'running') return;
    this.#parts.queue.dispose();
    this.#parts.turn.stop();
    this.#parts.turn.end('cancelled');
  }

  /** Lines that could not be written to the transcript, after closing. */
  get unwritten(): UnwrittenLines {
    return this.#options.history.unwritten;
  }

  async flush(): Promise<void> {
    await this.#options.history.flush();
  }

  /** Settles when a disposed session has written everything. */
  async written(): Promise<void> {
    await this.#options.history.close();
  }

  dispose(): void {
    this.#parts.dispose();
    this.#asked.dispose();
    this.#model.dispose();
    void this.#options.history.close();
  }
}
