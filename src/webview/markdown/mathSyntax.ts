/** Finds formulas in Markdown: `$$…$$`, `\[…\]`, `\(…\)` and `$…$`. Pure. */

/** Maximum length of a formula in UTF-16 units; longer ones are shown as text. */
export const MAX_FORMULA = 4000;

export interface Formula {
  readonly tex: string;
  /** The formula is on its own line. */
  readonly isDisplay: boolean;
}

const dollarsBlock = String.raw`\$\$(?!\$)(?:\\[\s\S]|[^\\$]|\$(?!\$))+?\$\$(?!\$)`;
const brackets = String.raw`\\\[(?:\\[^\]]|[^\\])+?\\\]`;
const parentheses = String.raw`\\\((?:\\[^)]|[^\\])+?\\\)`;
/** As Pandoc: no space inside next to the dollars. A letter or digit beside them is a variable or price. */
const dollars = String.raw`\$(?![\s$])(?:\\[^\n]|[^\\$\n${'`'}])*?[^\\\s$${'`'}]\$(?![\w$])`;

const atStart = new RegExp(`^(?:${dollarsBlock}|${brackets}|${parentheses}|${dollars})`);
const anywhere = new RegExp(
  String.raw`\\[^[(]|(?<![\w$\\])${dollarsBlock}|${brackets}|${parentheses}|(?<![\w$\\])${dollars}`,
  'g',
);

/**
 * The source of the formula at the start of `text`, with its delimiters.
 * @param before Text in front of it.
 */
export function formulaAt(text: string, before: string): string | undefined {
  if (text.startsWith('$') && /[\w$\\]$/.test(before)) return undefined;
  const source = atStart.exec(text)?.[0];
  return source !== undefined && isFormula(source) ? source : undefined;
}

/**
 * Replaces formulas by letters, so that a `*` or `_` in a formula does not affect emphasis. The length stays the same.
 */
export function maskFormulas(text: string): string {
  if (!/[$\\]/.test(text)) return text;
  return text.replace(anywhere, (source) => (isFormula(source) ? 'a'.repeat(source.length) : source));
}

/** @param source A result of {@link formulaAt}. */
export function toFormula(source: string): Formula {
  const size = source.startsWith('$') && !source.startsWith('$$') ? 1 : 2;
  return { tex: source.slice(size, -size).trim(), isDisplay: source.startsWith('$$') || source.startsWith('\\[') };
}

function isFormula(source: string): boolean {
  if (source.length > MAX_FORMULA || source.length < 3) return false;
  if (source.startsWith('$$') || !source.startsWith('$')) return toFormula(source).tex !== '';
  return !isPrice(source.slice(1, -1));
}

/**
 * Whether this is a price, as in "$5 a month, or 50$": a number, then words that are neither commands nor their
 * arguments.
 */
function isPrice(content: string): boolean {
  return /^\d/.test(content) && /\s[A-Za-z]{2,}/.test(content.replaceAll(/\\[A-Za-z]+|\{[^{}]*\}/g, ''));
}

/** The end delimiter of a formula of several lines that starts on this line. */
export function mathBlockEnd(line: string): string | undefined {
  const match = /^ {0,3}(\$\$(?!\$)|\\\[)(.*)$/.exec(line);
  const [, start, rest = ''] = match ?? [];
  if (start === undefined) return undefined;
  const end = start === '$$' ? '$$' : '\\]';
  return rest.includes(end) ? undefined : end;
}

/** The part of the line up to the end of the formula; what follows may be punctuation only. */
export function endsMathBlock(line: string, end: string): string | undefined {
  const at = line.indexOf(end);
  if (at < 0 || !/^[ \t.,;:]*$/.test(line.slice(at + 2))) return undefined;
  return line.slice(0, at);
}
