import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { omitUndefined } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import { foldCase } from '../../base/pathText';
import type { ConflictReason, FileStatus } from '../../shared/state/reviewState';
import type { FileContent } from '../storage/fileContent';
import { isSameContent } from '../storage/fileContent';
import type { FileAttribution } from './fileAttribution';
import {
  applyUserEdit,
  modeChangeOf,
  isBinary,
  isUnchangedFile,
  revertStep,
  statusOf,
  unchangedFile,
} from './fileAttribution';
import type { Hunk } from './hunks';
import { conflictOf, lineCounts, hunksOf } from './hunks';
import type { SessionShares, ShareSummary } from './sessionShares';
import { sessionsIn, shareSummaries, sharesAfter } from './sessionShares';

/** The version of {@link ModifiedFiles} on disk. */
export const REVIEW_VERSION = 1;

/** A change and whose it is. */
export interface AttributedChange {
  readonly attribution: FileAttribution;
  /** Another program may have made the change, or a part of it. */
  readonly isUnsure?: true;
  /** Whose work is which, where several sessions changed the file and that is known. */
  readonly shares?: SessionShares;
}

/** A file under review, or tracked because it may change. */
export interface ModifiedFile extends AttributedChange {
  /** Ids of the sessions whose agents changed it. */
  readonly sessions: readonly string[];
  /** Last known content on disk, which distinguishes a save of the user from a write of an agent. */
  readonly disk: FileContent | undefined;
  /** The agent's write on disk under unsaved editor text, and the content before it. */
  readonly overwritten?: { readonly content: FileContent | undefined; readonly previous: FileContent | undefined };
  /** The attribution before an Undo in unsaved editor text: when the user discards that text, the file on disk shows again. */
  readonly beforeUndo?: FileAttribution;
  /** A change of an agent that another program has taken away whole, and may bring back: `git stash`, or a visit to another branch. */
  readonly withdrawn?: AttributedChange;
}

/** A file with changes that are neither kept nor undone. */
export interface ReviewedFile {
  /** Absolute, as VS Code knows it. */
  readonly path: string;
  /** Relative to its workspace folder, with forward slashes. */
  readonly label: string;
  readonly status: FileStatus;
  /** Permissions that the agent changed, such as `0644 → 0755`. */
  readonly modes?: string;
  /** Absolute path before a rename, and its label. */
  readonly from?: string;
  readonly fromLabel?: string;
  /** Not text, or too large to be compared: can only be kept or undone as a whole. */
  readonly binary: boolean;
  /** Empty for binary files. */
  readonly hunks: readonly Hunk[];
  /** Lines. */
  readonly added: number;
  readonly removed: number;
  readonly conflict?: ConflictReason;
  /** Another program may have made the change, or a part of it. */
  readonly isUnsure?: true;
  /** Ids of the sessions whose agents changed it, and whose changes are not reviewed yet. */
  readonly sessions: readonly string[];
  /** By session, where several changed the file. */
  readonly shares?: ReadonlyMap<string, ShareSummary>;
}

/** A failure with its reason, in a sentence for the user. */
export interface ReviewProblem {
  readonly path: string;
  readonly message: string;
}

export interface ReviewResult {
  /** Paths of files that changed, or whose review changed. */
  readonly done: readonly string[];
  readonly problems: readonly ReviewProblem[];
  /** For `ChangeReview.undoStep`; undefined when there is nothing to revert. */
  readonly step?: number;
}

const FOLDS_CASE = process.platform === 'win32' || process.platform === 'darwin';

/** All tracked files with their attribution, and the reviewed ones among them. */
export class ModifiedFiles implements Disposable {
  readonly #items = new Map<string, ModifiedFile>();
  readonly #shown = new Map<string, { readonly item: ModifiedFile; readonly file: ReviewedFile | undefined }>();
  readonly #onDidChange = new Emitter<void>();
  readonly #onDidTrack = new Emitter<void>();
  /** Converts a path for display. */
  readonly label: (path: string) => string;
  /** By {@link keyOf}. */
  readonly #spellings = new Map<string, string>();
  #list: readonly ReviewedFile[] | undefined;
  #byPath: ReadonlyMap<string, ReviewedFile> = new Map();
  /** Stored files that cannot be read now, by path, in their stored form: they are stored again for a later window. */
  readonly unread = new Map<string, JsonObject>();
  /** Files that agents changed and that have no known content, such as larger ones: no change of them is shown. Ids of sessions by path. */
  readonly unreviewed = new Map<string, readonly string[]>();

