import * as vscode from 'vscode';
import { t } from '../../base/l10n';

/** Documents that agents can read. */
const SELECTOR: vscode.DocumentSelector = [
  { scheme: 'file' },
  { scheme: 'untitled' },
  { scheme: 'vscode-notebook-cell' },
];

/**
 * "Fix with Agent" and "Explain with Agent" as quick fixes of problems: in the editor's light bulb, in hovers and in the Problems
 * view. Never preferred: "Auto Fix" requires certain fixes.
 */
export function problemActions(): vscode.Disposable {
  const kind = vscode.CodeActionKind.QuickFix;
  const provider: vscode.CodeActionProvider = {
    provideCodeActions: (document, _range, { diagnostics }) =>
      diagnostics.length === 0 ? [] : actionsFor(document.uri, [...diagnostics]),
  };
  return vscode.languages.registerCodeActionsProvider(SELECTOR, provider, { providedCodeActionKinds: [kind] });
}

function actionsFor(uri: vscode.Uri, diagnostics: vscode.Diagnostic[]): vscode.CodeAction[] {
  const titles = [
    [t('Fix with Agent'), 'parley.fixWithAgent'],
    [t('Explain with Agent'), 'parley.explain'],
  ] as const;
  return titles.map(([title, command]) => {
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.diagnostics = diagnostics;
    action.command = { title, command, arguments: [uri, diagnostics] };
    return action;
  });
}
