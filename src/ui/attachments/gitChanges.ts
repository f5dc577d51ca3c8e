import * as vscode from 'vscode';
import { asArray, asObject } from '../../base/json';
import { isInside } from '../../node/fs/realPaths';
import { realUri } from '../../workbench/workspaceFiles';
import { localFolders } from '../../workbench/workspaceFolders';
import { changesText } from './diffAttachment';

/** A change in the API of VS Code's git extension. `status` is its enum value. */
interface Change {
  readonly uri: vscode.Uri;
  readonly status: number;
}

/** The used part of the git extension's API, version 1. */
export interface Repository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  readonly state: {
    readonly workingTreeChanges: readonly Change[];
    readonly indexChanges: readonly Change[];
    /** Only where untracked files are a separate group. */
    readonly untrackedChanges?: readonly Change[];
  };
  status(): Promise<void>;
  diff(cached?: boolean): Promise<string>;
  /** The unstaged changes of one file or folder (absolute path). */
  diffWithHEAD(path: string): Promise<string>;
  /** The staged changes. */
  diffIndexWithHEAD(path: string): Promise<string>;
  log(options: { readonly maxEntries: number }): Promise<readonly { readonly message: string }[]>;
}

/** `Status.UNTRACKED` of the git extension. */
const UNTRACKED_STATUS = 7;

function gitExtension(): vscode.Extension<{ getAPI(version: 1): unknown }> | undefined {
  return vscode.extensions.getExtension('vscode.git');
}

/** The open repositories; none where the git extension is disabled or not active. */
export function repositories(): readonly Repository[] {
  const extension = gitExtension();
  if (!extension?.isActive) return [];
  try {
    return asArray(asObject(extension.exports.getAPI(1))?.['repositories']) as readonly Repository[];
  } catch {
    // Git is disabled in the settings.
    return [];
  }
}

/** Like {@link repositories}, after activating the git extension. */
export async function activateRepositories(): Promise<readonly Repository[]> {
  await gitExtension()?.activate();
  return repositories();
}

/** The innermost repository that contains a file. */
export function repositoryOf(uri: vscode.Uri): Repository | undefined {
  return repositories()
    .filter(({ rootUri }) => uri.path === rootUri.path || uri.path.startsWith(`${rootUri.path}/`))
    .toSorted((a, b) => b.rootUri.path.length - a.rootUri.path.length)[0];
}

export function untrackedFiles({ state }: Repository): readonly vscode.Uri[] {
  const all = [...state.workingTreeChanges, ...(state.untrackedChanges ?? [])];
  return all.filter(({ status }) => status === UNTRACKED_STATUS).map(({ uri }) => uri);
}

/** A repository with files of the workspace. `folders`: only what is in them is of the workspace, undefined for all. Absolute. */
interface WorkspaceRepository {
  readonly repository: Repository;
  readonly folders: readonly string[] | undefined;
}

/** The git extension also opens the repositories of files outside the workspace, and one around the workspace as a whole. */
function workspaceRepositories(): readonly WorkspaceRepository[] {
  const all = localFolders().map((folder) => realUri(vscode.Uri.file(folder)).fsPath);
  return repositories().flatMap((repository): readonly WorkspaceRepository[] => {
    const root = realUri(repository.rootUri).fsPath;
    if (all.some((folder) => isInside(folder, root))) return [{ repository, folders: undefined }];
    const folders = all.filter((folder) => isInside(root, folder));
    return folders.length > 0 ? [{ repository, folders }] : [];
  });
}

export function countChanged(): number {
  const counts = workspaceRepositories().map(({ repository: { state }, folders }) => {
    const changes = [...state.workingTreeChanges, ...state.indexChanges];
    const isOwn = ({ uri }: Change): boolean =>
      folders?.some((folder) => isInside(folder, realUri(uri).fsPath)) ?? true;
    return changes.filter(isOwn).length;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** All uncommitted changes of the workspace: staged, then unstaged. */
export async function gitChanges(): Promise<string> {
  const diffs = await Promise.all(workspaceRepositories().flatMap(diffsOf));
  const whole = diffs.filter((diff) => diff.trim() !== '').join('\n');
  return whole === '' ? 'There are no changes that are not committed.' : changesText(whole).text;
}

function diffsOf({ repository, folders }: WorkspaceRepository): readonly Promise<string>[] {
  if (!folders) return [repository.diff(true), repository.diff(false)];
  return folders.flatMap((folder) => [repository.diffIndexWithHEAD(folder), repository.diffWithHEAD(folder)]);
}
