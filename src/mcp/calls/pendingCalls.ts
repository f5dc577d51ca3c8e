import { randomUUID } from 'node:crypto';
import { deferred } from '../../base/async';
import type { Clock } from '../../base/clock';
import { DisposableStore } from '../../base/lifecycle';
import { canonical } from './priorApprovals';
import type { ToolResult } from '../toolServerTypes';
import { ToolError } from '../toolServerTypes';

/** Milliseconds between two messages of progress while the user is waited for. */
export const WAITING_PROGRESS = 15_000;
/** Milliseconds of waiting for the user after which a call answers with a handle: agents give up after a minute. */
export const MAX_WAIT = 50_000;
/** Results that nobody fetched. */
const MAX_KEPT = 64;

/** A call that may wait for the user. */
export interface PendingCall {
  readonly result: Promise<ToolResult>;
  /** The user is being waited for right now. */
  readonly isWaiting: () => boolean;
}

interface Kept extends PendingCall {
  readonly handle: string;
  readonly key: string;
  /** Its caller has been told to come again. Until then an equal call is another one. */
  isHandedOut: boolean;
}

/** Whose call it is, and how it is told that it takes long. */
export interface Caller {
  readonly sessionId: string;
  /** Who calls, where it is not the session's agent: what the user answers one caller is not handed to another. */
  readonly caller?: string | undefined;
  readonly id: string;
  readonly input: unknown;
  readonly progress: (message: string) => void;
}

/** Calls that the user has not answered yet: after a while they answer with a handle, and the same call again, or the handle, waits on. */
export class PendingCalls {
  readonly #kept = new Map<string, Kept>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The result, or `awaiting_approval`.
   * @param start makes the call, unless it is one that waits already
   */
  async settle(caller: Caller, handle: string | undefined, start: () => PendingCall): Promise<ToolResult> {
    const kept = this.#find(caller, handle) ?? this.#keep(caller, start());
    const result = await this.#wait(caller, kept);
    if (result) this.#kept.delete(kept.handle);
    else kept.isHandedOut = true;
    return result ?? awaiting(kept.handle, caller.id);
  }

  /** Whether a handle was given out here and its call has not been fetched. */
  knows(handle: string): boolean {
    return this.#kept.has(handle);
  }

  /** The session is closed: nobody fetches what is left of its calls. */
  forget(sessionId: string): void {
    for (const [handle, { key }] of this.#kept) if (key.startsWith(`${sessionId}\n`)) this.#kept.delete(handle);
  }

  #find(caller: Caller, handle: string | undefined): Kept | undefined {
    const { id } = caller;
    const key = keyOf(caller);
    if (handle === undefined) return [...this.#kept.values()].find((kept) => kept.isHandedOut && kept.key === key);
    const kept = this.#kept.get(handle);
    // A handle of another session, caller or tool is as good as none.
    if (kept?.key.startsWith(keyOf({ ...caller, input: undefined }))) return kept;
    throw new ToolError(
      `There is no call of ${id} with the handle ${JSON.stringify(handle)}.`,
      'Call it without a handle.',
    );
  }

  #keep(caller: Caller, awaited: PendingCall): Kept {
    const kept = { ...awaited, handle: randomUUID(), key: keyOf(caller), isHandedOut: false };
    this.#kept.set(kept.handle, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }

  /** Undefined when the user was waited for too long. */
  async #wait({ progress }: Caller, { result, isWaiting }: Kept): Promise<ToolResult | undefined> {
    const store = new DisposableStore();
    const late = deferred<undefined>();
    const tick = (): void => {
      store.add(this.#clock.after(WAITING_PROGRESS, tick));
      if (isWaiting()) progress('Waiting for the person');
    };
    const check = (): void => {
      if (isWaiting()) late.resolve(undefined);
      else store.add(this.#clock.after(WAITING_PROGRESS, check));
    };
    store.add(this.#clock.after(WAITING_PROGRESS, tick));
    store.add(this.#clock.after(MAX_WAIT, check));
    try {
      return await Promise.race([result, late.promise]);
    } finally {
      store.dispose();
    }
  }
}

function keyOf({ sessionId, caller = '', id, input }: Omit<Caller, 'progress'>): string {
  return `${sessionId}\n${JSON.stringify(caller)}\n${id}\n${input === undefined ? '' : canonical(input)}`;
}

function awaiting(handle: string, id: string): ToolResult {
  const text = `awaiting_approval: the person has not answered yet. Call ${id} again with the same arguments, or with {"handle": "${handle}"} added, to wait on.`;
  return { text, structured: { status: 'awaiting_approval', handle } };
}
