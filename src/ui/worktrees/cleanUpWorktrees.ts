import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { locale, t } from '../../base/l10n';
import { plainLabel } from '../../base/untrustedText';
import type { Sessions } from '../../session/sessions';
import { formatBytes } from '../../shared/text/formatBytes';
import { showInformationMessage, withProgress } from '../../workbench/windowMessages';
import type { WorktreeWork } from '../../worktrees/worktreeChanges';
import { isEmptyWork } from '../../worktrees/worktreeChanges';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import { withErrorMessage } from '../reportErrors';
import type { DiscardWorktree } from './discardWorktree';

interface CleanUpRow extends vscode.QuickPickItem {
  readonly record: WorktreeRecord;
  /** What the user agrees to lose with the selection: nothing. Undefined if discarding must ask. */
  readonly agreed: WorktreeWork | undefined;
}

/** "Clean Up Worktrees…": lists them with size, age and what would be lost, and discards the selected ones. */
export class CleanUpWorktrees {
  constructor(
    private readonly worktrees: Worktrees,
    private readonly sessions: Sessions,
    private readonly discarding: DiscardWorktree,
  ) {}

  /** Each worktree with work asks before it is discarded. Never rejects. */
  run(): Promise<void> {
    return withErrorMessage(async () => {
      await this.worktrees.refresh();
      const records = this.worktrees.usable();
      if (records.length === 0) {
        void showInformationMessage(t('There are no worktrees. Use “New Chat in Worktree” to create one.'));
        return;
      }
      const title = t('Reading the worktrees…');
      const rows = await withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
        this.#rows(records),
      );
      const options = { title: t('Select the worktrees to discard'), canPickMany: true, matchOnDetail: true } as const;
      const picked = (await vscode.window.showQuickPick(rows, options)) ?? [];
      // One that cannot be discarded does not keep the others.
      for (const { record, agreed } of picked) await withErrorMessage(() => this.discarding.discard(record, agreed));
    });
  }

  async #rows(records: readonly WorktreeRecord[]): Promise<readonly CleanUpRow[]> {
    const rows: CleanUpRow[] = [];
    // One at a time: each reads many files.
    for (const record of records) rows.push(await this.#row(record));
    return rows;
  }

  async #row(record: WorktreeRecord): Promise<CleanUpRow> {
    const { worktrees, sessions } = this;
    const isOpen = sessions.allOpen().some(({ cwd }) => worktrees.around(cwd)?.id === record.id);
    const size = await worktrees.size(record).catch(() => ({ bytes: 0, isPartial: true }));
    const bytes = formatBytes(size.bytes);
    const facts = [size.isPartial ? t('at least {0}', bytes) : bytes, ageOf(record), ...(isOpen ? [t('open')] : [])];
    const row = { label: `$(git-branch) ${plainLabel(record.branch)}`, description: facts.join(' · '), record };
    try {
      const work = await worktrees.work(record);
      const isEmpty = isEmptyWork(work, record.setup ?? []);
      const detail = isEmpty ? t('Nothing would be lost') : t('Would be lost: {0}', lossOf(work));
      return { ...row, detail, picked: isEmpty && !isOpen, agreed: isEmpty ? work : undefined };
    } catch (error) {
      const detail = plainLabel(t('The worktree cannot be read: {0}', errorMessage(error)));
      return { ...row, detail, agreed: undefined };
    }
  }
}

/** "2 uncommitted files, 1 commit" */
function lossOf({ uncommitted, commits, begun, ignored }: WorktreeWork): string {
  const files = uncommitted.length;
  // A folder that cannot be read counts as one file.
  const hidden = ignored.reduce((sum, each) => sum + Math.max(each.files, 1), 0);
  const parts = [
    files === 0 ? [] : files === 1 ? t('1 uncommitted file') : t('{0} uncommitted files', files),
    commits.length === 0 ? [] : commits.length === 1 ? t('1 commit') : t('{0} commits', commits.length),
    hidden === 0 ? [] : hidden === 1 ? t('1 ignored file') : t('{0} ignored files', hidden),
    begun.length === 0 ? [] : t('a lock or a Git command in progress'),
  ];
  return parts.flat().join(', ');
}

const HOUR_MS = 3_600_000;

/** "3 days ago" */
function ageOf({ createdAt }: WorktreeRecord): string {
  const hours = Math.floor(Math.max(0, Date.now() - createdAt) / HOUR_MS);
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' });
  return hours < 24 ? format.format(-hours, 'hour') : format.format(-Math.floor(hours / 24), 'day');
}
