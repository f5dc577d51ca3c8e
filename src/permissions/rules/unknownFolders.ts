import type { CommandUse } from '../programs/commandUse';
import { anyUse } from '../programs/commandUse';
import { pathWords } from '../programs/pathWords';
import { isCommonPackage, projectTools } from '../programs/projectTools';
import { toolName } from '../programs/programNames';

/**
 * What a program without a table does to the folders that its words name, as its own name tells: it shows or deletes
 * everything below, or it builds and checks a project and shows no whole files. Of any other program, the folders count as read.
 */

/** `ugrep`, `gitleaks`, `difft`, `repomix`, `files-to-prompt`: they show what they find, without an option. */
const SHOWS =
  /grep|search|sift|leaks?$|hog$|scan(?:ner)?$|diff|compare|meld|ingest|prompt|context|digest|concat|dump|repo(?:mix|pack)|^(?:\w*find|ug|rga|pt|sg|delta|code2\w+|\w*cat|bat\w*|\w*view|\w*show|glow|hexyl)$/;
/** These need no folder: they use the working folder. */
const SHOWS_HERE = /grep|search|sift|leaks?$|hog$|ingest|repo(?:mix|pack)|^(?:ug|rga|pt|sg)$/;
/** Verbs of any program that print files. */
const SHOWING_VERB =
  /^(?:grep|search|find|scan|detect|dump|print|cat|show|diff|compare|view|concat|filesystem|fs|dir)$/;
const DELETES =
  /^(?:rimraf|del|rip|gomi|srm|wipe|shred|scrub|(?:[\w-]*-)?rm|rm-\w+)$|trash|recycle|remove|delete|erase|purge|unlink/;
/** They report or write, and show no whole file that is not code. */
const CHECKS =
  /lint|fmt|format|check|test|spec|build|compil|bench|cover|type|audit|doc|bundle|analy[sz]|cop$|stan$|phpcs|phpmd|psalm|(?:web|r?s)pack$|^(?:\w*cloc|tokei|scc|\w*count|loc|g?du|dust|dua|ncdu|\w*ctags|protoc|\w*cc|\w*\+\+|clang\S*|hugo|jekyll|zola|jscpd|babel|dart|flutter|stylua|vulture|rollup|sass|swc|code|code-insiders|codium|cursor|subl|idea|zed|open)$/;
const CHECKING_VERB =
  /^(?:lint|fmt|format|check|test|spec|build|compile|bench|run|watch|dev|serve|start|install|clean|generate|gen|init|new|vet|tidy|validate|plan|synth|migrate|sync|lock|ci|docs?|fix|count|analy[sz]e)$/;

/** The effects of a program without a table, by its words and, as far as it shows or deletes folders, by its name. */
export function unknownUse(argv: readonly string[]): CommandUse {
  const name = toolName(argv[0] ?? '');
  const named = namedUse(argv);
  if (named || name === '' || isCommonPackage(name) || CHECKS.test(name)) return named ?? anyUse(argv);
  const use = anyUse(argv);
  const verb = argv.slice(1).find((word) => !word.startsWith('-')) ?? '';
  if (CHECKING_VERB.test(verb)) return use;
  if (SHOWING_VERB.test(verb)) return { ...use, shows: { words: use.writes, below: 'all' } };
  return { ...use, shows: { words: use.writes, below: 'shown', isGuess: true } };
}

/** Undefined for a program whose name does not tell that it shows or deletes folders. */
export function namedUse(argv: readonly string[]): CommandUse | undefined {
  const name = toolName(argv[0] ?? '');
  if (name === 'prettier') return printsFiles(argv) ? { ...anyUse(argv), shows: shown(argv) } : undefined;
  if (projectTools.has(name)) return undefined;
  const use = anyUse(argv);
  if (DELETES.test(name))
    return { ...use, writes: use.writes.flatMap((word) => [word, patternFolder(word)]), below: 'all' };
  if (!SHOWS.test(name)) return undefined;
  return { ...use, shows: shown(argv, SHOWS_HERE.test(name)) };
}

/** @param here whether the program uses the working folder if no word is a file or a folder */
function shown(argv: readonly string[], here = false): NonNullable<CommandUse['shows']> {
  return { words: pathWords(argv.slice(1)), below: 'all', ...(here && { isHere: true }) };
}

/** prettier prints the formatted files, unless it only checks or rewrites them. */
function printsFiles([, ...words]: readonly string[]): boolean {
  const isNegated = words.some((word) => /^--no-(?:check|list-different|write)$/.test(word));
  const isQuiet = words.some((word) =>
    /^(?:--(?:check|list-different|write|find-config-path|file-info|support-info|version|help)|-[a-z]*[clwhv][a-z]*)$/.test(
      word,
    ),
  );
  return isNegated || !isQuiet;
}

/** The folder in which a pattern matches; the word itself without a pattern. */
export function patternFolder(word: string): string {
  const at = word.search(/[*?[{]|[!@+]\(/);
  if (at < 0) return word;
  const slash = word.lastIndexOf('/', at);
  return slash < 0 ? '.' : slash === 0 ? '/' : word.slice(0, slash);
}
