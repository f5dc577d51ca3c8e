import { basename } from 'node:path';

/** How the words of a command line are kept whole. */
export type ShellKind = 'posix' | 'powershell' | 'cmd';

/** A word as a task gives it; VS Code's `ShellQuotedString` fits, whose kinds are 1 escape, 2 strong, 3 weak. */
export type ShellWord = string | { readonly value: string; readonly quoting: number };

const WEAK = 3;

/** By the name of the shell's program; what is unknown takes `-c` and quotes as a POSIX shell does. */
export function shellKind(executable: string): ShellKind {
  const name = basename(executable.replaceAll('\\', '/')).toLowerCase();
  if (/^(powershell|pwsh)(\.exe)?$/.test(name)) return 'powershell';
  return name === 'cmd' || name === 'cmd.exe' ? 'cmd' : 'posix';
}

/** The arguments before the command line. */
export function shellArguments(kind: ShellKind): readonly string[] {
  if (kind === 'powershell') return ['-Command'];
  return kind === 'cmd' ? ['/d', '/s', '/c'] : ['-c'];
}

/** A command and its arguments as one line. Words without quoting of their own are quoted when they have spaces, as VS Code does. */
export function shellLine(words: readonly ShellWord[], kind: ShellKind): string {
  const quoted = words.map((word) => quote(word, kind));
  const [first = ''] = quoted;
  // PowerShell takes a quoted first word for a text, and not for a command.
  const isText = kind === 'powershell' && /^['"]/.test(first);
  return `${isText ? '& ' : ''}${quoted.join(' ')}`;
}

function quote(word: ShellWord, kind: ShellKind): string {
  if (typeof word === 'string') return /\s/.test(word) && !/^(["']).*\1$/s.test(word) ? strong(word, kind) : word;
  return word.quoting === WEAK ? weak(word.value, kind) : strong(word.value, kind);
}

/** Nothing in it is looked at by the shell. */
function strong(text: string, kind: ShellKind): string {
  if (kind === 'cmd') return weak(text, kind);
  return kind === 'powershell' ? `'${text.replaceAll("'", "''")}'` : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Variables in it are replaced. */
function weak(text: string, kind: ShellKind): string {
  const escape = { posix: '\\"', powershell: '`"', cmd: '""' }[kind];
  return `"${text.replaceAll('"', escape)}"`;
}
