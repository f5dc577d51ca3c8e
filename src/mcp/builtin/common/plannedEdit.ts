import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import * as vscode from 'vscode';
import { errorMessage, isMissingPath } from '../../../base/errors';
import { isInside } from '../../../node/fs/realPaths';
import type { WriteTarget } from '../../../workbench/editorWrites';
import { isInPlace, savedFile } from '../../../workbench/editorWrites';
import { fileDocuments, requireNoOtherUnsaved } from '../../../workbench/textDocuments';
import { isRealInWorkspace } from '../../../workbench/workspaceFiles';
import { ToolError } from '../../contract/toolServerTypes';
import { labelOf } from './workspaceFile';

/** A file of an edit and the number of text edits in it. */
export interface EditedFile {
  readonly path: string;
  readonly edits: number;
}

/** An edit, and the state of its files when it was made: a question about it may stay open for hours. */
export interface PlannedEdit {
  readonly edit: vscode.WorkspaceEdit;
  readonly files: readonly EditedFile[];
  /** Absolute. */
  readonly paths: readonly string[];
  /** Files that the edit also creates, renames or deletes, as clauses: `rename a.ts to b.ts`. */
  readonly moves: readonly string[];
  /** Absolute paths of renamed files, with the new ones. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly deleted: readonly vscode.Uri[];
  readonly targets: readonly PlannedFile[];
}

interface FileVersion {
  /** Of the text in which the edit has its places; undefined when the edit creates the file. */
  readonly hash: string | undefined;
  /** The text changed while the edit was made. */
  readonly isStale: boolean;
}

interface PlannedFile extends WriteTarget, FileVersion {
  /** Of a file that is created, renamed or deleted: what is on disk. VS Code would replace or delete anything there. */
  readonly stamp?: string | undefined;
}

/** Plans edits that are made after its construction. */
export class EditPlanner {
  readonly #versions = new Map(vscode.workspace.textDocuments.map((document) => [document, document.version]));
  readonly #hashes = new Map<string, Promise<FileVersion>>();

  /** @param asked the files that a question named already: the edit may lead only there */
  async plan(edit: vscode.WorkspaceEdit, asked: readonly WriteTarget[] = []): Promise<PlannedEdit> {
    const entries = edit.entries().filter(([, edits]) => edits.length > 0);
    const moves = fileMoves(edit);
    const moved = (moves ?? []).flatMap(({ from, to }) => [from, to]).filter((uri) => uri !== undefined);
    const reals = entries.map(([uri]) => asked.find((file) => isSame(file.uri, uri))?.real ?? savedFile({ uri }));
    if (moves) requireFree(moves);
    const deleted = (moves ?? []).flatMap(({ from, to }) => (from && !to ? from : []));
    deleted.forEach(requireSaved);
    const targets = await Promise.all(
      [...entries.map(([uri]) => uri), ...moved].map(async (uri, at) => {
        const { hash, isStale } = await this.#hashOf(uri);
        const stamp = at < entries.length ? undefined : stampOf(uri);
        return { uri, real: reals[at] ?? savedFile({ uri }), hash, isStale, stamp };
      }),
    );
    const isThere = (uri: vscode.Uri): boolean => targets.find((one) => isSame(one.uri, uri))?.hash !== undefined;
    return {
      edit: moves?.length === 0 ? edit : inOrder(entries, moves ?? [], isThere),
      files: entries.map(([uri, edits]) => ({ path: labelOf(uri), edits: edits.length })),
      paths: [...new Set(targets.map(({ uri }) => uri.fsPath))],
      moves: (moves ?? []).map(moveText),
      renamed: new Map((moves ?? []).flatMap(({ from, to }) => (from && to ? [[from.fsPath, to.fsPath]] : []))),
      deleted,
      targets,
    };
  }

  #hashOf(uri: vscode.Uri): Promise<FileVersion> {
    const key = uri.toString();
    const known = this.#hashes.get(key) ?? this.#read(uri);
    this.#hashes.set(key, known);
    return known;
  }

  async #read(uri: vscode.Uri): Promise<FileVersion> {
    const document = await openIfThere(uri);
    if (!document) return { hash: undefined, isStale: false };
    return {
      hash: hashOf(document),
      isStale: (this.#versions.get(document) ?? document.version) !== document.version,
    };
  }
}

interface FileMove {
  readonly from?: vscode.Uri;
  readonly to?: vscode.Uri;
  readonly options?: {
    readonly overwrite?: boolean;
    readonly ignoreIfExists?: boolean;
    readonly recursive?: boolean;
    readonly ignoreIfNotExists?: boolean;
  };
}

/** Of `_type` in VS Code's edits; the others are of notebooks and snippets. */
const [FILE, TEXT] = [1, 2];

/**
 * The files that an edit creates, renames or deletes. The public API tells only of texts, so that this reads what VS Code itself sends.
 * @returns undefined where that cannot be read
 * @throws ToolError when the edit has other parts, which no question could show
 */
