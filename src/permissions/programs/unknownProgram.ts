import { readWords } from './options';
import { programOf, toolName } from './programNames';
import { programNamed, runs } from './programTable';

/** Analyzes the words of an unknown program for code and nested commands. */

/** Programs read these instead of a file: the code is not in the line. */
export const INPUT = /^(?:-|\/dev\/(?:stdin|tty|fd\/\d+))$/;

/** A program name does not have blanks or shell syntax, so that the word is a line for a shell (`bun exec`, `yarn exec`). */
export const SHELL_TEXT = /[\s;&|<>()$`*?]/;

/** Texts for people, which may begin with the name of a program: `-m "rm unused code"`. */
const BEFORE_TEXT = /^(?:-\w*m|--(?:message|title|body|description|reason|comment))$/;

/** The words that an unknown program may pass to a shell. */
export function textIndices(argv: readonly string[]): readonly number[] {
  return argv.flatMap((_, index) => (index === 0 || BEFORE_TEXT.test(argv[index - 1] ?? '') ? [] : [index]));
}

/** The words of a tool of the project that it may pass to a shell: its operands and known options select code and tests. */
export function unknownOptionTexts(argv: readonly string[]): readonly number[] {
  const { unknown } = readWords(argv, programNamed(toolName(argv[0] ?? '')) ?? {});
  return unknown.flatMap((index) => (argv[index]?.includes('=') ? [index] : [index, index + 1]));
}

/** UTF-16 units of an option's name; a longer one may be any. */
const MAX_OPTION = 200;
/** Options with a command to run at a moment: `--onSuccess`, `--watch.onEnd`, `-p:PreBuildEvent`. */
const EVENT = /^--?(?:[\w.:-]*[.:-])?(?:[oO]n(?:-|[A-Z])[\w-]*|(?:[pP]re|[pP]ost)-?\w*[eE]vent)$/;

/** The words that are command lines: `start-server "rm x"`, `--before="curl x"`. */
export function commandTexts(argv: readonly string[], indices = textIndices(argv)): readonly string[] {
  return indices.flatMap((index) => {
    const word = argv[index] ?? '';
    const text = optionText(word);
    const option = text === word ? (argv[index - 1] ?? '') : word.slice(0, -text.length - 1);
    const isEvent = option.length > MAX_OPTION || EVENT.test(option);
    return /\S\s+\S/.test(text) && (isEvent || text.split(/[;&|\n]+/).some(namesProgram)) ? [text] : [];
  });
}

/** The value in an option, such as `b` of `-p:A=b`; any other word as it is. */
export function optionText(word: string): string {
  return /^--?[\w.-]*(?:=|:(?:[\w.-]+=)?)(.*)$/s.exec(word)?.[1] ?? word;
}

function namesProgram(command: string): boolean {
  const [word = ''] = command.trim().split(/\s+/, 1);
  return word !== '' && programOf([word]) !== undefined;
}

/** Parts of option names whose value is a command. */
const COMMAND_PARTS = [
  'exec',
  'executable',
  'execute',
  'execdir',
  'toolexec',
  'command',
  'cmd',
  'shell',
  'eval',
  'pager',
  'editor',
  'program',
  'askpass',
  'wrapper',
  'launcher',
  'interpreter',
  'preprocessor',
  'renderer',
  'rsh',
  'vettool',
  'node-options',
];

/** `--exec`, `--testCommand`, and abbreviations, which many programs accept. */
function runsItsValue(word: string): boolean {
  const name = /^--?([A-Za-z][\w.-]*)/.exec(word)?.[1];
  if (name === undefined || (!word.startsWith('--') && name.length < 4)) return false;
  // Not `--hook-stage`.
  if (/[-_.]hook$/i.test(name)) return true;
  const parts = name.split(/[-_.]|(?<=[a-z])(?=[A-Z])/).map((part) => part.toLowerCase());
  return parts.some((part) =>
    COMMAND_PARTS.some((risky) => part === risky || (part.length >= 4 && risky.startsWith(part))),
  );
}

/** Option letters that often take a program or a command: `-c`, `-e`, `-E`, `-x`. */
const CODE_OPTION = /^-[a-zA-Z]*[ceEx]$/;
/** Verbs whose next word is code: `crystal eval x`, `rails runner x`. */
const CODE_VERB = /^(?:eval|runner|php[:-]eval)$/;
/** A word without code in any language: a name, a path, a list. */
const PLAIN = /^[\p{L}\p{N}\p{M}_\-./\\:=+,@%^~]*$/u;
/** `.shell x`, `!x`, `\! x`, `:!x`, `|x`, `x|`: commands of SQLite, editors and pagers, and pipes opened by name. */
const ESCAPE =
  /^\s*(?:[:\\]?!\s*\w|\\[!ogiw]|\.(?:sh|sys|ou|on|imp|lo|re|op|ar|ba|sa|cl|du|ex|once|excel)[a-z]*(?:\s|$)|\|)|\|\s*$/;
/** `--config hooks.x=…`, `--set a=b`. */
const SETTING = /^--?(?:config|conf|cfg|setting|settings|set|option|define)[\w-]*(?:=.*)?$/i;
/** A file with further options. */
const OPTION_FILE = /^@(?:[^/]*$|\.{0,2}\/)/;

/** The first word that may be a program, or load one. */
export function riskyWord(argv: readonly string[]): string | undefined {
  return argv.find((word, index) => {
    if (index === 0) return false;
    const before = index > 1 ? (argv[index - 1] ?? '') : '';
    const glued = /^-[a-zA-Z]*?[ceEx](.+)$/s.exec(word)?.[1];
    return (
      runsItsValue(word) ||
      ((CODE_OPTION.test(before) || CODE_VERB.test(before)) && !PLAIN.test(word)) ||
      (!word.startsWith('--') && glued !== undefined && !PLAIN.test(glued)) ||
      ESCAPE.test(word) ||
      (SETTING.test(before) && /=|^\s*[{[]/.test(word)) ||
      (SETTING.test(word) && /=.*=/s.test(word)) ||
      OPTION_FILE.test(word)
    );
  });
}

/** The words behind each that names a program with effects outside the workspace: `dotenv gh repo delete x`. */
export function programsBehind(argv: readonly string[]): readonly (readonly string[])[] {
  return argv.flatMap((word, index) => {
    // The last word alone is a name or a topic.
    if (index === 0 || index === argv.length - 1) return [];
    const { effects, effectOf, publishes } = programOf([word]) ?? {};
    return effects || effectOf || publishes ? [argv.slice(index)] : [];
  });
}

/** Options that name a folder which the program empties. */
const EMPTIED =
  /^--?(?:[\w-]*\.)?(?:base-?temp|(?:out|output|temp|reports?|dest|dist|site|target|to|public|build)-?(?:dir(?:ectory)?|folder|path)|out(?:put)?|dest(?:ination)?)$/i;
/** In short, of a command that builds: `jekyll build -d x`. */
const EMPTIED_SHORT = /^-[do]=?(.*)$/s;
const BUILDS = /^(?:b|build|export|generate|render|docs?|serve|watch|deploy)(?:-\w+)?$/;

/** The folders that a tool may empty before it writes there: `--basetemp=x`, `--outDir x`. */
export function emptiedFolders(argv: readonly string[]): readonly string[] {
  const isBuild = argv.some((word, index) => index > 0 && BUILDS.test(word));
  return argv.flatMap((word, index) => {
    const [, option = '', long] = /^(-[^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const isLong = EMPTIED.test(option);
    const short = isBuild && !isLong ? EMPTIED_SHORT.exec(word)?.[1] : undefined;
    if (!isLong && short === undefined) return [];
    const value = (isLong ? long : short || undefined) ?? argv[index + 1] ?? '';
    // Most tools write into the working folder without emptying it.
    return /^\.?\/*$/.test(value) && !/temp$/i.test(option) ? [] : [value];
  });
}

/** The end of a script's name in an address. */
const SCRIPT_END = /\.(?:[cm]?[jt]sx?|py|rb|sh|lua|jl|r|groovy|kts|pl|php|ps1)(?:[?#]|$)/i;

/** Whether a word is a script of the internet, or an address behind `run`. */
export function runsAddress(argv: readonly string[]): boolean {
  return argv.some((word, index) => {
    if (index === 0 || /\s/.test(word) || !/https?:\/\//i.test(word)) return false;
    const isBehind = index > 1 && /^(?:run|exec|launch|start)$/.test(argv[index - 1] ?? '');
    return SCRIPT_END.test(word) || (isBehind && /^https?:/i.test(word));
  });
}

/** Words before a nested command: `dotenv -- x`, `conda run x`, `cross-env A=1 x`, `jj util exec x`. */
const BEFORE_COMMAND = /^(?:--|run|exec|x|[A-Za-z_]\w*=.*)$/s;

/**
 * Words that may start a nested command, for commands that would run without a prompt: words after an introducing word
 * such as `--` or `run`, and names of programs that run or remove something.
 */
export function commandsBehind(argv: readonly string[]): readonly (readonly string[])[] {
  return argv.flatMap((word, index) => {
    if (index === 0 || word.startsWith('-') || word === '') return [];
    const isProgram = startsCommand(word) || programOf([word])?.printsVariables === 'always';
    return BEFORE_COMMAND.test(argv[index - 1] ?? '') || isProgram ? [argv.slice(index)] : [];
  });
}

/** Whether a word is the name of a program that runs others, or changes files. */
function startsCommand(word: string): boolean {
  const program = programOf([word]);
  const writes = program?.operands === 'write' || program?.operands === 'copy';
  return (
    program?.startsCommand ??
    ((writes && program.listsWith === undefined) || runs(program, 'shellLine', 'command', 'script', 'packages'))
  );
}

const COMMIT_VERB = /^(?:commit|ci|amend|tag|describe|note|notes|stash|merge)$/;

/** The Python module that a program runs like `python -m` (`coverage run -m pip install x`), as a command of its own. */
export function moduleBehind(argv: readonly string[]): readonly (readonly string[])[] {
  // "-m" of version control comes before a text.
  if (programOf(argv)?.isVersionControl || argv.some((word) => COMMIT_VERB.test(word))) return [];
  const at = argv.findIndex((word, index) => index > 0 && /^(?:-m|--module)(?:$|=)|^-m[a-z]/.test(word));
  if (at < 0) return [];
  const glued = /^(?:--module=|-m=?)(.+)$/.exec(argv[at] ?? '')?.[1];
  const module = glued ?? argv[at + 1] ?? '';
  return /^[A-Za-z_][\w.]*$/.test(module) ? [[module, ...argv.slice(at + (glued === undefined ? 2 : 1))]] : [];
}

/** PowerShell commands that run, load, register or set something other than file content. */
const ACTING_CMDLET =
  /^(?:(?:invoke|start|stop|register|unregister|enter|enable|disable|import|install|uninstall|update|measure|trace|restart|suspend|resume|debug|connect|publish|save|receive|send)-(?!object$|stop-)[a-z]+|(?:new|set|add|remove|clear)-(?!item$|content$|location$|object$)[a-z]+)$/;

export function isActingCmdlet(name: string): boolean {
  return ACTING_CMDLET.test(name);
}
