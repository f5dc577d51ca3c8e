// Protected by test/unit/review/editor/typedMeanwhile.test.ts: what the user types during a write stays.
import { lstat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import { lineChanges, splitLines } from '../../history/diff/lineDiff';
import type { FileVersion } from '../../node/fs/fileVersion';
import { FileChangedError, fileVersion } from '../../node/fs/fileVersion';
import { requireNoLinkAbove } from '../../node/fs/pinnedFolder';
import { applyInPlace, savedFile, saveInPlace } from '../../workbench/editorWrites';
import { clearDirtyState, findOpenDocument, requireNoOtherUnsaved, waitForReload } from '../../workbench/textDocuments';
import { withEol } from '../../workbench/textEdits';
import { bytesOf, readContent, unknownBecause, writeContent, isSameContent } from '../storage/fileContent';
import type { FileContent } from '../storage/fileContent';
import type { ReviewPaths } from './reviewScope';
import { encode } from './userSaves';

interface Saving {
  readonly next: FileContent;
  readonly wrote: string;
  readonly before: FileContent | undefined;
  readonly disk: FileContent | undefined;
  readonly wasDirty: boolean;
  /** {@link savedFile} when the write began. */
  readonly file: string;
}

/** Writes files for `EditorFiles`. */
export class EditorWriter {
  constructor(private readonly paths: ReviewPaths) {}

  /**
   * Writes `next` in one step that the editor can undo. An editor with unsaved text is saved only with `save`; others always.
   * @throws Error with a sentence for the user when the file is no longer `expected` or cannot be written; nothing is changed then
   */
  async write(
    path: string,
    next: FileContent | undefined,
    expected: FileContent | undefined,
    how?: 'save',
  ): Promise<void> {
    requireNoOtherUnsaved(path);
    const document = findOpenDocument(path);
    const file = savedFile(document ?? { uri: vscode.Uri.file(path) });
    const seen = await versionOf(await this.paths.real(path));
    const disk = await readContent(await this.paths.real(path));
    if (disk === 'unknown') throw conflictError(await unknownBecause(await this.paths.real(path)));
    // Read once: an editor being reverted is dirty slightly longer than its text differs.
    const isDirty = document?.isDirty === true;
    const staysUnsaved = isDirty && how !== 'save';
    const unsaved = isDirty ? document.getText() : undefined;
    const before = document && isDirty ? await encode(document) : disk;
    const isAsExpected = isDirty ? before?.bytes === expected?.bytes : isSameContent(before, expected);
    if (!isAsExpected) throw new FileChangedError();
    // A stale buffer cannot be saved, and other bytes must not be: then only the disk is written, and VS Code reloads it.
    const isFresh = isDirty || !document || (await followsDisk(document, expected));
    const isExact = isDirty || !document || !next || (await isSavedExactly(document, next));
    if (document?.isDirty && !isDirty) throw new FileChangedError();
    const text = unsaved ?? document?.getText();
    const real = await this.paths.real(path);
    if (!document || !isFresh || !isExact || !next || next.mode === '120000') {
      if (!isSameContent(disk, next)) await writeContent(real, next, seen);
      return;
    }
    await requireNoLinkAbove(real);
    if (staysUnsaved) await requireSurvival(document, next);
    const wrote = await this.#edit(document, next, text, file);
    if (!staysUnsaved) await this.#save(document, real, { next, wrote, before, disk, wasDirty: isDirty, file });
  }

  /**
   * Writes `next` into the editor.
   * @param before content of the editor if it has unsaved text
   */
  async writeUnsaved(path: string, next: FileContent, before: FileContent | undefined): Promise<void> {
    const uri = vscode.Uri.file(path);
    const file = savedFile({ uri });
    await requireNoLinkAbove(await this.paths.real(path));
    const document = await vscode.workspace.openTextDocument(uri);
    const text = document.getText();
    if (document.isDirty && (await encode(document)).bytes !== before?.bytes) throw new FileChangedError();
    await requireSurvival(document, next);
    await this.#edit(document, next, text, file);
  }

  /**
   * Saves what {@link #edit} wrote. On a full disk, `before` and `disk` come back in editor and file. VS Code refuses to save when the file
   * is newer than it knows, and is not asked where a link has replaced the file, because it would write to the link's target: then the
   * disk is written if it has the content that was compared, and another program's text stays.
   */
  async #save(document: vscode.TextDocument, real: string, saving: Saving): Promise<void> {
    const { next, wrote, before, disk, wasDirty, file } = saving;
    await requireNoLinkAbove(real);
    const isAsWritten = (): boolean => plainEnds(document.getText()) === plainEnds(wrote);
    // The user goes on typing: their text stays unsaved, with the edit.
    if (!isAsWritten()) return;
    const { isSaved, isTyped } = (await isLink(real)) ? NOT_SAVED : await saveFile(document, file);
    // VS Code saved their text, too. Other bytes on disk would replace it in the editor.
    if (isTyped && !document.isDirty && !isAsWritten()) return;
    const saved = document.getText();
    const seen = await versionOf(real);
    const written = await readContent(real);
    const buffers = await Promise.all([encode(document), encode(document, wrote)]);
    const isForeign = !isSaved && !hasContent(written, disk) && !buffers.some((buffer) => isPartOf(written, buffer));
    try {
      if (isForeign) throw new FileChangedError();
      // Restores exact bytes after format on save.
      if (!hasContent(written, next)) await writeContent(real, next, seen);
    } catch (error) {
      // VS Code truncates the file before it notices a full disk.
      const isOthers = error instanceof FileChangedError;
      if (!isOthers && !hasContent(written, disk)) await writeContent(real, disk).catch(() => undefined);
      // What the user typed stays, unsaved, with the edit.
      if ((isTyped && !isAsWritten()) || document.getText() !== saved) throw error;
      if (before) await this.#edit(document, before, saved, savedFile(document)).catch(() => undefined);
      if (isOthers && !wasDirty) await clearDirtyState(document, document.getText()).catch(() => undefined);
      throw error;
    }
    if (!isSaved && isAsWritten()) await clearDirtyState(document, document.getText()).catch(() => undefined);
  }

  /**
   * @param before the text that may be replaced
   * @param real to which the document may be saved
   * @returns the new text
   */
  async #edit(
    document: vscode.TextDocument,
    next: FileContent,
    before: string | undefined,
    real: string,
  ): Promise<string> {
    const text = await vscode.workspace.decode(bytesOf(next), { encoding: document.encoding });
    if (document.getText() !== before) throw new FileChangedError();
    const [from, to] = [splitLines(document.getText()), splitLines(text)];
    const edit = new vscode.WorkspaceEdit();
    for (const change of lineChanges(from, to)) {
      const range = document.validateRange(new vscode.Range(change.from, 0, change.fromEnd, 0));
      edit.replace(document.uri, range, to.slice(change.to, change.toEnd).join(''));
    }
    if (edit.size > 0 && !(await applyInPlace(edit, [{ uri: document.uri, real }])))
      throw conflictError(t('VS Code rejected the edit. Try again.'));
    return text;
  }
}

