import type { ReadWords } from './options';

/** Words that a shell evaluates again: subscripts run the substitutions in them, and settings change how commands are read. */

/** Settings of shells that do not change how the rest of a line is read. */
export const PLAIN_SETTING = /^(?:errexit|nounset|xtrace|verbose|noglob|pipefail|noclobber|errtrace|monitor)$/;

/** Of `set -o keyword`. */
export function settings(_argv: readonly string[], { values }: ReadWords): readonly number[] {
  return values.flatMap(({ text, indices: [at = 0] }) => (PLAIN_SETTING.test(text) ? [] : [at]));
}

/** Of `test -v 'a[x]'`. */
export function testedNames(argv: readonly string[]): readonly number[] {
  return indicesOf(argv, (word, before) => /[`$]|\w\[/.test(word) || (/^-[vR]$/.test(before) && !/^\w+$/.test(word)));
}

/** Of `exit 'a[$(x)]'`. */
export function subscripts(argv: readonly string[]): readonly number[] {
  return indicesOf(argv, (word) => /\w\[[^]*[`$]/.test(word));
}

function indicesOf(argv: readonly string[], isEvaluated: (word: string, before: string) => boolean): readonly number[] {
  return argv.flatMap((word, index) => (index > 0 && isEvaluated(word, argv[index - 1] ?? '') ? [index] : []));
}

/** Words `@x` that name files with more options. */
export function optionFiles(argv: readonly string[], { operands }: ReadWords): readonly number[] {
  return operands.filter((index) => argv[index]?.startsWith('@'));
}
