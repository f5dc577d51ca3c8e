// Protected by test/unit/review/editor/lateDialog.test.ts: the confirmation names each file that was written since.
import * as vscode from 'vscode';
import { locale, t } from '../../base/l10n';
import { firstLine, truncate } from '../../base/text';
import { escapeInvisibleInline, plainLabel } from '../../base/untrustedText';
import { pathExists } from '../../node/fs/realPaths';
import type { FileRestoreOutcome } from '../../session/commands/editAndResend';
import type { Session } from '../../session/session';
import { entryAt } from '../../shared/state/entryPages';
import type { CheckpointInfo } from '../../shared/state/reviewState';
import type { SessionState } from '../../shared/state/sessionState';
import type { Notice, ShowNotice } from '../../workbench/notice';
import { showNotification } from '../../workbench/notice';
import { closeFileTabs } from '../../workbench/textDocuments';
import { showWarningMessage } from '../../workbench/windowMessages';
import type { InterruptedChange } from '../checkpoints/changeCheckpoint';
import type { RestoreChange, RestorePreview, RestoreResult } from '../checkpoints/restorePlan';
import { uncheckedText } from '../checkpoints/uncheckedText';
import type { WorkspaceCheckpoints } from '../checkpoints/workspaceCheckpoints';
import type { ReviewResult } from '../tracking/modifiedFiles';
import type { ReviewScopes } from '../tracking/reviewScope';
import { fileCount, problemNotice, reviewProblemText, problemTexts, toWarning } from './reviewMessages';

/** Maximum number of files named in the prompt, because VS Code limits its height. */
const MAX_NAMED = 15;
/** The same for a notification. */
const MAX_NAMED_IN_LINE = 3;

interface CheckpointItem extends vscode.QuickPickItem {
  readonly entry: number;
}

/** Restores files to the state before a prompt, and undoes that. */
export class RestoreCheckpoint {
  /** @param enabled `parley.checkpoints.enabled` */
  constructor(
    private readonly checkpoints: WorkspaceCheckpoints,
    private readonly enabled: () => boolean,
    private readonly showNotice: ShowNotice = showNotification,
  ) {}

  async choose(session: Session): Promise<void> {
    const { checkpoints } = session.state;
    if (checkpoints.length === 0) return this.#showNoCheckpoints(session);
    const chosen = await vscode.window.showQuickPick(
      checkpoints.toReversed().map((mark) => pickOf(session.state, mark)),
      {
        title: t('Restore Checkpoint'),
        placeHolder: t('Restore the files to the state before which message?'),
        matchOnDetail: true,
      },
    );
    if (chosen) await this.restore(session, chosen.entry);
  }

