import { randomUUID } from 'node:crypto';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { Attachment } from '../../shared/state/attachments';
import type { BudgetPause, QueuedMessage } from '../../shared/state/messageQueueState';
import type { Action } from '../../shared/state/sessionActions';
import type { AgentSessionBinding } from '../agents/agentSessionBinding';
import type { SessionQueue } from '../session';
import type { SessionModel } from '../sessionModel';
import type { MessagePreparer } from './messagePreparer';
import type { Message } from './promptContent';
import type { SessionBudget } from './sessionBudget';
import { steer } from './steerRequest';
import type { TurnRunner } from './turnRunner';

/**
 * Messages sent during a turn. The first one goes out when a turn ends normally; any other end pauses the queue until the user resumes it.
 * A message is removed only when it was sent, so nothing is lost.
 */
export class MessageQueue implements SessionQueue, Disposable {
  /** Messages with an unanswered steering request. */
  readonly #steering = new Set<string>();
  /** The message that each page holds back, newest last: a session may have several pages. */
  readonly #holds = new Map<unknown, string>();
  /** A message is being read or sent: prevents a second send. */
  #isSending = false;
  #isDisposed = false;

  constructor(
    private readonly model: SessionModel,
    private readonly binding: AgentSessionBinding,
    private readonly turn: TurnRunner,
    private readonly preparer: MessagePreparer,
    private readonly budget: SessionBudget | undefined,
    private readonly log: Logger,
  ) {}

  /** @returns its id */
  add(text: string, attachments: readonly Attachment[]): string {
    const message = this.#message(text, attachments);
    this.model.dispatch({ type: 'messageQueued', message });
    return message.id;
  }

