import * as vscode from 'vscode';
import { messageOf } from '../base/errors';
import type { RememberScope } from '../shared/state';
import type { ViewSession } from './ports';

/** Lets an answer "always" reach this far, and says when that could not be kept. */
export async function remember(session: ViewSession, permissionId: string, scope: RememberScope): Promise<void> {
  try {
    await session.remember(permissionId, scope);
  } catch (error) {
    const sentence = `Parley could not keep this rule: ${messageOf(error)}. It holds in this window.`;
    void vscode.window.showErrorMessage(sentence);
  }
}
