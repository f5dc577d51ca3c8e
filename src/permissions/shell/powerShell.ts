import { t } from '../../base/l10n';
import type { ParsedCommandLine } from './shellLine';
import { suspiciousCharacters } from './shellLine';

/**
 * Parses a command line on Windows, where PowerShell, cmd.exe or bash may run it. There is no maintained parser of
 * PowerShell outside of it, so only the common subset is supported: programs with plain words and plain double-quoted
 * texts, joined by `&&`, `
 * ` and `|`. Everything else is a problem. Words of unsupported parts are still returned, for denying rules.
 */
export function parsePowerShellLine(line: string): ParsedCommandLine {
  const text = line.trim();
  const { commands, isPlain } = plainCommands(text);
  const problem =
    suspiciousCharacters(text) ??
    (isPlain
      ? commands.map((words) => programProblem(words) ?? providerProblem(words)).find((found) => found !== undefined)
      : t('it uses syntax other than plain words, "…", &&, || and |'));
  if (problem === undefined) return { commands, redirects: [] };
  return { commands: isPlain ? commands : roughCommands(text), redirects: [], problem, unread: problem };
}

/** An operator, a quoted text without expansions, a plain word, blanks; anything else is not plain. */
const TOKEN =
  /(&&|\|\|?)|"([^"$`%^!&|<>\\']*(?:\\(?!")[^"$`%^!&|<>\\']*)*)"(?=[\s|&]|$)|([\p{L}\p{N}_\-./\\:=+]+)(?=[\s|&]|$)|[ \t]+|(.)/gsu;

function plainCommands(text: string): { commands: string[][]; isPlain: boolean } {
  const commands: string[][] = [[]];
  for (const [, operator, quoted, word, other] of text.matchAll(TOKEN)) {
    if (other !== undefined) return { commands, isPlain: false };
    if (operator !== undefined) commands.push([]);
    const next = quoted ?? word;
    // A quoted first word is a text in PowerShell and a program in the others.
    if (quoted !== undefined && commands.at(-1)?.length === 0) return { commands, isPlain: false };
    if (next !== undefined) commands.at(-1)?.push(next);
  }
  return { commands, isPlain: commands.every(({ length }) => length > 0) };
}

/** Keywords of PowerShell and cmd.exe that run the following words. */
export const KEYWORDS =
  /^(?:if|else|elseif|for|foreach|foreach-object|while|do|until|switch|function|filter|workflow|class|enum|param|begin|process|end|try|catch|finally|trap|throw|return|exit|using|dynamicparam|data|inlinescript|parallel|sequence|rem|goto|call|set)$/i;

function programProblem([program = '', ...words]: readonly string[]): string | undefined {
  if (!/^[\p{L}_./\\]/u.test(program)) return t('“{0}” may not be a program name', program);
  if (/[=+]/.test(program)) return t('“{0}” may not be a program name', program);
  // Later commands start in another drive.
  if (/^[A-Za-z]:$/.test(program)) return t('“{0}” may not be a program name', program);
  if (GLUED.test(program)) return t('“{0}” may not be a program name', program);
  // cmd.exe joins the files `a+b`.
  if (/^copy$/i.test(program) && words.some((word) => word.includes('+')))
    return t('it uses syntax other than plain words, "…", &&, || and |');
  return KEYWORDS.test(program) ? t('“{0}” is a shell keyword', program) : undefined;
}

/** cmd.exe takes `cd..`, `cd\x` and `del/q` for a command and its argument. */
const GLUED =
  /^(?:assoc|call|cd|chdir|copy|date|del|dir|echo|erase|ftype|md|mkdir|mklink|move|path|popd|prompt|pushd|rd|ren|rename|rmdir|set|start|time|title|type|vol)(?:[/\\:+=]|\.(?!exe$|cmd$|bat$|com$|ps1$))/i;

/** `env:X`, `hklm:\x`, `cert:\x`: paths of PowerShell providers other than files. */
const PROVIDER =
  /^(?:[\w.]+\\)?(?:env|hk(?:lm|cu|cr|u|cc)|registry|cert|certificate|function|alias|variable|wsman|temp|filesystem):/i;
/** Scripts of these programs may have such names, and the programs do not support provider paths. */
const HAS_SCRIPTS = /^(?:npm|pnpm|yarn|bun|npx|node|deno|make|just|task|rake|nx|turbo)$/i;

function providerProblem([program = '', ...words]: readonly string[]): string | undefined {
  const found = HAS_SCRIPTS.test(program) ? undefined : words.find((word) => PROVIDER.test(word.replace(/^-\w+:/, '')));
  return found === undefined ? undefined : t('{0} may be outside the workspace', found);
}

/** Splits at every possible separator: finds too many commands, which is right for denying rules. */
function roughCommands(text: string): string[][] {
  return text
    .split(/[;&|(){}\r\n`$]+/)
    .map((part) => part.split(/[\s"'^,@]+/).filter((word) => word !== ''))
    .filter(({ length }) => length > 0);
}
