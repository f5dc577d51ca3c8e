import * as vscode from 'vscode';
import { asArray, asObject } from '../../base/json';
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
    readonly indexChanges: readonly unknown[];
    /** Only where untracked files are a separate group. */
    readonly untrackedChanges?: readonly Change[];
  };
  status(): Promise<void>;
  diff(cached?: boolean): Promise<string>;
  /** The changes of one file (absolute path) since the last commit. */
  diffWithHEAD(path: string): Promise<string>;
  /** Only the staged changes. */
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

export function countChanged(): number {
  const counts = repositories().map(({ state }) => state.workingTreeChanges.length + state.indexChanges.length);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** All uncommitted changes: staged, then unstaged. */
export async function gitChanges(): Promise<string> {
  const diffs = await Promise.all(repositories().flatMap((one) => [one.diff(true), one.diff(false)]));
  const whole = diffs.filter((diff) => diff.trim() !== '').join('\n');
  return whole === '' ? 'There are no changes that are not committed.' : changesText(whole).text;
}
