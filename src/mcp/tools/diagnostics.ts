import * as vscode from 'vscode';
import { delay } from '../../base/async';
import { labelOf, openDocument } from './documents';

/** Milliseconds without a change after which diagnostics count as settled, and the longest wait for that (mcp.md, section 3.3). */
const QUIET = 400;
const FIRST = 1_500;

export const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** One problem as it is told. Lines and columns from 1. */
export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly severity: Severity;
  readonly message: string;
  readonly source?: string;
  readonly code?: string;
}

export function toProblem(uri: vscode.Uri, diagnostic: vscode.Diagnostic): Problem {
  const { code, source, message, range, severity } = diagnostic;
  const plainCode = typeof code === 'object' ? code.value : code;
  return {
    path: labelOf(uri),
    line: range.start.line + 1,
    column: range.start.character + 1,
    severity: SEVERITIES[severity] ?? 'error',
    message,
    ...(source !== undefined && { source }),
    ...(plainCode !== undefined && { code: String(plainCode) }),
  };
}

/** All problems that the editor knows of in files of the workspace. */
export function allProblems(): readonly Problem[] {
  return vscode.languages
    .getDiagnostics()
    .filter(([uri]) => vscode.workspace.getWorkspaceFolder(uri))
    .flatMap(([uri, diagnostics]) => diagnostics.map((diagnostic) => toProblem(uri, diagnostic)));
}

/** `src/a.ts:3:5 error TS2322: …` */
export function problemText({ path, line, column, severity, message, source, code }: Problem): string {
  const origin = [source, code].filter((part) => part !== undefined).join(' ');
  return `${path}:${line}:${column} ${severity}${origin === '' ? '' : ` [${origin}]`}: ${message.split('\n')[0]}`;
}

/**
 * Opens the files, so that their language servers look at them, and waits until no diagnostics have changed for a while.
 * @param limit milliseconds @returns false when they still changed then
 */
export async function settle(uris: readonly vscode.Uri[], limit: number, signal: AbortSignal): Promise<boolean> {
  let changedAt = Date.now();
  let isFirst = true;
  const watching = vscode.languages.onDidChangeDiagnostics(() => {
    changedAt = Date.now();
    isFirst = false;
  });
  try {
    const startedAt = Date.now();
    await Promise.all(uris.map((uri) => openDocument({ uri, label: labelOf(uri) }).catch(() => undefined)));
    while (Date.now() - startedAt < limit) {
      // A server that says nothing at all may have nothing to say: it gets longer for its first word.
      if (Date.now() - changedAt >= (isFirst ? Math.min(FIRST, limit) : QUIET)) return true;
      await delay(50, signal);
    }
    return false;
  } finally {
    watching.dispose();
  }
}
