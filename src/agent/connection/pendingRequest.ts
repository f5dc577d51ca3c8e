import { createDeferred } from '../../base/async';
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';

/** The result of a request: `RpcError` is the agent's own error, `ParleyError` means that the agent did not answer. */
export type RequestOutcome = { readonly result: unknown } | { readonly error: Error };

/** One of our requests that waits for its answer. It settles once; later answers are ignored. */
export class PendingRequest {
  readonly #answer = createDeferred<unknown>();
  readonly #callbacks: (() => void)[] = [];
  #isSettled = false;

  readonly promise = this.#answer.promise;

  constructor(
    private readonly onSettled: (outcome: RequestOutcome) => void,
    private readonly log: Logger,
  ) {
    // Callers that only use `onSettled` must not cause an unhandled rejection.
    this.promise.catch(() => {});
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  settle(outcome: RequestOutcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    try {
      this.onSettled(outcome);
    } catch (error) {
      this.log.error('wire', `Failed to handle a response: ${errorMessage(error)}`, error);
    }
    if ('error' in outcome) this.#answer.reject(outcome.error);
    else this.#answer.resolve(outcome.result);
    for (const callback of this.#callbacks.splice(0)) callback();
  }

  /** Calls back once the answer has taken effect; immediately when it already has. */
  afterSettled(callback: () => void): void {
    if (this.#isSettled) callback();
    else this.#callbacks.push(callback);
  }
}
