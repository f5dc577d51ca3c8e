// Protected by test/unit/mcp/calls/longApproval.test.ts: clients accept the result of a call that still waits for approval.
import { randomUUID } from 'node:crypto';
import { createDeferred } from '../../base/async';
import type { Clock } from '../../base/clock';
import { canonicalJson } from '../../base/json';
import { DisposableStore } from '../../base/lifecycle';
import type { ToolResult } from '../../session/toolServer';
import { ToolError } from '../contract/toolServerTypes';
import { MAX_WAIT_MS } from './callLimits';

/** Milliseconds between progress messages while a call waits for the user. */
const PROGRESS_INTERVAL_MS = 15_000;
/** Unfetched results that are kept. */
const MAX_CALLS = 64;

export interface PendingCall {
  readonly result: Promise<ToolResult>;
  readonly isWaiting: () => boolean;
}

interface StoredCall extends PendingCall {
  readonly handle: string;
  readonly key: string;
  /** The caller has received the handle. Before that, an equal call is a new call. */
  isHandedOut: boolean;
}

interface Caller {
  readonly sessionId: string;
  /** Set for callers other than the session's agent: an answer for one caller must not reach another. */
  readonly caller?: string | undefined;
  readonly id: string;
  readonly input: unknown;
  readonly progress: (message: string) => void;
}

/** Calls that wait for the user. After a while they return a handle; the same call again, or the handle, continues the wait. */
export class PendingCalls {
  readonly #calls = new Map<string, StoredCall>();

  constructor(private readonly clock: Clock) {}

  /**
   * Returns the result, or `awaiting_approval`.
   * @param start Makes the call, unless an equal one is already pending.
   */
  async awaitResult(caller: Caller, handle: string | undefined, start: () => PendingCall): Promise<ToolResult> {
    const stored = this.#find(caller, handle) ?? this.#add(caller, start());
    const result = await this.#wait(caller, stored);
    if (result) this.#calls.delete(stored.handle);
    else stored.isHandedOut = true;
    return result ?? toAwaitingResult(stored.handle, caller.id);
  }

  /** Whether the handle was issued here and its call is still unfetched. */
  has(handle: string): boolean {
    return this.#calls.has(handle);
  }

  /** Drops pending calls of a closed session. */
  closeSession(sessionId: string): void {
    for (const [handle, { key }] of this.#calls) if (key.startsWith(`${sessionId}\n`)) this.#calls.delete(handle);
  }

  #find(caller: Caller, handle: string | undefined): StoredCall | undefined {
    const { id } = caller;
    const key = callKey(caller);
    if (handle === undefined)
      return [...this.#calls.values()].find((stored) => stored.isHandedOut && stored.key === key);
    const stored = this.#calls.get(handle);
    // A handle of another session, caller or tool is invalid.
    if (stored?.key.startsWith(callKey({ ...caller, input: undefined }))) return stored;
    throw new ToolError(
      `There is no call of ${id} with the handle ${JSON.stringify(handle)}.`,
      'Call it without a handle.',
    );
  }

  #add(caller: Caller, call: PendingCall): StoredCall {
    const stored = { ...call, handle: randomUUID(), key: callKey(caller), isHandedOut: false };
    this.#calls.set(stored.handle, stored);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS && oldest !== undefined) this.#calls.delete(oldest);
    return stored;
  }

  /** Undefined on timeout. */
  async #wait({ progress }: Caller, { result, isWaiting }: StoredCall): Promise<ToolResult | undefined> {
    const store = new DisposableStore();
    const late = createDeferred<undefined>();
    const tick = (): void => {
      store.add(this.clock.after(PROGRESS_INTERVAL_MS, tick));
      if (isWaiting()) progress('Waiting for the user');
    };
    const check = (): void => {
      if (isWaiting()) late.resolve(undefined);
      else store.add(this.clock.after(PROGRESS_INTERVAL_MS, check));
    };
    store.add(this.clock.after(PROGRESS_INTERVAL_MS, tick));
    store.add(this.clock.after(MAX_WAIT_MS, check));
    try {
      return await Promise.race([result, late.promise]);
    } finally {
      store.dispose();
    }
  }
}

function callKey({ sessionId, caller = '', id, input }: Caller): string {
  return `${sessionId}\n${JSON.stringify(caller)}\n${id}\n${input === undefined ? '' : canonicalJson(input)}`;
}

function toAwaitingResult(handle: string, id: string): ToolResult {
  const text = `awaiting_approval: the user has not answered yet. Call ${id} again with the same arguments, or with {"handle": "${handle}"} added, to wait on.`;
  return { text, structured: { status: 'awaiting_approval', handle } };
}
