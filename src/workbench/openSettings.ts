import * as vscode from 'vscode';

/** Opens the settings of Parley. */
export async function openSettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:parley.parley');
}
