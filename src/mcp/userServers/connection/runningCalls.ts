import type { JsonObject } from '../../../base/json';
import type { ToolContext } from '../../../session/toolServer';
import type { ElicitationReply } from '../../../shared/state/elicitationState';

/** A call that the server is processing. */
interface RunningCall {
  /** Aborts when the agent, the session or the server ended the call. */
  readonly signal: AbortSignal;
  /** Marks the call as finished. */
  readonly finish: () => void;
}

interface Running {
  readonly call: ToolContext;
  readonly over: AbortController;
  /** Requests to the user so far. */
  requests: number;
}

/** Requests to the user while one call runs: a server could ask without end. */
const MAX_REQUESTS = 25;

/** The running calls of one server. An elicitation of the server belongs to the session of one of these calls and ends with that call. */
export class RunningCalls {
  readonly name: string;
  readonly #running = new Set<Running>();

  constructor(name: string) {
    this.name = name;
  }

  enter(call: ToolContext): RunningCall {
    const running = { call, over: new AbortController(), requests: 0 };
    this.#running.add(running);
    const finish = (): void => {
      this.#running.delete(running);
      running.over.abort();
    };
    return { signal: AbortSignal.any([call.signal, running.over.signal]), finish };
  }

  /**
   * MCP `elicitation/create`.
   * @throws RpcError where the user cannot be asked
   */
  async elicit(params: JsonObject, signal: AbortSignal): Promise<ElicitationReply> {
    const { askUser, elicitationError } = await import('./serverElicitation');
    const last = [...this.#running].at(-1);
    if (last && ++last.requests > MAX_REQUESTS)
      throw elicitationError(`The user has been asked ${MAX_REQUESTS} times during this call, which is the limit.`);
    const calls = Array.from(this.#running, ({ call, over }) => ({
      ...call,
      signal: AbortSignal.any([call.signal, over.signal]),
    }));
    return askUser(this.name, calls, params, signal);
  }

  /** Cancels the elicitations of a closed connection. */
  end(): void {
    for (const { over } of this.#running) over.abort();
    this.#running.clear();
  }
}
