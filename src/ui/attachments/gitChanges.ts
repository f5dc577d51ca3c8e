import * as vscode from 'vscode';
import { asArray, asObject } from '../../base/json';
import { changesText } from './diffAttachment';

/** A changed file as git's extension tells of it. `status` is one of its own numbers. */
interface Change {
  readonly uri: vscode.Uri;
  readonly status: number;
}

/** What is used of a repository of VS Code's own git extension (its API version 1). */
export interface Repository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  readonly state: {
    readonly workingTreeChanges: readonly Change[];
    readonly indexChanges: readonly unknown[];
    /** Only where new files are a group of their own. */
    readonly untrackedChanges?: readonly Change[];
  };
  /** Looks at the repository again. */
  status(): Promise<void>;
  diff(cached?: boolean): Promise<string>;
  /** The changes of one file, absolute, since the last commit. */
  diffWithHEAD(path: string): Promise<string>;
  /** Of these, what is staged. */
  diffIndexWithHEAD(path: string): Promise<string>;
  log(options: { readonly maxEntries: number }): Promise<readonly { readonly message: string }[]>;
}

/** Its `Status.UNTRACKED`. */
const UNTRACKED = 7;

function gitExtension(): vscode.Extension<{ getAPI(version: 1): unknown }> | undefined {
  return vscode.extensions.getExtension('vscode.git');
}

/** The repositories that the editor has open; none where its git extension is off or still asleep. */
export function repositories(): readonly Repository[] {
  const extension = gitExtension();
  if (!extension?.isActive) return [];
  try {
    return asArray(asObject(extension.exports.getAPI(1))?.['repositories']) as readonly Repository[];
  } catch {
    // Git is switched off in the settings.
    return [];
  }
}

/** The same, with the git extension awakened for it. */
export async function activatedRepositories(): Promise<readonly Repository[]> {
  await gitExtension()?.activate();
  return repositories();
}

/** The innermost repository that a file lies in. */
export function repositoryOf(uri: vscode.Uri): Repository | undefined {
  return repositories()
    .filter(({ rootUri }) => uri.path === rootUri.path || uri.path.startsWith(`${rootUri.path}/`))
    .toSorted((a, b) => b.rootUri.path.length - a.rootUri.path.length)[0];
}

/** New files that no diff shows. */
export function untrackedFiles({ state }: Repository): readonly vscode.Uri[] {
  const all = [...state.workingTreeChanges, ...(state.untrackedChanges ?? [])];
  return all.filter(({ status }) => status === UNTRACKED).map(({ uri }) => uri);
}

/** How many files are changed and not committed. */
export function changedCount(): number {
  const counts = repositories().map(({ state }) => state.workingTreeChanges.length + state.indexChanges.length);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The diff of all that is not committed: what is staged, then what is not. */
export async function gitChanges(): Promise<string> {
  const diffs = await Promise.all(repositories().flatMap((one) => [one.diff(true), one.diff(false)]));
  const whole = diffs.filter((diff) => diff.trim() !== '').join('\n');
  return whole === '' ? 'There are no changes that are not committed.' : changesText(whole).text;
}
