import { KeyedQueue, MAX_OPEN_FILES, createDeferred, mapLimited } from '../../base/async';
import { errorMessage } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Logger } from '../../base/logger';
import type { FileContent } from '../storage/fileContent';
import { withModeOf, isSameContent } from '../storage/fileContent';
import type { Authorship } from './authorship';
import type { FileAttribution } from './fileAttribution';
import { applyAgentEdit, applyUserEdit, isUnchangedFile, revertToDeleted, unchangedFile } from './fileAttribution';
import type { ModifiedFile, ModifiedFiles } from './modifiedFiles';
import { withDisk, withAttribution, withDoubt, withProgramEdit } from './modifiedFiles';
import type { SavedContent } from './userSaves';
import type { WorkingFiles } from './workingFiles';

/** The contents of files at the last snapshot. */
export interface Baseline {
  /** By path. Lacks files that no snapshot covers. */
  lookUp(paths: readonly string[]): Promise<ReadonlyMap<string, { readonly content: FileContent | undefined }>>;
  /** @param how see `WorkspaceSnapshots.changedPaths` */
  changedPaths(how?: 'modes'): Promise<readonly string[]>;
}

/** A file without a snapshot that is tracked from now on. */
interface MissedFile {
  readonly path: string;
  /** Its baseline. */
  readonly content: FileContent | undefined;
  /** The agent's write waits for this promise, which does not reject. */
  readonly waitUntil: (done: Promise<void>) => void;
}

/** A file under review that no longer exists at its path, and did not exist before the agent's change. */
interface LostFile {
  readonly path: string;
  /** Ids of those that changed it. */
  readonly sessions: readonly string[];
}

/** Undefined when the content is unknown. */
type ReadContent = () => Promise<{ readonly content: FileContent | undefined } | undefined>;

/** A content of a file during an edit of an agent, and who made it. */
interface EditNote {
  readonly by: 'agent' | 'user';
  readonly content: Promise<FileContent>;
}

/** An edit of an agent in one file. */
interface FileEdit {
  readonly notes: EditNote[];
  /** The user's save before the first note. */
  saved?: Promise<FileContent | undefined>;
  isDone: boolean;
}

/**
 * Attributes changes: compares disk and editor with the last known state. What the user types or saves is the user's; any other change on
 * disk while an agent works is the agent's, unless no agent can have made it. Files are processed one at a time.
 */
export class ChangeTracker {
  readonly #queue = new KeyedQueue();
  /** Saves of the user that are attributed: a later write of an agent on top of one is not theirs. */
  readonly #attributed = new WeakSet<FileContent>();

  readonly #onDidMissFile = new Emitter<MissedFile>();
  readonly #onDidLoseFile = new Emitter<LostFile>();

  readonly onDidMissFile = this.#onDidMissFile.event;
  readonly onDidLoseFile = this.#onDidLoseFile.event;

  constructor(
    readonly modifiedFiles: ModifiedFiles,
    readonly files: WorkingFiles,
    private readonly baseline: Baseline,
    private readonly authorship: Authorship,
    private readonly log: Logger,
  ) {}

  /** Checks a tracked file. */
  refreshFile(path: string): Promise<void> {
    return this.withFileLock(path, async () => void (await this.updateAttribution(path)));
  }

  /** Checks all tracked files. */
  async refreshAll(): Promise<void> {
    await mapLimited(this.modifiedFiles.paths(), MAX_OPEN_FILES, (path) => this.refreshFile(path));
  }

  /** Ends the review of a file. */
  forgetFile(path: string): Promise<void> {
    return this.withFileLock(path, async () => this.modifiedFiles.set(path, undefined));
  }

  /** Ends the tracking of unchanged files. A file that is being edited is still unchanged: this waits for the edit. */
  async forgetUnchanged(): Promise<void> {
    const { modifiedFiles } = this;
    await mapLimited(modifiedFiles.paths(), MAX_OPEN_FILES, (path) =>
      this.withFileLock(path, async () => modifiedFiles.removeUnchanged([path])),
    );
  }

  /**
   * Tracks a file that may be about to change.
   * @param read its content where the last snapshot does not have it; called inside of the file's lock
   */
  trackFile(path: string, read?: ReadContent): Promise<void> {
    return this.withFileLock(path, async () => {
      await this.ensureTracked(path, read);
      await this.updateAttribution(path);
    });
  }

