import type { FileContent } from '../../../src/review/storage/fileContent';
import { isSameContent } from '../../../src/review/storage/fileContent';
import type { Baseline } from '../../../src/review/tracking/changeTracker';
import type { SavedContent } from '../../../src/review/tracking/userSaves';
import type { WorkingFiles } from '../../../src/review/tracking/workingFiles';

/** A disk, editors over it, and snapshots of it, in memory. */
export class MemoryFiles implements WorkingFiles, Baseline {
  readonly onDisk = new Map<string, FileContent>();
  readonly editors = new Map<string, FileContent>();
  /** Paths that the user is saving, until VS Code has reported the save. */
  readonly saves = new Map<string, SavedContent>();
  #snapshot: ReadonlyMap<string, FileContent> = new Map();

  /** @param isWorkedIn the last snapshot stays the baseline, as for an agent that is working */
  takeSnapshot(isWorkedIn = false): void {
    if (!isWorkedIn) this.#snapshot = new Map(this.onDisk);
  }

  async readUnsaved(path: string): Promise<FileContent | undefined> {
    return this.editors.get(path);
  }

  async saved(path: string): Promise<SavedContent | undefined> {
    return this.saves.get(path);
  }

  async disk(path: string): Promise<FileContent | undefined> {
    return this.onDisk.get(path);
  }

  async unknownBecause(): Promise<string> {
    return 'It is left as it is.';
  }

  async write(
    path: string,
    next: FileContent | undefined,
    expected: FileContent | undefined,
    how?: 'save',
  ): Promise<void> {
    const now = this.editors.get(path) ?? this.onDisk.get(path);
    if (now?.bytes !== expected?.bytes) throw new Error('The file has changed in the meantime. Try again.');
    if (this.editors.has(path) && how !== 'save' && next) {
      this.editors.set(path, next);
      return;
    }
    this.editors.delete(path);
    this.put(path, next);
  }

  async writeUnsaved(path: string, next: FileContent): Promise<void> {
    this.editors.set(path, next);
  }

  unsavedPaths(): readonly string[] {
    return [...this.editors.keys()];
  }

  async lookUp(paths: readonly string[]): Promise<ReadonlyMap<string, { readonly content: FileContent | undefined }>> {
    return new Map(paths.map((path) => [path, { content: this.#snapshot.get(path) }]));
  }

  async changedPaths(): Promise<readonly string[]> {
    const paths = new Set([...this.onDisk.keys(), ...this.#snapshot.keys()]);
    return [...paths].filter((path) => !isSameContent(this.onDisk.get(path), this.#snapshot.get(path)));
  }

  put(path: string, content: FileContent | undefined): void {
    if (content) this.onDisk.set(path, content);
    else this.onDisk.delete(path);
  }

  /** The file's content as the user sees it. */
  seen(path: string): FileContent | undefined {
    return this.editors.get(path) ?? this.onDisk.get(path);
  }
}
