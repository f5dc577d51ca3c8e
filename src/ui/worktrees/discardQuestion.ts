import { relative } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { isInside } from '../../node/fs/realPaths';
import type { WorktreeWork } from '../../worktrees/worktreeChanges';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import { formatBytes } from '../../shared/text/formatBytes';
import { showWarningMessage } from '../../workbench/windowMessages';

/** Files and commits that a dialog names; the rest is counted. */
const MAX_NAMED = 12;

/** What discarding a worktree deletes. */
export interface DiscardLoss {
  /** Undefined when the worktree cannot be read. */
  readonly work: WorktreeWork | undefined;
  /** Why it cannot be read. */
  readonly problem: string | undefined;
  /** Files with unsaved text in an editor. */
  readonly unsaved: readonly string[];
}

export async function readLoss(worktrees: Pick<Worktrees, 'work'>, record: WorktreeRecord): Promise<DiscardLoss> {
  const unsaved = findUnsaved(record);
  try {
    return { work: await worktrees.work(record), problem: undefined, unsaved };
  } catch (error) {
    return { work: undefined, problem: errorMessage(error), unsaved };
  }
}

/** Relative names. */
export function findUnsaved({ path }: WorktreeRecord): readonly string[] {
  const dirty = vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && uri.scheme === 'file');
  return dirty.flatMap(({ uri }) => (isInside(path, uri.fsPath) ? relative(path, uri.fsPath) : [])).toSorted();
}

/** Names what would be lost. */
export async function agreesToDiscard(
  record: WorktreeRecord,
  { work, problem, unsaved }: DiscardLoss,
): Promise<boolean> {
  const parts = [
    listNames(t('Uncommitted files:'), work?.uncommitted ?? []),
    listNames(
      ignoredTitle(work?.ignored ?? []),
      (work?.ignored ?? []).map(({ name }) => name),
    ),
    listNames(t('Unsaved editors:'), unsaved),
    listNames(t('Commits that exist only in this worktree:'), work?.commits ?? []),
    problem === undefined ? [] : [t('The worktree cannot be read: {0}', problem), ''],
  ].flat();
  const message =
    parts.length > 0
      ? t(
          'Discard the worktree “{0}” and its branch? Work that exists only in this worktree will be deleted.',
          record.branch,
        )
      : t('Discard the worktree “{0}” and its branch? It contains no work that would be lost.', record.branch);
  const discard = t('Discard');
  const options = { modal: true, detail: [...parts, record.path].map(escapeInvisibleInline).join('\n') };
  return (await showWarningMessage(message, options, discard)) === discard;
}

function ignoredTitle(all: WorktreeWork['ignored']): string {
  const files = all.reduce((sum, each) => sum + each.files, 0);
  const size = formatBytes(all.reduce((sum, each) => sum + each.bytes, 0));
  if (all.some(({ isPartial }) => isPartial)) return t('Ignored files, at least {0} ({1}):', files, size);
  return files === 1 ? t('1 ignored file, {0}:', size) : t('{0} ignored files, {1}:', files, size);
}

function listNames(title: string, all: readonly string[]): string[] {
  if (all.length === 0) return [];
  const rest = all.length - MAX_NAMED;
  const lines = all.slice(0, MAX_NAMED).map((one) => `• ${one}`);
  return [title, ...lines, ...(rest > 0 ? [t('and {0} more', rest)] : []), ''];
}
