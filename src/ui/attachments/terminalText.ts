import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import type { Attachment } from '../../shared/state/attachments';
import { MAX_EMBEDDED } from '../../shared/state/attachments';

/** What the user has selected in the active terminal, else its last command with the output; undefined if there is neither. */
export async function terminalAttachment(): Promise<Attachment | undefined> {
  const selected = await terminalSelection();
  const text = selected ?? (await lastTerminalCommand());
  if (text === undefined) return undefined;
  const label = selected === undefined ? t('Last command') : t('Terminal selection');
  return { kind: 'text', label, text: truncate(text, MAX_EMBEDDED) };
}

function terminalSelection(): Promise<string | undefined> {
  return readCopiedText('workbench.action.terminal.copySelection');
}

/** The last command of the active terminal and its output; undefined without shell integration. */
function lastTerminalCommand(): Promise<string | undefined> {
  return readCopiedText('workbench.action.terminal.copyLastCommandAndLastCommandOutput');
}

/** VS Code exposes terminal content only through the clipboard, whose text is restored afterwards. */
async function readCopiedText(command: string): Promise<string | undefined> {
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
