import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { escapeIconSyntax } from '../../base/untrustedText';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import { withErrorMessage } from '../reportErrors';
import { compareWorktrees } from './compareWorktrees';
import type { RaceBoardDeps } from './raceBoard';
import { RaceBoard } from './raceBoard';
import type { TakeChanges } from './takeChanges';
import type { WorktreeCommands } from './worktreeCommands';

export interface WorktreeActionDeps extends Pick<RaceBoardDeps, 'catalog' | 'open' | 'onDidChangeSession'> {
  readonly worktrees: Worktrees;
  readonly commands: WorktreeCommands;
  readonly take: TakeChanges;
}

interface CompareRow extends vscode.QuickPickItem {
  readonly other: WorktreeRecord | undefined;
}

/** Comparing worktrees and taking their changes: from the board, the command palette and editors. The commands never reject. */
export class WorktreeActions {
  readonly #deps: WorktreeActionDeps;

  constructor(deps: WorktreeActionDeps) {
    this.#deps = deps;
  }

  showRaces(raceId?: string): void {
    const { worktrees, commands, take, catalog, open, onDidChangeSession } = this.#deps;
    const actions: RaceBoardDeps['actions'] = {
      show: async ({ session }) => vscode.commands.executeCommand('parley.openSession', session),
      compare: (record) => this.#compare(record),
      takeAll: (record) => take.all(record),
      openInNewWindow: (record) => commands.openRecord(record),
      discard: (record) => commands.discardRecord(record),
    };
    new RaceBoard({ worktrees, catalog, open, onDidChangeSession, actions }).show(raceId);
    void withErrorMessage(() => worktrees.refresh());
  }

  compare(target?: unknown): Promise<void> {
    return this.#onRecord(target, t('Compare Worktree'), (record) => this.#compare(record));
  }

  takeAll(target?: unknown): Promise<void> {
    return this.#onRecord(target, t('Take All'), (record) => this.#deps.take.all(record));
  }

  /** @param target a file of a worktree; without it that of the active editor */
  takeFile(target?: unknown): Promise<void> {
    return this.#onFile(target, (record, name) => this.#deps.take.file(record, name));
  }

  /** Takes the change at the cursor of the active editor. */
  takeHunk(target?: unknown): Promise<void> {
    return this.#onFile(target, (record, name, uri) => {
      const { activeTextEditor: active, visibleTextEditors: visible } = vscode.window;
      const editor = [...(active ? [active] : []), ...visible].find(({ document }) => isSameUri(document.uri, uri));
      return this.#deps.take.hunk(record, name, editor?.selection.active.line ?? 0);
    });
  }

  #onRecord(target: unknown, title: string, run: (record: WorktreeRecord) => Promise<void>): Promise<void> {
    return withErrorMessage(async () => {
      const record = await this.#deps.commands.current(target, title);
      if (record) await run(record);
    });
  }

  #onFile(
    target: unknown,
    run: (record: WorktreeRecord, name: string, uri: vscode.Uri) => Promise<void>,
  ): Promise<void> {
    return withErrorMessage(async () => {
      const uri = target instanceof vscode.Uri ? target : vscode.window.activeTextEditor?.document.uri;
      const record = uri?.scheme === 'file' ? this.#deps.worktrees.around(uri.fsPath) : undefined;
      if (uri && record) await run(record, relative(record.path, uri.fsPath).split(sep).join('/'), uri);
      else void vscode.window.showInformationMessage(t('Open a file of a worktree first.'));
    });
  }

  async #compare(record: WorktreeRecord): Promise<void> {
    const attempts = this.#deps.worktrees
      .all()
      .filter(({ id, race }) => race !== undefined && race.id === record.race?.id && id !== record.id);
    const row = await this.#pickOther(record, attempts);
    if (!row || (await compareWorktrees(this.#deps.worktrees, record, row.other))) return;
    void vscode.window.showInformationMessage(t('There are no changes to compare.'));
  }

  async #pickOther(record: WorktreeRecord, attempts: readonly WorktreeRecord[]): Promise<CompareRow | undefined> {
    const workspace: CompareRow = { label: `$(folder) ${t('Workspace')}`, other: undefined };
    if (attempts.length === 0) return workspace;
    const others = attempts.map((other): CompareRow => ({
      label: `$(git-branch) ${escapeIconSyntax(other.branch)}`,
      other,
    }));
    return vscode.window.showQuickPick([workspace, ...others], {
      title: t('Compare “{0}” with', escapeIconSyntax(record.branch)),
    });
  }
}

function isSameUri(one: vscode.Uri, other: vscode.Uri): boolean {
  return one.toString() === other.toString();
}
