import { deferred } from '../../base/async';
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';

/** The result of a request: `RpcError` is the agent's own error, `ParleyError` means that the agent did not answer. */
export type RequestOutcome = { readonly result: unknown } | { readonly error: Error };

/** One of our requests that waits for its answer. It settles once; later answers are ignored. */
export class PendingRequest {
  readonly #answer = deferred<unknown>();
  readonly #onSettled: (outcome: RequestOutcome) => void;
  readonly #log: Logger;
  readonly #after: (() => void)[] = [];
  #settled = false;

  constructor(onSettled: (outcome: RequestOutcome) => void, log: Logger) {
    this.#onSettled = onSettled;
    this.#log = log;
    // Callers that only use `onSettled` must not cause an unhandled rejection.
    this.#answer.promise.catch(() => {});
  }

  get promise(): Promise<unknown> {
    return this.#answer.promise;
  }

  get settled(): boolean {
    return this.#settled;
  }

  settle(outcome: RequestOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    try {
      this.#onSettled(outcome);
    } catch (error) {
      this.#log.error('wire', `Failed to handle a response: ${errorMessage(error)}`, error);
    }
    if ('error' in outcome) this.#answer.reject(outcome.error);
    else this.#answer.resolve(outcome.result);
    for (const callback of this.#after.splice(0)) callback();
  }

  /** Calls back once the answer has taken effect; immediately when it already has. */
  afterSettled(callback: () => void): void {
    if (this.#settled) callback();
    else this.#after.push(callback);
  }
}
