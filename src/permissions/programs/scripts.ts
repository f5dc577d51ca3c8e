import type { FileUse } from './fileUse';
import { NOTHING } from './fileUse';
import { readWords } from './options';
import type { Program } from './program';

/** Scripts in the words of a command, and what they do to files. */

/** Recognizes scripts that can neither run nor write anything, nor read files other than those of the command. */
const READABLE: Readonly<Record<string, (text: string) => boolean>> = {
  // Lines that print, delete or count, and replacements without running (`e`) or writing (`w`).
  sed: (text) => text.split(/[;\n]/).every((part) => SED_LINES.test(part.trim()) || SED_REPLACE.test(part.trim())),
  awk: (text) =>
    !/[|<>@`]/.test(withoutPattern(text)) &&
    (text.match(/[A-Za-z_]\w*(?=\s*\()|[A-Z]\w*|system|getline/g) ?? []).every((name) => AWK.test(name)),
  jq: (text) =>
    !/\b(?:import|include|modulemeta|input_filename|env|halt_error|get_search_list)\b|\$ENV|\$__/.test(text),
  // Lines with a leading dot are SQLite shell commands, which may run, read and write.
  sqlite: (text) => SQLITE_TELLS.test(text) || !(/^\s*[.#!/]/m.test(text) || SQLITE_REACHES.test(text)),
};

const SQLITE_TELLS = /^\.(?:tables|schema|indexes|indices|databases|headers?|mode|width|show)(?: [\w%* -]*)?$/;
const SQLITE_REACHES =
  /\b(?:load_extension|writefile|readfile|edit|fsdir|lsmode|zipfile|attach|into\s*['"(]|fts3_tokenizer|sha3_query|temp_store_directory|writable_schema)\b|vacuum/i;

/** `NR>=10`, `$3 < 5`: outside braces `>` compares. */
const AWK_COMPARISON = String.raw`(?:NR|FNR|NF|length|\$(?:\d+|NF))\s*(?:[<>]=?|[!=]=)\s*\d+(?:\.\d+)?`;
const AWK_REGEX = String.raw`!?/(?:[^/[\\\n]|\\.)+/`;
const AWK_PATTERN = new RegExp(
  `^\\s*(?:${AWK_COMPARISON}|${AWK_REGEX})(?:\\s*(?:&&|\\|\\||,)\\s*(?:${AWK_COMPARISON}|${AWK_REGEX}))*\\s*(?=\\{|$)`,
);

/** The script after its first pattern, in which `|`, `<` and `>` neither run nor write anything. */
function withoutPattern(text: string): string {
  return text.replace(AWK_PATTERN, '');
}

/** A part of a regular expression. GNU sed does not end it at a delimiter in `[…]`. */
const part = (delimiter: string): string => String.raw`(?:[^[${delimiter}\\;]|\\.|\[\^?(?:\[:\w+:\]|[^\][/|#\\;])+\])*`;
const ADDRESS = String.raw`(?:\d+|\$|/${part('/')}/I?)`;
const SED_LINES = new RegExp(String.raw`^(?:${ADDRESS}(?:,[+~]?${ADDRESS})?)?\s*!?\s*[pdq=]?$`);
const SED_REPLACE = new RegExp(
  String.raw`^(?:${ADDRESS}(?:,${ADDRESS})?)?\s*s(?:/${part('/')}/(?:[^/\\;]|\\.)*/|\|${part('|')}\|(?:[^|\\;]|\\.)*\||#${part('#')}#(?:[^#\\;]|\\.)*#)[gpiI\d]*$`,
);
const AWK =
  /^(?:BEGIN|END|FILENAME|NR|NF|FNR|FS|OFS|RS|ORS|SUBSEP|RSTART|RLENGTH|length|substr|index|split|sub|gsub|match|tolower|toupper|sprintf|printf|print|int|sqrt|exp|log|sin|cos|rand|if|while|for|in|return)$/;

/** The effect of a command with such a script. If the script cannot be analyzed, all words of the command count as unknown. */
export function scriptUse(argv: readonly string[], program: Program): FileUse {
  const { script: language = '' } = program;
  const all = argv.map((_, index) => index).slice(1);
  const { operands, unknown, values } = readWords(argv, program);
  if (language === 'sqlite') return sqliteScript(argv, operands, unknown);
  const given = values.filter(({ indices }) => language === 'sed' && isScriptOption(argv[indices[0] ?? 0] ?? ''));
  // "sed -i '' …" gives macOS no suffix. Without it, the next word is the suffix there, and the first file is the script.
  const first = given.length > 0 ? 0 : argv[operands[0] ?? 0] === '' ? 2 : 1;
  const texts = [...given.map(({ text }) => text), ...operands.slice(0, first).map((index) => argv[index] ?? '')];
  const isReadable = texts.length > 0 && texts.every((text) => READABLE[language]?.(text) === true);
  const files = operands.slice(given.length > 0 ? 0 : 1).map((index) => argv[index] ?? '');
  const isEdit = language === 'sed' && argv.some(isInPlace);
  // A text attached to "-i" is the suffix of a written file.
  const glued = isEdit ? all.filter((index) => /^-[^-]*i/.test(argv[index] ?? '') && argv[index] !== '-i') : [];
  return {
    ...NOTHING,
    reads: isEdit ? [] : files,
    writes: isEdit ? [...files, ...filesAfterW(files[0] ?? '')] : [],
    unknown: isReadable ? [...unknown, ...glued] : all,
  };
}

/** The first operand is the database. Without a script the lines come from stdin. */
function sqliteScript(
  argv: readonly string[],
  [database, ...texts]: readonly number[],
  unknown: readonly number[],
): FileUse {
  const isReadable = texts.length > 0 && texts.every((index) => READABLE['sqlite']?.(argv[index] ?? '') === true);
  const name = argv[database ?? 0] ?? '';
  const isSilent = database === undefined && argv.length > 1;
  return {
    ...NOTHING,
    writes: database === undefined ? [] : [name],
    // An address may hide the path: "file:%2Ftmp%2Fx".
    unknown: (isReadable && !/^file:/i.test(name)) || isSilent ? unknown : argv.map((_, index) => index),
  };
}

/** Files that a script may write by its command `w`. */
function filesAfterW(script: string): readonly string[] {
  return Array.from(script.matchAll(/w/g), ({ index }) => script.slice(index + 1).trim());
}

function isScriptOption(word: string): boolean {
  return /^-(?:[nEruzls]*e|-expression)/.test(word);
}

function isInPlace(word: string): boolean {
  return /^-[^-]*i/.test(word) || word === '--in-place';
}
