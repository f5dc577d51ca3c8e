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

/** One conversation with one agent. Its methods never reject: what goes wrong becomes an entry of the transcript. */
export class Session implements AttachedSession {
  readonly #options: SessionOptions;
  readonly #model: SessionModel;
  readonly #parts: SessionParts;
  readonly #asked = new Emitter<number>();

  /** Signing in to the session's agent, and out of it. */
  readonly auth: SessionAuth;

  readonly onDidDispatch: Event<Dispatched>;
  /** A question was put to the user: its entry. */
  readonly onDidAsk: Event<number> = this.#asked.event;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#model = new SessionModel(options);
    this.onDidDispatch = this.#model.onDidDispatch;
    this.#parts = new SessionParts(this, this.#model, options, (entry) => this.#asked.fire(entry));
    this.auth = this.#parts.auth;
  }

  /** Forms and addresses that wait for the user. */
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
   * Sends a prompt and waits for the end of its turn. While a turn runs it is put into the queue. Nothing happens for an empty message.
   * @param blocks what goes with it; as far as the agent is known to take it
   */
  send(text: string, blocks: readonly Block[] = [], how: SendOptions = {}): Promise<void> {
    // Its agent is somebody else's, and what was said in it was said elsewhere.
    if (this.state.imported) return Promise.resolve();
    return this.#parts.sending.send(text, blocks, how);
  }

  /** What waits for the end of the turn. */
  get queue(): MessageQueue {
    return this.#parts.queue;
  }

  /** Sends the last prompt again. */
  retry(): Promise<void> {
    if (this.state.imported) return Promise.resolve();
    return this.#parts.sending.retry();
  }

  /** Chooses a mode, a model or another option of the agent. */
  async choose(id: string, value: string | boolean): Promise<void> {
    await this.#parts.choices.choose(id, value);
  }

  /**
   * Asks the agent to end a child session, where it lets us.
   * @param childId the agent's id of it
   */
  stopSubagent(childId: string): void {
    const bound = this.#parts.binding.current;
    if (!bound || !canStopSubagent(this.state, childId)) return;
    bound.link.connection.notify('session/cancel', { sessionId: childId });
  }

  /** Asks the agent to stop the turn. */
  stop(): void {
    this.#parts.turn.stop();
  }

  /** Ends the agent's process because it does not stop by itself; the next prompt starts a new one. */
  forceStop(): Promise<void> {
    return this.#parts.restarting.forceStop();
  }

  /** Ends the agent's process, if it runs, and starts it again. */
  restart(): Promise<void> {
    if (this.state.imported) return Promise.resolve();
    return this.#parts.restarting.restart();
  }

  /** Gives a session that has no messages yet to an agent, and starts it. */
  async chooseAgent(name: string): Promise<void> {
    if (this.#assign(name)) await this.#parts.turn.start(name);
  }

  /** Gives a session that has no messages yet to an agent, which is started by the first prompt. */
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

  /** Answers a question with one of its options; without effect when it was answered, or the option was never offered (I7). */
  answer(permissionId: string, optionId: string): void {
    this.#parts.questions.answer(permissionId, optionId);
  }

  /**
   * Keeps the answer "always" to a question in this scope; it holds in the session from the moment it was given. Tells what came of it.
   * Rejects when the storage cannot be written.
   */
  remember(permissionId: string, scope: RememberScope): Promise<AlwaysRuleResult> {
    return this.#parts.questions.remember(permissionId, scope);
  }

  /** Brings back a session from its transcript. A turn that was running ends as Interrupted. */
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

  /** Its agent runs elsewhere and outlives the window (I5). */
  get isRemote(): boolean {
    const { agent } = this.state;
    return agent !== undefined && this.#options.agents.definition(agent.name)?.remote !== undefined;
  }

  /** Brings the agent's session back without a prompt, for one that was opened from the list. False when that cannot be done. */
  async reopen(): Promise<boolean> {
    const { agent, agentSession, entries } = this.state;
    if (!agent || !agentSession) return false;
    try {
      return (await this.#parts.binding.reopen(agent.name)) !== undefined;
    } catch (error) {
      this.#options.log.info('session', `Session ${this.id} was not brought back: ${errorMessage(error)}`);
      // With a transcript there is something to read, and the connection's state says the rest.
      if (entries.count === 0) this.#parts.turn.showFailure(error);
      return false;
    }
  }

  /** The agent's session while its process lives. */
  get bound(): BoundSession | undefined {
    return this.#parts.binding.current;
  }

  /** Begins with what was said in another session. */
  copy(transcript: Transcript): void {
    this.#model.copy(transcript);
  }

  /** Takes a session that the agent has opened for this one, with all that was said in it. */
  adopt(link: SharedAgent, session: AgentSession, result: JsonObject): void {
    this.#parts.binding.adopt(link, session, result);
  }

  /** The process was ended for all of its sessions. */
  processEnded(): void {
    this.#parts.restarting.processEnded();
  }

  /** The window is about to close: what runs ends as Interrupted, before its agent is told to leave. */
  interrupt(): void {
    if (this.isRemote) this.#parts.questions.abandonAll();
    if (this.state.turn.status === 'running') this.#parts.turn.end('interrupted');
  }

  /** Another window goes on with the session, and with the agent's. */
  leaveAgent(): void {
    this.#parts.binding.release();
  }

  /** The session is being closed while its agent works: nobody waits for that any more, and the transcript says how it ended. */
  cancelTurn(): void {
    if (this.state.turn.status !== 'running') return;
    this.#parts.queue.dispose();
    this.#parts.turn.stop();
    this.#parts.turn.end('cancelled');
  }

  /** What could not be written into its transcript, once it is closed. */
  get unwritten(): UnwrittenLines {
    return this.#options.history.unwritten;
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
    this.#parts.dispose();
    this.#asked.dispose();
    this.#model.dispose();
    void this.#options.history.close();
  }
}
