import './loadTranslations';
import * as vscode from 'vscode';
import type { App } from './app';
import { errorMessage } from './base/errors';
import { t } from './base/l10n';

let app: App | undefined;

/** Builds the application. A failure is shown: VS Code itself only logs that an extension could not be activated. */
export async function activate(context: vscode.ExtensionContext): Promise<App['api']> {
  try {
    // After the sentences of the language, which constants of its modules hold.
    const { App } = await import('./app');
    app = await App.start(context);
    return app.api;
  } catch (error) {
    void vscode.window.showErrorMessage(
      t('Parley could not start: {0}. Reload the window to try again.', errorMessage(error)),
    );
    throw error;
  }
}

/** Ends what was started; VS Code waits for it for a few seconds. */
export async function deactivate(): Promise<void> {
  await app?.stop();
  app = undefined;
}
