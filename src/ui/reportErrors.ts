import * as vscode from 'vscode';
import { DelayedCall } from '../base/clock';
import { errorSentences, isCancellation } from '../base/errors';
import { t } from '../base/l10n';
import type { Disposable } from '../base/lifecycle';
import { toDisposable } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import { SessionLockedError } from '../history/sessionLocks';
import { onDidLoseData } from '../node/fs/storedFile';
import type { Attachment } from '../shared/state/attachments';
import { showErrorMessage, showWarningMessage } from '../workbench/windowMessages';
import type { IntentSource } from './window';

/** Runs a user action; a failure is shown as a notification with a next step. Never rejects. */
export async function withErrorMessage(job: () => Promise<void>): Promise<void> {
  try {
    await job();
  } catch (error) {
    if (isCancellation(error)) return;
    const sentence = errorSentences(error);
    if (error instanceof SessionLockedError) void offerTakeover(sentence, error.session);
    else void showErrorMessage(sentence);
  }
}

/** Returns a draft that could not be sent to its page, with the reason. */
export function refuseDraft(
  { session, page }: IntentSource,
  text: string,
  attachments: readonly Attachment[],
  error: unknown,
): void {
  page.post({ type: 'sendRefused', session: session.id, text, attachments, reason: errorSentences(error) });
}

/**
 * Offers to open a session here that another window has open, or to read it here.
 * @param session Parley's id of the session
 */
export async function offerTakeover(sentence: string, session: string): Promise<void> {
  const [read, take] = [t('Open Read-Only'), t('Take Over')];
  const chosen = await showWarningMessage(sentence, read, take);
  if (chosen === read) await vscode.commands.executeCommand('parley.openSessionAsDocument', session);
  if (chosen === take) await vscode.commands.executeCommand('parley.takeOverSession', session);
}

/** @param cause Why stored sessions could not be read. */
export async function warnUnread(cause: string): Promise<void> {
  await showWarningMessage(
    t('Could not read all sessions: {0}. They stay on disk. Refresh the list of sessions to try again.', cause),
  );
}

/**
 * Warns that data could not be saved, with one warning at a time: a full disk fails many writes.
 * @returns a function of the cause
 */
export function createSaveWarning(): (cause: string) => void {
  let isShown = false;
  return (cause) => {
    if (isShown) return;
    isShown = true;
    const sentence = t(
      'Could not save sessions, drafts or changes under review: {0}. Parley keeps them in memory and saves them as soon as storage is available again.',
      cause,
    );
    void showWarningMessage(sentence).then(() => (isShown = false));
  };
}

/** Milliseconds for which losses are merged into one message. */
const MERGE_LOSSES_MS = 500;
/** Losses that a message names. */
const MAX_LOSSES = 5;

/** Warns about damaged files in the storage and about data that cannot be saved, and names what is lost, until it is disposed. */
export function registerLossWarning(log: Logger): Disposable {
  const lost = new Set<string>();
  const unsaved = new Set<string>();
  const warning = new DelayedCall(MERGE_LOSSES_MS, () => {
    const names = [...lost].slice(0, MAX_LOSSES);
    if (lost.size > names.length) names.push(t('{0} more', lost.size - names.length));
    lost.clear();
    void warnDamaged(names.join('; '));
  });
  const subscription = onDidLoseData((loss) => {
    if (loss.unsaved !== undefined) {
      // A full disk fails again and again.
      if (!unsaved.has(loss.lost)) warnUnsaved(loss.file, loss.lost, loss.unsaved);
      unsaved.add(loss.lost);
      return;
    }
    log.warn('app', `Lost ${loss.lost}: ${loss.file} was damaged`);
    lost.add(loss.lost);
    warning.schedule();
  });
  return toDisposable(() => {
    subscription.dispose();
    warning.dispose();
  });
}

/** VS Code shows the whole text only of a message with a button. */
async function warnDamaged(lost: string): Promise<void> {
  const button = t('Show Log');
  const sentence = t(
    'Stored data was damaged, and is lost: {0}. The log lists the damaged files. They are kept as “.damaged”.',
    lost,
  );
  if ((await showWarningMessage(sentence, button)) === button) await vscode.commands.executeCommand('parley.showLog');
}

function warnUnsaved(file: string, lost: string, cause: string): void {
  const sentence = t(
    'Could not save {0} in {1}: {2}. Parley tries again, and keeps it in memory until the window is closed.',
    lost,
    file,
    cause,
  );
  void showWarningMessage(sentence);
}
