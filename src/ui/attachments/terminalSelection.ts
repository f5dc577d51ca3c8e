import * as vscode from 'vscode';

/** What is selected in the active terminal; undefined when nothing is. */
export function terminalSelection(): Promise<string | undefined> {
  return copiedBy('workbench.action.terminal.copySelection');
}

/** The last command of the active terminal and what it wrote; undefined where its shell does not tell commands apart. */
export function lastTerminalCommand(): Promise<string | undefined> {
  return copiedBy('workbench.action.terminal.copyLastCommandAndLastCommandOutput');
}

/** VS Code tells extensions what is in a terminal only by way of the clipboard, which gets back the text that it had. */
async function copiedBy(command: string): Promise<string | undefined> {
  if (!vscode.window.activeTerminal) return undefined;
  const before = await vscode.env.clipboard.readText();
  const mark = `parley-${Date.now()}`;
  await vscode.env.clipboard.writeText(mark);
  try {
    await vscode.commands.executeCommand(command);
    const text = await vscode.env.clipboard.readText();
    return text === mark || text.trim() === '' ? undefined : text;
  } finally {
    await vscode.env.clipboard.writeText(before);
  }
}
