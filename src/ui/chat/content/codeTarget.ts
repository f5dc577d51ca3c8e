import { realpath } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline, plainLabel } from '../../../base/untrustedText';
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

/** A code block of a message. */
export interface CodeFromMessage {
  readonly code: string;
  readonly info: string;
  /** Paths of the files that the message links to. */
  readonly links: readonly string[];
}

/**
 * The file named by the info string or patch, else the one in the editor; the user selects one of several that the message links to, or
 * that are visible.
 * @param folders of the session, absolute
 * @returns undefined if the user selects none
 */
export async function codeTarget(
  folders: readonly string[],
  { code, info, links }: CodeFromMessage,
): Promise<CodeTarget | { readonly problem: string } | undefined> {
  const named = codeInfo(info).path ?? (isPatch(code) ? findPatchedPath(code) : undefined);
  if (named !== undefined) return findNamedFile(named, folders);
  const shown = await openFiles(folders);
  const linked = await Promise.all(links.map((link) => findNamedFile(link, folders)));
  const existing = linked.flatMap((target) => ('problem' in target || !target.exists ? [] : [target]));
  const targets = new Map([...shown, ...existing].map((target) => [target.real, target]));
  const [first] = targets.values();
  if (first) return targets.size === 1 ? first : selectTarget([...targets.values()]);
  return lastActiveEditor()
    ? { problem: t('The file in the editor cannot be changed.') }
    : { problem: t('Open the file that you want to change, then apply the code again.') };
}

/** The last active file first. */
function openFiles(folders: readonly string[]): Promise<CodeTarget[]> {
  const last = lastActiveEditor();
  const visible = vscode.window.visibleTextEditors.filter(({ viewColumn }) => viewColumn !== undefined);
  const files = [...(last ? [last] : []), ...visible].filter(({ document }) => document.uri.scheme === 'file');
  return Promise.all(
    files.map(async ({ document }): Promise<CodeTarget> => {
      const real = savedFile(document);
      const { uri } = document;
      const target = { uri, real, exists: true, isNamed: true };
      return Object.assign(target, await protection(uri.fsPath, real, folders));
    }),
  );
}

async function selectTarget(targets: readonly CodeTarget[]): Promise<CodeTarget | undefined> {
  const rows = targets.map((target) => {
    const path = escapeInvisibleInline(vscode.workspace.asRelativePath(target.uri));
    return { label: plainLabel(basename(target.uri.fsPath)), description: plainLabel(path), target };
  });
  const options = { title: t('Apply to File'), placeHolder: t('Select the file to change'), matchOnDescription: true };
  return (await vscode.window.showQuickPick(rows, options))?.target;
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
