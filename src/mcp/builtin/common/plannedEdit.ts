import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { WriteTarget } from '../../../workbench/editorWrites';
import { isInPlace, savedFile } from '../../../workbench/editorWrites';
import { isRealInWorkspace } from '../../../workbench/workspaceFiles';
import { ToolError } from '../../toolServerTypes';
import { labelOf } from './workspaceFile';

/** A file of an edit and the number of text edits in it. */
export interface ChangedFile {
  readonly path: string;
  readonly edits: number;
}

/** An edit, and the state of its files when it was made: a question about it may stay open for hours. */
export interface PlannedEdit {
  readonly edit: vscode.WorkspaceEdit;
  readonly files: readonly ChangedFile[];
  /** Absolute. */
  readonly paths: readonly string[];
  /** Whether the edit also creates, renames or deletes files; VS Code does not say which. */
  readonly hasFileMoves: boolean;
  readonly targets: readonly PlannedFile[];
}

interface PlannedFile extends WriteTarget {
  /** Of the text in which the edit has its places; undefined when the edit creates the file. */
  readonly hash: string | undefined;
  /** The text changed while the edit was made. */
  readonly isStale: boolean;
}

/** Plans edits that are made after its construction. */
export class EditPlanner {
  readonly #versions = new Map(vscode.workspace.textDocuments.map((document) => [document, document.version]));
  readonly #hashes = new Map<string, Promise<Pick<PlannedFile, 'hash' | 'isStale'>>>();

  /** @param asked the files that a question named already: the edit may lead only there */
  async plan(edit: vscode.WorkspaceEdit, asked: readonly WriteTarget[] = []): Promise<PlannedEdit> {
    const entries = edit.entries().filter(([, edits]) => edits.length > 0);
    const reals = entries.map(([uri]) => asked.find((file) => isSame(file.uri, uri))?.real ?? savedFile({ uri }));
    return {
      edit,
      files: entries.map(([uri, edits]) => ({ path: labelOf(uri), edits: edits.length })),
      paths: entries.map(([uri]) => uri.fsPath),
      hasFileMoves: edit.size > edit.entries().length,
      targets: await Promise.all(
        entries.map(async ([uri], at) => {
          const { hash, isStale } = await this.#hashOf(uri);
          return { uri, real: reals[at] ?? '', hash, isStale };
        }),
      ),
    };
  }

  #hashOf(uri: vscode.Uri): Promise<Pick<PlannedFile, 'hash' | 'isStale'>> {
    const key = uri.toString();
    const known = this.#hashes.get(key) ?? this.#read(uri);
    this.#hashes.set(key, known);
    return known;
  }

  async #read(uri: vscode.Uri): Promise<Pick<PlannedFile, 'hash' | 'isStale'>> {
    const document = await openIfThere(uri);
    if (!document) return { hash: undefined, isStale: false };
    return {
      hash: hashOf(document),
      isStale: (this.#versions.get(document) ?? document.version) !== document.version,
    };
  }
}

/** Undefined when there is no such file. */
export async function openIfThere(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  return vscode.workspace.openTextDocument(uri).then(
    (document) => document,
    () => undefined,
  );
}

/** @throws ToolError when a link has replaced a file or a folder above since the edit was made, or leads out of the workspace */
export function requireInPlace(targets: readonly WriteTarget[]): void {
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
export function requireUnchanged({ targets }: PlannedEdit): void {
  requireInPlace(targets);
  for (const { uri, hash, isStale } of targets) {
    const document = vscode.workspace.textDocuments.find((each) => isSame(each.uri, uri));
    if (isStale || hash !== (document && hashOf(document)))
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
