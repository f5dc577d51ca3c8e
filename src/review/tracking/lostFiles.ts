// Protected by test/unit/review/leavingFiles.test.ts: files that would leave the review stay or are named.
import type { Clock } from '../../base/clock';
import { DelayedCall, systemClock } from '../../base/clock';
import { t } from '../../base/l10n';
import { isBeyondLink } from '../../node/fs/pinnedFolder';
import type { ReviewPaths } from './reviewScope';
import type { TurnNotice } from './turnNotices';
import { listed } from './turnNotices';

/** Milliseconds for which files are reported together. */
const MERGE_MS = 300;

/** Names files that left the review because a folder above them became a link. */
export class LostFiles {
  /** Labels by session. */
  readonly #lost = new Map<string, Set<string>>();
  readonly #scheduled: DelayedCall;

  /**
   * @param label converts a path for display
   * @param report called once for all files of a session
   */
  constructor(
    private readonly paths: ReviewPaths,
    private readonly label: (path: string) => string,
    private readonly report: (sessionId: string, notice: TurnNotice) => void,
    clock: Clock = systemClock,
  ) {
    this.#scheduled = new DelayedCall(MERGE_MS, () => this.#reportAll(), clock);
  }

  /**
   * A file under review no longer exists.
   * @param sessions ids of those that changed it
   */
  async add(path: string, sessions: readonly string[]): Promise<void> {
    if (!(await isBeyondLink(await this.paths.real(path)))) return;
    for (const id of sessions) this.#lost.set(id, (this.#lost.get(id) ?? new Set()).add(this.label(path)));
    this.#scheduled.schedule();
  }

  dispose(): void {
    this.#scheduled.dispose();
  }

  #reportAll(): void {
    const lost = [...this.#lost];
    this.#lost.clear();
    for (const [id, labels] of lost) {
      const title =
        labels.size === 1 ? t('No longer under review: 1 file') : t('No longer under review: {0} files', labels.size);
      const why = t('A folder became a link, and Parley neither reads nor changes files beyond a link.');
      this.report(id, { severity: 'warning', title, text: `${why}\n\n${listed([...labels])}` });
    }
  }
}