  /**
   * @param label converts a path for display
   * @param foldsCase the file system is case-insensitive
   */
  constructor(
    label: (path: string) => string,
    private readonly foldsCase = FOLDS_CASE,
  ) {
    this.label = label;
  }

  /** The same for all spellings of a path: agents and editors may spell it differently. */
  keyOf(path: string): string {
    return this.foldsCase ? foldCase(path) : path;
  }

  /** The known spelling of a path. */
  #canonicalPath(path: string): string {
    return this.foldsCase ? (this.#spellings.get(this.keyOf(path)) ?? path) : path;
  }

  readonly onDidChange: Event<void> = this.#onDidChange.event;
  /** As `onDidChange`, also for files that are tracked only. */
  readonly onDidTrack: Event<void> = this.#onDidTrack.event;

  get(path: string): ModifiedFile | undefined {
    return this.#items.get(this.#canonicalPath(path));
  }

  file(path: string): ReviewedFile | undefined {
    this.#list ??= this.#compute();
    return this.#byPath.get(this.#canonicalPath(path));
  }

  paths(): readonly string[] {
    return [...this.#items.keys()];
  }

  /** Undefined removes the file. */
  set(path: string, item: ModifiedFile | undefined): void {
    const name = this.#canonicalPath(path);
    const before = this.#items.get(name);
    if (item) this.#items.set(name, item);
    else this.#items.delete(name);
    if (this.foldsCase && item) this.#spellings.set(this.keyOf(name), name);
    this.#list = undefined;
    this.#onDidTrack.fire();
    if (isVisible(before) || isVisible(item)) this.#onDidChange.fire();
  }

  addUnreviewed(path: string, sessions: readonly string[]): void {
    const all = new Set([...(this.unreviewed.get(path) ?? []), ...sessions]);
    if (all.size > 0) this.unreviewed.set(path, [...all]);
  }

  /** Removes unchanged files. */
  removeUnchanged(paths: readonly string[] = this.paths()): void {
    for (const path of paths) {
      const item = this.#items.get(path);
      if (item && !isVisible(item) && !item.beforeUndo && !item.withdrawn) this.#items.delete(path);
    }
  }

  clear(): void {
    this.#items.clear();
    this.unreviewed.clear();
    this.#spellings.clear();
    this.#list = undefined;
    this.#onDidChange.fire();
  }

  /** Ordered by label. */
  files(): readonly ReviewedFile[] {
    return (this.#list ??= this.#compute());
  }

  dispose(): void {
    this.#onDidChange.dispose();
    this.#onDidTrack.dispose();
  }

  #compute(): ReviewedFile[] {
    const files: ReviewedFile[] = [];
    for (const [path, item] of this.#items) {
      const shown = this.#shown.get(path);
      const file = shown?.item === item ? shown.file : this.#file(path, item);
      this.#shown.set(path, { item, file });
      if (file) files.push(file);
    }
    for (const path of this.#shown.keys()) if (!this.#items.has(path)) this.#shown.delete(path);
    const list = this.#renames(files).sort((a, b) => (a.label < b.label ? -1 : Number(a.label > b.label)));
    this.#byPath = new Map(list.map((file) => [file.path, file]));
    return list;
  }

  #file(path: string, item: ModifiedFile): ReviewedFile | undefined {
    if (!isVisible(item)) return undefined;
    const { attribution, isUnsure } = item;
    const shares = shareSummaries(item);
    const modes = modeChangeOf(attribution);
    const conflict: ConflictReason | undefined = item.overwritten ? 'unsaved' : conflictOf(attribution);
    return {
      path,
      label: this.label(path),
      status: statusOf(attribution),
      binary: isBinary(attribution),
      hunks: hunksOf(attribution),
      ...lineCounts(attribution),
      ...(modes !== undefined && { modes }),
      ...(conflict && { conflict }),
      ...(isUnsure && { isUnsure }),
      sessions: item.overwritten ? item.sessions : sessionsIn(item),
      ...(shares && { shares }),
    };
  }

  /** A deleted and a created file with equal bytes are a rename. */
  #renames(files: readonly ReviewedFile[]): ReviewedFile[] {
    const removed = new Map<string, ReviewedFile>();
    for (const file of files) {
      const base = this.#items.get(file.path)?.attribution.base;
      if (file.status === 'deleted' && base && base.bytes !== '') removed.set(base.bytes, file);
    }
    if (removed.size === 0) return [...files];
    const renamed = new Set<ReviewedFile>();
    const shown = files.map((file) => {
      const bytes = this.#items.get(file.path)?.attribution.text?.bytes;
      const from = file.status === 'created' && bytes !== undefined ? removed.get(bytes) : undefined;
      if (!from || renamed.has(from)) return file;
      renamed.add(from);
      const whole = {
        status: 'renamed',
        from: from.path,
        fromLabel: from.label,
        hunks: [],
        added: 0,
        removed: 0,
        ...((file.isUnsure ?? from.isUnsure) && { isUnsure: true }),
      } as const;
      return Object.assign({}, file, whole);
    });
    return shown.filter((file) => !renamed.has(file));
  }
}

