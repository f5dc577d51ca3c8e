/**
 * UI texts in the user's language. The host fills the table from `vscode.l10n.bundle`, the page from its HTML; both before any other module
 * is evaluated, so that module constants can be translated. In `base` because sessions, agents and the page have UI texts and must not
 * import `vscode`.
 */

type Translations = Readonly<Record<string, string>>;

let translations: Translations = {};
let language: string | undefined;

export type Argument = string | number;

/**
 * Sets the translations by English message; undefined means English.
 * @param tag BCP 47 tag for numbers and dates
 */
export function setTranslations(table: Translations | undefined, tag?: string): void {
  translations = table ?? {};
  language = tag !== undefined && isKnown(tag) ? tag : undefined;
}

/**
 * The tag for `toLocaleString` and `Intl`, so that numbers match the language of the text. Undefined (the system's format) for English and
 * languages unknown to Intl.
 */
export function locale(): string | undefined {
  return language;
}

/** A number with exactly this many decimals, in the language's format. */
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
 * The translated message, or English if missing. Pass a literal, which the collecting command can find; `{0}`, `{1}` … are replaced by the
 * arguments, and a placeholder without argument stays.
 */
export function t(message: string, ...args: readonly Argument[]): string {
  const text = Object.hasOwn(translations, message) ? (translations[message] ?? message) : message;
  return args.length === 0
    ? text
    : text.replace(/\{(\d+)\}/gu, (whole, index: string) => String(args[Number(index)] ?? whole));
}
