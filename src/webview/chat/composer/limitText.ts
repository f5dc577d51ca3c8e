import { t } from '../../../base/l10n';
import { CLOCK } from '../../../base/timestamps';
import type { UsageLimit } from '../../../shared/state/usageState';

const DAY_MINUTES = 24 * 60;

/** Limits of Claude's adapter that apply to something other than a period of time. */
const LABELS: Readonly<Record<string, string>> = {
  seven_day_opus: t('7-day window for Opus'),
  seven_day_sonnet: t('7-day window for Sonnet'),
  seven_day_overage_included: t('7-day window with extra usage'),
  overage: t('Extra usage'),
};

/** "5-hour window: 47% used, resets 14:30"; undefined for a window that has been reset, or without any value. */
export function limitText(limit: UsageLimit, now: number, language: string): string | undefined {
  const { used, resetsAt, isReached } = limit;
  if (resetsAt !== undefined && resetsAt <= now) return undefined;
  const label = limitLabel(limit);
  const percent = used === undefined ? undefined : Math.round(used * 100);
  const reset = resetsAt === undefined ? undefined : resetTime(resetsAt, now, language);
  if (isReached) return reset === undefined ? t('{0}: used up', label) : t('{0}: used up, resets {1}', label, reset);
  if (percent === undefined) return reset === undefined ? undefined : t('{0}: resets {1}', label, reset);
  if (reset === undefined) return t('{0}: {1}% used', label, percent);
  return t('{0}: {1}% used, resets {2}', label, percent, reset);
}

function limitLabel({ id, minutes }: UsageLimit): string {
  if (Object.hasOwn(LABELS, id)) return LABELS[id] ?? id;
  if (minutes === undefined) return id === '' ? t('Usage limit') : t('Limit “{0}”', id);
  if (minutes % DAY_MINUTES === 0) return t('{0}-day window', minutes / DAY_MINUTES);
  return minutes % 60 === 0 ? t('{0}-hour window', minutes / 60) : t('{0}-minute window', minutes);
}

/** The time today, else with the date. */
export function resetTime(at: number, now: number, language: string): string {
  const [date, today] = [new Date(at), new Date(now)];
  if (date.toDateString() === today.toDateString()) return date.toLocaleTimeString(language, CLOCK);
  return date.toLocaleString(language, { month: 'short', day: 'numeric', ...CLOCK });
}
