import type { GitMove, GitMoves, GitStart, TurnChange } from '../git/gitMoves';
import type { FileContent } from '../storage/fileContent';
import { isSameContent } from '../storage/fileContent';
import type { ChangeTracker } from './changeTracker';
import type { FileAttribution } from './fileAttribution';
import { applyAgentEdit, applyUserEdit, unchangedFile, unite } from './fileAttribution';
import { hasAgentLines } from './hunks';
import type { ModifiedFile } from './modifiedFiles';
import type { TurnBaseline } from './turnChanges';

interface MovedFile {
  readonly from: string;
  /** Before the first move. */
  readonly start: FileAttribution;
}

/** What git brought into the files of a turn. It counts as the user's; only what differs from it is the agent's. */
export class TurnMoves {
  readonly #moved = new Map<string, MovedFile>();
  /** Below the changes of files that were not under review before the turn: Keep replaces it. */
  readonly #bases = new Map<string, FileContent | undefined>();
  /** Contents that were not found in git. */
  readonly #checked = new Map<string, FileContent | undefined>();

  /** @param before is kept up to date with what git brings */
  constructor(
    private readonly tracker: ChangeTracker,
    private readonly git: GitMoves,
    private readonly start: GitStart,
    private readonly before: TurnBaseline,
  ) {}

  /** Sources, such as branches, by path. */
  get sources(): ReadonlyMap<string, string> {
    return new Map(Array.from(this.#moved, ([path, { from }]) => [path, from]));
  }

  /**
   * @param paths of the turn
   * @param isFinal also checks files again whose content is the same as at the last time
   */
  async update(paths: readonly string[], isReported: (path: string) => boolean, isFinal: boolean): Promise<void> {
    if (this.start.length === 0) return;
    await this.#restoreReturned();
    const changes = new Map<string, TurnChange>();
    for (const path of paths) {
      const item = this.tracker.modifiedFiles.get(path);
      const before = item && this.#origin(path, item);
      if (!item || !before || isSameContent(before.text, item.attribution.text)) continue;
      // All moves of the turn are found anew, from its start: a change that is applied twice would be there twice.
      const start = this.#moved.get(path)?.start ?? before;
      changes.set(path, { before: start.text, after: item.attribution.text, isReported: isReported(path) });
    }
    const isNew = [...changes].some(([path, { after }]) => {
      return !this.#checked.has(path) || !isSameContent(this.#checked.get(path), after);
    });
    if (changes.size === 0 || (!isNew && !isFinal)) return;
    for (const [path, { after }] of changes) this.#checked.set(path, after);
    const found = await this.git.find(this.start, changes);
    for (const [path, move] of found) await this.#apply(path, move, (start) => start);
    // The agent may have taken back its changes of earlier turns before git moved the file.
    const below = new Map<string, TurnChange>();
    for (const [path, change] of changes) {
      const base = this.before.get(path)?.base;
      if (!found.has(path) && base && !isSameContent(base, change.before)) below.set(path, { ...change, before: base });
    }
    if (below.size === 0) return;
    for (const [path, move] of await this.git.find(this.start, below))
      await this.#apply(path, move, ({ base }) => unchangedFile(base));
  }

  /** Before the agent's changes of this turn; undefined where the user, too, has changed the file: only Parley has that text. */
  #origin(path: string, { attribution, overwritten }: ModifiedFile): FileAttribution | undefined {
    if (!this.#bases.has(path)) this.#bases.set(path, attribution.base);
    const before = this.before.get(path) ?? unchangedFile(this.#bases.get(path));
    return !overwritten && !attribution.isReplacedByUser && isSameContent(before.base, attribution.base)
      ? before
      : undefined;
  }

  /** @param startOf what git has moved: the file at the start of the turn, or what is below its changes under review */
  async #apply(
    path: string,
    { content, from }: GitMove,
    startOf: (start: FileAttribution) => FileAttribution,
  ): Promise<void> {
    const { tracker, git } = this;
    const item = tracker.modifiedFiles.get(path);
    const before = item && this.#origin(path, item);
    if (!item || !before) return;
    const start = this.#moved.get(path)?.start ?? before;
    const merged = applyUserEdit(startOf(start), content);
    // Where the changes under review are overwritten nothing of them is left, unless the text below them is nowhere else.
    const isOverwritten = merged.isReplacedByUser || (merged.userLines.length > 0 && !hasAgentLines(merged));
    const isOnlyCopy = isOverwritten && start.base && !(await git.isStored(path, start.base));
    if (isOnlyCopy) return;
    const moved = isOverwritten ? unchangedFile(content) : merged;
    const next = applyAgentEdit(moved, item.attribution.text);
    // The text is the same, so the lines that the user wrote into changes of the agent are where they were.
    const userLines = unite(next.userLines, item.attribution.userLines);
    if (!(await tracker.replaceAttribution(path, item.attribution, { ...next, userLines }))) return;
    this.before.set(path, moved);
    this.#moved.set(path, { from, start });
  }

  /** Git has brought back the files of the start, as after a visit to another branch. */
  async #restoreReturned(): Promise<void> {
    const { tracker, git } = this;
    const returned = [...this.#moved].flatMap(([path, { start }]) => {
      const item = tracker.modifiedFiles.get(path);
      const isBack = item && isSameContent(item.attribution.text, start.text) && this.#origin(path, item);
      return isBack ? [{ path, start, now: item.attribution }] : [];
    });
    if (returned.length === 0) return;
    const atHead = await git.atHead(new Map(returned.map(({ path, start }) => [path, start.text])));
    for (const { path, start, now } of returned) {
      // Otherwise the agent has taken away what git had brought, or the file has changed again.
      if (!atHead.has(path) || !(await tracker.replaceAttribution(path, now, start))) continue;
      this.#moved.delete(path);
      this.before.set(path, start);
    }
  }
}
