import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { escapeMarkdownLinks } from '../../base/untrustedText';
import type { ReadOnlyDocuments } from '../../workbench/readOnlyDocuments';

/** A dialog shows so much without hiding its end; longer ones are read in an editor. Lines of about 60 characters. */
const MOST_LINES = 24;
const LINE = 60;

/** What a workspace brings, and the user has to have seen in full before it runs or is reached. */
export interface ConfirmationDetails {
  readonly message: string;
  /** What would be run or reached. */
  readonly lines: readonly string[];
  readonly notes: readonly string[];
  /** Another content of it was allowed before. */
  readonly isChanged: boolean;
  readonly yes: string;
  readonly no: string;
  /** Name of the editor's tab where it is too long for a dialog. */
  readonly tab: string;
}

/** Shows all of it and asks; nothing that the user decides about is out of sight. */
export async function confirmInFull(documents: ReadOnlyDocuments, asked: ConfirmationDetails): Promise<boolean> {
  return fits(asked.lines) ? askInDialog(asked) : askInEditor(documents, asked);
}

async function askInDialog({ message, lines, notes, isChanged, yes }: ConfirmationDetails): Promise<boolean> {
  const changed = isChanged ? [t('It has changed since you allowed it.'), ''] : [];
  const detail = [...changed, ...lines, '', ...notes].join('\n');
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, yes)) === yes;
}

/** The end of a long text would be out of sight in a dialog, with whatever stands there. */
async function askInEditor(documents: ReadOnlyDocuments, asked: ConfirmationDetails): Promise<boolean> {
  const { message, lines, notes, yes, no, tab } = asked;
  const show = t('Show All');
  const detail = t(
    'What it would run is too long for this dialog ({0} characters). Read it in the editor before you decide.',
    lines.join('\n').length,
  );
  if ((await vscode.window.showWarningMessage(message, { modal: true, detail }, show)) !== show) return false;
  await documents.show(`${tab}.txt`, [...lines, '', ...notes].join('\n'));
  const sentence = escapeMarkdownLinks(t('{0} The editor shows all of what would be run.', message));
  return (await vscode.window.showWarningMessage(sentence, yes, no)) === yes;
}

function fits(lines: readonly string[]): boolean {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE)), 0) <= MOST_LINES;
}
