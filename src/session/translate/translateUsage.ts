import { asNumber, asObject, asString, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { Action } from '../../shared/state/sessionActions';
import type { TokenUsage } from '../../shared/state/usageState';
import { translateLimits } from './translateLimits';

/** The `usage` in the response to a prompt; undefined without any valid count. */
export function tokenUsage(usage: unknown): TokenUsage | undefined {
  const fields = asObject(usage);
  const count = (name: string): number | undefined => {
    const value = asNumber(fields?.[name]);
    return value === undefined || value < 0 ? undefined : value;
  };
  const input = count('inputTokens') ?? 0;
  const output = count('outputTokens') ?? 0;
  const total = count('totalTokens') ?? input + output;
  const cachedRead = count('cachedReadTokens');
  const cachedWrite = count('cachedWriteTokens');
  const thought = count('thoughtTokens');
  return total > 0 ? { total, input, output, ...omitUndefined({ cachedRead, cachedWrite, thought }) } : undefined;
}

/** Larger amounts are wrong values. */
const MAX_COST = 1e9;
const MAX_CURRENCY = 12;

/** An invalid size (0, null, negative) is shown as unknown. */
export function translateUsage(update: JsonObject, now: number): Action[] {
  return [...usageOf(update), ...translateLimits(update['_meta'], now)];
}

function usageOf(update: JsonObject): Action[] {
  const used = asNumber(update['used']);
  if (used === undefined || used < 0) return [];
  const size = Math.max(0, asNumber(update['size']) ?? 0);
  const cost = asObject(update['cost']);
  const amount = asNumber(cost?.['amount']);
  const currency = asString(cost?.['currency']);
  const isKnown =
    amount !== undefined &&
    amount >= 0 &&
    amount <= MAX_COST &&
    currency !== undefined &&
    currency.length <= MAX_CURRENCY;
  return [{ type: 'usageChanged', usage: { used, size, ...(isKnown && { cost: { amount, currency } }) } }];
}
