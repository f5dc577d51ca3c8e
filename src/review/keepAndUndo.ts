import { errorMessage } from '../base/errors';
import { omitUndefined } from '../base/json';
import { t } from '../base/l10n';
import { deletionsFirst, isSameContent } from './storage/fileContent';
import type { FileContent } from './storage/fileContent';
import type { ChangeTracker } from './tracking/changeTracker';
import type { FileAttribution } from './tracking/fileAttribution';
import { isUnchangedFile, revertStep, unchangedFile } from './tracking/fileAttribution';
import { conflictOf, hunksOf, keepHunk, undoAll, undoHunk } from './tracking/hunks';
import type { ModifiedFile, ModifiedFiles, ReviewProblem, ReviewResult } from './tracking/modifiedFiles';
import { beforeUndoAfter, withAttribution } from './tracking/modifiedFiles';
import type { SessionShares } from './tracking/sessionShares';
import { fileAfterUndo, shareOf } from './tracking/sessionShares';
import type { WorkingFiles } from './tracking/workingFiles';

/** One file before and after a Keep or Undo. */
interface Step {
  readonly path: string;
  readonly before: ModifiedFile;
  readonly after: FileAttribution;
}

/** The result of a step for one file, or why it failed. `note` is a problem of a partial step. */
type Plan =
  | { readonly attribution: FileAttribution; readonly note?: string; readonly shares?: SessionShares }
  | { readonly problem: string };

const MAX_STEPS = 100;
const EDITED = t('You also changed these lines after the agent did. Keep them, or undo the agent’s changes manually.');
const REMOVED = t('This change no longer exists.');
const UNKNOWN = t('Not changed: the file could not be read when the agent changed it.');
const OTHERS = t('Another chat changed the same lines, which stay.');

/**
 * Keeps and undoes what the tracker has attributed to agents, and reverts that again: the half of `TrackedReview` that is loaded with the
 * first step.
 */
export class KeepAndUndo {
  /** By number, oldest first. */
  readonly #steps = new Map<number, readonly Step[]>();
  #count = 0;

  constructor(
    private readonly modifiedFiles: ModifiedFiles,
    private readonly tracker: ChangeTracker,
    private readonly workingFiles: WorkingFiles,
  ) {}

  get canUndoLast(): boolean {
    return this.#steps.size > 0;
  }

