import * as vscode from 'vscode';
import { CanceledError } from '../../base/errors';
import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import { allScopeValues } from '../../base/settingScopes';
import { escapeIconSyntax, plainLabel } from '../../base/untrustedText';
import type { Session } from '../../session/session';
import { rootLabel } from '../../shared/text/folderLabel';
import { showInformationMessage, withCancellableProgress } from '../../workbench/windowMessages';
import { localWorkspaceFolders } from '../../workbench/workspaceFolders';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import type { WorktreeSettings } from '../window';
import type { WorktreeSetup } from './worktreeSetup';

/** Creates worktrees with progress, for sessions. */
export class WorktreeCreator {
  constructor(
    private readonly worktrees: Worktrees,
    private readonly settings: WorktreeSettings,
    private readonly setup: WorktreeSetup,
  ) {}

  /**
   * Creates a worktree, and starts its setup.
   * @param text that names its branch
   * @param from the full name of the branch to start from
   */
  async create(
    folder: vscode.WorkspaceFolder,
    text: string,
    from?: string,
  ): Promise<{ readonly worktree: WorktreeRecord; readonly skipped: readonly string[] }> {
    const title = t('Creating a worktree of “{0}”…', escapeIconSyntax(folder.name));
    const request = { ...this.#request(folder, text), ...omitUndefined({ from }) };
    const created = await withCancellableProgress(title, (signal) => this.worktrees.create(request, signal));
    this.startSetup(created.worktree);
    return created;
  }

  /**
   * Creates the worktrees of a race.
   * @param text that names their branches
   * @throws ParleyError; all of them are discarded then
   */
  async createRace(
    folder: vscode.WorkspaceFolder,
    text: string,
    race: NonNullable<WorktreeRecord['race']>,
    count: number,
  ): Promise<readonly WorktreeRecord[]> {
    const title = t('Creating {0} worktrees of “{1}”…', count, escapeIconSyntax(folder.name));
    const request = { ...this.#request(folder, text), race };
    const created: WorktreeRecord[] = [];
    try {
      await withCancellableProgress(title, async (signal, progress) => {
        for (let at = 1; at <= count; at++) {
          progress.report({ message: t('{0} of {1}', at, count) });
          // One at a time, because git locks the repository.
          created.push((await this.worktrees.create(request, signal)).worktree);
        }
      });
      return created;
    } catch (error) {
      await this.discardAll(created);
      throw error;
    }
  }

  /**
   * The user selects what a worktree starts from; not asked while there is only the checked-out branch.
   * @returns the full name of a branch, or undefined for the work tree as it is
   * @throws CanceledError
   */
  async selectBase({ uri }: vscode.WorkspaceFolder): Promise<string | undefined> {
    // Without git or a repository, creating the worktree says why not.
    const bases = await this.worktrees.bases(uri.fsPath).catch(() => []);
    if (bases.length === 0) return undefined;
    const current = {
      label: `$(folder) ${t('Workspace')}`,
      description: t('with uncommitted changes'),
      ref: undefined,
    };
    const rows = bases.map(({ ref, name, subject }) => ({
      label: `$(git-branch) ${plainLabel(name)}`,
      description: plainLabel(subject),
      ref,
    }));
    const options = { title: t('Select what the worktree starts from'), matchOnDescription: true };
    const row = await vscode.window.showQuickPick([current, ...rows], options);
    if (!row) throw new CanceledError(t('Canceled'));
    return row.ref;
  }

  /** Lets a session work in a worktree. */
  moveInto(record: WorktreeRecord, session: Session): void {
    session.setFolder(this.worktrees.workingFolder(record), record.branch);
  }

  /** Remembers the session of a worktree. */
  assign({ id }: WorktreeRecord, session: Session): Promise<void> {
    return this.worktrees.assign(id, session.id);
  }

  startSetup(record: WorktreeRecord): void {
    this.setup.start(this.worktrees.workingFolder(record));
  }

  /** What cannot be discarded now stays in the list. Never rejects. */
  async discardAll(records: readonly WorktreeRecord[]): Promise<void> {
    await Promise.allSettled(records.map(({ id }) => this.worktrees.discard(id)));
  }

  #request(folder: vscode.WorkspaceFolder, text: string): Parameters<Worktrees['create']>[0] {
    // Globs of ignored files that a new worktree gets.
    const include = allScopeValues(this.settings.scoped('worktrees.include')).flat();
    const link = [...allScopeValues(this.settings.scoped('worktrees.link')).flat(), ...linkedByGit(folder)];
    return { folder: folder.uri.fsPath, text, include, link };
  }
}

/** Ignored folders that VS Code itself links in its worktrees. */
function linkedByGit({ uri }: vscode.WorkspaceFolder): readonly string[] {
  const scopes = vscode.workspace.getConfiguration('git', uri).inspect<unknown>('worktreeSymlinkFolders');
  const values = [scopes?.globalValue, scopes?.workspaceValue, scopes?.workspaceFolderValue];
  return values.flatMap((value) => (Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []));
}

/** The folder of the session used last, else the user selects one. */
export async function workspaceFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = localWorkspaceFolders();
  if (folders.length === 0) {
    void showInformationMessage(t('Open a folder in a Git repository first.'));
    return undefined;
  }
  if (folders.length === 1) return folders[0];
  const roots = folders.map(({ name, uri }) => ({ name, path: uri.fsPath }));
  const rows = folders.map((folder, at) => {
    const label = rootLabel({ name: folder.name, path: folder.uri.fsPath }, roots);
    return { label: `$(folder) ${escapeIconSyntax(label)}`, folder, at };
  });
  const picked = await vscode.window.showQuickPick(rows, { title: t('Select the folder for the worktree') });
  return picked?.folder;
}
