import type { FileUse } from './fileUse';
import { anyUse } from './fileUse';
import { isCommonPackage } from './packageCommand';
import { pathWords } from './pathWords';
import type { Program } from './program';
import { toolName } from './programNames';
import { programNamed, runs } from './programTable';

/**
 * What a program whose options are not known does to the folders that its words name, as the table or its own name tells: it shows or deletes
 * everything below, or it builds and checks a project and shows no whole files. Of any other program, the folders count as read.
 */

/** `ugrep`, `gitleaks`, `difft`, `repomix`, `files-to-prompt`: they show what they find, without an option. */
const SHOWS =
  /grep|search|sift|leaks?$|hog$|scan(?:ner)?$|diff|compare|meld|ingest|prompt|context|digest|concat|dump|repo(?:mix|pack)|^(?:\w*find|code2\w+|\w*cat|bat\w*|\w*view|\w*show)$/;
/** These need no folder: they use the working folder. */
const SHOWS_HERE = /grep|search|sift|leaks?$|hog$|ingest|repo(?:mix|pack)/;
/** Verbs of any program that print files. */
const SHOWING_VERB =
  /^(?:grep|search|find|scan|detect|dump|print|cat|show|diff|compare|view|concat|filesystem|fs|dir)$/;
const DELETES = /^(?:(?:[\w-]*-)?rm|rm-\w+|del(?:-cli)?)$|trash|recycle|remove|delete|erase|purge|unlink/;
/** They report or write, and show no whole file that is not code. */
const CHECKS =
  /lint|fmt|format|check|test|spec|build|compil|bench|cover|type|audit|doc|bundle|analy[sz]|cop$|stan$|phpcs|phpmd|psalm|(?:web|r?s)pack$|^(?:\w*cloc|\w*count|\w*ctags|\w*cc|\w*\+\+|clang\S*)$/;
const CHECKING_VERB =
  /^(?:lint|fmt|format|check|test|spec|build|compile|bench|run|watch|dev|serve|start|install|clean|generate|gen|init|new|vet|tidy|validate|plan|synth|migrate|sync|lock|ci|docs?|fix|count|analy[sz]e)$/;

/** The effects of a program by its words and, as far as it shows or deletes folders, by its name. */
export function unknownUse(argv: readonly string[]): FileUse {
  const name = toolName(argv[0] ?? '');
  const named = namedUse(argv);
  const isChecking = programNamed(name)?.folders === 'checks' || CHECKS.test(name);
  if (named || name === '' || isCommonPackage(name) || isChecking) return named ?? anyUse(argv);
  const use = anyUse(argv);
  const verb = argv.slice(1).find((word) => !word.startsWith('-')) ?? '';
  if (CHECKING_VERB.test(verb)) return use;
  if (SHOWING_VERB.test(verb)) return { ...use, shows: { words: use.writes, below: 'all' } };
  return { ...use, shows: { words: use.writes, below: 'shown', isGuess: true } };
}

/** Undefined for a program of which nothing tells that it shows or deletes folders. */
export function namedUse(argv: readonly string[]): FileUse | undefined {
  const name = toolName(argv[0] ?? '');
  const program = programNamed(name);
  if (program?.printsUnless)
    return printsFiles(argv, program.printsUnless) ? { ...anyUse(argv), shows: shown(argv) } : undefined;
  if (runs(program, 'project')) return undefined;
  const { folders } = program ?? {};
  const use = anyUse(argv);
  if (folders === 'deletes' || DELETES.test(name))
    return { ...use, writes: use.writes.flatMap((word) => [word, patternFolder(word)]), below: 'all' };
  if (folders === 'prints' || folders === 'printsHere' || SHOWS.test(name))
    return { ...use, shows: shown(argv, folders === 'printsHere' || SHOWS_HERE.test(name)) };
  return undefined;
}

/** @param here whether the program uses the working folder if no word is a file or a folder */
function shown(argv: readonly string[], here = false): NonNullable<FileUse['shows']> {
  return { words: pathWords(argv.slice(1)), below: 'all', ...(here && { isHere: true }) };
}

/** Some tools print the files, unless an option tells to check or to rewrite them. */
function printsFiles(
  [, ...words]: readonly string[],
  { given, cancel }: NonNullable<Program['printsUnless']>,
): boolean {
  return words.some((word) => cancel.test(word)) || !words.some((word) => given.test(word));
}

/** The folder in which a pattern matches; the word itself without a pattern. */
export function patternFolder(word: string): string {
  const at = word.search(/[*?[{]|[!@+]\(/);
  if (at < 0) return word;
  const slash = word.lastIndexOf('/', at);
  return slash < 0 ? '.' : slash === 0 ? '/' : word.slice(0, slash);
}
