import * as vscode from 'vscode';
import { asArray, asObject } from '../base/json';

/** What is used of a repository of VS Code's own git extension (its API version 1). */
interface Repository {
  readonly rootUri: vscode.Uri;
  readonly state: { readonly workingTreeChanges: readonly unknown[]; readonly indexChanges: readonly unknown[] };
  diff(cached?: boolean): Promise<string>;
}

/** The repositories that the editor has open; none where its git extension is off or still asleep. */
function repositories(): readonly Repository[] {
  const extension = vscode.extensions.getExtension<{ getAPI(version: 1): unknown }>('vscode.git');
  if (!extension?.isActive) return [];
  try {
    return asArray(asObject(extension.exports.getAPI(1))?.['repositories']) as readonly Repository[];
  } catch {
    // Git is switched off in the settings.
    return [];
  }
}

/** How many files are changed and not committed. */
export function changedCount(): number {
  const counts = repositories().map(({ state }) => state.workingTreeChanges.length + state.indexChanges.length);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The diff of all that is not committed: what is staged, then what is not. */
export async function gitChanges(): Promise<string> {
  const diffs = await Promise.all(repositories().flatMap((one) => [one.diff(true), one.diff(false)]));
  return diffs.filter((diff) => diff.trim() !== '').join('\n') || 'There are no changes that are not committed.';
}
