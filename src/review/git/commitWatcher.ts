import { SerialQueue } from '../../base/async';
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import type { Git } from '../../node/git/gitCommand';
import type { AgentTurns } from '../tracking/agentTurns';
import type { ModifiedFiles } from '../tracking/modifiedFiles';
import type { ChangeReview } from '../changeReview';
import type { WorkspaceSnapshots } from './workspaceSnapshots';
import { currentHead } from './workspaceSnapshots';

export interface CommitWatcherOptions {
  readonly git: Git;
  readonly roots: WorkspaceSnapshots;
  readonly ledger: ModifiedFiles;
  readonly review: Pick<ChangeReview, 'keepFile'>;
  readonly log: Logger;
  /** During a turn a commit may be the agent's own, which does not count as review. */
  readonly turns: Pick<AgentTurns, 'isWorking'>;
}

/** Keeps changes that the user has committed unchanged. */
export class CommitWatcher {
  readonly #options: CommitWatcherOptions;
  readonly #queue = new SerialQueue();
  readonly #known = new Map<string, string | undefined>();

  constructor(options: CommitWatcherOptions) {
    this.#options = options;
  }

  /** Checks for a new commit. Never rejects. */
  look(): Promise<void> {
    return this.#queue.run(async () => {
      try {
        if ((await this.#moved()) && !this.#options.turns.isWorking) await this.#keepCommitted();
      } catch (error) {
        this.#options.log.warn('app', `Failed to check for commits: ${errorMessage(error)}`);
      }
    });
  }

  /** Stores the current commit as known. Never rejects. */
  remember(): Promise<void> {
    return this.#queue.run(async () => {
      await this.#moved().catch(() => false);
    });
  }

  async #moved(): Promise<boolean> {
    const { git, roots } = this.#options;
    let moved = false;
    for (const { folder } of roots.shadows()) {
      const head = await currentHead(git, folder);
      if (this.#known.has(folder) && head !== this.#known.get(folder)) moved = true;
      this.#known.set(folder, head);
    }
    return moved;
  }

  async #keepCommitted(): Promise<void> {
    const { roots, ledger, review } = this.#options;
    const paths = ledger.files().flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
    const committed = await roots.committed(new Map(paths.map((path) => [path, ledger.get(path)?.tracked.text])));
    for (const path of committed) await review.keepFile(path);
  }
}
