import type { JsonObject } from '../../../base/json';
import type { ElicitationAnswer } from '../../../shared/state/elicitationState';
import type { ToolContext } from '../../toolServerTypes';

/** A call on its way, as long as the server works on it. */
export interface RunningCall {
  /** Aborts when nobody waits for the call any more, whoever ended it: the agent, the session, or the server. */
  readonly signal: AbortSignal;
  /** It is over. */
  readonly leave: () => void;
}

interface Running {
  readonly call: ToolContext;
  readonly over: AbortController;
}

/** The calls of one server that run: what the server asks of the user meanwhile belongs to one of their sessions, and ends with it. */
export class RunningCalls {
  /** Of the server. */
  readonly name: string;
  readonly #running = new Set<Running>();

  constructor(name: string) {
    this.name = name;
  }

  enter(call: ToolContext): RunningCall {
    const running = { call, over: new AbortController() };
    this.#running.add(running);
    const leave = (): void => {
      this.#running.delete(running);
      running.over.abort();
    };
    return { signal: AbortSignal.any([call.signal, running.over.signal]), leave };
  }

  /**
   * The server asks the user something (MCP `elicitation/create`).
   * @throws RpcError where nobody can be asked so
   */
  async ask(params: JsonObject, signal: AbortSignal): Promise<ElicitationAnswer> {
    const { askUser } = await import('./serverElicitation');
    const calls = [...this.#running].map(({ call, over }) => ({
      session: call.session,
      person: call.person,
      signal: AbortSignal.any([call.signal, over.signal]),
    }));
    return askUser(this.name, calls, params, signal);
  }

  /** The server is gone, or another one: its questions go with it. */
  end(): void {
    for (const { over } of this.#running) over.abort();
    this.#running.clear();
  }
}