  keepHunk(path: string, hunkId: string): Promise<ReviewResult> {
    return this.#applyUndoable([path], ({ attribution }) => {
      const result = keepHunk(attribution, hunkId);
      return result ? { attribution: result } : { problem: REMOVED };
    });
  }

  undoHunk(path: string, hunkId: string, only?: string): Promise<ReviewResult> {
    return this.#applyUndoable([path], (item) => {
      const { attribution } = item;
      if (only !== undefined) return undoShare(item, only, hunkId);
      const undone = undoHunk(attribution, hunkId);
      if (undone === 'conflict') return { problem: EDITED };
      return undone ? { attribution: undone } : { problem: REMOVED };
    });
  }

  keepFiles(paths: readonly string[]): Promise<ReviewResult> {
    return this.#applyUndoable(this.#both(paths), keepWhole);
  }

  /** Keeps a file that the user has committed with this content, unless the file has changed since. */
  keepCommitted(path: string, content: FileContent | undefined): Promise<void> {
    return this.tracker.withFileLock(path, async () => {
      const before = this.modifiedFiles.get(path);
      if (!before || !isSameContent(before.attribution.text, content)) return;
      const { overwritten: _overwritten, ...rest } = before;
      const after = unchangedFile(content);
      this.modifiedFiles.set(path, withAttribution(rest, after, 'step'));
      this.#remember([{ path, before, after }]);
      // Later changes stay under review.
      await this.tracker.updateAttribution(path);
    });
  }

  undoFiles(paths: readonly string[], only?: string): Promise<ReviewResult> {
    return this.#applyUndoable(
      deletionsFirst(this.#both(paths).toSorted(), (path) => this.modifiedFiles.get(path)?.attribution.base),
      only === undefined ? undoWhole : (item) => undoShare(item, only),
    );
  }

  async undoLast(): Promise<ReviewResult> {
    const last = [...this.#steps.keys()].at(-1);
    const result = last === undefined ? undefined : await this.undoStep(last);
    return result ?? { done: [], problems: [] };
  }

  async undoStep(number: number): Promise<ReviewResult | undefined> {
    const steps = this.#steps.get(number);
    if (!steps) return undefined;
    this.#steps.delete(number);
    const byPath = new Map(steps.map((step) => [step.path, step]));
    const overlapping = new Set<string>();
    const result = await this.#applyEach(
      deletionsFirst([...byPath.keys()].toSorted(), (path) => byPath.get(path)?.before.attribution.text),
      (item, path) => {
        const step = byPath.get(path);
        const back = step && revertStep(item.attribution, step.before.attribution, step.after);
        if (!back) overlapping.add(path);
        if (!back) return { problem: t('The same lines have been changed since then.') };
        const isExact = back === step?.before.attribution;
        return { attribution: back, ...omitUndefined({ shares: isExact ? step.before.shares : undefined }) };
      },
      (path) => byPath.get(path)?.before,
    );
    const failed = steps.filter(({ path }) => result.problems.some((problem) => problem.path === path));
    // Of a step that overlaps later changes everywhere nothing can be reverted; it would hide the earlier steps.
    if (failed.length > 0 && overlapping.size < steps.length) this.#remember(failed);
    return result;
  }

  /** Clears the undo steps, after the review was replaced. */
  forgetSteps(): void {
    this.#steps.clear();
  }

  /** Both paths of a renamed file. */
  #both(paths: readonly string[]): string[] {
    return paths.flatMap((path) => {
      const from = this.modifiedFiles.file(path)?.from;
      return from === undefined ? [path] : [path, from];
    });
  }

  async #applyUndoable(paths: readonly string[], plan: (item: ModifiedFile) => Plan): Promise<ReviewResult> {
    const steps: Step[] = [];
    const result = await this.#applyEach(paths, plan, undefined, (step) => steps.push(step));
    return steps.length > 0 ? { ...result, step: this.#remember(steps) } : result;
  }

  #remember(steps: readonly Step[]): number {
    this.#steps.set(++this.#count, steps);
    for (const oldest of this.#steps.keys()) if (this.#steps.size > MAX_STEPS) this.#steps.delete(oldest);
    return this.#count;
  }

  async #applyEach(
    paths: readonly string[],
    plan: (item: ModifiedFile, path: string) => Plan,
    missing: (path: string) => ModifiedFile | undefined = () => undefined,
    onStep: (step: Step) => void = () => undefined,
  ): Promise<ReviewResult> {
    const result: { done: string[]; problems: ReviewProblem[] } = { done: [], problems: [] };
    for (const path of paths) {
      const problem = await this.tracker.withFileLock(path, () => this.#applyOne(path, plan, missing, onStep));
      if (problem?.message !== undefined) result.problems.push({ path, message: problem.message });
      if (!problem || problem.isPartial) result.done.push(path);
    }
    return result;
  }

  async #applyOne(
    path: string,
    plan: (item: ModifiedFile, path: string) => Plan,
    missing: (path: string) => ModifiedFile | undefined,
    onStep: (step: Step) => void,
  ): Promise<{ readonly message: string; readonly isPartial: boolean } | undefined> {
    const [modifiedFiles, tracker, files] = [this.modifiedFiles, this.tracker, this.workingFiles];
    try {
      if (modifiedFiles.unreviewed.has(path) && !this.modifiedFiles.file(path))
        return await this.#endUnreviewed(path, plan === keepWhole);
      await this.#revive(path, missing);
      const unknown = await tracker.updateAttribution(path);
      const item = modifiedFiles.get(path);
      const next = item ? plan(item, path) : { problem: REMOVED };
      if (!item || 'problem' in next) return { message: 'problem' in next ? next.problem : REMOVED, isPartial: false };
      const { attribution, shares } = next;
      if (!isSameContent(attribution.text, item.attribution.text)) {
        const objection =
          unknown ?? (item.overwritten && CHANGED_ON_DISK) ?? (await this.#unsavedReason(path, item, attribution));
        if (objection !== undefined) return { message: objection, isPartial: false };
        await files.write(path, attribution.text, item.attribution.text);
      }
      const disk = await this.#diskAfter(path, item, attribution);
      const { overwritten: _overwritten, beforeUndo: _beforeUndo, withdrawn: _withdrawn, ...rest } = item;
      const beforeUndo = disk === item.disk ? beforeUndoAfter(item, attribution) : undefined;
      const stepped = { ...withAttribution(rest, attribution, 'step'), ...omitUndefined({ shares, beforeUndo }) };
      modifiedFiles.set(path, { ...stepped, disk });
      await tracker.updateAttribution(path);
      if (!isSameTracked(attribution, item.attribution)) onStep({ path, before: item, after: attribution });
      return next.note === undefined
        ? undefined
        : { message: next.note, isPartial: !isSameTracked(attribution, item.attribution) };
    } catch (error) {
      return { message: errorMessage(error), isPartial: false };
    }
  }

  /** Of a file that could not be read when an agent changed it, nobody knows the change: it can only be kept, also if it can be read again. */
  async #endUnreviewed(
    path: string,
    isKept: boolean,
  ): Promise<{ readonly message: string; readonly isPartial: boolean } | undefined> {
    const disk = isKept ? undefined : await this.workingFiles.disk(path);
    if (disk === 'unknown') return { message: await this.workingFiles.unknownBecause(path), isPartial: false };
    if (disk) return { message: UNKNOWN, isPartial: false };
    // It is kept or gone.
    this.modifiedFiles.unreviewed.delete(path);
    return undefined;
  }

  /**
   * The file on disk after a step. It may have been written since then: that is told from the step, and attributed to whom wrote it.
   * @returns `item.disk` if the step changed no file
   */
  async #diskAfter(path: string, item: ModifiedFile, { text }: FileAttribution): Promise<FileContent | undefined> {
    if (isSameContent(text, item.attribution.text)) return item.disk;
    const disk = await this.workingFiles.disk(path);
    if (disk === 'unknown') return item.disk;
    if (isSameContent(disk, text)) return disk;
    return isSameContent(disk, item.disk) || (await this.workingFiles.readUnsaved(path)) ? item.disk : text;
  }

  /** An objection to deleting a file with unsaved text: another program may have written to the file on disk. */
  async #unsavedReason(path: string, { disk }: ModifiedFile, next: FileAttribution): Promise<string | undefined> {
    const unsaved = next.text ? undefined : await this.workingFiles.readUnsaved(path);
    return unsaved && disk && unsaved.bytes !== disk.bytes ? UNSAVED : undefined;
  }

  /** Tracks a file again whose review had ended, to revert its last step. */
  async #revive(path: string, missing: (path: string) => ModifiedFile | undefined): Promise<void> {
    const before = missing(path);
    if (this.modifiedFiles.get(path) || !before) return;
    const disk = await this.workingFiles.disk(path);
    const content = disk === 'unknown' ? before.attribution.text : disk;
    this.modifiedFiles.set(path, { attribution: unchangedFile(content), sessions: before.sessions, disk: content });
  }
}

