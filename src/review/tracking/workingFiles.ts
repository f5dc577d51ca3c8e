import { fileDocuments, findOpenDocument } from '../../workbench/textDocuments';
import { readContent, unknownBecause } from '../storage/fileContent';
import type { FileContent } from '../storage/fileContent';
import type { EditorWriter } from './editorWriter';
import type { ReviewPaths } from './reviewScope';
import type { SavedContent, UserSaves } from './userSaves';
import { encode } from './userSaves';

/** The files that the review reads and writes, by their absolute paths. `EditorFiles` implements it. */
export interface WorkingFiles {
  /** The buffer of an open text file with unsaved text; undefined for every other file. */
  readUnsaved(path: string): Promise<FileContent | undefined>;
  /** The content that the user has just saved in an editor; waits for the end of a save. */
  saved(path: string): Promise<SavedContent | undefined>;
  /** `unknown`: {@link unknownBecause} says why. Undefined without a file. */
  disk(path: string): Promise<FileContent | 'unknown' | undefined>;
  /** Why the content is unknown, in a sentence. */
  unknownBecause(path: string): Promise<string>;
  /**
   * Writes `next` in one step that the editor can undo. An editor with unsaved text is saved only with `save`; others always.
   * @throws Error with a sentence for the user when the file is no longer `expected` or cannot be written; nothing is changed then
   */
  write(path: string, next: FileContent | undefined, expected: FileContent | undefined, how?: 'save'): Promise<void>;
  /**
   * Writes `next` into the editor.
   * @param before content of the editor if it has unsaved text
   */
  writeUnsaved(path: string, next: FileContent, before: FileContent | undefined): Promise<void>;
  /** Absolute paths of files with unsaved text. */
  unsavedPaths(): readonly string[];
}

/** Byte-exact file access through VS Code's buffers. */
export class EditorFiles implements WorkingFiles {
  constructor(
    private readonly paths: ReviewPaths,
    private readonly saves: UserSaves,
  ) {}

  async readUnsaved(path: string): Promise<FileContent | undefined> {
    const document = findOpenDocument(path);
    return document?.isDirty ? encode(document) : undefined;
  }

  saved(path: string): Promise<SavedContent | undefined> {
    return this.saves.content(path);
  }

  async disk(path: string): Promise<FileContent | 'unknown' | undefined> {
    return readContent(await this.paths.real(path));
  }

  async unknownBecause(path: string): Promise<string> {
    return unknownBecause(await this.paths.real(path));
  }

  async write(...write: Parameters<WorkingFiles['write']>): Promise<void> {
    await (await this.#loadWriter()).write(...write);
  }

  async writeUnsaved(...write: Parameters<WorkingFiles['writeUnsaved']>): Promise<void> {
    await (await this.#loadWriter()).writeUnsaved(...write);
  }

  unsavedPaths(): readonly string[] {
    return fileDocuments()
      .filter(({ isDirty }) => isDirty)
      .map(({ uri }) => uri.fsPath);
  }

  async #loadWriter(): Promise<EditorWriter> {
    const { EditorWriter } = await import('./editorWriter');
    return new EditorWriter(this.paths);
  }
}
