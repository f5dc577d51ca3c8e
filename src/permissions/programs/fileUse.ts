import type { Below } from '../../node/fs/realPaths';
import { pathWords } from './pathWords';

/** Effects of a command on files, by its words, as far as its program is known. */
export interface FileUse {
  /** Words that may name files which the command only reads. */
  readonly reads: readonly string[];
  /** Words that may name files which the command may write. */
  readonly writes: readonly string[];
  /** Working folders. */
  readonly folders: readonly string[];
  /** What the command uses of the folders that its words name: everything, or everything except dotfiles. */
  readonly below?: Below;
  /** Shell patterns that limit `below`. */
  readonly only?: readonly string[];
  /** Words that the command moves, or copies without following links: a relative link then leads elsewhere. */
  readonly moved?: readonly string[];
  /** Names of links that the command makes. */
  readonly links?: readonly string[];
  /** Folders of which the command shows files without an option that says so. */
  readonly shows?: ShownFolders;
  /** The meaning of words depends on their number. */
  readonly isCountSensitive?: true;
  /** Indices of unknown options: each may run, load or write anything. */
  readonly unknown: readonly number[];
  /** Indices of words that make the command write a file or change the folder; the wildcard of a rule does not cover them. */
  readonly named: readonly number[];
  /** The command writes files that its words do not name. */
  readonly changesUnnamedFiles: boolean;
}

/** Words that may be folders, and what the command shows of these. */
interface ShownFolders {
  readonly words: readonly string[];
  readonly below: Below;
  /** The command compares two folders: a single one is something else to it. */
  readonly isPair?: true;
  /** The first word may be what is searched for; without a file or folder behind it the command uses the working folder. */
  readonly isHere?: true;
  /** The program is not known to show anything: too many files are no reason to ask. */
  readonly isGuess?: true;
}

export const NOTHING: FileUse = {
  reads: [],
  writes: [],
  folders: [],
  unknown: [],
  named: [],
  changesUnnamedFiles: false,
};

/** An unknown command: each word may be a file that it writes. */
export function anyUse(argv: readonly string[]): FileUse {
  return { ...NOTHING, writes: pathWords(argv.slice(1)) };
}
