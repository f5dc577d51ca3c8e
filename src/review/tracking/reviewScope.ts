// Protected by test/unit/review/linkedFolders.test.ts: a folder that is open twice has each change once.
import { realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { displayPath } from '../../node/fs/pathLabel';
import { innermostFolder, isInside, realPathNames } from '../../node/fs/realPaths';

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
  /**
   * @param workspace absolute folders
   * @param worktrees absolute folders of all git worktrees of sessions
   * @param foldersOf the folders of a session
   * @param branchOf the branch of the git worktree that contains a path
   */
  constructor(
    private readonly workspace: () => readonly string[],
    private readonly worktrees: () => readonly string[] = () => [],
    private readonly foldersOf: (sessionId: string) => readonly string[] = workspace,
    private readonly branchOf: (path: string) => string | undefined = () => undefined,
  ) {}

  /** The folders of the workspace and of all worktrees. */
  allFolders(): readonly string[] {
    return [...this.workspace(), ...this.worktrees()];
  }

  ofSession(sessionId: string): ReviewScope {
    const [first] = this.foldersOf(sessionId);
    return this.ofWorktree(first === undefined ? undefined : this.worktreeAround(first));
  }

  /** @param worktree undefined: the workspace */
  ofWorktree(worktree: string | undefined): ReviewScope {
    if (worktree !== undefined)
      return { worktree, folders: [worktree], has: (path) => this.worktreeAround(path) === worktree };
    const has = (path: string): boolean => this.worktreeAround(path) === undefined;
    return { worktree, folders: this.workspace(), has };
  }

  /** The innermost git worktree that contains the path. */
  worktreeAround(path: string): string | undefined {
    return innermostFolder(this.worktrees(), path);
  }

  /** A file of a git worktree for display, with its branch: `src/a.ts (parley/edit)`. Undefined outside all worktrees. */
  nameInWorktree(path: string): string | undefined {
    const folder = this.worktreeAround(path);
    const name = folder && displayPath(path, [folder]);
    const branch = this.branchOf(path);
    return name !== undefined && branch !== undefined ? `${name} (${branch})` : name;
  }
}

/** Canonical paths of reviewed files: one per file, below the workspace folder as VS Code knows it, with its real path. */
export class ReviewPaths {
  /** Real folder paths at the first lookup: a folder that leads elsewhere later is another folder. */
  readonly #real = new Map<string, Promise<string>>();

  /** @param folders of the workspace, absolute; they may be links */
  constructor(private readonly folders: () => readonly string[]) {}

  /** Settles when the real folder paths are known. */
  async remember(): Promise<void> {
    await Promise.all(this.folders().map((folder) => this.#realFolder(folder)));
  }

  /**
   * The path by which a reviewed file is read and written, with links of its folders resolved.
   * @param path absolute, as the review names the file
   */
  async real(path: string): Promise<string> {
    const file = resolve(path);
    const folder = innermostFolder(this.folders(), file);
    return folder === undefined ? file : join(await this.#realFolder(folder), relative(folder, file));
  }

  /**
   * The path under which a file is reviewed, with links resolved.
   * @param path absolute
   */
  async nameOf(path: string): Promise<string> {
    return (await this.nameInside(path)) ?? realPathNames(path, this.folders()).at(-1) ?? path;
  }

  /** Like {@link nameOf}; undefined outside the workspace. */
  async nameInside(path: string): Promise<string | undefined> {
    const real = realPathNames(path, this.folders()).at(-1) ?? path;
    let outermost: { readonly folder: string; readonly root: string } | undefined;
    for (const folder of this.folders()) {
      const root = await this.#realFolder(folder);
      const isOutside = real === root || !isInside(root, real);
      // Of several folders that lead to the same, the first: as `outermostFolders`.
      if (!isOutside && (!outermost || root.length < outermost.root.length)) outermost = { folder, root };
    }
    return outermost && join(outermost.folder, relative(outermost.root, real));
  }

  #realFolder(folder: string): Promise<string> {
    const cached = this.#real.get(folder) ?? realpath(folder).catch(() => folder);
    this.#real.set(folder, cached);
    return cached;
  }
}
