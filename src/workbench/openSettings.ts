import * as vscode from 'vscode';

/** @param query what the settings editor shows; all settings of Parley if undefined */
export async function openSettings(query = '@ext:parley.parley'): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', query);
}