  /**
   * Runs a write of an agent through the editor and attributes it to the agent, except what is noted as the user's.
   * @param write gets a function that notes a content of the file
   */
  runAgentEdit<T>(
    sessionId: string,
    paths: string | readonly string[],
    write: (note: (path: string, edit: EditNote) => void) => Promise<T>,
  ): Promise<T> {
    const all = [...new Set([paths].flat())];
    const edits = new Map(all.map((path): [string, FileEdit] => [path, { notes: [], isDone: false }]));
    return this.withFileLocks(all, async () => {
      for (const path of all) {
        await this.ensureTracked(path, () => this.#currentContent(path));
        await this.updateAttribution(path);
      }
      try {
        const result = await write((path, note) => {
          const edit = edits.get(path);
          if (edit?.notes.push(note) === 1) edit.saved = this.files.saved(path);
        });
        for (const edit of edits.values()) edit.isDone = true;
        return result;
      } finally {
        for (const [path, edit] of edits) await this.#attributeWrite(path, sessionId, edit);
      }
    });
  }

  /** Scans for changes since the last snapshot. @param how see `WorkspaceSnapshots.changedPaths` */
  async scan(how?: 'modes'): Promise<void> {
    const { modifiedFiles, baseline } = this;
    const paths = await baseline.changedPaths(how);
    const fresh = paths.filter((path) => !modifiedFiles.get(path));
    const before = await baseline.lookUp(fresh);
    await mapLimited([...before], MAX_OPEN_FILES, ([path, content]) => this.#trackChanged(path, content));
    await this.refreshAll();
  }

  /**
   * Attributes the content of a file anew.
   * @returns false if the file has changed since `expected`
   */
  replaceAttribution(path: string, expected: FileAttribution, next: FileAttribution): Promise<boolean> {
    return this.withFileLock(path, async () => {
      const item = this.modifiedFiles.get(path);
      if (item?.attribution !== expected) return false;
      this.modifiedFiles.set(path, withAttribution(item, next));
      return true;
    });
  }

  /** The agent's change of a file is no longer in doubt. */
  clearDoubt(path: string): Promise<void> {
    return this.withFileLock(path, async () => {
      const item = this.modifiedFiles.get(path);
      if (!item?.isUnsure) return;
      const { isUnsure: _isUnsure, ...rest } = item;
      this.modifiedFiles.set(path, rest);
    });
  }

  /** Runs a job with exclusive access to the file. Not reentrant. */
  withFileLock<T>(path: string, job: () => Promise<T>): Promise<T> {
    return this.#queue.run(this.modifiedFiles.keyOf(path), job);
  }

  /** Runs a job with exclusive access to several files. Not reentrant. */
  async withFileLocks<T>(paths: Iterable<string>, job: () => Promise<T>): Promise<T> {
    const { modifiedFiles } = this;
    const done = createDeferred<void>();
    const locks = [...new Set([...paths].map((path) => modifiedFiles.keyOf(path)))].map((key) => {
      const locked = createDeferred<void>();
      void this.#queue.run(key, () => {
        locked.resolve();
        return done.promise;
      });
      return locked.promise;
    });
    try {
      await Promise.all(locks);
      return await job();
    } finally {
      done.resolve();
    }
  }

  /** Inside {@link withFileLock}: see {@link trackFile}. */
  async ensureTracked(path: string, read?: ReadContent): Promise<void> {
    const { modifiedFiles, baseline, log } = this;
    if (modifiedFiles.get(path)) return;
    try {
      const covered = (await baseline.lookUp([path])).get(path);
      const found = covered ?? (await read?.());
      if (!found) return;
      this.#add(path, found.content);
      if (covered) return;
      const stored: Promise<void>[] = [];
      this.#onDidMissFile.fire({ path, content: found.content, waitUntil: (done) => void stored.push(done) });
      await Promise.all(stored);
    } catch (error) {
      log.warn('review', `Failed to track ${path} for review: ${errorMessage(error)}`);
    }
  }