/**
 * The bytes of unsaved text are written later, by VS Code: with a wrong encoding it would save another character in place of each.
 * @throws ParleyError with a sentence for the user
 */
async function requireSurvival(document: vscode.TextDocument, next: FileContent): Promise<void> {
  const text = await vscode.workspace.decode(bytesOf(next), { encoding: document.encoding });
  const { bytes } = await encode(document, text);
  if (withoutMark(bytes) === withoutMark(next.bytes)) return;
  throw conflictError(
    t(
      'Not changed: the editor has unsaved text and shows the file as {0}, in which its text would lose bytes. Reopen the file with its encoding.',
      document.encoding,
    ),
  );
}

/** Whether a save writes exactly `next`: not with mixed line ends, and with bytes that the encoding of the editor lacks. */
async function isSavedExactly(document: vscode.TextDocument, next: FileContent): Promise<boolean> {
  const text = await vscode.workspace.decode(bytesOf(next), { encoding: document.encoding });
  const eol = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  return (await encode(document, withEol(text, eol))).bytes === next.bytes;
}

/** Without the byte order mark of UTF-8, which the encoding of the editor adds or leaves out. */
function withoutMark(bytes: string): string {
  return bytes.startsWith('\xef\xbb\xbf') ? bytes.slice(3) : bytes;
}

