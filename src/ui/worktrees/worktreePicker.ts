import * as vscode from 'vscode';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { plainLabel } from '../../base/untrustedText';
import type { Sessions } from '../../session/sessions';
import { showInformationMessage } from '../../workbench/windowMessages';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import { sessionIdOf } from '../sessions/sessionTarget';

/** Finds the worktree that a command is about. */
export class WorktreePicker {
  constructor(
    private readonly worktrees: Worktrees,
    private readonly sessions: Sessions,
  ) {}

  /** The worktree of a session in a menu's argument, else the user selects one. */
  async choose(target: unknown, title: string): Promise<WorktreeRecord | undefined> {
    return this.#ofSession(target) ?? this.#pick(title);
  }

  /** As {@link choose}, or the worktree of the session used last. */
  async chooseOrActive(target: unknown, title: string): Promise<WorktreeRecord | undefined> {
    const { worktrees, sessions } = this;
    return this.#ofSession(target) ?? worktrees.around(sessions.active.cwd) ?? this.#pick(title);
  }

  /** The worktree of the session in a menu's argument. */
  #ofSession(target: unknown): WorktreeRecord | undefined {
    const id = sessionIdOf(target) ?? (isObject(target) ? (target['id'] ?? target['session']) : undefined);
    if (typeof id !== 'string') return undefined;
    const { sessions, worktrees } = this;
    const open = sessions.allOpen().find((session) => session.id === id);
    return open ? worktrees.around(open.cwd) : worktrees.usable().find(({ session }) => session === id);
  }

  async #pick(title: string): Promise<WorktreeRecord | undefined> {
    await this.worktrees.refresh();
    const all = this.worktrees.usable();
    if (all.length === 0) {
      void showInformationMessage(t('There are no worktrees. Use “New Chat in Worktree” to create one.'));
      return undefined;
    }
    const { cwd } = this.sessions.active;
    const current = this.worktrees.around(cwd);
    // Enter selects the first one.
    const ordered = all.toSorted((one, other) => Number(other === current) - Number(one === current));
    const rows = ordered.map((record) => ({
      label: `$(git-branch) ${plainLabel(record.branch)}`,
      description: record === current ? t('current') : '',
      detail: plainLabel(record.path),
      record,
    }));
    return (await vscode.window.showQuickPick(rows, { title, matchOnDetail: true }))?.record;
  }
}