function isVisible(item: ModifiedFile | undefined): boolean {
  return item !== undefined && (!isUnchangedFile(item.attribution) || item.overwritten !== undefined);
}

/** @param sessions that made the change: none for the user, `step` for Keep and Undo */
export function withAttribution(
  item: ModifiedFile,
  attribution: FileAttribution,
  sessions: readonly string[] | 'step' = [],
): ModifiedFile {
  const fresh = sessions === 'step' ? [] : sessions.filter((id) => !item.sessions.includes(id));
  if (item.attribution === attribution && fresh.length === 0) return item;
  const all = fresh.length === 0 ? item.sessions : [...item.sessions, ...fresh];
  const next = { ...item, attribution, sessions: all };
  return withShares(next, sharesAfter(item, attribution, all, sessions));
}

export function withDisk(item: ModifiedFile, disk: FileContent | undefined): ModifiedFile {
  if (isSameContent(item.disk, disk)) return item;
  const { beforeUndo: _beforeUndo, ...rest } = item;
  return { ...rest, disk };
}

/** After a change by a program of the user. An agent's change that it brings back, also on top of another content, is the agent's again. */
export function withProgramEdit(item: ModifiedFile, disk: FileContent | undefined): ModifiedFile {
  const { withdrawn, ...rest } = item;
  const back = withdrawn && broughtBack(item.attribution, withdrawn.attribution, disk);
  if (back)
    return withShares(withAttribution(rest, back), back === withdrawn.attribution ? withdrawn.shares : undefined);
  const next = applyUserEdit(item.attribution, disk);
  const isWithdrawn = isUnchangedFile(next) && !isUnchangedFile(item.attribution);
  return { ...withAttribution(item, next), ...(isWithdrawn && { withdrawn: rest }) };
}

/** With the shares that belong to its attribution; undefined where they are not known. */
function withShares({ shares: _shares, ...item }: ModifiedFile, shares: SessionShares | undefined): ModifiedFile {
  return { ...item, ...omitUndefined({ shares }) };
}

function broughtBack(
  current: FileAttribution,
  withdrawn: FileAttribution,
  disk: FileContent | undefined,
): FileAttribution | undefined {
  if (isSameContent(withdrawn.text, disk)) return withdrawn;
  const rebased = revertStep(current, withdrawn, unchangedFile(withdrawn.base));
  return rebased && isSameContent(rebased.text, disk) ? rebased : undefined;
}

/** @param isUnsure of the step from `before` to `after` */
export function withDoubt(before: ModifiedFile, after: ModifiedFile, isUnsure: boolean): ModifiedFile {
  if (after === before) return before;
  const { isUnsure: _isUnsure, ...rest } = after;
  const isChanged = after.attribution !== before.attribution || after.overwritten !== before.overwritten;
  const isNew = isUnsure && isChanged;
  const isOld = before.isUnsure && isVisible(before);
  const isStill = (isNew || isOld) && isVisible(after);
  return isStill ? { ...rest, isUnsure: true } : rest;
}

/** {@link ModifiedFile.beforeUndo} after a step in unsaved text to `next`. What a Keep accepts is accepted there, too. */
export function beforeUndoAfter(
  { attribution, beforeUndo }: ModifiedFile,
  next: FileAttribution,
): FileAttribution | undefined {
  if (!isSameContent(next.text, attribution.text)) return beforeUndo ?? attribution;
  return beforeUndo && (revertStep(beforeUndo, next, attribution) ?? beforeUndo);
}