const CHANGED_ON_DISK = t(
  'The file changed on disk while the editor has unsaved changes. Save or revert the file first.',
);
const UNSAVED = t('The editor has unsaved changes. Save or revert the file first.');

function isSameTracked(a: FileAttribution, b: FileAttribution): boolean {
  return a === b || (isSameContent(a.base, b.base) && isSameContent(a.text, b.text));
}

function keepWhole({ attribution }: ModifiedFile): Plan {
  return { attribution: unchangedFile(attribution.text) };
}

function undoWhole(item: ModifiedFile): Plan {
  if (item.overwritten) return { problem: CHANGED_ON_DISK };
  if (isUnchangedFile(item.attribution)) return { attribution: item.attribution };
  const { attribution, isComplete } = undoAll(item.attribution);
  if (isComplete) return { attribution };
  return conflictOf(item.attribution) === undefined ? { problem: REMOVED } : { attribution, note: EDITED };
}

/** @param hunkId limits to what touches this hunk */
function undoShare(item: ModifiedFile, session: string, hunkId?: string): Plan {
  const share = shareOf(item, session);
  if (!share || (share === item.attribution && hunkId === undefined)) return undoWhole(item);
  if (item.overwritten) return { problem: CHANGED_ON_DISK };
  const hunk = hunkId === undefined ? undefined : hunksOf(item.attribution).find(({ id }) => id === hunkId);
  if (isUnchangedFile(share) || (hunkId !== undefined && !hunk)) return { problem: REMOVED };
  const { attribution, isComplete } = undoAll(share, hunk);
  const reason = conflictOf(item.attribution) === undefined ? OTHERS : EDITED;
  if (isSameContent(attribution.text, share.text)) return { problem: reason };
  const next = fileAfterUndo(item.attribution, attribution);
  return isComplete ? { attribution: next } : { attribution: next, note: reason };
}
