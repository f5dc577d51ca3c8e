import { realpath } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import { isInsideFolders } from '../../../node/fs/realPaths';
import { codeInfo } from '../../../shared/text/codeFenceInfo';
import { lastActiveEditor } from '../../../workbench/activeEditor';
import type { WriteTarget } from '../../../workbench/editorWrites';
import { isInPlace, savedFile } from '../../../workbench/editorWrites';
import { isPatch, findPatchedPath } from './codeEdit';
import { writeProtection } from './writeProtection';

/** The target file of a code block; `real` of a new file is the path that it will have. */
export interface CodeTarget extends WriteTarget {
  readonly exists: boolean;
  /** Named by the block, or in the active editor. */
  readonly isNamed: boolean;
  /** Why a change is shown first; the text follows the file's name ("can run code later"). */
  readonly protection?: string;
}

/**
 * The file named by the info string or patch, else the one in the editor.
 * @param folders of the session, absolute
 */
export async function codeTarget(
  folders: readonly string[],
  code: string,
  info: string,
): Promise<CodeTarget | { readonly problem: string }> {
  const named = codeInfo(info).path ?? (isPatch(code) ? findPatchedPath(code) : undefined);
  if (named !== undefined) return findNamedFile(named, folders);
  const editor = lastActiveEditor();
  if (!editor) return { problem: t('Open the file that you want to change, then apply the code again.') };
  const { uri } = editor.document;
  if (uri.scheme !== 'file') return { problem: t('The file in the editor cannot be changed.') };
  const real = savedFile(editor.document);
  return { uri, real, exists: true, isNamed: true, ...(await protection(uri.fsPath, real, folders)) };
}

export async function findNamedFile(
  named: string,
  folders: readonly string[],
): Promise<CodeTarget | { readonly problem: string }> {
  const shown = escapeInvisibleInline(named);
  const outside = { problem: t('{0} is outside the workspace. Parley does not write there.', shown) };
  if (/^[\\/]{2}/.test(named)) return outside;
  const paths = isAbsolute(named) ? [named] : folders.map((folder) => resolve(folder, named));
  const found = await Promise.all(
    paths.map(async (path) => ({ path, real: await realpath(path).catch(() => undefined) })),
  );
  const existing = found.find(({ real }) => real !== undefined);
  const path = existing?.path ?? paths[0];
  if (path === undefined) return { problem: t('Could not find {0}: no folder is open.', shown) };
  // Uses real paths, also for the parent folder of a new file.
  const uri = vscode.Uri.file(path);
  const real = savedFile({ uri });
  if (!(await isInsideFolders(real, folders))) return outside;
  return {
    uri,
    real,
    exists: existing !== undefined,
    isNamed: true,
    ...(await protection(path, real, folders)),
  };
}

/**
 * Call right before a write.
 * @throws Error when the path has changed since the lookup
 */
export function requireInPlace(target: WriteTarget): void {
  if (!isInPlace(target)) throw new Error(t('A folder in the file path now points to a different location'));
}

async function protection(...location: Parameters<typeof writeProtection>): Promise<{ protection?: string }> {
  const because = await writeProtection(...location);
  return because === undefined ? {} : { protection: because };
}
