import * as vscode from 'vscode';
import { t } from '../base/l10n';
import { showInformationMessage } from './windowMessages';

/** Reports a written file, with a button that opens it. Settles when the notification is closed. */
export async function offerToOpen(sentence: string, file: vscode.Uri, button = t('Open File')): Promise<void> {
  if ((await showInformationMessage(sentence, button)) === button) await vscode.window.showTextDocument(file);
}
