import { formatFixed, t } from '../../base/l10n';

/** "1.5 MB" */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return t('{0} B', bytes);
  return bytes < 1_000_000 ? t('{0} kB', formatFixed(bytes / 1000, 1)) : t('{0} MB', formatFixed(bytes / 1_000_000, 1));
}
