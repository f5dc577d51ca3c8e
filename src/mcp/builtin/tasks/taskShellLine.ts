import { basename } from 'node:path';

/** Quoting rules. */
type ShellKind = 'posix' | 'powershell' | 'cmd';

/** Compatible with VS Code's `ShellQuotedString`: 1 escape, 2 strong, 3 weak. */
export type ShellWord = string | { readonly value: string; readonly quoting: number };

const WEAK_QUOTING = 3;

/** By the program's name; unknown shells take `-c` and POSIX quoting. */
export function shellKind(executable: string): ShellKind {
  const name = basename(executable.replaceAll('\\', '/')).toLowerCase();
  if (/^(powershell|pwsh)(\.exe)?$/.test(name)) return 'powershell';
  return name === 'cmd' || name === 'cmd.exe' ? 'cmd' : 'posix';
}

export function shellArguments(kind: ShellKind): readonly string[] {
  if (kind === 'powershell') return ['-Command'];
  return kind === 'cmd' ? ['/d', '/s', '/c'] : ['-c'];
}

/** A command and its arguments as one line. As in VS Code, words with spaces are quoted unless they have their own quoting. */
export function shellLine(words: readonly ShellWord[], kind: ShellKind): string {
  const quoted = words.map((word) => quote(word, kind));
  const [first = ''] = quoted;
  // PowerShell takes a quoted first word as a string, not a command.
  const isText = kind === 'powershell' && /^['"]/.test(first);
  return `${isText ? '& ' : ''}${quoted.join(' ')}`;
}

function quote(word: ShellWord, kind: ShellKind): string {
  if (typeof word === 'string') return /\s/.test(word) && !/^(["']).*\1$/s.test(word) ? strong(word, kind) : word;
  return word.quoting === WEAK_QUOTING ? weak(word.value, kind) : strong(word.value, kind);
}

/** The shell expands nothing in it. */
function strong(text: string, kind: ShellKind): string {
  if (kind === 'cmd') return weak(text, kind);
  return kind === 'powershell' ? `'${text.replaceAll("'", "''")}'` : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The shell expands variables in it. */
function weak(text: string, kind: ShellKind): string {
  const escape = { posix: '\\"', powershell: '`"', cmd: '""' }[kind];
  return `"${text.replaceAll('"', escape)}"`;
}
