import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Attachment, LineRange } from '../../shared/state/attachments';
import { linesLabel } from '../attachments/selectionAttachment';
import type { ChatTarget } from './chatTarget';
import type { Problem, ProblemRequest } from './problemPrompt';
import { contextLines, problemPrompt } from './problemPrompt';

const SEVERITIES = ['error', 'warning', 'info', 'hint'] as const;

/** The problems at the cursor or selection; without any, those of the whole file. */
export function problemsAt({ document, selection }: vscode.TextEditor): readonly vscode.Diagnostic[] {
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
  chat: ChatTarget,
  request: ProblemRequest,
  uri: vscode.Uri,
  diagnostics: readonly vscode.Diagnostic[],
): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const problems = diagnostics.map(toProblem);
  const ranges = contextLines(problems, document.lineCount);
  chat.attachmentService.allow(uri);
  await chat.pages.compose(
    problemPrompt(request, vscode.workspace.asRelativePath(uri), problems),
    attachmentsOf(uri, ranges),
  );
}

/** Starts a message about lines of a document. */
export async function explainLines(chat: ChatTarget, uri: vscode.Uri, lines: LineRange): Promise<void> {
  chat.attachmentService.allow(uri);
  await chat.pages.compose(t('Explain {0}.', linesLabel(uri, lines)), attachmentsOf(uri, [lines]));
}

/** @param ranges undefined for the whole file */
function attachmentsOf(uri: vscode.Uri, ranges: readonly LineRange[] | undefined): readonly Attachment[] {
  const uriText = uri.toString();
  if (!ranges) return [{ kind: 'file', uri: uriText, label: vscode.workspace.asRelativePath(uri) }];
  return ranges.map((lines) => ({ kind: 'lines', uri: uriText, label: linesLabel(uri, lines), lines }));
}

function toProblem({ range, severity, message, source, code, relatedInformation }: vscode.Diagnostic): Problem {
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
