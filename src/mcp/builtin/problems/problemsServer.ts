import * as vscode from 'vscode';
import type { Event } from '../../../base/event';
import type { SessionHandle } from '../../../session/sessionHandle';
import type { ToolContext } from '../../../session/toolServer';
import type { Tool, ToolServer } from '../../contract/toolServerTypes';
import { tool, ToolError } from '../../contract/toolServerTypes';
import { pathFilter } from '../common/pathFilter';
import { ReadableFiles } from '../common/readableFiles';
import { resolveWorkspaceFile } from '../common/workspaceFile';
import type { ProblemBaselines } from './problemBaselines';
import { diffProblems } from './problemBaselines';
import {
  DEFAULT_PROBLEM_LIMIT,
  listInput,
  listOutput,
  DIAGNOSTICS_SETTLE_MS,
  sinceInput,
  sinceOutput,
} from './problemSchemas';
import type { Problem, ShownProblem } from './workspaceDiagnostics';
import {
  allProblems,
  collectDiagnostics,
  problemText,
  readableProblems,
  SEVERITIES,
  shownProblem,
} from './workspaceDiagnostics';

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
        read: async (session) => problemsText(session),
      },
    ],
  };
}

async function problemsText(session: SessionHandle): Promise<string> {
  const files = new ReadableFiles(session);
  return (await readableProblems(allProblems(), files)).map(problemText).join('\n') + files.note;
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
    call: async ({ paths, glob, min_severity: least = 'warning', source, limit = DEFAULT_PROBLEM_LIMIT }, context) => {
      const { session, signal } = context;
      const files = new ReadableFiles(session);
      const uris = await namedFiles(paths, context, files);
      const isRequested = ({ severity, source: from }: Problem): boolean =>
        SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least) && (source === undefined || from === source);
      const { value: all, hasSettled: isComplete } = await collectDiagnostics(
        uris ?? [],
        uris ? DIAGNOSTICS_SETTLE_MS : 0,
        signal,
        allProblems,
      );
      const found = inFiles(all, uris).filter(isRequested).filter(pathFilter(glob)).toSorted(worstFirst);
      const problems = (await readableProblems(found, files, limit)).map(shownProblem);
      const structured = {
        problems,
        total: found.length,
        truncated: found.length > limit,
        settled: isComplete,
        baseline: baselines.add(session.id, all),
      };
      return { text: listText(problems, found.length, structured.settled) + files.note, structured };
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
    call: async ({ baseline = 'turn', paths, wait_ms: wait = DIAGNOSTICS_SETTLE_MS }, context) => {
      const { session, signal } = context;
      const files = new ReadableFiles(session);
      const before = baselines.get(session.id, baseline);
      if (!before) throw new ToolError(`There is no baseline ${JSON.stringify(baseline)}.`, 'Use "turn" or "session".');
      const uris = await namedFiles(paths, context, files);
      const { value: all, hasSettled: isComplete } = await collectDiagnostics(
        uris ?? openUris(),
        wait,
        signal,
        allProblems,
      );
      const change = diffProblems(inFiles(before, uris), inFiles(all, uris));
      const added = await readableProblems(change.added, files, DEFAULT_PROBLEM_LIMIT);
      const fixed = await readableProblems(change.fixed, files, DEFAULT_PROBLEM_LIMIT);
      const structured = {
        new: added.map(shownProblem),
        fixed: fixed.map(shownProblem),
        remaining: change.remaining,
        settled: isComplete,
        truncated: Math.max(change.added.length, change.fixed.length) > DEFAULT_PROBLEM_LIMIT,
        baseline: baselines.add(session.id, all),
      };
      return { text: sinceText(structured) + files.note, structured };
    },
  });
}

/** The files that the agent named; one alone that may not be read is an error, of several it is left out. */
async function namedFiles(
  paths: readonly string[] | undefined,
  context: ToolContext,
  files: ReadableFiles,
): Promise<readonly vscode.Uri[] | undefined> {
  const uris = paths?.map((path) => resolveWorkspaceFile(path, context.session).uri);
  return uris && files.request(uris, context);
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

function listText(problems: readonly ShownProblem[], total: number, isComplete: boolean): string {
  const head =
    total === 0
      ? 'No problems.'
      : `${total} problems${total > problems.length ? `, the first ${problems.length}` : ''}:`;
  const tail = isComplete ? '' : '\nThe language servers were still at work; ask again for the rest.';
  return [head, ...problems.map(problemText)].join('\n') + tail;
}

function sinceText(change: {
  readonly new: readonly ShownProblem[];
  readonly fixed: readonly ShownProblem[];
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
