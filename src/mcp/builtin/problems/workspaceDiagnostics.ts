import * as vscode from 'vscode';
import { delay, settlesWithin } from '../../../base/async';
import { omitUndefined } from '../../../base/json';
import { AS_TEXT } from '../../../workbench/textEditorOptions';
import { executeProvider } from '../common/executeProvider';
import type { ReadableFiles } from '../common/readableFiles';
import { labelOf, openDocument } from '../common/workspaceFile';

/** Milliseconds without a change after which diagnostics count as settled, and the longest wait. */
const QUIET_MS = 400;
const FIRST_QUIET_MS = 1_500;

export const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;
type Severity = (typeof SEVERITIES)[number];

/** A problem in a result. Lines and columns are 1-based. */
export interface ShownProblem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly severity: Severity;
  readonly message: string;
  readonly source?: string;
  readonly code?: string;
}

export interface Problem extends ShownProblem {
  /** Of the file. */
  readonly uri: vscode.Uri;
}

function toProblem(uri: vscode.Uri, diagnostic: vscode.Diagnostic): Problem {
  const { code, source, message, range, severity } = diagnostic;
  const plainCode = typeof code === 'object' ? code.value : code;
  return {
    uri,
    path: labelOf(uri),
    line: range.start.line + 1,
    column: range.start.character + 1,
    severity: SEVERITIES[severity] ?? 'error',
    message,
    ...(source !== undefined && { source }),
    ...(plainCode !== undefined && { code: String(plainCode) }),
  };
}

/** All problems in workspace files. */
export function allProblems(): readonly Problem[] {
  return vscode.languages
    .getDiagnostics()
    .filter(([uri]) => vscode.workspace.getWorkspaceFolder(uri))
    .flatMap(([uri, diagnostics]) => diagnostics.map((diagnostic) => toProblem(uri, diagnostic)));
}

/** The first problems of files that the result may tell about. */
export function readableProblems(
  problems: readonly Problem[],
  files: ReadableFiles,
  limit = Infinity,
): Promise<readonly Problem[]> {
  return files.filter(problems, ({ uri }) => uri, { limit });
}

export function shownProblem({ path, line, column, severity, message, source, code }: Problem): ShownProblem {
  return { path, line, column, severity, message, ...omitUndefined({ source, code }) };
}

/** For example `src/a.ts:3:5 error TS2322: …`. */
export function problemText({ path, line, column, severity, message, source, code }: ShownProblem): string {
  const origin = [source, code].filter((part) => part !== undefined).join(' ');
  return `${path}:${line}:${column} ${severity}${origin === '' ? '' : ` [${origin}]`}: ${message.split('\n')[0]}`;
}

/** A result, and whether problems were still changing when it was read. */
interface DiagnosticsSnapshot<T> {
  readonly value: T;
  readonly hasSettled: boolean;
}

/**
 * Makes language servers check files, waits until problems have settled, then reads them. Files without a tab get one in the background:
 * TypeScript checks only files with a tab and drops their problems when it closes.
 * @param limit milliseconds; 0 reads at once
 */
export async function collectDiagnostics<T>(
  uris: readonly vscode.Uri[],
  limit: number,
  signal: AbortSignal,
  read: () => T | Promise<T>,
): Promise<DiagnosticsSnapshot<T>> {
  const opened = limit > 0 ? await openTabs(uris) : [];
  try {
    const hasSettled = limit <= 0 || (await waitForDiagnostics(uris, limit, signal));
    return { value: await read(), hasSettled };
  } finally {
    await closeTabs(opened);
  }
}

/** False when problems still changed at the timeout. */
export async function waitForDiagnostics(
  uris: readonly vscode.Uri[],
  limit: number,
  signal: AbortSignal,
): Promise<boolean> {
  let changedAt = performance.now();
  let isFirst = true;
  const watching = vscode.languages.onDidChangeDiagnostics(() => {
    changedAt = performance.now();
    isFirst = false;
  });
  try {
    const startedAt = performance.now();
    await settlesWithin(Promise.all(uris.map((uri) => wake(uri, signal))), limit);
    changedAt = performance.now();
    // A server that was slow to start is slow with its first diagnostics too.
    const first = Math.min(Math.max(FIRST_QUIET_MS, changedAt - startedAt), limit);
    while (performance.now() - startedAt < limit) {
      // A silent server may have no problems to report: its first diagnostics get more time.
      if (performance.now() - changedAt >= (isFirst ? first : QUIET_MS)) return true;
      await delay(50, signal);
    }
    return false;
  } finally {
    watching.dispose();
  }
}

/** Languages whose servers have started. */
const awake = new Set<string>();

/** Opens a file and requests something that its language server can answer only after it has read the project. */
async function wake(uri: vscode.Uri, signal: AbortSignal): Promise<void> {
  const opened = await openDocument({ uri, label: labelOf(uri) }).catch(() => undefined);
  const offset = opened?.document.getText().search(/[\p{L}_]/u) ?? -1;
  if (!opened || offset < 0) return;
  const { languageId } = opened.document;
  const args = [uri, opened.document.positionAt(offset)];
  // In the first request of a window the server may still be starting; an empty result does not count then.
  if (awake.has(languageId)) await vscode.commands.executeCommand('vscode.executeDefinitionProvider', ...args);
  else await executeProvider('vscode.executeDefinitionProvider', args, signal).catch(() => undefined);
  awake.add(languageId);
}

/**
 * Opens background tabs for files without one.
 * @returns those files
 */
async function openTabs(uris: readonly vscode.Uri[]): Promise<readonly vscode.Uri[]> {
  const without = uris.filter((uri) => !tabOf(uri));
  for (const uri of without) {
    // `background` is VS Code's option for a tab that is not shown; a missing file opens none.
    const options = { background: true, preserveFocus: true, preview: false, ...AS_TEXT };
    await vscode.commands.executeCommand('vscode.open', uri, options).then(undefined, () => undefined);
  }
  return without;
}

async function closeTabs(uris: readonly vscode.Uri[]): Promise<void> {
  // Keeps a tab that is now active or has unsaved text.
  const tabs = uris.map(tabOf).filter((tab) => tab !== undefined && !tab.isActive && !tab.isDirty) as vscode.Tab[];
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}

function tabOf(uri: vscode.Uri): vscode.Tab | undefined {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.find(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
}
