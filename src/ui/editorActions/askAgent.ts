import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Attachment, LineRange } from '../../shared/state/attachments';
import { showInformationMessage } from '../../workbench/windowMessages';
import { selectedLines, linesLabel } from '../attachments/selectionAttachment';
import { askAboutTest, testTarget } from './askAboutTest';
import type { ChatTarget } from './chatTarget';
import type { ProblemRequest, PromptProblem } from './problemPrompt';
import { contextLines, problemPrompt } from './problemPrompt';

/**
 * "Fix with Agent" and "Explain with Agent". A quick fix passes its file and problems, a code lens a file and a range, a testing
 * view its test; palette and editor menu use the active editor.
 */
export async function askAgent(
  to: ChatTarget,
  request: ProblemRequest,
  target: unknown,
  detail: unknown,
): Promise<void> {
  const test = testTarget(target);
  if (test) return askAboutTest(to, request, test);
  if (target instanceof vscode.Uri && detail instanceof vscode.Range) {
    return explainLines(to, target, { first: detail.start.line + 1, last: detail.end.line + 1 });
  }
  if (target instanceof vscode.Uri && isDiagnostics(detail)) return askAboutProblems(to, request, target, detail);
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    void showInformationMessage(t('Open a file in the editor first.'));
    return;
  }
  return request === 'fix' ? fixIn(to, editor) : explainIn(to, editor);
}

function isDiagnostics(value: unknown): value is readonly vscode.Diagnostic[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => one instanceof vscode.Diagnostic);
}

async function fixIn(to: ChatTarget, editor: vscode.TextEditor): Promise<void> {
  const problems = problemsAt(editor);
  if (problems.length > 0) return askAboutProblems(to, 'fix', editor.document.uri, problems);
  const none = editor.selection.isEmpty
    ? t('There are no problems in this file.')
    : t('There are no problems in the selected lines.');
  void showInformationMessage(none);
}

async function explainIn(to: ChatTarget, editor: vscode.TextEditor): Promise<void> {
  const { document, selection } = editor;
  if (!selection.isEmpty) return explainLines(to, document.uri, selectedLines(editor).lines);
  const problems = problemsAt(editor);
  if (problems.length > 0) return askAboutProblems(to, 'explain', document.uri, problems);
  return explainLines(to, document.uri, { first: 1, last: document.lineCount });
}

const SEVERITIES = ['error', 'warning', 'info', 'hint'] as const;

/** The problems at the cursor or selection; without any, those of the whole file. */
function problemsAt({ document, selection }: vscode.TextEditor): readonly vscode.Diagnostic[] {
  const all = vscode.languages.getDiagnostics(document.uri);
  const here = all.filter(({ range }) => range.intersection(selection) !== undefined);
  if (here.length > 0) return here;
  const sameLine = all.filter(
    ({ range }) => range.start.line <= selection.end.line && range.end.line >= selection.start.line,
  );
  return sameLine.length > 0 || !selection.isEmpty ? sameLine : all;
}

/** Starts a message about problems of one file, with their lines. */
export async function askAboutProblems(
  to: ChatTarget,
  request: ProblemRequest,
  uri: vscode.Uri,
  diagnostics: readonly vscode.Diagnostic[],
): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const problems = diagnostics.map(toProblem);
  const ranges = contextLines(problems, document.lineCount);
  to.attachments.allow(uri);
  await to.chat.compose(
    problemPrompt(request, vscode.workspace.asRelativePath(uri), problems),
    attachmentsOf(uri, ranges),
  );
}

/** Starts a message about lines of a document. */
export async function explainLines(to: ChatTarget, uri: vscode.Uri, lines: LineRange): Promise<void> {
  to.attachments.allow(uri);
  await to.chat.compose(t('Explain {0}.', linesLabel(uri, lines)), attachmentsOf(uri, [lines]));
}

/** @param ranges undefined for the whole file */
function attachmentsOf(uri: vscode.Uri, ranges: readonly LineRange[] | undefined): readonly Attachment[] {
  const uriText = uri.toString();
  if (!ranges) return [{ kind: 'file', uri: uriText, label: vscode.workspace.asRelativePath(uri) }];
  return ranges.map((lines) => ({ kind: 'lines', uri: uriText, label: linesLabel(uri, lines), lines }));
}

function toProblem({ range, severity, message, source, code, relatedInformation }: vscode.Diagnostic): PromptProblem {
  const value = typeof code === 'object' ? code.value : code;
  const related = relatedInformation?.map(({ location, message: said }) => {
    const line = location.range.start.line + 1;
    return `${vscode.workspace.asRelativePath(location.uri)}:${line}: ${said}`;
  });
  return {
    lines: { first: range.start.line + 1, last: range.end.line + 1 },
    severity: SEVERITIES[severity] ?? 'error',
    message,
    ...(source !== undefined && { source }),
    ...(value !== undefined && value !== '' && { code: String(value) }),
    ...(related && { related }),
  };
}
