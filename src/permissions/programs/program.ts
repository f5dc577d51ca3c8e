import type { OptionSyntax, ReadWords } from './options';

/** What a program runs besides itself. */
export type Runs =
  /** A line for a shell, or a script: `sh -c "x"`. */
  | 'shellLine'
  /** The command behind its own words: `timeout 5 x`. */
  | 'command'
  /** A script: `python a.py`; code in its words is not understood. */
  | 'script'
  /** A script in the same shell: `source a.sh`. */
  | 'sourcedScript'
  /** Scripts and packages of a project: `npm run x`, `npx x`. Rules must name what runs, but not its arguments. */
  | 'packages'
  /** Targets of a build file: `make x`. */
  | 'targets'
  /** The project's own code. The known options only select code or change the output. */
  | 'project'
  /** Something that its words do not show: another user, machine, container or language, prepared input. */
  | 'hidden';

/** Effects outside the files of the workspace; `outsideEffects.ts` has their texts. */
export type OutsideEffect =
  | 'publishes'
  | 'serves'
  | 'sends'
  | 'downloads'
  | 'changesMachine'
  | 'controlsPrograms'
  | 'startsAgent'
  | 'showsProcesses'
  | 'showsSecrets';

/** An effect of some uses of a program. Both patterns are for the words after the program, joined by blanks. */
export interface Effect {
  readonly why: OutsideEffect;
  /** The uses that have the effect; without it, all of them. */
  readonly words?: RegExp;
  /** Uses that have not: they only inform. */
  readonly unless?: RegExp;
}

/** A use that cannot be undone. For a warning, never for a decision. */
export interface IrreversibleUse {
  /** Each must match the joined words after the program. */
  readonly words?: readonly RegExp[];
  /** Completes "rm …". */
  readonly why: string;
}

/** How a package runner reads its words. */
export interface PackageRunner {
  /** The first operand is the program: `npx x`. */
  readonly isDirect?: true;
  /** Only options in front of the verb are its own: words behind it are for the script, also without `--`. */
  readonly optionsBeforeVerb?: true;
  /** Its options may stand behind the verb, if that runs no known tool: `go test -v`. */
  readonly optionsBehindVerb?: true;
  /** `run x` runs any program. */
  readonly runsAnyProgram?: true;
  /** The verb, or the word after `run`, may be a program or a tool of the project: `yarn sed`, `yarn vite`. */
  readonly verbMayBeProgram?: true;
  /** `exec x` downloads a package that is missing. */
  readonly fetches?: true;
  /** Its own verbs; any other one is a program: `cargo watch` runs cargo-watch. */
  readonly verbs?: RegExp;
  /** Verbs that change what the project declares, settings or the registry; `packageCommand.ts` has those of most runners. */
  readonly changes?: RegExp | 'nothing';
  /** In place of `changes`: all other verbs change something. */
  readonly keeps?: RegExp;
  /** Second verbs that only inform, by their first verb. */
  readonly informs?: Readonly<Record<string, RegExp>>;
  /** Verbs in front of a command for packages of the workspace: the number of words to skip, or of the words up to the next verb. */
  readonly forPackages?: Readonly<Record<string, number | 'options'>>;
  /** A word that is code, or names input in place of a file. */
  readonly code?: RegExp;
  /** An option after `run` whose value is code. */
  readonly codeAfterRun?: RegExp;
}

/** A condition on the words of a command that then only informs. */
interface OnlyInforms {
  /** One of these options is given. */
  readonly options?: string;
  /** None of these options is given. */
  readonly without?: string;
  /** The number of operands. */
  readonly operands?: number;
  /** The first operand; empty without one. */
  readonly first?: RegExp;
}

/** A command of a program, with the options that are known to have only the listed effects. */
export interface Subcommand extends FileFacts {
  readonly names: string;
  /** Uses that change nothing, of a command that otherwise changes files. */
  readonly onlyInforms?: OnlyInforms;
  /** First operands with which a command that otherwise informs changes files. */
  readonly changesWith?: RegExp;
  /** A rule must name every word. */
  readonly everyWord?: true;
  /** With two operands, folders are compared. */
  readonly comparesOperands?: true;
}

/** What the words of a program do to files. */
export interface FileFacts extends OptionSyntax {
  /**
   * The words that are no options. `read`: files that are read. `write`: files that are written. `text`: no files. `copy`: files, and
   * the last one is written. `inOut`: a file that is read, then files that are written. Without it, Parley does not know.
   */
  readonly operands?: 'read' | 'write' | 'text' | 'copy' | 'inOut';
  /** Folders are used with everything below. */
  readonly recursive?: true;
  /** Of folders, files of the same name are compared. */
  readonly compares?: true;
  /** Files are written that the words do not name. */
  readonly changesOtherFiles?: true;
}

/** What Parley knows about a program. Only `names` is required; what no field says counts as unknown. */
export interface Program extends FileFacts {
  /** Separated by blanks; in small letters, without folder, version and extension. */
  readonly names: string;
  /** Further names. */
  readonly matches?: RegExp;
  /** The name may have a version: `python3.12`. */
  readonly hasVersions?: true;
  /** A file of this name in a project is this program: `./gradlew`. */
  readonly projectWrapper?: string;

