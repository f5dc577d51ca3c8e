/** Finds words that may be paths, independent of the program. */

/** Maximum characters of a value attached to an option; longer ones are not protected names. */
const MAX_GLUED = 24;

/** Each word that may be a path, unchanged, plus its parts that may be paths: option values, attached values, lists. */
export function pathWords(words: readonly string[]): readonly string[] {
  return [...new Set(words.flatMap(pathsIn))];
}

function pathsIn(word: string): readonly string[] {
  if (isPlainUrl(word)) return [];
  const found = word.startsWith('-') ? gluedPaths(word) : [word];
  const parts = word.includes('://') ? [] : word.split(/[=:,;@]/).slice(1);
  const rest = word.slice(word.indexOf('=') + 1);
  const file = /^file:\/\/[^/]*(\/.*)$/i.exec(word)?.[1];
  return [...found, rest === word ? '' : rest, ...parts, file ?? ''].filter((each) => each !== '' && !isPlainUrl(each));
}

/** A network URL, which no program reads as a file, unless it contains `..`. */
function isPlainUrl(word: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(word) && !/^file:/i.test(word) && !/(?:^|\/)\.\.(?:\/|$)/.test(word);
}

/** `-Iinclude`, `-xf../a`: the value may start after each letter of a short option. */
function gluedPaths(word: string): readonly string[] {
  if (word.startsWith('--')) return [];
  const rest = word.slice(2);
  const last = Math.max(0, rest.length - MAX_GLUED);
  const ends = Array.from(rest, (_, at) => rest.slice(at)).slice(last);
  return last === 0 ? ends : [rest, ...ends];
}
