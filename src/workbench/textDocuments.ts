import { realpath, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { settlesWithin } from '../base/async';
import { ParleyError } from '../base/errors';
import { t } from '../base/l10n';
import { readPlainFile, restorePartialWrite, restoreSaved } from '../node/fs/overwriteFile';
import { isInside } from '../node/fs/realPaths';
import { applyInPlace, savedFile, saveInPlace } from './editorWrites';
import { minimalReplacement } from './textEdits';

/** The paths by which an editor may have a file open. */
interface FilePath {
  /** As VS Code knows it: below the workspace folder as the user opened it. */
  readonly name: string;
  /** As requested, normalized. */
  readonly requested: string;
  /** With every symbolic link resolved. */
  readonly real: string;
}

/** The open text documents of files on disk. */
export function fileDocuments(): vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(({ uri, isClosed }) => uri.scheme === 'file' && !isClosed);
}

/** A file in another kind of editor, once for each of its tabs. */
interface OtherEditor extends NonTextEditor {
  readonly uri: vscode.Uri;
}

function otherEditors(): readonly OtherEditor[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const ofTabs = tabs.flatMap(({ input, isDirty }) => {
    if (input instanceof vscode.TabInputCustom) return { name: input.viewType, isDirty, uri: input.uri };
    if (input instanceof vscode.TabInputNotebook) return { name: input.notebookType, isDirty, uri: input.uri };
    if (!(input instanceof vscode.TabInputNotebookDiff)) return [];
    const sides = [input.original, input.modified].filter(({ scheme }) => scheme === 'file');
    return sides.map((uri) => ({ name: input.notebookType, isDirty, uri }));
  });
  // In any view, also in one that is no tab of a notebook.
  const unsaved = vscode.workspace.notebookDocuments.filter(({ uri, isDirty }) => isDirty && uri.scheme === 'file');
  return [...ofTabs, ...unsaved.map(({ uri, notebookType }) => ({ name: notebookType, isDirty: true, uri }))];
}

/** The files with unsaved changes in notebooks and custom editors, which are no text documents. */
export function unsavedOtherFiles(): vscode.Uri[] {
  return otherEditors().flatMap(({ uri, isDirty }) => (isDirty ? uri : []));
}

/**
 * VS Code drops what is unsaved in a notebook or custom editor when it deletes the file, without a question.
 * @param path as VS Code knows it, of a file or of a folder with such files
 * @throws ParleyError `conflict` while there are unsaved changes
 */
export function requireNoOtherUnsaved(path: string): void {
  if (unsavedOtherFiles().some(({ fsPath }) => isInside(path, fsPath)))
    throw new ParleyError(
      'conflict',
      t('The file has unsaved changes in a notebook or custom editor. Save or revert the file first.'),
    );
}

/** @param path as VS Code knows it */
export function findOpenDocument(path: string): vscode.TextDocument | undefined {
  return fileDocuments().find(({ uri }) => uri.fsPath === path);
}

/** The loaded text document of a file, whatever path it was opened by; of several, one with unsaved text. */
export async function findTextDocument(path: FilePath): Promise<vscode.TextDocument | undefined> {
  const loaded = fileDocuments().map((document) => ({
    document,
    fsPath: document.uri.fsPath,
    isDirty: document.isDirty,
  }));
  return (await findOpen(path, loaded))?.document;
}

/** A tab that shows the file in another kind of editor. */
export interface NonTextEditor {
  readonly name: string;
  readonly isDirty: boolean;
}

/**
 * The notebook or custom editor that has the file open, whatever path it was opened by: Parley must not change such a
 * file as text.
 */
export function findNonTextEditor(path: FilePath): Promise<NonTextEditor | undefined> {
  const editors = otherEditors().map(({ name, isDirty, uri }) => ({ name, isDirty, fsPath: uri.fsPath }));
  return findOpen(path, editors);
}

/** Of what has the file open, the first with unsaved changes, else the first under a name of `path`, else the first. */
async function findOpen<T extends { readonly fsPath: string; readonly isDirty: boolean }>(
  path: FilePath,
  open: readonly T[],
): Promise<T | undefined> {
  if (open.length === 0) return undefined;
  const names = new Set([path.name, path.requested, path.real]);
  const dirtyFirst = open.toSorted((one, other) => Number(other.isDirty) - Number(one.isDirty));
  const named = dirtyFirst.find(({ fsPath }) => names.has(fsPath));
  if (named?.isDirty) return named;
  const isSame = await fileMatcher(path.real);
  for (const each of named ? dirtyFirst.filter(({ isDirty }) => isDirty) : dirtyFirst)
    if (await isSame(each.fsPath)) return each;
  return named;
}

/** Finds other names of a file: through links of any kind, or in another case. */
async function fileMatcher(real: string): Promise<(path: string) => Promise<boolean>> {
  const info = await stat(real, { bigint: true }).catch(() => undefined);
  // Some file systems number no files.
  const linked = info && info.nlink > 1n && info.ino > 0n ? info : undefined;
  return async (path) => {
    if ((await realpath(path).catch(() => undefined)) === real) return true;
    const other = linked && (await stat(path, { bigint: true }).catch(() => undefined));
    return other !== undefined && other.dev === linked?.dev && other.ino === linked.ino;
  };
}

/** Milliseconds that VS Code may take to notice a change on disk and reload an unmodified document. */
const RELOAD_TIMEOUT_MS = 3000;

/**
 * Waits until an unmodified document has the content on disk. Agents also write files directly, which VS Code notices
 * late; an edit of the stale text could not be saved. False when the document is still stale after {@link
 * RELOAD_TIMEOUT_MS}.
 */
