import type { ClientFeature } from '../agent/clientFeature';
import { asNumber, asObject, asString } from '../base/json';
import type { SessionLookup } from '../session/sessionHandle';
import { toUsageLimit } from '../session/translate/translateLimits';
import type { UsageLimit } from '../shared/state/usageState';

/**
 * The limits of the account that an agent reports outside of sessions. The shape is that of codex-acp's pull request 524,
 * which no release contains yet (November 2026).
 */
export function accountLimitsFeature(lookup: SessionLookup, now: () => number = Date.now): ClientFeature {
  const handle = (params: unknown): void => {
    const limits = parseAccountLimits(params, now());
    if (limits.length > 0) lookup.reportLimits?.(limits);
  };
  return { capabilities: {}, handlers: [], notifications: [{ method: '_account/rate_limits_update', handle }] };
}

export function parseAccountLimits(params: unknown, now: number): UsageLimit[] {
  const fields = asObject(params);
  const id = asString(fields?.['limitId']) ?? 'account';
  return ['primary', 'secondary'].flatMap((name) => {
    const window = asObject(fields?.[name]);
    const percent = asNumber(window?.['usedPercent']);
    if (!window || percent === undefined) return [];
    const { windowDurationMins: minutes, resetsAt } = window;
    return [toUsageLimit({ id: `${id} ${name}`, minutes, share: percent / 100, resetsAt }, percent >= 100, now)];
  });
}
