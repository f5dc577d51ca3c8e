import * as vscode from 'vscode';

/**
 * What is selected in the active terminal; undefined when nothing is. VS Code tells extensions only by way of the clipboard, which
 * gets back the text that it had.
 */
export async function terminalSelection(): Promise<string | undefined> {
  if (!vscode.window.activeTerminal) return undefined;
  const before = await vscode.env.clipboard.readText();
  const mark = `parley-${Date.now()}`;
  await vscode.env.clipboard.writeText(mark);
  try {
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    const text = await vscode.env.clipboard.readText();
    return text === mark || text.trim() === '' ? undefined : text;
  } finally {
    await vscode.env.clipboard.writeText(before);
  }
}