  /**
   * Puts a message that could not be sent first.
   * @param reason why, as a sentence
   */
  addUnsent(text: string, attachments: readonly Attachment[], reason: string): void {
    const { model } = this;
    model.dispatch({ type: 'messageQueued', message: this.#message(text, attachments), first: true });
    model.dispatch({ type: 'queuePaused', pause: { why: 'notSent', message: reason } });
  }

  change(id: string, text: string, attachments: readonly Attachment[]): boolean {
    if (!this.#find(id)) return false;
    const { model } = this;
    model.dispatch({ type: 'queuedChanged', id, text, attachments });
    if (model.state.queue.paused?.why === 'notSent') model.dispatch({ type: 'queueResumed' });
    for (const [by, held] of this.#holds) if (held === id) this.#holds.delete(by);
    this.#dispatchHeld();
    this.#sendReleased(id);
    return true;
  }

  move(id: string, to: number): void {
    this.model.dispatch({ type: 'queuedMoved', id, to });
  }

  remove(id: string): void {
    this.model.dispatch({ type: 'queuedTaken', id });
    this.#sendNext();
  }

  hold(id: string | undefined, by?: unknown): void {
    const before = this.#holds.get(by);
    if (before === id) return;
    this.#holds.delete(by);
    if (id !== undefined) this.#holds.set(by, id);
    this.#dispatchHeld();
    if (before !== undefined) this.#sendReleased(before);
  }

  resume(): void {
    this.model.dispatch({ type: 'queueResumed' });
    this.#sendNext();
  }

  answerBudget(shouldContinue: boolean): void {
    const { model, budget } = this;
    const { paused } = model.state.queue;
    if (paused?.why !== 'budget') return;
    if (shouldContinue) {
      budget?.continueOver(paused);
      this.resume();
    } else model.dispatch({ type: 'queuePaused', pause: { ...paused, stopped: true } });
  }

  async sendNow(id: string): Promise<void> {
    const { model, turn: runner } = this;
    const message = this.#find(id);
    if (!message || this.#steering.has(id)) return;
    const { turn } = model.state;
    if (turn.status !== 'running' && !this.#isSending) return this.#deliver(message);
    model.dispatch({ type: 'queuedNext', id });
    if (turn.status !== 'running') return;
    if (this.#canSteer()) return this.#steer(id);
    runner.stop();
  }

  apply(action: Action): void {
    // After everything else that belongs to the end of the turn, such as its notice (I3).
    if (action.type === 'turnEnded') setImmediate(() => this.#onTurnEnd(action.stopReason));
    // Pauses when the stop is requested, not when the turn ends, because the user wants messages sent after the stop to be sent.
    if (action.type === 'stopRequested' && this.model.state.queue.next === undefined) {
      const { messages } = this.model.state.queue;
      if (messages.length > 0) queueMicrotask(() => this.#pause('cancelled'));
    }
  }

  /** After a reload the queue is paused until the user has seen it. */
  pauseRestored(): void {
    const { model } = this;
    const { messages, paused, held, next } = model.state.queue;
    if (messages.length === 0) return;
    if (held !== undefined) model.dispatch({ type: 'queuedHeld' });
    if (next !== undefined) model.dispatch({ type: 'queuedNext' });
    if (!paused || paused.why === 'turn') model.dispatch({ type: 'queuePaused', pause: { why: 'reloaded' } });
  }

  dispose(): void {
    this.#isDisposed = true;
  }

  #message(text: string, attachments: readonly Attachment[]): QueuedMessage {
    return { id: randomUUID(), text, attachments, at: this.model.now() };
  }

  #find(id: string): QueuedMessage | undefined {
    return this.model.state.queue.messages.find((message) => message.id === id);
  }

  #isHeld(id: string): boolean {
    return this.model.state.queue.held === id || Array.from(this.#holds.values()).includes(id);
  }

  /** The state names the newest of several held messages. */
  #dispatchHeld(): void {
    const { model } = this;
    const id = Array.from(this.#holds.values()).findLast((one) => this.#find(one));
    if (model.state.queue.held !== id) model.dispatch({ type: 'queuedHeld', ...(id !== undefined && { id }) });
  }

  #sendReleased(id: string | undefined): void {
    const { next } = this.model.state.queue;
    // The user wanted it in this turn before editing it.
    if (next !== undefined && next === id && !this.#isHeld(id) && this.#canSteer()) void this.sendNow(next);
    else this.#sendNext();
  }

  #canSteer(): boolean {
    const { turn, connection } = this.model.state;
    return turn.status === 'running' && !turn.stopping && connection.status === 'ready' && connection.steers === true;
  }

  #onTurnEnd(stopReason: string): void {
    const { model } = this;
    const { queue, turn } = model.state;
    if (this.#isDisposed || queue.messages.length === 0 || turn.status === 'running') return;
    if (queue.next !== undefined || stopReason === 'end_turn') this.#sendNext();
    else this.#pause(stopReason);
  }

  #pause(stopReason: string): void {
    const { model } = this;
    const { messages, paused } = model.state.queue;
    if (this.#isDisposed || messages.length === 0 || paused) return;
    model.dispatch({ type: 'queuePaused', pause: { why: 'turn', stopReason } });
  }

  /** Sends the next message, unless something prevents it. */
  #sendNext(): void {
    const { model, log } = this;
    const { queue, turn } = model.state;
    if (this.#isDisposed || turn.status === 'running') return;
    const requested = queue.next === undefined ? undefined : this.#find(queue.next);
    const message = requested ?? (queue.paused ? undefined : queue.messages[0]);
    if (!message || this.#isHeld(message.id) || this.#steering.has(message.id)) return;
    log.info('session', `Session ${model.state.id} sent a queued message; ${queue.messages.length} in the queue`);
    void this.#deliver(message);
  }

  async #deliver(queued: QueuedMessage): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    const ready = await this.#prepare(queued);
    this.#isSending = false;
    const { model, turn } = this;
    if (model.state.turn.status === 'running') return;
    // Meanwhile, the user may have removed or changed it, or started to edit it.
    if (this.#find(queued.id) !== queued || this.#isHeld(queued.id)) {
      this.#sendNext();
      return;
    }
    if (!('message' in ready)) {
      this.#holdBack(queued.id, ready);
      return;
    }
    model.dispatch({ type: 'queuedTaken', id: queued.id });
    await turn.run(ready.message);
  }

  async #prepare(queued: QueuedMessage): Promise<{ message: Message } | HoldReason> {
    const { preparer, budget } = this;
    const over = budget?.isSet ? await budget.findExceeded() : undefined;
    return over ? { over } : preparer.prepareQueued(queued);
  }

  #holdBack(id: string, reason: HoldReason): void {
    if ('problem' in reason) return this.#markUnsent(id, reason.problem);
    const { model } = this;
    model.dispatch({ type: 'queuedNext' });
    model.dispatch({ type: 'queuePaused', pause: reason.over });
  }

  /** Shows why the message cannot be sent unchanged, and keeps later messages behind it. */
  #markUnsent(id: string, problem: string): void {
    const { model } = this;
    model.dispatch({ type: 'queuedNext' });
    model.dispatch({ type: 'queuedMoved', id, to: 0 });
    model.dispatch({ type: 'queuePaused', pause: { why: 'notSent', message: problem } });
  }

  async #steer(id: string): Promise<void> {
    this.#steering.add(id);
    await this.#steerIn(id);
    this.#steering.delete(id);
    // The turn may have ended meanwhile.
    this.#sendNext();
  }

  async #steerIn(id: string): Promise<void> {
    const queued = this.#find(id);
    // Removed, or being edited: the edited message is sent.
    if (!queued || this.#isHeld(id)) return;
    const ready = await this.#prepare(queued);
    // Changed while it was being read: send the new text.
    if (this.#find(id) !== queued || this.#isHeld(id)) return this.#steerIn(id);
    if (!('message' in ready)) {
      this.#holdBack(id, ready);
      return;
    }
    const { model, binding } = this;
    const outcome = await steer(ready.message, model, binding, () => this.#onTaken(queued));
    if (outcome.type === 'refused') this.#showRefused(queued, outcome.why);
  }

  /** The agent has the message. A version edited meanwhile is a new message, about which the user decides. */
  #onTaken(queued: QueuedMessage): void {
    const { model } = this;
    const { id } = queued;
    const there = this.#find(id);
    if (there === queued || !there) model.dispatch({ type: 'queuedTaken', id });
    else
      this.#markUnsent(
        id,
        t('The agent received the version before your edit. Send the edited version too, or remove it.'),
      );
  }

  #showRefused({ text }: QueuedMessage, why: string | undefined): void {
    const { model } = this;
    model.dispatch({ type: 'queuedNext' });
    const title = t('The agent did not accept the message during this turn. The message is still in the queue.');
    const details = why === undefined ? text : `${text}\n\n${why}`;
    model.showNotice('warning', title, details);
  }
}

/** Why a message is not sent. */
type HoldReason = { readonly problem: string } | { readonly over: BudgetPause };
