import { randomUUID } from 'node:crypto';
import { deferred } from '../../base/async';
import type { Clock } from '../../base/clock';
import { canonicalJson } from '../../base/json';
import { DisposableStore } from '../../base/lifecycle';
import type { ToolResult } from '../../session/toolServer';
import { ToolError } from '../toolServerTypes';

/** Milliseconds between progress messages while a call waits for the user. */
const PROGRESS_INTERVAL_MS = 15_000;
/** Milliseconds after which a waiting call returns a handle: agents time out after a minute. */
const MAX_WAIT = 50_000;
/** Unfetched results that are kept. */
const MAX_KEPT = 64;

export interface PendingCall {
  readonly result: Promise<ToolResult>;
  readonly isWaiting: () => boolean;
}

interface Kept extends PendingCall {
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
  readonly #kept = new Map<string, Kept>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the result, or `awaiting_approval`.
   * @param start Makes the call, unless an equal one is already pending.
   */
  async awaitResult(caller: Caller, handle: string | undefined, start: () => PendingCall): Promise<ToolResult> {
    const kept = this.#find(caller, handle) ?? this.#keep(caller, start());
    const result = await this.#wait(caller, kept);
    if (result) this.#kept.delete(kept.handle);
    else kept.isHandedOut = true;
    return result ?? awaiting(kept.handle, caller.id);
  }

  /** Whether the handle was issued here and its call is still unfetched. */
  has(handle: string): boolean {
    return this.#kept.has(handle);
  }

  /** Drops pending calls of a closed session. */
  closeSession(sessionId: string): void {
    for (const [handle, { key }] of this.#kept) if (key.startsWith(`${sessionId}\n`)) this.#kept.delete(handle);
  }

  #find(caller: Caller, handle: string | undefined): Kept | undefined {
    const { id } = caller;
    const key = callKey(caller);
    if (handle === undefined) return [...this.#kept.values()].find((kept) => kept.isHandedOut && kept.key === key);
    const kept = this.#kept.get(handle);
    // A handle of another session, caller or tool is invalid.
    if (kept?.key.startsWith(callKey({ ...caller, input: undefined }))) return kept;
    throw new ToolError(
      `There is no call of ${id} with the handle ${JSON.stringify(handle)}.`,
      'Call it without a handle.',
    );
  }

  #keep(caller: Caller, awaited: PendingCall): Kept {
    const kept = { ...awaited, handle: randomUUID(), key: callKey(caller), isHandedOut: false };
    this.#kept.set(kept.handle, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }

  /** Undefined on timeout. */
  async #wait({ progress }: Caller, { result, isWaiting }: Kept): Promise<ToolResult | undefined> {
    const store = new DisposableStore();
    const late = deferred<undefined>();
    const tick = (): void => {
      store.add(this.#clock.after(PROGRESS_INTERVAL_MS, tick));
      if (isWaiting()) progress('Waiting for the user');
    };
    const check = (): void => {
      if (isWaiting()) late.resolve(undefined);
      else store.add(this.#clock.after(PROGRESS_INTERVAL_MS, check));
    };
    store.add(this.#clock.after(PROGRESS_INTERVAL_MS, tick));
    store.add(this.#clock.after(MAX_WAIT, check));
    try {
      return await Promise.race([result, late.promise]);
    } finally {
      store.dispose();
    }
  }
}

function callKey({ sessionId, caller = '', id, input }: Omit<Caller, 'progress'>): string {
  return `${sessionId}\n${JSON.stringify(caller)}\n${id}\n${input === undefined ? '' : canonicalJson(input)}`;
}

function awaiting(handle: string, id: string): ToolResult {
  const text = `awaiting_approval: the user has not answered yet. Call ${id} again with the same arguments, or with {"handle": "${handle}"} added, to wait on.`;
  return { text, structured: { status: 'awaiting_approval', handle } };
}
