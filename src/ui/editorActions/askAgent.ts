import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { ChatTarget } from './chatTarget';
import { selectedLines } from '../attachments/selectionAttachment';
import { askAboutTest, testTarget } from './askAboutTest';
import type { ProblemRequest } from './problemPrompt';
import { askAboutProblems, explainLines, problemsAt } from './askAboutProblems';
import { showInformationMessage } from '../../workbench/windowMessages';

/**
 * "Fix with Agent" and "Explain with Agent". A quick fix passes its file and problems, a code lens a file and a range, a testing
 * view its test; palette and editor menu use the active editor.
 */
export async function askAgent(
  chat: ChatTarget,
  request: ProblemRequest,
  target: unknown,
  detail: unknown,
): Promise<void> {
  const test = testTarget(target);
  if (test) return askAboutTest(chat, request, test);
  if (target instanceof vscode.Uri && detail instanceof vscode.Range) {
    return explainLines(chat, target, { first: detail.start.line + 1, last: detail.end.line + 1 });
  }
  if (target instanceof vscode.Uri && isDiagnostics(detail)) return askAboutProblems(chat, request, target, detail);
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    void showInformationMessage(t('Open a file in the editor first.'));
    return;
  }
  return request === 'fix' ? fixIn(chat, editor) : explainIn(chat, editor);
}

function isDiagnostics(value: unknown): value is readonly vscode.Diagnostic[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => one instanceof vscode.Diagnostic);
}

async function fixIn(chat: ChatTarget, editor: vscode.TextEditor): Promise<void> {
  const problems = problemsAt(editor);
  if (problems.length > 0) return askAboutProblems(chat, 'fix', editor.document.uri, problems);
  const none = editor.selection.isEmpty
    ? t('There are no problems in this file.')
    : t('There are no problems in the selected lines.');
  void showInformationMessage(none);
}

async function explainIn(chat: ChatTarget, editor: vscode.TextEditor): Promise<void> {
  const { document, selection } = editor;
  if (!selection.isEmpty) return explainLines(chat, document.uri, selectedLines(editor).lines);
  const problems = problemsAt(editor);
  if (problems.length > 0) return askAboutProblems(chat, 'explain', document.uri, problems);
  return explainLines(chat, document.uri, { first: 1, last: document.lineCount });
}
