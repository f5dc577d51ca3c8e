// Protected by test/unit/review/editor/lateDialog.test.ts: the confirmation names each file that was written since.
import * as vscode from 'vscode';
import { locale, t } from '../../base/l10n';
import { firstLine, truncate } from '../../base/text';
import { escapeInvisibleInline, plainLabel } from '../../base/untrustedText';
import type { FileRestoreOutcome } from '../../session/commands/editAndResend';
import type { Session } from '../../session/session';
import { entryAt } from '../../shared/state/entryPages';
import type { CheckpointInfo } from '../../shared/state/reviewState';
import type { SessionState } from '../../shared/state/sessionState';
import type { Notice, ShowNotice } from '../../workbench/notice';
import { showNotification } from '../../workbench/notice';
import { showWarningMessage } from '../../workbench/windowMessages';
import type { InterruptedChange } from '../checkpoints/changeCheckpoint';
import type { RestoreChange, RestorePreview, RestoreResult } from '../checkpoints/restorePlan';
import { uncheckedText } from '../checkpoints/uncheckedText';
import type { WorkspaceCheckpoints } from '../checkpoints/workspaceCheckpoints';
import type { ReviewResult } from '../tracking/modifiedFiles';
import { fileCount, problemNotice, reviewProblemText, problemTexts, toWarning } from './reviewMessages';

/** Maximum number of files named in the prompt, because VS Code limits its height. */
const MAX_NAMED = 15;

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
      this.showNotice(problemNotice(preview.skipped) ?? { text }, session.id);
      return;
    }
    const button = changes.length === 1 ? t('Restore File') : t('Restore Files');
    const question = t('Restore the files to the state before this message?');
    const options = { modal: true, detail: detailOf(preview, session.state, entry) };
    if ((await showWarningMessage(question, options, button)) !== button) return;
    const result = await this.checkpoints.restore(session.id, entry, changes);
    const { undoId } = result;
    if (undoId === undefined) return this.showNotice(problemNotice(result.problems), session.id);
    const details = problemTexts(result.problems);
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
      const note = problemTexts(preview.skipped).join(' ');
      return { type: 'ready', ...(note !== '' && { note }) };
    }
    const userChanges = preview.changes.filter((change) => isByUser(session.state, entry, change));
    const answer = userChanges.length === 0 ? 'restore' : await promptFor(userChanges);
    if (answer === 'cancel') return { type: 'canceled' };
    if (answer === 'leave') return { type: 'ready' };
    return this.#bringBack(session, entry, preview.changes);
  }

  async #bringBack(session: Session, entry: number, agreed: readonly RestoreChange[]): Promise<FileRestoreOutcome> {
    const result = await this.checkpoints.restore(session.id, entry, agreed);
    const { undoId } = result;
    if (undoId === undefined)
      return { type: 'failed', message: result.problems.map(({ message }) => message).join(' ') };
    const skipped = problemTexts(result.problems);
    return { type: 'ready', restored: { text: restoredText(result), skipped, undo: () => this.undo(session, undoId) } };
  }

  #noneText(): string {
    return this.enabled()
      ? t('This message has no checkpoint.')
      : t('Checkpoints are disabled (parley.checkpoints.enabled).');
  }

  /** Undoes a restore; confirms if later changes would be lost. Never rejects. */
  undo({ id }: Session, undoId: string): Promise<void> {
    return this.#undo(id, undoId);
  }

  /** @param question before later changes are lost */
  async #undo(
    sessionId: string,
    undoId: string,
    question = t('These files have changed since they were restored. Undo the restore anyway?'),
    answer = t('Undo Restore'),
  ): Promise<void> {
    const preview = await this.checkpoints.previewUndo(sessionId, undoId);
    if (preview.type === 'unavailable') return this.showNotice(toWarning(preview.message), sessionId);
    const later = preview.changes.filter((change) => change.isLater);
    if (later.length > 0 && !(await agreesToLose(later, question, answer))) return;
    const result = await this.checkpoints.undoRestore(sessionId, undoId, later);
    const run = (): Promise<void> => this.#undo(sessionId, undoId, question, answer);
    this.showNotice(noticeOf(result, { label: t('Undo Restore'), run }), sessionId);
  }

  /** Offers to undo changes that a crash has cut off, and to finish restores. Settles when the user has answered about the restores. */
  async showInterrupted(interrupted: readonly InterruptedChange[]): Promise<void> {
    await Promise.all(interrupted.map((change) => this.#offerToEnd(change)));
  }

  async #offerToEnd(change: InterruptedChange): Promise<void> {
    const { sessionId, undoId, restore, unread } = change;
    if (unread !== undefined) return this.showNotice(toWarning(uncheckedText(unread)));
    if (restore) return this.#offerToFinish(change, restore.canFinish);
    const text = t('VS Code stopped while changes were being applied to the workspace. Some of them may be missing.');
    const question = t('Undo all changes of these files? What you have changed since VS Code stopped is undone, too.');
    const button = { label: t('Undo'), run: () => this.#undo(sessionId, undoId, question, t('Undo')) };
    this.showNotice({ ...toWarning(text), button });
  }

  /** The next start offers it again if the user closes the notification. */
  async #offerToFinish({ sessionId, undoId }: InterruptedChange, canFinish: boolean): Promise<void> {
    const text = t('VS Code stopped while files were being restored. Some of them are not restored yet.');
    const [finish, undo] = [t('Finish Restore'), t('Undo Restore')];
    const answer = await showWarningMessage(text, ...(canFinish ? [finish, undo] : [undo]));
    if (answer === undo) await this.#undo(sessionId, undoId);
    if (answer === finish) await this.#finish(sessionId, undoId);
  }

  async #finish(sessionId: string, undoId: string): Promise<void> {
    const preview = await this.checkpoints.previewFinish(sessionId, undoId);
    if (preview.type === 'unavailable') return this.showNotice(toWarning(preview.message), sessionId);
    const later = preview.changes.filter((change) => change.isLater);
    const question = t('These files have changed since the restore was interrupted. Finish the restore anyway?');
    if (later.length > 0 && !(await agreesToLose(later, question, t('Finish Restore')))) return;
    const result = await this.checkpoints.finishRestore(sessionId, undoId, later);
    const run = (): Promise<void> => this.#finish(sessionId, undoId);
    this.showNotice(noticeOf(result, { label: t('Finish Restore'), run }), sessionId);
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

/** @param retry offered if a file could not be written */
function noticeOf(result: RestoreResult, retry: NonNullable<Notice['button']>): Notice | undefined {
  const notice = problemNotice(result.problems);
  return notice && result.isPartial ? { ...notice, button: retry } : notice;
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

function detailOf(preview: Extract<RestorePreview, { type: 'ready' }>, state: SessionState, entry: number): string {
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
    ...skipped.slice(0, MAX_NAMED).map(reviewProblemText),
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
