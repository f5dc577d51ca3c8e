import { SerialQueue } from '../../base/async';
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import { hasModes } from '../../node/fs/permissions';
import { innermostFolder } from '../../node/fs/realPaths';
import type { Git } from '../../node/gitCommand';
import { isGitObject } from '../git/gitObject';
import type { UserRepository } from '../git/userRepository';
import type { FolderWork, WorkspaceSnapshots } from '../git/workspaceSnapshots';
import type { FileContent } from '../storage/fileContent';
import type { ModifiedFiles } from './modifiedFiles';

/** Changes that agents made. */
interface CommittedReview {
  readonly modifiedFiles: ModifiedFiles;
  /** Keeps a change whose content is as committed. Never rejects. */
  keepCommitted(path: string, content: FileContent | undefined): Promise<void>;
}

/** Marks changes as kept when the user has committed them unchanged. */
export class CommitWatcher {
  readonly #queue = new SerialQueue();
  readonly #commits = new Map<string, string | undefined>();
  /** By folder: the commit up to which the review counts those of the user. */
  readonly #counted = new Map<string, string | undefined>();

  /** @param work during a turn a commit in its folder may be the agent's own, which does not count as review */
  constructor(
    private readonly git: Git,
    private readonly snapshots: WorkspaceSnapshots,
    private readonly review: CommittedReview,
    private readonly work: FolderWork,
    private readonly log: Logger,
    private readonly find: typeof findCommitted = findCommitted,
  ) {}

  /** Checks for a new commit. Never rejects. */
  checkForCommit(): Promise<void> {
    return this.#queue.run(async () => {
      try {
        const moved = await this.#foldersWithNewCommit();
        const byUser = moved.filter((folder) => !this.work.isWorkedIn(folder));
        if (byUser.length > 0) await this.#keepCommitted(byUser);
      } catch (error) {
        this.log.warn('review', `Failed to check for commits: ${errorMessage(error)}`);
      }
    });
  }

  /** Stores the current commit as known. Never rejects. */
  rememberCommits(): Promise<void> {
    return this.#queue.run(async () => {
      await this.#foldersWithNewCommit().catch(() => undefined);
    });
  }

  /** The folders with another commit than before. */
  async #foldersWithNewCommit(): Promise<readonly string[]> {
    const { git, snapshots } = this;
    const moved: string[] = [];
    for (const { folder } of snapshots.repositories()) {
      const head = await currentHead(git, folder);
      if (!this.#counted.has(folder)) this.#counted.set(folder, head);
      if (this.#commits.has(folder) && head !== this.#commits.get(folder)) moved.push(folder);
      this.#commits.set(folder, head);
    }
    return moved;
  }

  async #keepCommitted(folders: readonly string[]): Promise<void> {
    const { git, snapshots, review } = this;
    const { modifiedFiles } = review;
    const all = modifiedFiles.files().flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
    for (const folder of folders) {
      const paths = all.filter((path) => innermostFolder([...this.#commits.keys()], path) === folder);
      const contents = new Map(paths.map((path) => [path, modifiedFiles.get(path)?.attribution.text]));
      const committed = await this.find(git, snapshots, contents, this.#counted.get(folder));
      for (const path of committed) await review.keepCommitted(path, contents.get(path));
      this.#counted.set(folder, this.#commits.get(folder));
    }
  }
}

/** Changes with every commit, checkout and reset; undefined without a repository. */
async function currentHead(git: Git, folder: string): Promise<string | undefined> {
  return git.text(['rev-parse', '-q', '--verify', 'HEAD'], { cwd: folder }).catch(() => undefined);
}

/**
 * The files whose content, with its mode, came into the last commit. Read-only.
 * @param since an earlier commit: what it has so was not committed now
 */
export async function findCommitted(
  git: Git,
  snapshots: WorkspaceSnapshots,
  files: ReadonlyMap<string, FileContent | undefined>,
  since: string | undefined,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [repository, names] of snapshots.namesInRepositories([...files.keys()])) {
    const now = await entriesIn(git, repository, 'HEAD', names);
    if (!now) continue;
    const earlier = since === undefined ? undefined : await entriesIn(git, repository, since, names);
    for (const [name, path] of names) {
      const [entry, content] = [now.get(name), files.get(path)];
      const [mode, , object] = entry?.split(' ') ?? [];
      const isSame = isGitObject(object, content, repository.objectFormat);
      const hasMode = !content || !hasModes(path) || content.mode === mode;
      if (isSame && hasMode && !(earlier && earlier.get(name) === entry)) found.push(path);
    }
  }
  return found;
}

/** `<mode> <type> <object>` by name; undefined where git cannot read the commit. */
async function entriesIn(
  git: Git,
  { top }: UserRepository,
  commit: string,
  names: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string> | undefined> {
  const args = ['ls-tree', '-z', '--full-tree', commit, '--', ...names.keys()];
  const listed = await git.fields(args, { cwd: top }).catch(() => undefined);
  return (
    listed && new Map(listed.map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(0, line.indexOf('\t'))]))
  );
}
