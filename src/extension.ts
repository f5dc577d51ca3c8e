import './loadTranslations';
import type * as vscode from 'vscode';
import type { EntryPoints } from './entryPoints';

let entryPoints: EntryPoints | undefined;

/** Registers what VS Code must find; the application starts on its first use, or afterwards if there is work without the user. */
export async function activate(context: vscode.ExtensionContext): Promise<EntryPoints['api']> {
  // Imported after the translations are loaded, because constants of its modules contain texts.
  const { EntryPoints: Registered } = await import('./entryPoints');
  entryPoints = new Registered(context, async (shared) => {
    // Loading the application takes long: first, what was sent leaves this process, such as the document of the chat.
    await new Promise((resolve) => setTimeout(resolve));
    return (await import('./app')).App.start(shared);
  });
  return entryPoints.activate();
}

/** Stops everything that was started; VS Code waits for a few seconds. */
export async function deactivate(): Promise<void> {
  await entryPoints?.stop();
  entryPoints = undefined;
}
