import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { createDeferred, settlesWithin } from '../../base/async';
import { CanceledError, errorMessage } from '../../base/errors';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { allScopeValues } from '../../base/settingScopes';
import { escapeIconSyntax, escapeInvisibleInline, plainLabel } from '../../base/untrustedText';
import { isInside } from '../../node/fs/realPaths';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import type { Attachment } from '../../shared/state/attachments';
import { rootLabel } from '../../shared/text/folderLabel';
import { formatBytes } from '../../shared/text/formatBytes';
import type { ShowNotice } from '../../workbench/notice';
import { showInformationMessage, showWarningMessage, withProgress } from '../../workbench/windowMessages';
import { localWorkspaceFolders } from '../../workbench/workspaceFolders';
import type { WorktreeWork } from '../../worktrees/worktreeChanges';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { DiscardOutcome, Worktrees } from '../../worktrees/worktrees';
import type { AttachmentService } from '../attachments/attachmentService';
import { refuseDraft, withErrorMessage } from '../reportErrors';
import type { IntentSource, WorktreeSettings } from '../uiTypes';
import type { WorktreeSetup } from './worktreeSetup';

/** Files and commits that a notice or dialog names; the rest is counted. */
const MAX_NAMED = 12;
/** Milliseconds for an agent to stop. */
const STOP_DEADLINE_MS = 5_000;

export interface WorktreeCommandDeps {
  readonly worktrees: Worktrees;
  readonly sessions: Sessions;
  readonly setup: WorktreeSetup;
  readonly settings: WorktreeSettings;
  readonly attachmentService: Pick<AttachmentService, 'read'>;
  readonly chat: {
    focus(): Promise<void>;
    readonly notices: { readonly show: ShowNotice };
  };
}

/** The commands on worktrees. They never reject: errors are shown as notifications. */
export class WorktreeCommands {
  constructor(private readonly deps: WorktreeCommandDeps) {}

  newChat(): Promise<void> {
    return withErrorMessage(async () => {
      const session = await this.#createChat('');
      void session?.warmStart.start();
    });
  }

  /** Sends a draft in a new worktree, to the same agent. A failure returns it to its page with the reason. */
  async send({ session, page }: IntentSource, text: string, attachments: readonly Attachment[]): Promise<void> {
    try {
      // Read first, so that nothing is created for a message that cannot be sent.
      await this.deps.attachmentService.read(session, attachments);
      const fresh = await this.#createChat(text);
      if (!fresh) throw new CanceledError(t('Canceled'));
      const agent = session.state.agent?.name;
      if (agent !== undefined) await fresh.chooseAgent(agent);
      await fresh.send(text, await this.deps.attachmentService.read(fresh, attachments), { attachments });
    } catch (error) {
      refuseDraft({ session, page }, text, attachments, error);
    }
  }

  /** @param target a session of a list; without it the user selects a worktree */
  discard(target?: unknown): Promise<void> {
    return withErrorMessage(async () => {
      const record = await this.choose(target, t('Discard Worktree'));
      if (record) await this.discardRecord(record);
    });
  }

  /**
   * Stops what runs in a worktree, asks, and discards it.
   * @throws ParleyError
   */
  async discardRecord(record: WorktreeRecord): Promise<void> {
    const { worktrees, sessions, setup, chat } = this.deps;
    const inside = sessions.allOpen().filter(({ cwd }) => worktrees.around(cwd)?.id === record.id);
    // Nothing may be written after the dialog has named what would be lost.
    for (const session of inside) await endTurn(session);
    await setup.stop(worktrees.workingFolder(record));
    let outcome: DiscardOutcome = 'changed';
    while (outcome === 'changed') {
      const loss = await readLoss(worktrees, record);
      if (!(await agreesToDiscard(record, loss))) return;
      outcome = await this.#discard(record, loss, inside);
    }
    const text =
      outcome === 'noRepository'
        ? t('Discarded the worktree “{0}”. Its repository was not found, so the branch may still exist.', record.branch)
        : t('Discarded the worktree “{0}”.', record.branch);
    chat.notices.show({ text });
  }

