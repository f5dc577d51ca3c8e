import * as vscode from 'vscode';
import { ParleyError, isCanceled, messageOf } from '../base/errors';
import { withoutLinks } from '../base/visible';

/** Runs what the person asked for; what goes wrong is told in a notification, with what can be done about it. Never rejects. */
export async function told(job: () => Promise<void>): Promise<void> {
  try {
    await job();
  } catch (error) {
    if (isCanceled(error)) return;
    const next = ParleyError.is(error) ? error.nextStep : undefined;
    void vscode.window.showErrorMessage(withoutLinks([messageOf(error), next].filter(Boolean).join(' ')));
  }
}
