import type { DecidedRequest } from '../../permissions/auditRecords';
import type { PermissionOption, PermissionOutcome } from '../../shared/state/toolCallState';

/** A request that can be shown. */
export interface NewRequest extends DecidedRequest {
  /** Entry of the tool call. */
  readonly tool: number;
  readonly title: string;
  readonly options: readonly PermissionOption[];
  readonly signal: AbortSignal;
  /** Why a request without options is canceled. */
  readonly refusal?: string | undefined;
  /** Why it is canceled when it is shown. */
  readonly canceled?: string | undefined;
}

/** What a check found, or why its request was canceled meanwhile. */
type Checked<T> = { readonly found: T } | { readonly canceled: string };

/** Permission requests that are not shown yet, because it takes time to check what they allow. */
export class CheckedRequests {
  /** With the number of entries when each came. */
  readonly #waiting = new Map<(reason: string) => void, number>();

  /**
   * Opens a request after its check, or when it is canceled.
   * @param entry the number of entries when the request came
   * @param check never rejects
   * @param open called at most once
   */
  wait<T>(
    entry: number,
    check: Promise<T>,
    open: (checked: Checked<T>) => Promise<PermissionOutcome>,
  ): Promise<PermissionOutcome> {
    return new Promise((settle) => {
      const finish = (checked: Checked<T>): void => {
        if (this.#waiting.delete(cancel)) settle(open(checked));
      };
      const cancel = (reason: string): void => finish({ canceled: reason });
      this.#waiting.set(cancel, entry);
      void check.then((found) => finish({ found }));
    });
  }

  /** Opens requests from the entry `first` on as canceled. */
  cancelAll(reason: string, first: number): void {
    for (const [cancel, entry] of Array.from(this.#waiting)) if (entry >= first) cancel(reason);
  }

  /** Drops requests without an answer: a remote agent asks again. */
  detachAll(): void {
    this.#waiting.clear();
  }
}