export async function waitForReload(document: vscode.TextDocument, isFresh: () => boolean): Promise<boolean> {
  if (document.isDirty || isFresh()) return true;
  let subscription: vscode.Disposable | undefined;
  const reloaded = new Promise<void>((resolve) => {
    subscription = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && isFresh()) resolve();
    });
  });
  try {
    return await settlesWithin(reloaded, RELOAD_TIMEOUT_MS);
  } finally {
    subscription?.dispose();
  }
}

/**
 * Sets the document's text by one minimal edit that can be undone. False when VS Code did not apply it, because the document was changed
 * meanwhile or closed, or a link has replaced its file. The user may type more before this settles.
 * @param file {@link savedFile} when the edit was decided
 */
export async function applyMinimalEdit(document: vscode.TextDocument, text: string, file: string): Promise<boolean> {
  const replacement = minimalReplacement(document.getText(), text);
  if (!replacement) return true;
  const edit = new vscode.WorkspaceEdit();
  const range = new vscode.Range(document.positionAt(replacement.start), document.positionAt(replacement.end));
  edit.replace(document.uri, range, replacement.text);
  return applyInPlace(edit, [{ uri: document.uri, real: file }]);
}

export interface SaveOutcome {
  /** The document ended unmodified. */
  readonly isSaved: boolean;
  /** The user typed during a save; participants of the save, such as formatters, move no cursor by keys. */
  readonly isTyped: boolean;
}

/**
 * Saves again when the user typed during the save.
 * @param file {@link savedFile} when the save was decided: VS Code is not asked to save to another one
 * @param onWillSave called before each save
 */
export async function saveDocument(
  document: vscode.TextDocument,
  file: string,
  onWillSave?: () => void,
): Promise<SaveOutcome> {
  let isTyped = false;
  const { Keyboard } = vscode.TextEditorSelectionChangeKind;
  const typing = [
    vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
      isTyped ||= textEditor.document === document && kind === Keyboard;
    }),
    vscode.workspace.onDidChangeTextDocument((event) => {
      isTyped ||= event.document === document && event.reason !== undefined;
    }),
  ];
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      onWillSave?.();
      const { version } = document;
      const isSaved = await saveInPlace(document, file);
      if (isSaved && !document.isDirty) return { isSaved: true, isTyped };
      if (!isSaved && document.version === version) return { isSaved: false, isTyped };
      isTyped = true;
    }
    return { isSaved: !document.isDirty, isTyped };
  } finally {
    for (const listener of typing) listener.dispose();
  }
}

/** Bytes; of larger files no copy is kept while they are saved. */
const MAX_KEPT = 50 * 1024 * 1024;

/**
 * Saves a document, and keeps the file's content when VS Code cannot.
 * @param file as for {@link saveDocument}
 * @param onWillSave called before each save
 * @returns false when VS Code did not save; the text is in the editor, unsaved
 */
export async function saveOrKeepFile(
  document: vscode.TextDocument,
  file: string,
  onWillSave?: () => void,
): Promise<boolean> {
  const before = await readPlainFile(file, MAX_KEPT);
  if ((await saveDocument(document, file, onWillSave)).isSaved) return true;
  if (!before) return false;
  const expected = await vscode.workspace.encode(document.getText(), { encoding: document.encoding });
  await restorePartialWrite(file, expected, before);
  return false;
}

/**
 * Clears the unsaved state of a document by showing and saving what its file has: VS Code saves such a text also where the file is newer
 * than it knows. Its command “Revert File” is no way: it acts on the editor that is active by then, which may show other unsaved text.
 * A document with other text stays unsaved, so that no user edits are lost, as does one that VS Code cannot save.
 * @param text what the document may lose
 */
export async function clearDirtyState(document: vscode.TextDocument, text: string): Promise<void> {
  const file = savedFile(document);
  const { encoding } = document;
  const disk = await readPlainFile(file, MAX_KEPT);
  if (!disk) return;
  const shown = await vscode.workspace.decode(disk, { encoding });
  if (!document.isDirty || document.getText() !== text || !(await applyMinimalEdit(document, shown, file))) return;
  const { isSaved, isTyped } = await saveDocument(document, file);
  const saved = await vscode.workspace.encode(document.getText(), { encoding });
  if (!isSaved) return restorePartialWrite(file, saved, disk);
  if (!isTyped) await restoreSaved(file, saved, disk);
}

/**
 * Closes the tabs that show these files, or what changed in them, and have no unsaved text.
 * @param paths absolute
 */
export async function closeFileTabs(paths: readonly string[]): Promise<void> {
  const names = new Set(paths.map((path) => vscode.Uri.file(path).toString()));
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input, isDirty }) => {
      const uri =
        input instanceof vscode.TabInputTextDiff
          ? input.modified
          : input instanceof vscode.TabInputText
            ? input.uri
            : undefined;
      return uri !== undefined && names.has(uri.toString()) && !isDirty;
    });
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}

/**
 * Closes the tabs of a document without a file, with its text. VS Code asks about its text, and does not when it is empty; its commands that
 * do not ask are no way: they act on the editor that is active when they arrive, which may show other unsaved content.
 */
export async function closeUntitled(document: vscode.TextDocument): Promise<void> {
  const { tabGroups } = vscode.window;
  const name = document.uri.toString();
  const tabs = tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === name);
  if (await applyMinimalEdit(document, '', savedFile(document))) await tabGroups.close(tabs);
}
