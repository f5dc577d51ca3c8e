import { randomUUID } from 'node:crypto';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { Attachment } from '../../shared/protocol/attachments';
import type { Block } from '../../shared/state/contentBlocks';
import type { QueuedMessage } from '../../shared/state/messageQueueState';
import type { AttachedSession } from '../agents/agentPool';
import type { Dispatched } from '../sessionModel';
import type { Message, SteerOutcome } from './steering';

/** What the queue needs of the session it belongs to. */
export interface QueueOptions {
  readonly session: AttachedSession;
  /**
   * What stands for an attachment at this moment.
   * @throws ParleyError with a sentence for the user
   */
  readonly read: (attachments: readonly Attachment[]) => Promise<readonly Block[]>;
  /**
   * Makes a message as the agent gets it.
   * @throws ParleyError that says why it cannot be sent
   */
  readonly prepare: (text: string, blocks: readonly Block[]) => Message;
  /** Begins a turn with it, and settles when that is over. Never rejects. */
  readonly prompt: (message: Message) => Promise<void>;
  /** Brings it into the running turn; `taken` is called when the agent has it, in wire order. Never rejects. */
  readonly steer: (message: Message, taken: () => void) => Promise<SteerOutcome>;
  /** Asks the agent to stop the turn. */
  readonly stop: () => void;
  /** What speaks against sending, as a sentence. */
  readonly sentence: (error: unknown) => string;
  readonly log: Logger;
  readonly now: () => number;
}

/**
 * The messages that the user sent while a turn ran. The first goes out by itself when a turn has ended well; after any other end the
 * queue is paused until the user resumes it. A message leaves it only when it was sent, so nothing is lost.
 */
export class MessageQueue implements Disposable {
  readonly #options: QueueOptions;
  /** Being brought into the turn: the agent has not answered yet. */
  readonly #steering = new Set<string>();
  /** What each page keeps back, the newest last: one session may be shown in several. */
  readonly #holds = new Map<unknown, string>();
  /** One is being read or sent: two that end at once send it once. */
  #sending = false;
  #disposed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /**
   * Puts a message at the end.
   * @returns its id
   */
  add(text: string, attachments: readonly Attachment[]): string {
    const message = this.#message(text, attachments);
    this.#options.session.dispatch({ type: 'messageQueued', message });
    return message.id;
  }

