import * as vscode from 'vscode';
import { toByteString } from './fileContent';
import type { FileContent } from './fileContent';

/** The open text document of a file. */
export function openDocument(path: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => isFile(document) && document.uri.fsPath === path);
}

/** The bytes that saving would write. */
export async function encoded(document: vscode.TextDocument): Promise<FileContent> {
  const text = document.getText();
  const isPlain = document.encoding === 'utf8';
  const bytes = isPlain ? Buffer.from(text) : await vscode.workspace.encode(text, { encoding: document.encoding });
  return { mode: '100644', bytes: toByteString(bytes) };
}

/** A file on disk, and open. */
export function isFile(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'file' && !document.isClosed;
}