  /** Deletes what the user has agreed to lose, and nothing else. */
  async #discard(record: WorktreeRecord, loss: DiscardLoss, inside: readonly Session[]): Promise<DiscardOutcome> {
    if (!isDeepStrictEqual(findUnsaved(record), loss.unsaved)) return 'changed';
    const title = t('Discarding the worktree “{0}”…', escapeIconSyntax(record.branch));
    const options = { location: vscode.ProgressLocation.Notification, title };
    const outcome = await withProgress(options, () => this.deps.worktrees.discard(record.id, loss.work));
    if (outcome === 'changed') return outcome;
    // A chat without messages goes back to the workspace; another one asks for a folder with the next message.
    for (const session of inside) session.setFolder(session.state.entries.count === 0 ? undefined : session.cwd);
    return outcome;
  }

  /** @param target a session of a list; without it the session used last, or the user selects a worktree */
  openInNewWindow(target?: unknown): Promise<void> {
    return withErrorMessage(async () => {
      const record = await this.activeWorktree(target, t('Open Worktree in New Window'));
      if (record) await this.openRecord(record);
    });
  }

  async openRecord(record: WorktreeRecord): Promise<void> {
    const folder = vscode.Uri.file(this.deps.worktrees.workingFolder(record));
    await vscode.commands.executeCommand('vscode.openFolder', folder, { forceNewWindow: true });
  }

  /** The worktree of a session in a menu's argument, else the user selects one. */
  async choose(target: unknown, title: string): Promise<WorktreeRecord | undefined> {
    return this.#ofSession(target) ?? this.pick(title);
  }

  /** As {@link choose}, or the worktree of the session used last. */
  async activeWorktree(target: unknown, title: string): Promise<WorktreeRecord | undefined> {
    const { worktrees, sessions } = this.deps;
    return this.#ofSession(target) ?? worktrees.around(sessions.active.cwd) ?? this.pick(title);
  }

  /**
   * Creates a worktree and shows a chat in it.
   * @param words that name its branch
   * @returns undefined when the user canceled
   */
  async #createChat(words: string): Promise<Session | undefined> {
    const { worktrees, sessions, chat } = this.deps;
    const folder = await this.workspaceFolder();
    if (folder === undefined) return undefined;
    const { worktree, skipped } = await this.create(folder, words);
    const session = sessions.newChat();
    session.setFolder(worktrees.workingFolder(worktree), worktree.branch);
    await worktrees.assign(worktree.id, session.id);
    await chat.focus();
    if (skipped.length > 0) {
      const text = t('Large files and nested repositories were not copied into the worktree.');
      chat.notices.show({ text, details: skipped.slice(0, MAX_NAMED) }, session.id);
    }
    return session;
  }

  /** Creates a worktree with progress, and starts its setup. */
  async create(
    folder: vscode.WorkspaceFolder,
    words: string,
    race?: WorktreeRecord['race'],
  ): Promise<{ readonly worktree: WorktreeRecord; readonly skipped: readonly string[] }> {
    const { worktrees, setup, settings } = this.deps;
    const title = t('Creating a worktree of “{0}”…', escapeIconSyntax(folder.name));
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    const created = await withProgress(options, (_progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      const request = {
        folder: folder.uri.fsPath,
        text: words,
        include: includedFiles(settings),
        ...(race && { race }),
      };
      return worktrees.create(request, abort.signal);
    });
    setup.start(worktrees.workingFolder(created.worktree));
    return created;
  }

  /** The folder of the session used last, else the user selects one. */
  async workspaceFolder(): Promise<vscode.WorkspaceFolder | undefined> {
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

  /** The worktree of the session in a menu's argument. */
  #ofSession(target: unknown): WorktreeRecord | undefined {
    const id = typeof target === 'string' ? target : isObject(target) ? (target['id'] ?? target['session']) : undefined;
    if (typeof id !== 'string') return undefined;
    const { sessions, worktrees } = this.deps;
    const open = sessions.allOpen().find((session) => session.id === id);
    return open ? worktrees.around(open.cwd) : worktrees.usable().find(({ session }) => session === id);
  }

  /** @param but a worktree that is left out of the list */
  async pick(title: string, but?: WorktreeRecord): Promise<WorktreeRecord | undefined> {
    await this.deps.worktrees.refresh();
    const all = this.deps.worktrees.usable().filter(({ id }) => id !== but?.id);
    if (all.length === 0) {
      void showInformationMessage(t('There are no worktrees. Use “New Chat in Worktree” to create one.'));
      return undefined;
    }
    const { cwd } = this.deps.sessions.active;
    const current = this.deps.worktrees.around(cwd);
    const rows = all.map((record) => ({
      label: `$(git-branch) ${plainLabel(record.branch)}`,
      description: record === current ? t('current') : '',
      detail: plainLabel(record.path),
      record,
    }));
    return (await vscode.window.showQuickPick(rows, { title, matchOnDetail: true }))?.record;
  }
}

/** Globs of ignored files that a new worktree gets. */
export function includedFiles(settings: WorktreeSettings): readonly string[] {
  return allScopeValues(settings.scoped('worktrees.include')).flat();
}

/** Ends the agent's process when it does not stop in time. */
async function endTurn(session: Session): Promise<void> {
  const isRunning = (): boolean => session.state.turn.status === 'running';
  if (!isRunning()) return;
  const ended = createDeferred<void>();
  const subscription = session.onDidDispatch(() => isRunning() || ended.resolve());
  try {
    session.turn.stop();
    if (!(await settlesWithin(ended.promise, STOP_DEADLINE_MS))) await session.restarter.forceStop();
  } finally {
    subscription.dispose();
  }
}

/** What discarding a worktree deletes. */
interface DiscardLoss {
  /** Undefined when the worktree cannot be read. */
  readonly work: WorktreeWork | undefined;
  /** Why it cannot be read. */
  readonly problem: string | undefined;
  /** Files with unsaved text in an editor. */
  readonly unsaved: readonly string[];
}

async function readLoss(worktrees: Pick<Worktrees, 'work'>, record: WorktreeRecord): Promise<DiscardLoss> {
  const unsaved = findUnsaved(record);
  try {
    return { work: await worktrees.work(record), problem: undefined, unsaved };
  } catch (error) {
    return { work: undefined, problem: errorMessage(error), unsaved };
  }
}

/** Relative names. */
function findUnsaved({ path }: WorktreeRecord): readonly string[] {
  const dirty = vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && uri.scheme === 'file');
  return dirty.flatMap(({ uri }) => (isInside(path, uri.fsPath) ? relative(path, uri.fsPath) : [])).toSorted();
}

/** Names what would be lost. */
async function agreesToDiscard(record: WorktreeRecord, { work, problem, unsaved }: DiscardLoss): Promise<boolean> {
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
