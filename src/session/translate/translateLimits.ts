import { asNumber, asObject, asString, omitUndefined } from '../../base/json';
import { truncate } from '../../base/text';
import type { Action } from '../../shared/state/sessionActions';
import type { UsageLimit } from '../../shared/state/usageState';

/** A reset further away, in either direction, is a wrong value. */
const MAX_RESET_MS = 366 * 86_400_000;
/** Usage can exceed 100 %, where credit is used beyond a limit. */
const MAX_SHARE = 10;
const MAX_ID = 40;
const WINDOW_MINUTES: Readonly<Record<string, number>> = { five_hour: 5 * 60, seven_day: 7 * 24 * 60 };

/** @param resetsAt seconds since 1970 */
export function toUsageLimit(
  limit: { readonly id: string; readonly minutes?: unknown; readonly share?: unknown; readonly resetsAt?: unknown },
  isReached: boolean,
  now: number,
): UsageLimit {
  const minutes = asNumber(limit.minutes);
  const used = asNumber(limit.share);
  const resetsAt = (asNumber(limit.resetsAt) ?? Number.NaN) * 1000;
  return {
    id: truncate(limit.id, MAX_ID),
    ...(minutes !== undefined && Number.isSafeInteger(minutes) && minutes > 0 && { minutes }),
    ...(used !== undefined && used >= 0 && used <= MAX_SHARE && { used }),
    ...(Math.abs(resetsAt - now) <= MAX_RESET_MS && { resetsAt }),
    ...(isReached && { isReached }),
  };
}

/** `_meta["_claude/rateLimit"]` of a `usage_update`: `SDKRateLimitInfo` of @anthropic-ai/claude-agent-sdk 0.3.316. */
export function translateLimits(meta: unknown, now: number): Action[] {
  const info = asObject(asObject(meta)?.['_claude/rateLimit']);
  const status = asString(info?.['status']);
  if (!info || status === undefined) return [];
  const id = asString(info['rateLimitType']) ?? '';
  // Extra usage continues after the window is used up.
  const isReached = status === 'rejected' && info['overageStatus'] !== 'allowed' && info['isUsingOverage'] !== true;
  const minutes = Object.hasOwn(WINDOW_MINUTES, id) ? WINDOW_MINUTES[id] : undefined;
  const fields = { ...omitUndefined({ minutes }), share: info['utilization'], resetsAt: info['resetsAt'] };
  return [{ type: 'limitsChanged', limits: [toUsageLimit({ id, ...fields }, isReached, now)] }];
}
