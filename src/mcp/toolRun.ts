import { settlesWithin } from '../base/async';
import type { Clock } from '../base/clock';
import type { AuditEntry } from '../session/audit';
import { toolId } from './filter';
import type { ToolCall } from './gate';
import type { ApprovalLedger } from './ledger';
import type { Asked, ToolResult } from './toolServer';
import { ToolError } from './toolServer';

/** Milliseconds a call may run where its tool does not say. */
const DEFAULT_TIMEOUT = 60_000;

export interface ToolRunOptions {
  readonly clock: Clock;
  readonly ledger: ApprovalLedger;
}

/** One call on its way through approval and tool. What the person takes does not count as running. */
export class ToolRun {
  readonly #call: ToolCall;
  readonly #id: string;
  readonly #options: ToolRunOptions;
  readonly #abort = new AbortController();
  #waited = 0;
  #askedAt: number | undefined;
  #ran = 0;
  /** Who decided that it may run. */
  by: AuditEntry['by'] = 'agent';
  isDenied = false;

  constructor(call: ToolCall, options: ToolRunOptions) {
    this.#call = call;
    this.#id = toolId(call.registered.name, call.tool.name);
    this.#options = options;
  }

  /** Milliseconds that the person was waited for. */
  get waited(): number {
    return this.#waited + (this.#askedAt === undefined ? 0 : this.#options.clock.now() - this.#askedAt);
  }

  /** Milliseconds that the tool ran; known at its end. */
  get ran(): number {
    return this.#ran;
  }

  get isWaiting(): boolean {
    return this.#askedAt !== undefined;
  }

  /** Runs it. @throws ToolError when it was not allowed or took too long, whatever the tool throws else */
  async run(): Promise<ToolResult> {
    const { tool, input, session, progress, meta, signal } = this.#call;
    const { clock } = this.#options;
    const abort = (): void => this.#abort.abort();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const startedAt = clock.now();
    const approve = (asked: Asked): Promise<void> => this.#approve(asked);
    try {
      if (tool.approval !== 'free' && tool.asksItself !== true) await approve({ title: tool.title });
      const person = <T>(given: Promise<T>): Promise<T> => this.#waitFor(given);
      const context = { session, signal: this.#abort.signal, progress, approve, person, ...(meta && { meta }) };
      return await this.#within(tool.timeout ?? DEFAULT_TIMEOUT, tool.call(input, context));
    } finally {
      this.#ran = clock.now() - startedAt - this.waited;
      signal.removeEventListener('abort', abort);
    }
  }

  /** The answer, unless the tool runs longer than it may; its time stands still while the person is waited for. */
  async #within(limit: number, answer: Promise<ToolResult>): Promise<ToolResult> {
    let left = limit;
    while (left > 0) {
      const before = this.waited;
      if (await settlesWithin(answer, left)) return answer;
      left = this.waited - before;
    }
    this.#abort.abort();
    const seconds = limit / 1000;
    throw new ToolError(`${this.#id} took longer than ${seconds} seconds and was stopped.`, 'Ask for less at a time.');
  }

  async #approve({ title, paths, always }: Asked): Promise<void> {
    const { session, registered, tool, input } = this.#call;
    const { ledger } = this.#options;
    this.by = 'person';
    if (ledger.take(session.state, registered.name, tool.name, input)) return;
    const isAlways = tool.approval === 'always' || always === true;
    const question = {
      kind: tool.annotations.readOnlyHint === true ? ('read' as const) : ('edit' as const),
      title,
      otherwise: 'ask' as const,
      tool: this.#id,
      input,
      ...(paths && { paths }),
      ...(isAlways && { always: `${this.#id} is asked about every time` }),
    };
    const { allowed, reason } = await this.#waitFor(session.authorize(question, this.#abort.signal));
    if (allowed) return;
    this.isDenied = true;
    throw new ToolError(`${this.#id} was not allowed: ${reason}.`, 'Go on without it, or ask the person.');
  }

  async #waitFor<T>(answer: Promise<T>): Promise<T> {
    const { clock } = this.#options;
    this.#askedAt = clock.now();
    try {
      return await answer;
    } finally {
      this.#waited += clock.now() - this.#askedAt;
      this.#askedAt = undefined;
    }
  }
}