  /**
   * Restores after the user has confirmed the list of files.
   * @param entry index of the prompt
   */
  async restore(session: Session, entry: number): Promise<void> {
    const preview = await this.checkpoints.preview(session.id, entry);
    if (preview.type === 'unavailable') return this.showNotice(toWarning(preview.message), session.id);
    const { changes } = preview;
    if (changes.length === 0) {
      const text = t('The files already match the state before this message.');
      this.showNotice(problemNotice(preview.skipped, this.#scopes) ?? { text }, session.id);
      return;
    }
    const button = changes.length === 1 ? t('Restore File') : t('Restore Files');
    const question = t('Restore the files to the state before this message?');
    const options = { modal: true, detail: detailOf(preview, session.state, entry, this.#scopes) };
    if ((await showWarningMessage(question, options, button)) !== button) return;
    const result = await closeGone(this.checkpoints.restore(session.id, entry, changes));
    const { undoId } = result;
    if (undoId === undefined) return this.showNotice(problemNotice(result.problems, this.#scopes), session.id);
    const details = problemTexts(result.problems, this.#scopes);
    const undo = { label: t('Undo'), run: () => this.undo(session, undoId) };
    this.showNotice({ text: restoredText(result), details, isWarning: details.length > 0, button: undo }, session.id);
  }

  /** Restores without confirmation, unless user changes would be lost. Never rejects. */
  async before(session: Session, entry: number): Promise<FileRestoreOutcome> {
    if (!session.state.checkpoints.some((mark) => mark.entry === entry))
      return { type: 'ready', note: this.#noneText() };
    const preview = await this.checkpoints.preview(session.id, entry);
    if (preview.type === 'unavailable') return { type: 'failed', message: preview.message };
    if (preview.changes.length === 0) {
      const note = problemTexts(preview.skipped, this.#scopes).join(' ');
      return { type: 'ready', ...(note !== '' && { note }) };
    }
    const userChanges = preview.changes.filter((change) => isByUser(session.state, entry, change));
    const answer = userChanges.length === 0 ? 'restore' : await promptFor(userChanges);
    if (answer === 'cancel') return { type: 'canceled' };
    if (answer === 'leave') return { type: 'ready' };
    return this.#bringBack(session, entry, preview.changes);
  }

  async #bringBack(session: Session, entry: number, agreed: readonly RestoreChange[]): Promise<FileRestoreOutcome> {
    const result = await closeGone(this.checkpoints.restore(session.id, entry, agreed));
    const { undoId } = result;
    if (undoId === undefined)
      return { type: 'failed', message: result.problems.map(({ message }) => message).join(' ') };
    const skipped = problemTexts(result.problems, this.#scopes);
    return { type: 'ready', restored: { text: restoredText(result), skipped, undo: () => this.undo(session, undoId) } };
  }

  get #scopes(): ReviewScopes {
    return this.checkpoints.scopes;
  }

  #noneText(): string {
    return this.enabled()
      ? t('This message has no checkpoint.')
      : t('Checkpoints are disabled (parley.checkpoints.enabled).');
  }

  /** Undoes a restore; confirms if later changes would be lost. Never rejects. */
  async undo(session: Session, undoId: string): Promise<void> {
    const result = await this.#tryUndo(session.id, undoId);
    if (!result) return;
    const retry = { label: t('Undo Restore'), run: () => this.undo(session, undoId) };
    this.showNotice(withButton(problemNotice(result.problems, this.#scopes), result.isPartial && retry), session.id);
  }

  /**
   * @param question before later changes are lost
   * @returns undefined if the user cancels
   */
  #tryUndo(
    sessionId: string,
    undoId: string,
    question = t('These files have changed since they were restored. Undo the restore anyway?'),
    button = t('Undo Restore'),
  ): Promise<RestoreResult | undefined> {
    const { checkpoints } = this;
    return agreeAndRun(checkpoints.previewUndo(sessionId, undoId), question, button, (later) =>
      checkpoints.undoRestore(sessionId, undoId, later),
    );
  }

  #tryFinish(sessionId: string, undoId: string): Promise<RestoreResult | undefined> {
    const { checkpoints } = this;
    const question = t('These files have changed since the restore was interrupted. Finish the restore anyway?');
    return agreeAndRun(checkpoints.previewFinish(sessionId, undoId), question, t('Finish Restore'), (later) =>
      checkpoints.finishRestore(sessionId, undoId, later),
    );
  }

  /** Offers to undo changes that a crash has cut off, and to finish restores. Settles when the user has answered about the restores. */
  async showInterrupted(interrupted: readonly InterruptedChange[]): Promise<void> {
    await Promise.all(interrupted.map((change) => this.#offerToEnd(change)));
  }

  async #offerToEnd(change: InterruptedChange): Promise<void> {
    const { restore, unread } = change;
    if (unread !== undefined) return this.showNotice(toWarning(uncheckedText(unread)));
    if (restore) return this.#offerToFinish(change, restore.canFinish);
    this.#offerToUndo(
      change,
      toWarning(t('VS Code stopped while changes were being applied to the workspace. Some of them may be missing.')),
    );
  }

  /** Offers it again until it is done: only this notice leads to it. */
  #offerToUndo(change: InterruptedChange, notice: Notice): void {
    const run = async (): Promise<void> => {
      const question = t(
        'Undo all changes of these files? What you have changed since VS Code stopped is undone, too.',
      );
      const result = await this.#tryUndo(change.sessionId, change.undoId, question, t('Undo'));
      const after = result && problemNotice(result.problems, this.#scopes);
      if (result && !isOpen(result)) this.showNotice(after);
      else this.#offerToUndo(change, after ?? notice);
    };
    this.showNotice(withButton(notice, { label: t('Undo'), run }));
  }

  /** Asks until the restore is finished, undone or left. The next start offers it again if the user closes the notification. */
  async #offerToFinish({ sessionId, undoId }: InterruptedChange, canFinish: boolean): Promise<void> {
    const [finish, undo, leave] = [t('Finish Restore'), t('Undo Restore'), t('Leave Files')];
    const readText = async (): Promise<string> => {
      const preview = canFinish ? await this.checkpoints.previewFinish(sessionId, undoId) : undefined;
      return stoppedText(preview?.type === 'ready' ? preview.changes : []);
    };
    let text = await readText();
    for (;;) {
      const answer = await showWarningMessage(text, ...(canFinish ? [finish] : []), undo, leave);
      if (answer === leave) return this.checkpoints.leaveRestore(sessionId, undoId, await readText());
      if (answer !== finish && answer !== undo) return;
      const result = await (answer === undo ? this.#tryUndo(sessionId, undoId) : this.#tryFinish(sessionId, undoId));
      if (!result) continue;
      const notice = problemNotice(result.problems, this.#scopes);
      if (!isOpen(result)) return this.showNotice(notice, sessionId);
      text = problemTexts(result.problems, this.#scopes).join(' ');
    }
  }

  #showNoCheckpoints({ id }: Session): void {
    if (this.enabled()) {
      this.showNotice(
        toWarning(t('This session has no checkpoints yet. A checkpoint is created before each message.')),
        id,
      );
      return;
    }
    const run = async (): Promise<void> =>
      vscode.commands.executeCommand('workbench.action.openSettings', 'parley.checkpoints');
    const text = t('Checkpoints are disabled (parley.checkpoints.enabled).');
    this.showNotice({ ...toWarning(text), button: { label: t('Open Settings'), run } }, id);
  }
}

function withButton(notice: Notice | undefined, button: Notice['button'] | false): Notice | undefined {
  return notice && button ? { ...notice, button } : notice;
}

/** Whether nothing or only a part was done, for a reason that may pass. */
function isOpen({ undoId, isPartial }: RestoreResult): boolean {
  return undoId === undefined || isPartial === true;
}

function stoppedText(changes: readonly RestoreChange[]): string {
  const stopped = t('VS Code stopped while files were being restored.');
  if (changes.length === 0) return stopped;
  const names = changes.slice(0, MAX_NAMED_IN_LINE).map(({ label }) => escapeInvisibleInline(label));
  const more = changes.length - names.length;
  const list = names.join(', ');
  return `${stopped} ${t('Not restored yet: {0}', more > 0 ? t('{0} and {1} more', list, more) : list)}`;
}

function restoredText({ done }: ReviewResult): string {
  return t('{0} restored to the state before the message.', fileCount(done.length));
}

/**
 * Whether someone other than the agent has changed the file since the message: it differs from what a turn left at the start of the next
 * one, or now, or the user changed it in a turn.
 */
function isByUser({ turns }: SessionState, entry: number, { path, mark, target, isUnsaved }: RestoreChange): boolean {
  const later = turns.filter((turn) => turn.entry >= entry).flatMap((turn) => turn.files ?? []);
  const changes = later.filter((file) => file.path === path);
  if (isUnsaved || changes.length === 0) return true;
  let known = target;
  for (const change of changes) {
    if (change.isShared || change.before !== known) return true;
    known = change.mark;
  }
  return known !== mark;
}

/**
 * Runs an undo or the rest of a restore after the user has confirmed the loss of later changes.
 * @returns undefined if the user cancels
 */
async function agreeAndRun(
  looking: Promise<RestorePreview>,
  question: string,
  button: string,
  run: (later: readonly RestoreChange[]) => Promise<RestoreResult>,
): Promise<RestoreResult | undefined> {
  const preview = await looking;
  if (preview.type === 'unavailable') return { done: [], problems: [{ path: '', message: preview.message }] };
  const later = preview.changes.filter((change) => change.isLater);
  return later.length > 0 && !(await agreesToLose(later, question, button)) ? undefined : closeGone(run(later));
}

/** Closes the tabs of the files that it has deleted: VS Code would show their last text. */
async function closeGone(restoring: Promise<RestoreResult>): Promise<RestoreResult> {
  const result = await restoring;
  const isLeft = await Promise.all(result.done.map(pathExists));
  await closeFileTabs(result.done.filter((_, at) => isLeft[at] === false));
  return result;
}

/** Confirms the loss of later changes. */
async function agreesToLose(changes: readonly RestoreChange[], question: string, button: string): Promise<boolean> {
  const detail = linesFor(changes).join('\n');
  return (await showWarningMessage(question, { modal: true, detail }, button)) === button;
}

/** Asks what happens to changes that are not the agent's. */
async function promptFor(changes: readonly RestoreChange[]): Promise<'restore' | 'leave' | 'cancel'> {
  const restore = t('Restore and Send');
  const sendOnly = t('Send Without Restoring');
  const detail = [...linesFor(changes), '', t('You can undo the restore.')].join('\n');
  const question = t('Restoring the files to the state before this message also undoes changes not made by the agent.');
  const answer = await showWarningMessage(question, { modal: true, detail }, restore, sendOnly);
  if (answer === restore) return 'restore';
  return answer === sendOnly ? 'leave' : 'cancel';
}

function pickOf(state: SessionState, { entry, at, coverage, skipped }: CheckpointInfo): CheckpointItem {
  const message = entryAt(state.entries, entry);
  const text = message?.kind === 'user' ? firstLine(message.text) : '';
  const label = plainLabel(truncate(text || t('Message'), 80));
  const notes = [
    coverage === 'touched' ? t('only files changed by the agent through Parley (no Git)') : undefined,
    skipped > 0 ? t('{0} skipped because of their size', fileCount(skipped)) : undefined,
  ].filter((note) => note !== undefined);
  const description = new Date(at).toLocaleString(locale());
  return { label, description, entry, ...(notes.length > 0 && { detail: notes.join(', ') }) };
}

function detailOf(
  preview: Extract<RestorePreview, { type: 'ready' }>,
  state: SessionState,
  entry: number,
  scopes: ReviewScopes,
): string {
  const { changes, skipped, notes } = preview;
  const byUser = changes.filter((change) => isByUser(state, entry, change));
  // Of many files, those that are not only the agent's must be among the named ones.
  const ordered = [...new Set([...byUser, ...changes])];
  const running = state.turn.status === 'running' ? [t('The agent is working and may change the files again.')] : [];
  return [
    changes.length === 1 ? t('1 file will change:') : t('{0} files will change:', changes.length),
    ...linesFor(changes.length > MAX_NAMED ? ordered : changes),
    '',
    ...running,
    ...skipped.slice(0, MAX_NAMED).map((problem) => reviewProblemText(problem, scopes)),
    ...notes,
    t('The conversation is kept. You can undo the restore.'),
  ].join('\n');
}

const STATUS_TEXT: Readonly<Record<RestoreChange['status'], string>> = {
  created: t('will be restored'),
  changed: t('will be changed'),
  deleted: t('will be deleted'),
};

function linesFor(changes: readonly RestoreChange[]): string[] {
  const named = changes.slice(0, MAX_NAMED).map(lineFor);
  return changes.length > named.length ? [...named, t('and {0} more', changes.length - named.length)] : named;
}

function lineFor({ label, status, isUnsaved }: RestoreChange): string {
  const line = `• ${escapeInvisibleInline(label)} ${STATUS_TEXT[status]}`;
  return isUnsaved ? t('{0}, including unsaved changes', line) : line;
}
