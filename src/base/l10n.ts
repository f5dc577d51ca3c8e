/**
 * The words that a user reads, in the user's language.
 *
 * The extension host fills the table from `vscode.l10n.bundle`, the page from a table that the host puts into its HTML;
 * both before any other module of theirs is evaluated, so that constants of a module may be translated too. It stands in
 * `base` because sessions, agents and the page have sentences for the user and may not import `vscode`.
 */

type Translations = Readonly<Record<string, string>>;

let translations: Translations = {};
let language: string | undefined;

/** What may stand in for `{0}`, `{1}` … of a message. */
export type Argument = string | number;

/**
 * Takes the table for the user's language: keys are the English messages, values their translations.
 * An absent table means English.
 * @param tag BCP 47 tag of the language that numbers and dates are written in
 */
export function setTranslations(table: Translations | undefined, tag?: string): void {
  translations = table ?? {};
  language = tag !== undefined && isKnown(tag) ? tag : undefined;
}

/**
 * The tag for `toLocaleString` and `Intl`, of the language that the sentences around the number or date are in.
 * In English, and in a language that Intl does not know, undefined: as the user's system writes them.
 */
export function locale(): string | undefined {
  return language;
}

/** A number with exactly this many digits behind its point, or comma, as the language writes it. */
export function formatFixed(value: number, digits: number): string {
  return value.toLocaleString(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function isKnown(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/**
 * The message in the user's language, or in English where it is not translated.
 * The message is a literal, so that it can be found by the command that collects messages; `{0}`, `{1}` … are replaced
 * by the arguments in order, and a placeholder without its argument stays as it is.
 */
export function t(message: string, ...args: readonly Argument[]): string {
  const text = Object.hasOwn(translations, message) ? (translations[message] ?? message) : message;
  return args.length === 0
    ? text
    : text.replace(/\{(\d+)\}/gu, (whole, index: string) => String(args[Number(index)] ?? whole));
}
