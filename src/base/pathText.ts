/** Path functions without file access. */

/**
 * The share of a path on another computer, as `//host/share`; undefined for a path of this computer. Names of devices (`\\?\`, `\\.\`)
 * count: `\\?\UNC\host\share` is another computer as well.
 */
function shareOf(path: string): string | undefined {
  const [, host, share = ''] = /^[\\/]{2}([^\\/]*)(?:[\\/]+([^\\/]*))?/.exec(path) ?? [];
  return host === undefined ? undefined : `//${host}/${share}`.toLowerCase();
}

/**
 * Whether accessing a path would contact a computer that is in none of the folders. On Windows that alone reveals the user's name and a
 * password hash.
 */
export function isOnOtherComputer(path: string, folders: readonly string[], platform = process.platform): boolean {
  const share = platform === 'win32' ? shareOf(path) : undefined;
  return share !== undefined && !folders.some((folder) => shareOf(folder) === share);
}

/** Dotless ı: upper case makes it an I, but no file system takes the two for the same. */
const DOTLESS = 'ı';

/**
 * A path as file systems without case compare it (Unicode simple case folding): `ſ` is s, `ς` is σ, the Kelvin sign is k, and accents count
 * whether they are composed or not.
 */
export function foldCase(path: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(path)) return path.toLowerCase();
  return Array.from(path.normalize('NFD'), foldCharacter).join('').normalize('NFC');
}

function foldCharacter(character: string): string {
  const upper = character === DOTLESS ? character : character.toUpperCase();
  const lower = (upper.length === character.length ? upper : character).toLowerCase();
  return lower.length === character.length ? lower : character;
}