  // What it runs
  readonly runs?: readonly Runs[];
  /** Number of operands before the command that it runs. */
  readonly operandsBefore?: number;
  /** First words with which it only prints something. */
  readonly printsWith?: string;
  /** Options with which an interpreter needs no script, besides `-h`, `-V`, `--help` and `--version`. */
  readonly needsNoScriptWith?: string;
  /** Uses that only print something, though the program otherwise runs something hidden. */
  readonly onlyPrints?: RegExp;
  /** The shell whose line this is in `[program, '-lc', line]`, as agents send lines. */
  readonly agentShell?: 'posix' | 'powershell';
  /** The word after `-c` is a line for a shell, whose options Parley does not know. */
  readonly takesLine?: true;
  /** The words are a line for a shell. */
  readonly wordsAreLine?: true;
  /** The language of a script in its words, which `scripts.ts` reads. */
  readonly script?: 'sed' | 'awk' | 'jq' | 'sqlite';
  readonly packages?: PackageRunner;
  /** Words are recipes of the project: `just publish`. */
  readonly runsRecipes?: true;
  /** A rule must name every word, because each may select what runs. */
  readonly everyWord?: true;
  /** Words behind it may be a command: `find -exec x`. */
  readonly mayRunWords?: true;

  // How its name is recognized behind other programs
  /** Behind any program, its name starts a command. Without this field, so do shells, wrappers, interpreters, and what writes files. */
  readonly startsCommand?: boolean;
  /** No script of a project has this name, and it is not downloaded: `yarn find` runs the program. */
  readonly isNoScript?: true;
  /** Package runners may download it without a question. */
  readonly isCommonPackage?: true;
  /** `python -m` may run it. */
  readonly isPythonModule?: true;

  // Files
  /** Its commands, with options of their own; `options` are those in front of the command. */
  readonly subcommands?: readonly Subcommand[];
  /** A first operand with which it changes files of the working copy. */
  readonly changesFilesVerb?: RegExp;
  /** A word with which it changes files of the project. */
  readonly changesFilesWord?: RegExp;
  /** What the program does to folders that its words name. `printsHere`: without a folder, it prints the working folder. */
  readonly folders?: 'prints' | 'printsHere' | 'deletes' | 'checks';
  /** Options with which it prints no files, and those that cancel them. */
  readonly printsUnless?: { readonly given: RegExp; readonly cancel: RegExp };
  /** The working folder of the following commands changes. */
  readonly changesFolder?: true;
  /** Files are moved, or copied without following links. */
  readonly moves?: true;
  /** Options with which it copies a link as a link. */
  readonly keepsLinksWith?: string;
  readonly makesLinks?: true;
  /** Options with which an archive is listed; without one, its content decides what is written. */
  readonly listsWith?: string;
  /** The first word has options without a dash: `tar tf x`. */
  readonly needsNoDash?: true;

  // Variables
  /** `x=y` in its words sets a variable. */
  readonly setsVariables?: true;
  /** Its variables are printed: always, without a command or words, or with an option. */
  readonly printsVariables?: 'always' | 'withoutCommand' | 'withoutWords' | RegExp;

  // Verbs
  /** Verbs that may be shortened, and shorter ones that have another meaning. */
  readonly abbreviates?: { readonly verbs: string; readonly except?: string; readonly isCamelCase?: true };
  /** `-m` comes before a text. */
  readonly isVersionControl?: true;
  /** Each operand is a task: `mvn test deploy`. */
  readonly everyOperandIsTask?: true;
  /** The only verbs that publish. */
  readonly publishVerbs?: RegExp;
  /** A verb that publishes with other programs, and here writes into the project. */
  readonly localVerb?: string;

  // Effects outside the workspace
  readonly effects?: readonly Effect[];
  /** The program is for publishing: all but a few uses do. */
  readonly publishes?: true;
  /** The program serves files; `name`: only as a program, since the word often means something else. */
  readonly servesFiles?: true | 'name';
  /** The only verbs that serve files. */
  readonly serveVerbs?: RegExp;
  /** It serves the project's pages to this machine, while they are developed. */
  readonly servesOwnPages?: true;
  readonly irreversible?: readonly IrreversibleUse[];

  // What no field can say
  /** Indices of words that may run, load or write anything, besides unknown options. */
  readonly riskyWords?: (argv: readonly string[], words: ReadWords) => readonly number[];
  /** The effect outside the workspace, with the word that has it. */
  readonly effectOf?: (argv: readonly string[]) => { readonly words?: string; readonly why: OutsideEffect } | undefined;
}

/** Uses that only inform: version and help, and those that begin with the pattern. */
export function informs(pattern?: string): RegExp {
  return new RegExp(`^(?:-?-?(?:version|help)$|-[Vh]$${pattern === undefined ? '' : `|${pattern}`})`);
}
