import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { ParleyError } from '../base/errors';
import { omitUndefined } from '../base/json';
import { t } from '../base/l10n';
import { isOnOtherComputer } from '../base/pathText';
import { truncate } from '../base/text';
import { escapeInvisibleInline } from '../base/untrustedText';
import { isInside, nameInFolders } from '../node/fs/realPaths';
import type { Action } from '../shared/state/sessionActions';
import type { SessionState } from '../shared/state/sessionState';

/** The workspace folders, those that contain the session's folder first. Compares names only. */
export function foldersFrom(cwd: string, folders: readonly string[]): readonly string[] {
  const isAround = (folder: string): boolean => isInside(folder, cwd);
  if (folders.length < 2) return folders;
  return [...folders.filter(isAround), ...folders.filter((folder) => !isAround(folder))];
}

/** Whether a session can start to work in this folder. Compares names only. */
export function isInFolders(cwd: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isInside(folder, cwd));
}

/**
 * The folder as VS Code knows it: below its workspace folder, with links resolved.
 * @param path absolute; may come from a page or a link
 * @throws ParleyError `outsideWorkspace` or `folderNotFound`
 */
export async function requireWorkspaceFolder(path: string, folders: readonly string[]): Promise<string> {
  const shown = truncate(escapeInvisibleInline(path), 300);
  const outside = new ParleyError('outsideWorkspace', t('{0} is outside the workspace', shown), {
    nextStep: t('Select a folder of the workspace.'),
  });
  // No access to the disk for a path outside.
  if (!isAbsolute(path) || path.includes('\0') || isOnOtherComputer(path, folders)) throw outside;
  if (!isInFolders(resolve(path), folders)) throw outside;
  const real = await realFolder(resolve(path));
  if (real === undefined) throw folderNotFoundError(shown);
  const name = await nameInFolders(real, folders);
  if (name === undefined) throw outside;
  return name;
}

/** @throws ParleyError `folderNotFound` */
export async function requireFolder(path: string): Promise<void> {
  if ((await realFolder(path)) === undefined) throw folderNotFoundError(path);
}

function folderNotFoundError(path: string): ParleyError {
  return new ParleyError('folderNotFound', t('The folder {0} of this session does not exist', path), {
    nextStep: t('Restore the folder and retry, or select another folder.'),
  });
}

async function realFolder(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? await realpath(path) : undefined;
  } catch {
    return undefined;
  }
}

/** The parts of a `Session` that a change of the folder needs. */
interface FolderSession {
  readonly state: SessionState;
  readonly binding: { readonly isBound: boolean; release(options: { readonly shouldClose: boolean }): void };
  readonly warmStart: { start(): Promise<void> };
  dispatch(action: Action): void;
}

/**
 * Lets a session work in another folder: the agent's session is closed, and opened again there. Earlier messages go with the next one.
 * Ignored during a turn.
 * @param folder absolute; the default folder if undefined
 * @param branch of the git worktree that the folder is in
 */
export function changeFolder(session: FolderSession, folder: string | undefined, branch?: string): void {
  const { state, binding } = session;
  if (state.turn.status === 'running') return;
  const wasOpen = binding.isBound;
  binding.release({ shouldClose: true });
  session.dispatch({ type: 'folderChosen', folder: folder ?? null, ...omitUndefined({ branch }) });
  session.dispatch({ type: 'connectionChanged', connection: { status: 'idle' } });
  if (state.entries.count > 0) session.dispatch({ type: 'branched' });
  else if (wasOpen) void session.warmStart.start();
}
