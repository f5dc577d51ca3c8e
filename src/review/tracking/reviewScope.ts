import { isInside } from '../../node/fs/realPaths';

/** The files that the checkpoints and the review of a session cover: those of its git worktree, or all others. */
export interface ReviewScope {
  /** The folder of the git worktree; undefined for the workspace. */
  readonly worktree: string | undefined;
  /** Absolute. */
  readonly folders: readonly string[];
  has(path: string): boolean;
}

/** Sessions in different git worktrees do not touch each other's files. */
export class ReviewScopes {
  readonly #workspace: () => readonly string[];
  readonly #worktrees: () => readonly string[];
  readonly #foldersOf: (sessionId: string) => readonly string[];

  /**
   * @param workspace absolute folders
   * @param worktrees absolute folders of all git worktrees of sessions
   * @param foldersOf the folders of a session
   */
  constructor(
    workspace: () => readonly string[],
    worktrees: () => readonly string[] = () => [],
    foldersOf: (sessionId: string) => readonly string[] = workspace,
  ) {
    this.#workspace = workspace;
    this.#worktrees = worktrees;
    this.#foldersOf = foldersOf;
  }

  /** The folders of the workspace and of all worktrees. */
  all(): readonly string[] {
    return [...this.#workspace(), ...this.#worktrees()];
  }

  ofSession(sessionId: string): ReviewScope {
    const [first] = this.#foldersOf(sessionId);
    return this.of(first === undefined ? undefined : this.worktreeAround(first));
  }

  /** @param worktree undefined: the workspace */
  of(worktree: string | undefined): ReviewScope {
    if (worktree !== undefined)
      return { worktree, folders: [worktree], has: (path) => this.worktreeAround(path) === worktree };
    const has = (path: string): boolean => this.worktreeAround(path) === undefined;
    return { worktree, folders: this.#workspace(), has };
  }

  /** The innermost git worktree that contains the path. */
  worktreeAround(path: string): string | undefined {
    const around = this.#worktrees().filter((worktree) => isInside(worktree, path));
    return around.toSorted((a, b) => b.length - a.length)[0];
  }
}
