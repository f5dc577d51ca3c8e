import type { Clock } from '../../base/clock';
import { asObject } from '../../base/json';
import { RpcError } from '../../base/jsonRpc';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { MutableDisposable } from '../../base/lifecycle';
import { entriesFrom, entryAt } from '../../shared/state/entryPages';
import type { UsageLimit } from '../../shared/state/usageState';
import type { SessionModel } from '../sessionModel';

const DAY_MS = 86_400_000;
/** Longest time until a retry; the windows of subscriptions are shorter. */
const MAX_AHEAD_MS = 31 * DAY_MS;
/** The clocks of this computer and of the agent's service may differ. */
const MARGIN_MS = 30_000;
/** Longest time of one timer: a computer that slept is noticed, and the timers of Node end at 2^31 milliseconds. */
const CHECK_MS = 60_000;
/** A retry that no window could send in this time is not sent any more. */
const MAX_LATE_MS = DAY_MS;

/** Kinds of errors that the adapter for Claude reports for a limit (seen in 0.101.0). */
const LIMIT_ERRORS: ReadonlySet<unknown> = new Set(['rate_limit', 'billing_error']);

/** When a turn that failed with `error` can be retried; undefined if no known limit was the cause. */
export function limitResetAt(
  error: unknown,
  limits: readonly UsageLimit[] | undefined,
  now: number,
): number | undefined {
  if (!(error instanceof RpcError)) return undefined;
  const kind = asObject(error.data)?.['errorKind'];
  if (kind !== undefined && !LIMIT_ERRORS.has(kind)) return undefined;
  const resets = (limits ?? []).flatMap(({ isReached, resetsAt }) => (isReached && resetsAt ? [resetsAt] : []));
  const at = Math.max(...resets.filter((reset) => reset > now));
  return at <= now + MAX_AHEAD_MS && at > now ? at : undefined;
}

/** Sends the last prompt again when a limit is reset, once. Survives a reload of the window, because the state has the time. */
export class UsageLimitRetry implements Disposable {
  readonly #timer = new MutableDisposable<Disposable>();

  /** @param mayRetry false when another window has taken the session */
  constructor(
    private readonly model: SessionModel,
    private readonly clock: Clock,
    private readonly retry: () => Promise<void>,
    private readonly mayRetry: () => boolean = () => true,
  ) {
    model.onDidDispatch(({ action: { type } }) => {
      if (type === 'retryScheduled' || type === 'retryEnded' || type === 'promptSent') this.arm();
    });
  }

  /** @param entry index of the error, which must be about the last prompt */
  schedule(entry: number): void {
    const { entries, turn } = this.model.state;
    const error = entryAt(entries, entry);
    if (error?.kind !== 'error' || error.retryAt === undefined || turn.status === 'running') return;
    for (const [, { kind }] of entriesFrom(entries, entry)) if (kind === 'user') return;
    this.model.dispatch({ type: 'retryScheduled', retryAt: error.retryAt });
  }

  cancel(): void {
    if (this.model.state.retryAt !== undefined) this.model.dispatch({ type: 'retryEnded' });
  }

  /** Starts the timer of the scheduled time, also of one from an earlier window. */
  arm(): void {
    const { retryAt } = this.model.state;
    this.#timer.value = undefined;
    if (retryAt === undefined) return;
    const left = retryAt + MARGIN_MS - this.clock.now();
    this.#timer.value = this.clock.after(Math.min(Math.max(left, 0), CHECK_MS), () => this.#check());
  }

  dispose(): void {
    this.#timer.dispose();
  }

  #check(): void {
    const model = this.model;
    const { retryAt } = model.state;
    if (retryAt === undefined || !this.mayRetry()) return;
    const late = this.clock.now() - retryAt;
    if (late < MARGIN_MS) return this.arm();
    // First, so that the prompt is never sent twice.
    model.dispatch({ type: 'retryEnded' });
    if (late <= MAX_LATE_MS) return void this.retry();
    const title = t('The message was not sent again');
    const text = t(
      'The window was closed for more than a day after the limit was reset. Select “Retry” to send the message.',
    );
    model.showNotice('info', title, text);
  }
}