  /**
   * Takes in a message that could not be sent, before all others.
   * @param reason why, as a sentence
   */
  refused(text: string, attachments: readonly Attachment[], reason: string): void {
    const { session } = this.#options;
    session.dispatch({ type: 'messageQueued', message: this.#message(text, attachments), first: true });
    session.dispatch({ type: 'queuePaused', pause: { why: 'notSent', message: reason } });
  }

  /** Changes a message, which is no longer held then. False when it is not there any more. */
  change(id: string, text: string, attachments: readonly Attachment[]): boolean {
    if (!this.#find(id)) return false;
    const { session } = this.#options;
    session.dispatch({ type: 'queuedChanged', id, text, attachments });
    if (session.state.queue.paused?.why === 'notSent') session.dispatch({ type: 'queueResumed' });
    for (const [by, held] of this.#holds) if (held === id) this.#holds.delete(by);
    this.#tellHeld();
    this.#letGo(id);
    return true;
  }

  move(id: string, to: number): void {
    this.#options.session.dispatch({ type: 'queuedMoved', id, to });
  }

  /** Drops a message. */
  remove(id: string): void {
    this.#options.session.dispatch({ type: 'queuedTaken', id });
    this.#goOn();
  }

  /**
   * Keeps a message back while the user changes it; undefined lets go.
   * @param by the page they do it in: each says it for itself only
   */
  hold(id: string | undefined, by?: unknown): void {
    const before = this.#holds.get(by);
    if (before === id) return;
    this.#holds.delete(by);
    if (id !== undefined) this.#holds.set(by, id);
    this.#tellHeld();
    if (before !== undefined) this.#letGo(before);
  }

  /** Lets a paused queue go on. */
  resume(): void {
    this.#options.session.dispatch({ type: 'queueResumed' });
    this.#goOn();
  }

  /** Sends a message before all others: into the running turn where the agent takes it, else after the turn was stopped. */
  async sendNow(id: string): Promise<void> {
    const { session, stop } = this.#options;
    const message = this.#find(id);
    if (!message || this.#steering.has(id)) return;
    const { turn } = session.state;
    if (turn.status !== 'running' && !this.#sending) return this.#deliver(message);
    session.dispatch({ type: 'queuedNext', id });
    if (turn.status !== 'running') return;
    if (this.#canSteer()) return this.#steer(id);
    stop();
  }

  /** Hears of everything that happens in the session. */
  follow({ action }: Dispatched): void {
    // What else the end of the turn brings stands in the transcript first: its notice, updates that came with it (I3).
    if (action.type === 'turnEnded') setImmediate(() => this.#turnEnded(action.stopReason));
    // At once, not when the turn has ended: what is sent from here on is what the user wants instead.
    if (action.type === 'stopRequested' && this.#options.session.state.queue.next === undefined) {
      const { messages } = this.#options.session.state.queue;
      if (messages.length > 0) queueMicrotask(() => this.#pause('cancelled'));
    }
  }

  /** The window was reloaded: nothing goes out before the user has seen it. */
  restored(): void {
    const { session } = this.#options;
    const { messages, paused, held, next } = session.state.queue;
    if (messages.length === 0) return;
    if (held !== undefined) session.dispatch({ type: 'queuedHeld' });
    if (next !== undefined) session.dispatch({ type: 'queuedNext' });
    if (!paused || paused.why === 'turn') session.dispatch({ type: 'queuePaused', pause: { why: 'reloaded' } });
  }

  dispose(): void {
    this.#disposed = true;
  }

  #message(text: string, attachments: readonly Attachment[]): QueuedMessage {
    return { id: randomUUID(), text, attachments, at: this.#options.now() };
  }

  #find(id: string): QueuedMessage | undefined {
    return this.#options.session.state.queue.messages.find((message) => message.id === id);
  }

  #isHeld(id: string): boolean {
    return this.#options.session.state.queue.held === id || Array.from(this.#holds.values()).includes(id);
  }

  /** Of several that are kept back the state names the newest. */
  #tellHeld(): void {
    const { session } = this.#options;
    const id = Array.from(this.#holds.values()).findLast((one) => this.#find(one));
    if (session.state.queue.held !== id) session.dispatch({ type: 'queuedHeld', ...(id !== undefined && { id }) });
  }

  /** A message is not held any more by who held it. */
  #letGo(id: string | undefined): void {
    const { next } = this.#options.session.state.queue;
    // The user wanted it in this turn, and it was kept back for the change.
    if (next !== undefined && next === id && !this.#isHeld(id) && this.#canSteer()) void this.sendNow(next);
    else this.#goOn();
  }

  #canSteer(): boolean {
    const { turn, connection } = this.#options.session.state;
    return turn.status === 'running' && !turn.stopping && connection.status === 'ready' && connection.steers === true;
  }

  #turnEnded(stopReason: string): void {
    const { session } = this.#options;
    const { queue, turn } = session.state;
    if (this.#disposed || queue.messages.length === 0 || turn.status === 'running') return;
    if (queue.next !== undefined || stopReason === 'end_turn') this.#goOn();
    else this.#pause(stopReason);
  }

  #pause(stopReason: string): void {
    const { session } = this.#options;
    const { messages, paused } = session.state.queue;
    if (this.#disposed || messages.length === 0 || paused) return;
    session.dispatch({ type: 'queuePaused', pause: { why: 'turn', stopReason } });
  }

  /** Sends what is to go out next, unless something speaks against it. */
  #goOn(): void {
    const { session, log } = this.#options;
    const { queue, turn } = session.state;
    if (this.#disposed || turn.status === 'running') return;
    const wanted = queue.next === undefined ? undefined : this.#find(queue.next);
    const message = wanted ?? (queue.paused ? undefined : queue.messages[0]);
    if (!message || this.#isHeld(message.id) || this.#steering.has(message.id)) return;
    log.info(
      'session',
      `Session ${session.id} goes on with a message that waited; ${queue.messages.length} in the queue`,
    );
    void this.#deliver(message);
  }

  async #deliver(queued: QueuedMessage): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    const ready = await this.#prepared(queued);
    this.#sending = false;
    const { session, prompt } = this.#options;
    if (session.state.turn.status === 'running') return;
    // The user may have removed it, changed it, or begun to change it meanwhile.
    if (this.#find(queued.id) !== queued || this.#isHeld(queued.id)) {
      this.#goOn();
      return;
    }
    if ('problem' in ready) {
      this.#keep(queued.id, ready.problem);
      return;
    }
    session.dispatch({ type: 'queuedTaken', id: queued.id });
    await prompt(ready.message);
  }

  async #prepared({ text, attachments }: QueuedMessage): Promise<{ message: Message } | { problem: string }> {
    const { read, prepare, sentence } = this.#options;
    try {
      return { message: prepare(text, await read(attachments)) };
    } catch (error) {
      return { problem: sentence(error) };
    }
  }

  /** It cannot be sent as it is: the user sees why, and nothing overtakes it. */
  #keep(id: string, problem: string): void {
    const { session } = this.#options;
    session.dispatch({ type: 'queuedNext' });
    session.dispatch({ type: 'queuedMoved', id, to: 0 });
    session.dispatch({ type: 'queuePaused', pause: { why: 'notSent', message: problem } });
  }

  async #steer(id: string): Promise<void> {
    this.#steering.add(id);
    await this.#steerIn(id);
    this.#steering.delete(id);
    // The turn may have ended meanwhile.
    this.#goOn();
  }

  async #steerIn(id: string): Promise<void> {
    const queued = this.#find(id);
    // The user has removed it, or changes it: it goes into the turn with the change.
    if (!queued || this.#isHeld(id)) return;
    const ready = await this.#prepared(queued);
    // They have changed it while it was read: what it says now counts.
    if (this.#find(id) !== queued || this.#isHeld(id)) return this.#steerIn(id);
    if ('problem' in ready) {
      this.#keep(id, ready.problem);
      return;
    }
    const outcome = await this.#options.steer(ready.message, () => this.#taken(queued));
    if (outcome.type === 'refused') this.#sayNotTaken(queued, outcome.why);
  }

  /** The agent has it. What it was changed to on the way is another message, about which the user decides. */
  #taken(queued: QueuedMessage): void {
    const { session } = this.#options;
    const { id } = queued;
    const there = this.#find(id);
    if (there === queued || !there) session.dispatch({ type: 'queuedTaken', id });
    else
      this.#keep(
        id,
        t('The agent has got it as it was before you changed it. Send it as it is here too, or remove it.'),
      );
  }

  #sayNotTaken({ text }: QueuedMessage, why: string | undefined): void {
    const { session, now } = this.#options;
    session.dispatch({ type: 'queuedNext' });
    const title = t('The agent did not take this message into its turn. It is still in the queue.');
    const said = why === undefined ? text : `${text}\n\n${why}`;
    session.dispatch({ type: 'noticeShown', severity: 'warning', title, text: said, at: now() });
  }
}