function fileMoves(edit: vscode.WorkspaceEdit): readonly FileMove[] | undefined {
  const { _allEntries: allEntries } = edit as {
    _allEntries?: () => readonly ({ readonly _type: number } & FileMove)[];
  };
  if (typeof allEntries !== 'function') return undefined;
  const all = allEntries.call(edit);
  if (all.some(({ _type: type }) => type !== FILE && type !== TEXT))
    throw new ToolError(
      'This change has parts that are neither texts nor files, such as cells of a notebook.',
      'Make the change with other tools.',
    );
  return all.filter(({ _type: type }) => type === FILE);
}

/**
 * Only what a question shows. VS Code's commands return the moves before the texts, whatever order the language server gave: the text of a
 * file that moves would then be of none, and the edit would end halfway.
 */
function inOrder(
  entries: readonly (readonly [vscode.Uri, vscode.TextEdit[]])[],
  moves: readonly FileMove[],
  isThere: (uri: vscode.Uri) => boolean,
): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const [uri, edits] of entries) if (isThere(uri)) edit.set(uri, edits);
  for (const { from, to, options } of moves) {
    if (from && to) edit.renameFile(from, to, options);
    else if (from) edit.deleteFile(from, options);
    else if (to) edit.createFile(to, options);
  }
  for (const [uri, edits] of entries) if (!isThere(uri)) edit.set(uri, edits);
  return edit;
}

/** @throws ToolError when a file would be replaced, which the question does not say */
function requireFree(moves: readonly FileMove[]): void {
  for (const { from, to, options } of moves) {
    if (!to || (options?.ignoreIfExists && !options.overwrite)) continue;
    const there = stampOf(to);
    // Only the case of a name changes, in a file system that does not distinguish it.
    if (there === '' || (from && there === stampOf(from))) continue;
    throw new ToolError(`The edit would replace ${labelOf(to)}.`, 'Nothing was changed; choose another name.');
  }
}

/** VS Code would drop unsaved changes with the file, without a question. */
function requireSaved({ fsPath }: vscode.Uri): void {
  requireNoOtherUnsaved(fsPath);
  const unsaved = fileDocuments().find(({ uri, isDirty }) => isDirty && isInside(fsPath, uri.fsPath));
  if (unsaved)
    throw new ToolError(
      `The edit would delete ${labelOf(unsaved.uri)}, which has unsaved changes.`,
      'Ask the user to save or revert the file.',
    );
}

/** Differs when a file has changed; empty when there is none. */
function stampOf(uri: vscode.Uri): string {
  try {
    const { dev, ino, size, mtimeNs } = lstatSync(uri.fsPath, { bigint: true });
    return [dev, ino, size, mtimeNs].join(' ');
  } catch (error) {
    return isMissingPath(error) ? '' : errorMessage(error);
  }
}

function moveText({ from, to }: FileMove): string {
  if (from && to) return `rename ${labelOf(from)} to ${labelOf(to)}`;
  return from ? `delete ${labelOf(from)}` : `create ${to ? labelOf(to) : 'a file'}`;
}

/** Undefined when there is no such file. */
export async function openIfThere(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  return vscode.workspace.openTextDocument(uri).then(
    (document) => document,
    () => undefined,
  );
}

/** @throws ToolError when a link has replaced a file or a folder above since the edit was made, or leads out of the workspace */
export function requireAllInPlace(targets: readonly WriteTarget[]): void {
  for (const target of targets) {
    const isElsewhere =
      !isInPlace(target) ||
      (vscode.workspace.getWorkspaceFolder(target.uri) && !isRealInWorkspace(target.uri, vscode.Uri.file(target.real)));
    if (isElsewhere)
      throw new ToolError(
        `A link has replaced ${labelOf(target.uri)} or a folder above it.`,
        'Nothing was changed; tell the user.',
      );
  }
}

/**
 * Call right before the edit is applied, with its documents open.
 * @throws ToolError when a file is not as it was when the edit was made
 */
export function requireUnchanged({ targets, deleted }: PlannedEdit): void {
  requireAllInPlace(targets);
  deleted.forEach(requireSaved);
  for (const { uri, hash, isStale, stamp } of targets) {
    const document = vscode.workspace.textDocuments.find((each) => isSame(each.uri, uri));
    const isMoved = stamp !== undefined && stamp !== stampOf(uri);
    if (isStale || isMoved || hash !== (document && hashOf(document)))
      throw new ToolError(
        `${labelOf(uri)} has changed since this edit was made.`,
        'Nothing was changed; ask for the edit again.',
      );
  }
}

function hashOf(document: vscode.TextDocument): string {
  return createHash('sha256').update(document.getText()).digest('hex');
}

function isSame(one: vscode.Uri, other: vscode.Uri): boolean {
  return one.toString() === other.toString();
}
