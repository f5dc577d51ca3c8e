import { boolean, count, list, object, optional, string } from '../base/schema';
import { gitObjectId } from '../node/gitObjectId';

/** Beside a worktree: Parley's own repository of its files. */
export const OWN_REPOSITORY = '.parley.git';
/** Beside a worktree: its folder, until git no longer lists the worktree. A number may follow. */
export const ASIDE = '.discarded';

/** A file that git ignores, or a folder of such files, without the files that the new worktree got from the main folder. */
export interface IgnoredFiles {
  /** Relative to the top folder, with forward slashes. Ends with a slash for a folder. */
  readonly name: string;
  readonly files: number;
  /** Of all files together. */
  readonly bytes: number;
  /** When the last of the files and folders was changed, in milliseconds since 1970. */
  readonly changedAt: number;
  /** Whether there may be more files: the limit was reached, or a folder cannot be read. */
  readonly isPartial: boolean;
}

/** A race: one message to several agents, each in its own worktree. */
export interface RaceOfWorktree {
  readonly id: string;
  /** The first words of the message. */
  readonly title: string;
}

/** A worktree that is about to be created. */
export interface PlannedWorktree {
  readonly id: string;
  /** Top folder of the user's work tree; absolute, with links resolved. */
  readonly repository: string;
  /** Absolute. */
  readonly path: string;
  /** The workspace folder below `repository`, with forward slashes; empty for `repository` itself. */
  readonly prefix: string;
  readonly branch: string;
  /** The commit that the branch started from. */
  readonly head: string;
}

/** A worktree as it is stored. */
export interface WorktreeRecord extends PlannedWorktree {
  /** The tree of its files at creation; missing until then. */
  readonly base?: string;
  /** Folders that are links to those of the main folder; relative, with forward slashes. */
  readonly links?: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** False during creation. After a crash, such a worktree can be removed without asking. */
  readonly isReady: boolean;
  /** The user has agreed to discard it. */
  readonly isDiscarded: boolean;
  /** The workspace whose session works in it. */
  readonly owner?: string;
  /** The session that works in it. */
  readonly session?: string;
  readonly race?: RaceOfWorktree;
  /** What `parley.worktrees.setup` has created, once all its commands have succeeded. */
  readonly setup?: readonly IgnoredFiles[];
}

const ignoredFilesSchema = object<IgnoredFiles>({
  name: string,
  files: count,
  bytes: count,
  changedAt: count,
  isPartial: boolean,
});

export const worktreeRecord = object<WorktreeRecord>({
  id: string,
  repository: string,
  path: string,
  prefix: string,
  branch: string,
  head: gitObjectId,
  base: optional(gitObjectId),
  links: optional(list(string)),
  createdAt: count,
  isReady: boolean,
  isDiscarded: boolean,
  owner: optional(string),
  session: optional(string),
  race: optional(object<RaceOfWorktree>({ id: string, title: string })),
  setup: optional(list(ignoredFilesSchema)),
});
