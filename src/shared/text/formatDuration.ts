import { t } from '../../base/l10n';

/** "6 s", "2 min 5 s", "1 h 3 min"; at least one second. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  if (seconds < 60) return t('{0} s', seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? t('{0} min', minutes) : t('{0} min {1} s', minutes, seconds % 60);
  return minutes % 60 === 0 ? t('{0} h', minutes / 60) : t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}
