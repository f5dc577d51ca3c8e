import { fileDocuments, findOpenDocument } from '../../workbench/textDocuments';
import { readContent, unknownBecause } from '../storage/fileContent';
import type { FileContent } from '../storage/fileContent';
import type { EditorWriter } from './editorWriter';
import type { ReviewPaths } from './reviewScope';
import type { SavedContent, UserSaves } from './userSaves';
import { encode } from './userSaves';

/** The members of {@link EditorFiles} that the review uses. */
export type WorkingFiles = Pick<
  EditorFiles,
  'readUnsaved' | 'saved' | 'disk' | 'unknownBecause' | 'write' | 'writeUnsaved' | 'unsavedPaths'
>;

/** Byte-exact file access through VS Code's buffers. */
export class EditorFiles {
  constructor(
    private readonly paths: Pick<ReviewPaths, 'real'>,
    private readonly saves: Pick<UserSaves, 'content'>,
  ) {}

  /** The buffer of an open text file with unsaved text; undefined for every other file. */
  async readUnsaved(path: string): Promise<FileContent | undefined> {
    const document = findOpenDocument(path);
    return document?.isDirty ? encode(document) : undefined;
  }

  /** The content that the user has just saved in an editor; waits for the end of a save. */
  saved(path: string): Promise<SavedContent | undefined> {
    return this.saves.content(path);
  }

  /** `unknown`: {@link unknownBecause} says why. */
  async disk(path: string): Promise<FileContent | 'unknown' | undefined> {
    return readContent(await this.paths.real(path));
  }

  /** Why the content is unknown, in a sentence. */
  async unknownBecause(path: string): Promise<string> {
    return unknownBecause(await this.paths.real(path));
  }

  /**
   * Writes `next` in one step that the editor can undo. An editor with unsaved text is saved only with `save`; others always.
   * @throws Error with a sentence for the user when the file is no longer `expected` or cannot be written; nothing is changed then
   */
  async write(...write: Parameters<EditorWriter['write']>): Promise<void> {
    await (await this.#loadWriter()).write(...write);
  }

  /**
   * Writes `next` into the editor.
   * @param before content of the editor if it has unsaved text
   */
  async writeUnsaved(...write: Parameters<EditorWriter['writeUnsaved']>): Promise<void> {
    await (await this.#loadWriter()).writeUnsaved(...write);
  }

  /** Absolute paths of files with unsaved text. */
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
