import { t } from '../../../base/l10n';
/** Names in archives are untrusted; no name may leave the target folder. */

const MAX_LENGTH = 1_024;
const MAX_DEPTH = 64;
const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * The segments of a name in an archive, or the reason for refusing it. An empty list is the folder itself.
 * @param isWindows whether the file system is of Windows, where more names are special
 */
export function safeArchiveSegments(
  name: string,
  isWindows: boolean,
): readonly string[] | { readonly problem: string } {
  if (name.length > MAX_LENGTH) return { problem: t('its name is too long') };
  if (CONTROL.test(name)) return { problem: t('its name contains control characters') };
  const path = name.replaceAll('\\', '/');
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return { problem: t('its name is an absolute path') };
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) return { problem: t('its path is outside the archive') };
  if (segments.length > MAX_DEPTH) return { problem: t('its path is nested too deeply') };
  if (isWindows && segments.some((segment) => /[:*?"<>|]|[. ]$/.test(segment) || DEVICES.test(segment)))
    return { problem: t('its name is not valid on Windows') };
  return segments;
}

/**
 * The target of a symbolic link as segments below the root; undefined when it leaves the archive.
 * @param from segments of the link itself
 */
export function safeLinkTarget(
  from: readonly string[],
  target: string,
  isWindows: boolean,
): readonly string[] | undefined {
  const path = target.replaceAll('\\', '/');
  if (path === '' || path.startsWith('/') || /^[A-Za-z]:/.test(path) || CONTROL.test(path)) return undefined;
  const found = from.slice(0, -1);
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') found.push(segment);
    else if (found.pop() === undefined) return undefined;
  }
  const safe = safeArchiveSegments(found.join('/'), isWindows);
  return 'problem' in safe ? undefined : safe;
}
