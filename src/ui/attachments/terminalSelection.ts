import * as vscode from 'vscode';

export function terminalSelection(): Promise<string | undefined> {
  return copiedBy('workbench.action.terminal.copySelection');
}

/** The last command of the active terminal and its output; undefined without shell integration. */
export function lastTerminalCommand(): Promise<string | undefined> {
  return copiedBy('workbench.action.terminal.copyLastCommandAndLastCommandOutput');
}

/** VS Code exposes terminal content only through the clipboard, whose text is restored afterwards. */
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
