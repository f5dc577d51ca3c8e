/** Characters of a branch name after `parley/`. */
const MAX_LENGTH = 40;
/** Names that Windows does not allow for files. Git stores each branch as a file. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * A branch name from the words of a message, which git accepts on every platform.
 * @param taken existing branch names
 */
export function branchName(words: string, taken: ReadonlySet<string>): string {
  // Git has no branch `a` beside `a/b`.
  const names = [...taken].flatMap((name) => name.split('/').map((_part, at, all) => all.slice(0, at + 1).join('/')));
  const folded = new Set(names.map((name) => name.toLowerCase()));
  const slug = slugOf(words);
  for (let number = 1; ; number++) {
    const name = `parley/${slug}${number === 1 ? '' : `-${number}`}`;
    if (!folded.has(name.toLowerCase())) return name;
  }
}

/** Letters and digits of all scripts (git-check-ref-format), cut at a word. */
function slugOf(words: string): string {
  const parts =
    words
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let slug = '';
  for (const part of parts) {
    const longer = slug === '' ? Array.from(part).slice(0, MAX_LENGTH).join('') : `${slug}-${part}`;
    if (longer.length > MAX_LENGTH && slug !== '') break;
    slug = longer;
  }
  if (slug === '') return 'chat';
  return DEVICES.test(slug) ? `${slug}-chat` : slug;
}
