import { t } from '../../base/l10n';
import { entryAt } from '../../shared/state/entryPages';
import type { SessionState } from '../../shared/state/sessionState';
import type { PermissionEntry, PermissionOutcome } from '../../shared/state/toolCallState';

export const WITHDRAWN = t('withdrawn by the agent');

interface PendingPermission {
  readonly entry: number;
  /** Resumes what asked: `client/permissionFeature.ts`, which answers the agent, or a request of Parley's own. */
  readonly settle: (outcome: PermissionOutcome) => void;
  /** Removes the listener of the signal, which may outlive many requests. */
  readonly release: () => void;
}

/** The permission requests of a session that wait for the user. Each is answered exactly once (I7). */
export class PendingPermissions {
  readonly #pending = new Map<string, PendingPermission>();

  /** @param onAnswer called once for each request, before its promise settles */
  constructor(private readonly onAnswer: (entry: number, outcome: PermissionOutcome) => void) {}

  get count(): number {
    return this.#pending.size;
  }

  /**
   * Waits for the answer.
   * @param signal withdraws the request
   */
  wait(permissionId: string, entry: number, signal: AbortSignal): Promise<PermissionOutcome> {
    return new Promise((settle) => {
      const withdraw = (): void => this.answer(permissionId, { type: 'canceled', reason: WITHDRAWN });
      const release = (): void => signal.removeEventListener('abort', withdraw);
      this.#pending.set(permissionId, { entry, settle, release });
      if (signal.aborted) withdraw();
      else signal.addEventListener('abort', withdraw, { once: true });
    });
  }

  /** Without effect when the request has been answered before. */
  answer(permissionId: string, outcome: PermissionOutcome): void {
    const pending = this.#pending.get(permissionId);
    if (!pending) return;
    this.#pending.delete(permissionId);
    pending.release();
    this.onAnswer(pending.entry, outcome);
    pending.settle(outcome);
  }

  /**
   * Cancels requests left open by a previous window.
   * @param entries of these requests
   */
  cancelStale(entries: readonly number[]): void {
    for (const entry of entries) this.onAnswer(entry, { type: 'canceled', reason: t('window reloaded') });
  }

  /**
   * Drops pending requests without an answer: a remote agent asks again.
   * @param reason for the transcript
   */
  detachAll(reason: string): void {
    const entries = Array.from(this.#pending.values(), ({ entry, release }) => {
      release();
      return entry;
    });
    this.#pending.clear();
    for (const entry of entries) this.onAnswer(entry, { type: 'canceled', reason });
  }

  /**
   * Answers pending requests with "cancelled" (ACP: prompt-turn, cancellation).
   * @param first the entry from which requests are canceled
   */
  cancelAll(reason: string, first: number): void {
    for (const [permissionId, { entry }] of Array.from(this.#pending)) {
      if (entry >= first) this.answer(permissionId, { type: 'canceled', reason });
    }
  }
}

/** Whether the agent offered this option. */
export function hasOption(permission: PermissionEntry, optionId: string): boolean {
  return permission.options.some((option) => option.optionId === optionId);
}

/** The request with this id that waits for the user. */
export function waitingPermission(
  { waiting, entries }: SessionState,
  permissionId: string,
): PermissionEntry | undefined {
  for (const index of waiting) {
    const entry = entryAt(entries, index);
    if (entry?.kind === 'permission' && entry.permissionId === permissionId) return entry;
  }
  return undefined;
}

/** The user's rejection: once, else always; canceled where the agent offers neither. */
export function rejection({ options }: PermissionEntry): PermissionOutcome {
  const option =
    options.find(({ kind }) => kind === 'reject_once') ?? options.find(({ kind }) => kind === 'reject_always');
  return option
    ? { type: 'selected', optionId: option.optionId, by: 'person' }
    : { type: 'canceled', reason: t('rejected') };
}
