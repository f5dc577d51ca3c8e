import { asNumber, asObject, omitUndefined } from '../../base/json';
import type { TokenUsage } from '../../shared/state/usageState';

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
