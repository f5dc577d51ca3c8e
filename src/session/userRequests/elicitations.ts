import { randomUUID } from 'node:crypto';
import { t } from '../../base/l10n';
import type {
  ElicitationAnswer,
  ElicitationOutcome,
  ElicitationQuestion,
  ElicitationReply,
} from '../../shared/state/elicitationState';
import { entryAt } from '../../shared/state/entryPages';
import { isStopping } from '../agents/idleAgents';
import type { PendingElicitation, ElicitationRequest } from '../sessionHandle';
import type { SessionModel } from '../sessionModel';

interface Waiting {
  readonly entry: number;
  readonly question: ElicitationQuestion;
  readonly settle: (answer: ElicitationReply) => void;
}

/** The forms and URLs of a session that wait for the user. Each is answered exactly once (I7). */
export class Elicitations {
  readonly #waiting = new Map<string, Waiting>();

  /** @param onAsk called with the entry of a new request */
  constructor(
    private readonly model: SessionModel,
    private readonly onAsk: (entry: number) => void,
  ) {}

  create({ message, question, signal, from }: ElicitationRequest): PendingElicitation {
    const model = this.model;
    const elicitationId = randomUUID();
    const entry = model.state.entries.count;
    const agent = from ?? model.state.agent?.title ?? t('The agent');
    model.dispatch({ type: 'elicitationAsked', elicitationId, agent, message, question, at: model.now() });
    const answer = new Promise<ElicitationReply>((settle) => {
      this.#waiting.set(elicitationId, { entry, question, settle });
    });
    const withdraw = (): void => this.#cancel(elicitationId, t('withdrawn by the agent'));
    if (signal.aborted) withdraw();
    else signal.addEventListener('abort', withdraw, { once: true });
    // The request has crossed session/cancel on the wire.
    if (isStopping(model.state)) this.#cancel(elicitationId, t('you stopped the turn'));
    if (this.#waiting.has(elicitationId)) this.onAsk(entry);
    return { answer, complete: () => this.#complete(entry) };
  }

  /** The URL of a pending request. */
  urlOf(elicitationId: string): string | undefined {
    const question = this.#waiting.get(elicitationId)?.question;
    return question?.mode === 'url' ? question.url : undefined;
  }

  /** False, and without effect, when the request is not pending or a value is invalid. */
  async answer(elicitationId: string, answer: ElicitationAnswer): Promise<boolean> {
    const waiting = this.#waiting.get(elicitationId);
    // Loaded with the first answer, because few agents ask.
    const checked = waiting && (await import('./checkAnswer')).checkAnswer(waiting.question, answer);
    if (!checked || !this.#waiting.has(elicitationId)) return false;
    const outcomes = { accept: 'accepted', decline: 'declined' } as const;
    const outcome: ElicitationOutcome =
      checked.action === 'cancel'
        ? { type: 'canceled', reason: t('you canceled the request') }
        : { type: outcomes[checked.action] };
    this.#settle(elicitationId, outcome, checked);
    return true;
  }

  /** @param first the entry from which requests are canceled */
  cancelAll(reason: string, first: number): void {
    for (const [elicitationId, { entry }] of Array.from(this.#waiting)) {
      if (entry >= first) this.#cancel(elicitationId, reason);
    }
  }

  /**
   * Drops pending requests without an answer: a remote agent asks again.
   * @param reason for the transcript
   */
  detachAll(reason: string): void {
    const entries = Array.from(this.#waiting.values(), ({ entry }) => entry);
    this.#waiting.clear();
    for (const entry of entries) {
      this.model.dispatch({ type: 'elicitationAnswered', entry, outcome: { type: 'canceled', reason } });
    }
  }

  /** Cancels requests left open by a previous window. */
  cancelStale(): void {
    const model = this.model;
    for (const entry of model.state.waiting) {
      if (entryAt(model.state.entries, entry)?.kind !== 'elicitation') continue;
      model.dispatch({
        type: 'elicitationAnswered',
        entry,
        outcome: { type: 'canceled', reason: t('window reloaded') },
      });
    }
  }

  #complete(entry: number): void {
    const elicitation = entryAt(this.model.state.entries, entry);
    if (elicitation?.kind === 'elicitation' && elicitation.outcome?.type === 'accepted') {
      this.model.dispatch({ type: 'elicitationCompleted', entry });
    }
  }

  #cancel(elicitationId: string, reason: string): void {
    this.#settle(elicitationId, { type: 'canceled', reason }, { action: 'cancel' });
  }

  #settle(elicitationId: string, outcome: ElicitationOutcome, answer: ElicitationReply): void {
    const waiting = this.#waiting.get(elicitationId);
    if (!waiting) return;
    this.#waiting.delete(elicitationId);
    this.model.dispatch({ type: 'elicitationAnswered', entry: waiting.entry, outcome });
    waiting.settle(answer);
  }
}
