import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors';
import { t } from '../../../base/l10n';
import type { RememberScope } from '../../../shared/state/sessionState';
import type { UiSession } from '../../uiTypes';

/** Lets an answer "always" reach this far, and says when that could not be kept. */
export async function rememberAnswer(session: UiSession, permissionId: string, scope: RememberScope): Promise<void> {
  try {
    await session.remember(permissionId, scope);
  } catch (error) {
    const sentence = t('Parley could not keep this rule: {0}. It holds in this window.', errorMessage(error));
    void vscode.window.showErrorMessage(sentence);
  }
}