/** Waits until a clean document equals the file; VS Code notices external writes with a delay. */
async function followsDisk(document: vscode.TextDocument, disk: FileContent | undefined): Promise<boolean> {
  if (!disk) return false;
  const { encoding } = document;
  const expected = plainEnds(await vscode.workspace.decode(bytesOf(disk), { encoding }));
  const isFresh = (): boolean => plainEnds(document.getText()) === expected;
  return waitForReload(document, isFresh);
}

interface SaveOutcome {
  /** False if VS Code did not write the whole file; true also if the user typed during the save. */
  readonly isSaved: boolean;
  /** The user changed the text during the save; formatters also change it. */
  readonly isTyped: boolean;
}

const NOT_SAVED: SaveOutcome = { isSaved: false, isTyped: false };

/** Where it cannot be read, the content cannot either. */
function versionOf(path: string): Promise<FileVersion | 'none' | undefined> {
  return fileVersion(path).catch(() => undefined);
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
}

async function saveFile(document: vscode.TextDocument, file: string): Promise<SaveOutcome> {
  let [isWritten, isTyped] = [false, false];
  let changes: readonly vscode.TextDocumentContentChangeEvent[] = [];
  const listeners = [
    vscode.workspace.onDidSaveTextDocument((saved) => (isWritten ||= saved === document)),
    vscode.workspace.onDidChangeTextDocument(({ document: changed, contentChanges, reason }) => {
      if (changed !== document || contentChanges.length === 0) return;
      changes = contentChanges;
      isTyped ||= reason !== undefined || isInsertedAtCursor(document, contentChanges);
    }),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
      if (textEditor.document !== document) return;
      // VS Code reports a typed text before the cursor that it moves. Arrow keys move the cursor only.
      isTyped ||= changes.length > 0 && kind === vscode.TextEditorSelectionChangeKind.Keyboard;
      changes = [];
    }),
  ];
  try {
    const isSaved = (await saveInPlace(document, file)) || isWritten;
    return { isSaved, isTyped };
  } finally {
    for (const listener of listeners) listener.dispose();
  }
}

/**
 * Whether the changes are made at the cursors, as by typing, pasting and accepting a suggestion, for which VS Code reports no reason and
 * not always a key. Formatters may change blanks there.
 */
function isInsertedAtCursor(
  document: vscode.TextDocument,
  changes: readonly vscode.TextDocumentContentChangeEvent[],
): boolean {
  // Still the cursors before the changes.
  const cursors = vscode.window.visibleTextEditors
    .filter((editor) => editor.document === document)
    .flatMap(({ selections }) => selections.map(({ active }) => active));
  return (
    changes.length <= cursors.length &&
    changes.every(({ range, text }) => {
      return range.isSingleLine && text.trim() !== '' && cursors.some((cursor) => range.contains(cursor));
    })
  );
}

/** Whether VS Code wrote only the start of the buffer: on a full disk. */
function isPartOf(written: FileContent | 'unknown' | undefined, buffer: FileContent): boolean {
  return written !== undefined && written !== 'unknown' && buffer.bytes.startsWith(written.bytes);
}

function plainEnds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

function hasContent(found: FileContent | 'unknown' | undefined, content: FileContent | undefined): boolean {
  return found !== 'unknown' && isSameContent(found, content);
}

function conflictError(message: string): ParleyError {
  return new ParleyError('conflict', message);
}
