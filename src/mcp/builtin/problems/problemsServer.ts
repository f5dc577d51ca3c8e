import * as vscode from 'vscode';
import type { Event } from '../../../base/event';
import type { SessionHandle } from '../../../session/sessionHandle';

import type { Tool, ToolServer } from '../../toolServerTypes';
import { tool, ToolError } from '../../toolServerTypes';
import type { ProblemBaselines } from './problemBaselines';
import { diffProblems } from './problemBaselines';
import type { Problem } from './workspaceDiagnostics';
import { allProblems, collectDiagnostics, problemText, SEVERITIES } from './workspaceDiagnostics';
import { pathFilter } from '../common/pathFilter';
import { resolveWorkspaceFile } from '../common/workspaceFile';
import {
  DEFAULT_PROBLEM_LIMIT,
  listInput,
  listOutput,
  DIAGNOSTICS_SETTLE_MS,
  sinceInput,
  sinceOutput,
} from './problemSchemas';

export function problemsServer(baselines: ProblemBaselines, onDidChange: Event<void>): ToolServer {
  return {
    name: 'problems',
    title: 'Problems',
    description: "The editor's problems: errors and warnings of language servers and linters",
    instructions:
      'After editing, call since to see what the edit broke or fixed; it waits for the language servers. It is faster than a build.',
    tools: [listTool(baselines), sinceTool(baselines)],
    resources: [
      {
        uri: 'ide://problems',
        name: 'problems',
        title: 'Problems',
        description: 'All problems of the workspace, one a line',
        mimeType: 'text/plain',
        onDidChange,
        read: async () => allProblems().map(problemText).join('\n'),
      },
    ],
  };
}

function listTool(baselines: ProblemBaselines): Tool {
  return tool({
    name: 'list',
    title: 'List problems',
    description:
      'Errors and warnings that the editor knows of, worst first. Files that are named are opened and waited for.',
    annotations: { readOnlyHint: true, idempotentHint: true },
    approval: 'free',
    input: listInput,
    output: listOutput,
    call: async (
      { paths, glob, min_severity: least = 'warning', source, limit = DEFAULT_PROBLEM_LIMIT },
      { session, signal },
    ) => {
      const uris = urisOf(paths, session);
      const isRequested = ({ severity, source: from }: Problem): boolean =>
        SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least) && (source === undefined || from === source);
      const { value: all, hasSettled: isComplete } = await collectDiagnostics(
        uris ?? [],
        uris ? DIAGNOSTICS_SETTLE_MS : 0,
        signal,
        allProblems,
      );
      const found = inFiles(all, uris).filter(isRequested).filter(pathFilter(glob)).toSorted(worstFirst);
      const problems = found.slice(0, limit);
      const structured = {
        problems,
        total: found.length,
        truncated: found.length > limit,
        settled: isComplete,
        baseline: baselines.add(session.id, all),
      };
      return { text: listText(problems, found.length, structured.settled), structured };
    },
  });
}

function sinceTool(baselines: ProblemBaselines): Tool {
  return tool({
    name: 'since',
    title: 'Problems since',
    description:
      'What an edit broke or fixed: problems that are new and gone since the turn or the session began, or since an earlier answer. Waits until the language servers have looked.',
    annotations: { readOnlyHint: true },
    approval: 'free',
    input: sinceInput,
    output: sinceOutput,
    call: async ({ baseline = 'turn', paths, wait_ms: wait = DIAGNOSTICS_SETTLE_MS }, { session, signal }) => {
      const before = baselines.get(session.id, baseline);
      if (!before) throw new ToolError(`There is no baseline ${JSON.stringify(baseline)}.`, 'Use "turn" or "session".');
      const uris = urisOf(paths, session);
      const { value: all, hasSettled: isComplete } = await collectDiagnostics(
        uris ?? openUris(),
        wait,
        signal,
        allProblems,
      );
      const change = diffProblems(inFiles(before, uris), inFiles(all, uris));
      const structured = {
        new: change.added.slice(0, DEFAULT_PROBLEM_LIMIT),
        fixed: change.fixed.slice(0, DEFAULT_PROBLEM_LIMIT),
        remaining: change.remaining,
        settled: isComplete,
        truncated: Math.max(change.added.length, change.fixed.length) > DEFAULT_PROBLEM_LIMIT,
        baseline: baselines.add(session.id, all),
      };
      return { text: sinceText(structured), structured };
    },
  });
}

function urisOf(paths: readonly string[] | undefined, session: SessionHandle): readonly vscode.Uri[] | undefined {
  return paths?.map((path) => resolveWorkspaceFile(path, session).uri);
}

function openUris(): readonly vscode.Uri[] {
  return vscode.workspace.textDocuments.map(({ uri }) => uri).filter((uri) => vscode.workspace.getWorkspaceFolder(uri));
}

function inFiles(problems: readonly Problem[], uris: readonly vscode.Uri[] | undefined): readonly Problem[] {
  if (!uris) return problems;
  const labels = new Set(uris.map((uri) => vscode.workspace.asRelativePath(uri, hasManyFolders())));
  return problems.filter(({ path }) => labels.has(path));
}

function hasManyFolders(): boolean {
  return (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
}

function worstFirst(a: Problem, b: Problem): number {
  const bySeverity = SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);
  return bySeverity || a.path.localeCompare(b.path) || a.line - b.line;
}

function listText(problems: readonly Problem[], total: number, isComplete: boolean): string {
  const head =
    total === 0
      ? 'No problems.'
      : `${total} problems${total > problems.length ? `, the first ${problems.length}` : ''}:`;
  const tail = isComplete ? '' : '\nThe language servers were still at work; ask again for the rest.';
  return [head, ...problems.map(problemText)].join('\n') + tail;
}

function sinceText(change: {
  readonly new: readonly Problem[];
  readonly fixed: readonly Problem[];
  readonly remaining: number;
  readonly settled: boolean;
}): string {
  const lines = [
    `${change.new.length} new, ${change.fixed.length} fixed, ${change.remaining} still there.`,
    ...change.new.map((problem) => `new: ${problemText(problem)}`),
    ...change.fixed.map((problem) => `fixed: ${problemText(problem)}`),
  ];
  if (!change.settled) lines.push('The language servers were still at work; ask again for the rest.');
  return lines.join('\n');
}
