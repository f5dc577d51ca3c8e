import { t } from '../../base/l10n';
import type { ParsedCommandLine } from './shellLine';
import { suspiciousCharacters } from './shellLine';

/**
 * Reads a command line of Windows, where it may end up in PowerShell, cmd.exe or bash. There is no well-kept parser of PowerShell
 * outside of it, so this understands only what all three read alike: programs with plain words and plain double-quoted texts, joined by
 * `&&`, `||` and `|`. Everything else is a problem. Words of the rest are still given, for what forbids.
 */
export function parsePowerShellLine(line: string): ParsedCommandLine {
  const text = line.trim();
  const { commands, isPlain } = plainCommands(text);
  const problem =
    suspiciousCharacters(text) ??
    (isPlain
      ? commands.map((words) => programProblem(words) ?? providerProblem(words)).find((found) => found !== undefined)
      : t('it uses more than plain words, "…", && , || and |'));
  if (problem === undefined) return { commands, redirects: [] };
  return { commands: isPlain ? commands : roughCommands(text), redirects: [], problem, unread: problem };
}

/** An operator, a quoted text without anything that is replaced in it, a plain word, blanks; anything else is not plain. */
const TOKEN =
  /(&&|\|\|?)|"([^"$`%^!&|<>\\']*(?:\\(?!")[^"$`%^!&|<>\\']*)*)"(?=[\s|&]|$)|([\p{L}\p{N}_\-./\\:=+]+)(?=[\s|&]|$)|[ \t]+|(.)/gsu;

function plainCommands(text: string): { commands: string[][]; isPlain: boolean } {
  const commands: string[][] = [[]];
  for (const [, operator, quoted, word, other] of text.matchAll(TOKEN)) {
    if (other !== undefined) return { commands, isPlain: false };
    if (operator !== undefined) commands.push([]);
    const next = quoted ?? word;
    // Quoted, the first word is a text to PowerShell and a program to the others.
    if (quoted !== undefined && commands.at(-1)?.length === 0) return { commands, isPlain: false };
    if (next !== undefined) commands.at(-1)?.push(next);
  }
  return { commands, isPlain: commands.every(({ length }) => length > 0) };
}

/** Words of the languages of PowerShell and cmd.exe, which run what follows them. */
export const KEYWORDS =
  /^(?:if|else|elseif|for|foreach|foreach-object|while|do|until|switch|function|filter|workflow|class|enum|param|begin|process|end|try|catch|finally|trap|throw|return|exit|using|dynamicparam|data|inlinescript|parallel|sequence|rem|goto|call|set)$/i;

function programProblem([program = '']: readonly string[]): string | undefined {
  if (!/^[\p{L}_./\\]/u.test(program)) return t('“{0}” is not plainly the name of a program', program);
  if (/[=+]/.test(program)) return t('“{0}” is not plainly the name of a program', program);
  return KEYWORDS.test(program) ? t("“{0}” is a word of the shell's own language", program) : undefined;
}

/** `env:X`, `hklm:\x`, `cert:\x`: PowerShell reaches more than files by paths. */
const PROVIDER =
  /^(?:[\w.]+\\)?(?:env|hk(?:lm|cu|cr|u|cc)|registry|cert|certificate|function|alias|variable|wsman|temp|filesystem):/i;
/** Scripts have such names, and these programs know no such paths. */
const HAS_SCRIPTS = /^(?:npm|pnpm|yarn|bun|npx|node|deno|make|just|task|rake|nx|turbo)$/i;

function providerProblem([program = '', ...words]: readonly string[]): string | undefined {
  const found = HAS_SCRIPTS.test(program) ? undefined : words.find((word) => PROVIDER.test(word.replace(/^-\w+:/, '')));
  return found === undefined ? undefined : t('{0} may be outside the workspace', found);
}

/** Cut at everything that could separate commands: finds more commands than there are, which is right for what forbids. */
function roughCommands(text: string): string[][] {
  return text
    .split(/[;&|(){}\r\n`$]+/)
    .map((part) => part.split(/[\s"'^,@]+/).filter((word) => word !== ''))
    .filter(({ length }) => length > 0);
}
