import { boolean, count, object, optional, string } from '../base/schema';

/** A race: one message to several agents, each in its own worktree. */
export interface RaceOfWorktree {
  readonly id: string;
  /** The first words of the message. */
  readonly title: string;
}

/** A worktree as it is stored. */
export interface WorktreeRecord {
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
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** False during creation: what is left of a crash can be removed without a question. */
  readonly isReady: boolean;
  /** The user has agreed to discard it. */
  readonly isDiscarded: boolean;
  /** The session that works in it. */
  readonly session?: string;
  readonly race?: RaceOfWorktree;
}

export const worktreeRecord = object<WorktreeRecord>({
  id: string,
  repository: string,
  path: string,
  prefix: string,
  branch: string,
  head: string,
  createdAt: count,
  isReady: boolean,
  isDiscarded: boolean,
  session: optional(string),
  race: optional(object<RaceOfWorktree>({ id: string, title: string })),
});
