import './loadTranslations';
import * as vscode from 'vscode';
import type { App } from './app';
import { errorMessage } from './base/errors';
import { t } from './base/l10n';

let app: App | undefined;

/** Creates the application. A failure is shown to the user: VS Code itself only logs that the activation failed. */
export async function activate(context: vscode.ExtensionContext): Promise<App['api']> {
  try {
    // Imported after the translations are loaded, because constants of its modules contain texts.
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

/** Stops everything that was started; VS Code waits for a few seconds. */
export async function deactivate(): Promise<void> {
  await app?.stop();
  app = undefined;
}
