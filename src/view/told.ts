import * as vscode from 'vscode';
import { ParleyError, isCanceled, messageOf } from '../base/errors';
import { t } from '../base/l10n';
import { withoutLinks } from '../base/visible';
import { OpenElsewhereError } from '../session/claim';

/** Runs what the person asked for; what goes wrong is told in a notification, with what can be done about it. Never rejects. */
export async function told(job: () => Promise<void>): Promise<void> {
  try {
    await job();
  } catch (error) {
    if (isCanceled(error)) return;
    const next = ParleyError.is(error) ? error.nextStep : undefined;
    const sentence = withoutLinks([messageOf(error), next].filter(Boolean).join(' '));
    if (error instanceof OpenElsewhereError) void offerToRead(sentence, error.session);
    else void vscode.window.showErrorMessage(sentence);
  }
}

/** It can be read here while another window writes it. */
async function offerToRead(sentence: string, session: string): Promise<void> {
  const read = t('Read It Here');
  if ((await vscode.window.showWarningMessage(sentence, read)) !== read) return;
  await vscode.commands.executeCommand('parley.openSessionAsDocument', session);
}
