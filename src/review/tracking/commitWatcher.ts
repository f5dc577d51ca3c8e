import { SerialQueue } from '../../base/async';
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import { isInside } from '../../node/fs/realPaths';
import type { Git } from '../../node/gitCommand';
import { isGitObject } from '../git/gitObject';
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
      if (this.#commits.has(folder) && head !== this.#commits.get(folder)) moved.push(folder);
      this.#commits.set(folder, head);
    }
    return moved;
  }

  async #keepCommitted(folders: readonly string[]): Promise<void> {
    const { git, snapshots, review } = this;
    const { modifiedFiles } = review;
    const all = modifiedFiles.files().flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
    const paths = all.filter((path) => folders.some((folder) => isInside(folder, path)));
    const contents = new Map(paths.map((path) => [path, modifiedFiles.get(path)?.attribution.text]));
    for (const path of await this.find(git, snapshots, contents)) await review.keepCommitted(path, contents.get(path));
  }
}

/** Changes with every commit, checkout and reset; undefined without a repository. */
async function currentHead(git: Git, folder: string): Promise<string | undefined> {
  return git.text(['rev-parse', '-q', '--verify', 'HEAD'], { cwd: folder }).catch(() => undefined);
}

/** The files whose last commit has this content. Read-only. */
export async function findCommitted(
  git: Git,
  snapshots: WorkspaceSnapshots,
  files: ReadonlyMap<string, FileContent | undefined>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [repository, names] of snapshots.namesInRepositories([...files.keys()])) {
    const args = ['ls-tree', '-z', '--full-tree', 'HEAD', '--', ...names.keys()];
    const listed = await git.fields(args, { cwd: repository.top }).catch(() => undefined);
    if (!listed) continue;
    const objects = new Map(listed.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/)[2]]));
    for (const [name, path] of names) {
      if (isGitObject(objects.get(name), files.get(path), repository.objectFormat)) found.push(path);
    }
  }
  return found;
}
