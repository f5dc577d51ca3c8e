import type { JSX } from 'preact';
import { locale } from '../../base/l10n';
import { CLOCK, toIsoTimestamp } from '../../base/timestamps';

/**
 * A time of day; nothing for an invalid date.
 * @param at milliseconds since 1970
 */
export function Time({ at, format }: { at: number; format?: Intl.DateTimeFormat }): JSX.Element | null {
  const iso = toIsoTimestamp(at);
  if (iso === undefined) return null;
  const date = new Date(at);
  return (
    <time dateTime={iso} title={date.toLocaleString(locale())}>
      {format?.format(at) ?? date.toLocaleTimeString(locale(), { ...CLOCK, second: '2-digit' })}
    </time>
  );
}
