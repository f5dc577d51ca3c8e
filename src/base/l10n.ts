/**
 * UI texts in the user's language. The host fills the table from `vscode.l10n.bundle`, the page from its HTML; both before any other module
 * is evaluated, so that module constants can be translated. In `base` because sessions, agents and the page have UI texts and must not
 * import `vscode`.
 */

type Translations = Readonly<Record<string, string>>;

let translations: Translations = {};
let language = knownTag([]);

export type Argument = string | number;

/**
 * Sets the translations by English message; undefined means English.
 * @param tag BCP 47 tag for numbers and dates
 */
export function setTranslations(table: Translations | undefined, tag?: string): void {
  translations = table ?? {};
  language = knownTag(tag ?? []);
}

/**
 * The tag for `toLocaleString` and `Intl`, so that numbers and months match the language of the text. For English, and languages unknown to
 * Intl, the system's if that is English (25/12 or 12/25), otherwise `en`.
 */
export function locale(): string {
  return language;
}

/** A number with exactly this many decimals, in the language's format. */
export function formatFixed(value: number, digits: number): string {
  return value.toLocaleString(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** @param wanted none for English */
function knownTag(wanted: string | []): string {
  const { locale: system } = new Intl.NumberFormat().resolvedOptions();
  const english = system.startsWith('en') ? system : 'en';
  try {
    return Intl.NumberFormat.supportedLocalesOf(wanted)[0] ?? english;
  } catch {
    return english;
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
