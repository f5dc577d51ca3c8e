import { t } from '../../base/l10n';
/** What a command line does, as far as rules can judge it. */
export interface ParsedCommandLine {
  /** The words of every simple command in it, also of those in parts that are not understood. */
  readonly commands: readonly (readonly string[])[];
  readonly redirects: readonly Redirection[];
  /** Variables that are set in the line: name and value, as far as it stands there. */
  readonly sets?: readonly (readonly [name: string, value: string])[];
  /** Words that the shell replaces by names of files: `*`, `?` and `[…]` in them stand for other characters. */
  readonly globs?: readonly string[];
  /** Why rules cannot vouch for the line, in a few words; undefined when all of it is understood. */
  readonly problem?: string;
  /** As `problem`, when it cannot be told from the line what would be run; a variable that is set in front changes nothing about that. */
  readonly unread?: string;
}

/** A file that the shell itself opens for a command. */
export interface Redirection {
  readonly target: string;
  readonly writes: boolean;
  /** The file's content is lost: `>`, not `>>`. */
  readonly truncates: boolean;
}

/** UTF-16 units of a line that is looked into; nobody reads longer ones before they approve them. */
const MAX_LINE = 10_000;

/** Control characters, blanks that are not a space, and characters without width: a shell and a user read them differently. */
const ODD = /(?![ \t])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** What is wrong with the characters of a command, whatever the shell; undefined when nothing is. */
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
