import { t } from '../../base/l10n';
/** The effects of a command line, as far as rules need them. */
export interface ParsedCommandLine {
  /** The words of every simple command, including parts that are not understood. */
  readonly commands: readonly (readonly string[])[];
  readonly redirects: readonly Redirection[];
  /** Variables set in the line: names, and values as written. */
  readonly sets?: readonly (readonly [name: string, value: string])[];
  /** Words that the shell expands to file names by `*`, `?` and `[…]`. */
  readonly globs?: readonly string[];
  /** Why the line is not fully understood, as a short text; undefined when it is. */
  readonly problem?: string;
  /** As `problem`, when the line does not determine what would run; variables set in front do not change that. */
  readonly unread?: string;
}

/** A file that the shell itself opens for a command. */
export interface Redirection {
  readonly target: string;
  readonly isWrite: boolean;
  /** The file's content is lost: `>`, not `>>`. */
  readonly truncates: boolean;
}

/** Maximum UTF-16 units of an analyzed line; users do not read longer ones before approval. */
const MAX_LINE = 10_000;

/**
 * Control characters, blanks other than a space, and characters without width: shells and users read them differently.
 */
const ODD = /(?![ \t])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Describes suspicious characters of a command for any shell; undefined without any. */
export function suspiciousCharacters(text: string): string | undefined {
  if (text.length > MAX_LINE) return t('it is longer than {0} characters', MAX_LINE);
  if (/[\r\n]/.test(text)) return t('it has more than one line');
  const odd = ODD.exec(text)?.[0];
  if (odd === undefined) return undefined;
  return t(
    'it has a hidden or unusual character (U+{0})',
    (odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0'),
  );
}