  /**
   * Inside {@link withFileLock}: see {@link refreshFile}.
   * @returns why the file could not be checked, in a sentence
   */
  async updateAttribution(path: string): Promise<string | undefined> {
    const { modifiedFiles, files } = this;
    const known = modifiedFiles.get(path);
    if (!known) return undefined;
    const saved = await files.saved(path);
    const [disk, unsaved] = await Promise.all([files.disk(path), files.readUnsaved(path)]);
    if (disk === 'unknown') modifiedFiles.addUnreviewed(path, this.authorship.sessionsWorkingOn(path));
    if (disk === 'unknown') return files.unknownBecause(path);
    // VS Code may have saved while the disk was read.
    const later = await files.saved(path);
    if (later && later !== saved) return this.updateAttribution(path);
    const item = await this.#withReplaced(path, known, saved);
    const isChanged = !isSameContent(disk, item.disk) && this.authorship.sessionsWorkingOn(path).length > 0;
    const isMade = isChanged && (await this.authorship.isMadeByUser(path, disk));
    const isSaved = isMade || (saved !== undefined && disk?.bytes === saved.bytes);
    const change = { before: item.disk, after: disk };
    const writer = isChanged && !isSaved ? await this.authorship.writerOf(path, change) : 'agent';
    // It may have been written again meanwhile.
    if (writer !== 'agent' && (await this.#isStale(path, disk))) return this.updateAttribution(path);
    const working = writer === 'other' ? [] : this.authorship.sessionsWorkingOn(path);
    const updated = unsaved
      ? this.#withUnsavedText(item, unsaved, disk, working)
      : this.#withSavedText(isSaved ? item : this.#withSave(item, saved, disk), disk, isSaved, working);
    if (saved) this.#attributed.add(saved);
    const isDoubtBack = item.withdrawn?.isUnsure === true && !updated.withdrawn;
    const next = withDoubt(item, updated, writer === 'unknown' || isDoubtBack);
    if (next !== known) modifiedFiles.set(path, next);
    if (!disk && !isUnchangedFile(item.attribution) && isUnchangedFile(next.attribution))
      this.#onDidLoseFile.fire({ path, sessions: item.sessions });
    return undefined;
  }

  /** Unsaved text is the user's. Changes on disk meanwhile are overwritten by the next save. */
  #withUnsavedText(
    item: ModifiedFile,
    unsaved: FileContent,
    disk: FileContent | undefined,
    working: readonly string[],
  ): ModifiedFile {
    const typed = withAttribution(item, applyUserEdit(item.attribution, recordedMode(item, unsaved)));
    if (isSameContent(disk, item.disk)) return typed;
    const moved = withDisk(typed, disk);
    if (disk?.bytes === unsaved.bytes || working.length === 0) return moved;
    return {
      ...withAttribution(moved, moved.attribution, working),
      overwritten: { content: disk, previous: item.overwritten ? item.overwritten.previous : item.disk },
    };
  }

  /** An agent had written just before the user saved: the save has replaced that on disk before it was seen. */
  async #withReplaced(path: string, item: ModifiedFile, saved: SavedContent | undefined): Promise<ModifiedFile> {
    const { replaced } = saved ?? {};
    if (!saved || !replaced || this.#attributed.has(saved) || isSameContent(replaced.content, item.disk)) return item;
    const change = { before: item.disk, after: replaced.content };
    const sessions = this.authorship.sessionsWorkingOn(path);
    const writer = sessions.length > 0 ? await this.authorship.writerOf(path, change) : 'other';
    const next = this.#withSavedText(item, replaced.content, false, writer === 'other' ? [] : sessions);
    return withDoubt(item, next, writer === 'unknown');
  }

  /** The user has saved, and an agent has already written again. */
  #withSave(item: ModifiedFile, saved: FileContent | undefined, disk: FileContent | undefined): ModifiedFile {
    if (!saved || this.#attributed.has(saved) || isSameContent(disk, item.disk)) return item;
    return this.#withSavedText(item, recordedMode(item, saved), true, []);
  }

  #withSavedText(
    item: ModifiedFile,
    disk: FileContent | undefined,
    isSaved: boolean,
    working: readonly string[],
  ): ModifiedFile {
    const { overwritten, beforeUndo, ...rest } = item;
    const refreshed = withDisk(overwritten || beforeUndo ? rest : item, disk);
    if (isSameContent(disk, item.attribution.text)) return refreshed;
    const discarded = beforeUndo ?? item.attribution;
    // The user reverted the unsaved text of a file that does not exist on disk.
    if (!disk && !item.disk) return withAttribution(refreshed, revertToDeleted(discarded));
    // The user reverted the unsaved text, so the agent's version on disk shows.
    if (overwritten && isSameContent(disk, overwritten.content)) {
      const { previous } = overwritten;
      const reverted = previous ? applyUserEdit(item.attribution, previous) : revertToDeleted(item.attribution);
      return withAttribution(refreshed, applyAgentEdit(reverted, disk));
    }
    if (isSameContent(disk, item.disk)) return withAttribution(refreshed, applyUserEdit(discarded, disk));
    if (isSaved) return withAttribution(refreshed, applyUserEdit(item.attribution, disk));
    if (working.length === 0) return withProgramEdit(refreshed, disk);
    return withAttribution(refreshed, applyAgentEdit(item.attribution, disk), working);
  }

