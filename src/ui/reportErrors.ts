import * as vscode from 'vscode';
import { errorSentences, isCancellation } from '../base/errors';
import { t } from '../base/l10n';
import { SessionLockedError } from '../history/sessionLocks';
import type { Attachment } from '../shared/protocol/attachments';
import type { IntentSource } from './uiTypes';
import { showErrorMessage, showWarningMessage } from '../workbench/windowMessages';

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
