import { t } from '../../base/l10n';
import type { PermissionEntry, PermissionOutcome } from '../../shared/state/toolCallState';

interface Ask {
  readonly entry: number;
  readonly settle: (outcome: PermissionOutcome) => void;
  /** Lets go of the signal: a call may ask often in its life. */
  readonly release: () => void;
}

/** The questions of a session that wait for an answer. Each is answered exactly once (I7). */
export class PendingPermissions {
  readonly #asks = new Map<string, Ask>();
  readonly #onAnswer: (entry: number, outcome: PermissionOutcome) => void;

  /** @param onAnswer told once of each question's answer, before its promise settles */
  constructor(onAnswer: (entry: number, outcome: PermissionOutcome) => void) {
    this.#onAnswer = onAnswer;
  }

  get count(): number {
    return this.#asks.size;
  }

  /**
   * Waits for the answer.
   * @param signal withdraws the question
   */
  add(permissionId: string, entry: number, signal: AbortSignal): Promise<PermissionOutcome> {
    return new Promise((settle) => {
      const withdraw = (): void => this.answer(permissionId, { type: 'canceled', reason: t('withdrawn by the agent') });
      const release = (): void => signal.removeEventListener('abort', withdraw);
      this.#asks.set(permissionId, { entry, settle, release });
      if (signal.aborted) withdraw();
      else signal.addEventListener('abort', withdraw, { once: true });
    });
  }

  /** Answers a question; without effect when it has been answered before. */
  answer(permissionId: string, outcome: PermissionOutcome): void {
    const ask = this.#asks.get(permissionId);
    if (!ask) return;
    this.#asks.delete(permissionId);
    ask.release();
    this.#onAnswer(ask.entry, outcome);
    ask.settle(outcome);
  }

  /**
   * After a reload nobody waits for the answers any more.
   * @param entries the questions that the transcript left open
   */
  forget(entries: readonly number[]): void {
    for (const entry of entries) this.#onAnswer(entry, { type: 'canceled', reason: t('window reloaded') });
  }

  /**
   * Lets go of everything that waits without answering it: an agent that lives on asks again.
   * @param reason for the transcript
   */
  abandonAll(reason: string): void {
    const entries = Array.from(this.#asks.values(), ({ entry, release }) => {
      release();
      return entry;
    });
    this.#asks.clear();
    for (const entry of entries) this.#onAnswer(entry, { type: 'canceled', reason });
  }

  /** Answers everything that waits with "cancelled" (ACP: prompt-turn, cancellation). */
  cancelAll(reason: string): void {
    for (const permissionId of Array.from(this.#asks.keys())) {
      this.answer(permissionId, { type: 'canceled', reason });
    }
  }
}

/** True when `optionId` is one of the options that were offered. */
export function hasOption(asked: PermissionEntry, optionId: string): boolean {
  return asked.options.some((option) => option.optionId === optionId);
}