  async #isStale(path: string, disk: FileContent | undefined): Promise<boolean> {
    const now = await this.files.disk(path);
    return now !== 'unknown' && !isSameContent(now, disk);
  }

  /** A file that differs from the last snapshot (`before`). */
  #trackChanged(path: string, before: { readonly content: FileContent | undefined }): Promise<void> {
    return this.withFileLock(path, async () => {
      if (!this.modifiedFiles.get(path)) this.#add(path, before.content);
      await this.updateAttribution(path);
    });
  }

  #add(path: string, content: FileContent | undefined): void {
    this.modifiedFiles.set(path, { attribution: unchangedFile(content), sessions: [], disk: content });
  }

  async #currentContent(path: string): Promise<{ readonly content: FileContent | undefined } | undefined> {
    const content = await this.files.disk(path);
    return content === 'unknown' ? undefined : { content };
  }

  /** The agent wrote through the editor, which merged the text with the user's. */
  async #attributeWrite(path: string, sessionId: string, edit: FileEdit): Promise<void> {
    const item = this.modifiedFiles.get(path);
    if (!item) return;
    const applied = await this.#applyNotes(item, edit);
    const { userSave, disk, unsaved } = await this.#readWithSave(path, edit);
    if (userSave) this.#attributed.add(userSave);
    if (disk === 'unknown') return;
    const isBefore = userSave !== undefined && unsaved === undefined && disk?.bytes !== userSave.bytes;
    // An agent has written again since.
    const noted = isBefore && edit.notes.length > 0 ? applyUserEdit(applied, recordedMode(item, userSave)) : applied;
    const text = unsaved ? recordedMode(item, unsaved) : disk;
    const { overwritten: _overwritten, ...saved } = item;
    const refreshed = withDisk(unsaved ? item : saved, disk);
    const isSaved = unsaved !== undefined && !isSameContent(disk, item.disk);
    const written = isSaved ? applyAgentEdit(noted, disk) : noted;
    // After a save, or a noted edit, text that is not on disk yet was typed by the user, and so was what they have saved since.
    const isUserText = unsaved !== undefined || (userSave !== undefined && disk?.bytes === userSave.bytes);
    const isTyped = isSaved || (isUserText && edit.notes.length > 0);
    const edited = isTyped ? applyUserEdit(written, text) : applyAgentEdit(written, text);
    const isChanged = edited !== item.attribution && !isUnchangedFile(edited);
    const next = withAttribution(refreshed, edited, isChanged ? [sessionId] : []);
    this.modifiedFiles.set(path, withDoubt(item, next, false));
  }

  /** The file after an edit, and the user's last save before that. Reads again if VS Code saves meanwhile. */
  async #readWithSave(
    path: string,
    { isDone }: FileEdit,
  ): Promise<{
    readonly userSave: SavedContent | undefined;
    readonly disk: FileContent | 'unknown' | undefined;
    readonly unsaved: FileContent | undefined;
  }> {
    const { files } = this;
    // VS Code does not tell of a save that has failed.
    const readSave = async (): Promise<SavedContent | undefined> => (isDone ? files.saved(path) : undefined);
    let userSave = await readSave();
    for (;;) {
      const [disk, unsaved] = await Promise.all([files.disk(path), files.readUnsaved(path)]);
      const later = await readSave();
      if (later === userSave) return { userSave, disk, unsaved };
      userSave = later;
    }
  }

  async #applyNotes(item: ModifiedFile, { notes, saved }: FileEdit): Promise<FileAttribution> {
    let { attribution } = item;
    const all = await Promise.all(notes.map(async ({ by, content }) => ({ by, content: await content })));
    const userSave = await saved;
    // Between the look at the file and the edit.
    if (userSave && userSave.bytes !== all[0]?.content.bytes && !this.#attributed.has(userSave)) {
      this.#attributed.add(userSave);
      attribution = applyUserEdit(attribution, recordedMode(item, userSave));
    }
    for (const { by, content } of all) {
      const next = recordedMode(item, content);
      attribution = by === 'user' ? applyUserEdit(attribution, next) : applyAgentEdit(attribution, next);
    }
    return attribution;
  }
}

/** With the mode on record: an editor's buffer has none. */
function recordedMode({ attribution }: ModifiedFile, content: FileContent): FileContent {
  return attribution.text ? withModeOf(content, attribution.text) : content;
}
