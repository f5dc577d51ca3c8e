import { normalizeText } from './text';

/** Path functions without file access. */

/**
 * The share of a path on another computer, as `//host/share`; undefined for a path of this computer. Device names (`\\?\`, `\\.\`) are
 * resolved: `\\?\UNC\host\share` is on another computer, too.
 */
function shareOf(path: string): string | undefined {
  const [, host, share = ''] = /^[\\/]{2}([^\\/]*)(?:[\\/]+([^\\/]*))?/.exec(path) ?? [];
  return host === undefined ? undefined : `//${host}/${share}`.toLowerCase();
}

/**
 * Whether accessing a path would contact a computer that hosts none of the folders. On Windows such an access reveals the user's name and
 * a password hash.
 */
export function isOnOtherComputer(path: string, folders: readonly string[], platform = process.platform): boolean {
  const share = platform === 'win32' ? shareOf(path) : undefined;
  return share !== undefined && !folders.some((folder) => shareOf(folder) === share);
}

/** Dotless ı: its upper case is I, but every file system distinguishes the two. */
const DOTLESS = 'ı';

/**
 * A path as case-insensitive file systems compare it (Unicode simple case folding): `ſ` equals s, `ς` equals σ, the Kelvin sign equals k.
 * Composed and decomposed accents are equal.
 */
export function foldCase(path: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(path)) return path.toLowerCase();
  return normalizeText(Array.from(normalizeText(path, 'NFD'), foldCharacter).join(''), 'NFC');
}

function foldCharacter(character: string): string {
  const upper = character === DOTLESS ? character : character.toUpperCase();
  const lower = (upper.length === character.length ? upper : character).toLowerCase();
  return lower.length === character.length ? lower : character;
}
