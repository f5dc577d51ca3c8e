import * as vscode from 'vscode';
import type { ToolContext } from '../../../session/toolServer';
import type { Tool, Zod } from '../../contract/toolServerTypes';
import { tool, ToolError } from '../../contract/toolServerTypes';
import { labelOf } from '../common/workspaceFile';
import type { Frame, VariablesRequest } from './dapRequests';
import { framesOf, scopesOf, threadsOf } from './dapRequests';
import type { DebugPhase, DebugSessionMonitor } from './debugSessionMonitor';

const MAX_FRAMES = 10;
const MAX_VARIABLES = 60;

export function debugStateTool(watch: DebugSessionMonitor): Tool {
  return tool({
    name: 'state',
    title: 'State of the debugger',
    description: 'Where the debugged program stands: threads, frames, variables, breakpoints and the end of its output',
    annotations: { readOnlyHint: true },
    approval: 'free',
    input: (z) =>
      z.object({
        frames: z.int().min(1).max(50).optional().describe(`At most so many frames; ${MAX_FRAMES} when absent`),
        frame_id: z.int().optional().describe('Variables of this frame; of the innermost one when absent'),
        variables_depth: z.int().min(0).max(2).optional().describe('0: none, 1 (when absent), 2: also what is in them'),
        filter: z
          .string()
          .optional()
          .describe('Only variables whose name contains this; also looks into globals and modules'),
        thread_id: z.int().optional().describe('The frames of this thread; of the stopped one when absent'),
      }),
    output: stateOutput,
    call: async (input, { signal }) => {
      const session = vscode.debug.activeDebugSession;
      if (!session) {
        const text = 'Nothing is being debugged.';
        return { text, structured: { state: 'none' as const, breakpoints: breakpoints() } };
      }
      return describe(session, watch, input, signal);
    },
  });
}

interface Detail {
  readonly frames?: number | undefined;
  readonly frame_id?: number | undefined;
  readonly variables_depth?: number | undefined;
  readonly filter?: string | undefined;
  readonly thread_id?: number | undefined;
}

/** Output of `state` and `control`. */
export function stateOutput(z: Zod) {
  return z.object({
    state: z.enum(['none', 'running', 'stopped', 'ended']),
    session: z.object({ id: z.string(), name: z.string(), type: z.string() }).optional(),
    reason: z.string().optional().describe('Why it stopped, such as breakpoint, step or exception'),
    text: z.string().optional(),
    exit_code: z.int().optional(),
    thread_id: z.int().optional(),
    threads: z.array(z.object({ id: z.int(), name: z.string() })).optional(),
    frames: z
      .array(z.object({ frame_id: z.int(), name: z.string(), path: z.string().optional(), line: z.int() }))
      .optional(),
    scopes: z
      .array(
        z.object({
          name: z.string(),
          variables: z.array(z.object({ name: z.string(), value: z.string(), type: z.string().optional() })),
          truncated: z.boolean(),
        }),
      )
      .optional(),
    output_tail: z.string().optional(),
    breakpoints: z.array(breakpointSchema(z)),
  });
}

export function breakpointSchema(z: Zod) {
  return z.object({ path: z.string(), line: z.int(), enabled: z.boolean(), condition: z.string().optional() });
}

/** The breakpoints in workspace files, shared by user and agent. */
export function breakpoints() {
  return vscode.debug.breakpoints
    .filter((breakpoint) => breakpoint instanceof vscode.SourceBreakpoint)
    .filter(({ location }) => vscode.workspace.getWorkspaceFolder(location.uri))
    .map(toBreakpoint);
}

function toBreakpoint({ location, enabled, condition }: vscode.SourceBreakpoint) {
  return {
    path: labelOf(location.uri),
    line: location.range.start.line + 1,
    enabled,
    ...(condition !== undefined && condition !== '' && { condition }),
  };
}

/**
 * Describes a debug session.
 * @param detail how much of it
 */
export async function describe(
  session: vscode.DebugSession,
  watch: DebugSessionMonitor,
  detail: Detail,
  signal: ToolContext['signal'],
) {
  const phase = watch.phase(session);
  const { id, name, type } = session;
  const output = watch.output(session);
  const shared = {
    session: { id, name, type },
    breakpoints: breakpoints(),
    ...(output !== '' && { output_tail: output }),
  };
  if (phase?.kind === 'ended') {
    const exit = phase.exitCode === undefined ? {} : { exit_code: phase.exitCode };
    return { text: `${name} has ended.`, structured: { ...shared, state: 'ended' as const, ...exit } };
  }
  const threads = await threadsOf(session);
  const at = phase?.kind === 'running' ? undefined : await stoppedAt(session, threads, phase, detail);
  if (signal.aborted) throw new ToolError('The call was ended.');
  if (!at) return { text: `${name} is running.`, structured: { ...shared, state: 'running' as const, threads } };
  const frames = at.frames.map(toFrame);
  const scopes = await variablesOf(session, at.frames, detail);
  const why = whyOf(phase);
  const structured = { ...shared, ...why, state: 'stopped' as const, thread_id: at.threadId, threads, frames, scopes };
  const lines = frames.map((frame) => `#${frame.frame_id} ${frame.name} ${frame.path ?? ''}:${frame.line}`);
  const variables = scopes.flatMap((scope) => scope.variables.map((one) => `${one.name} = ${one.value}`));
  const head = `${name} is stopped${why.reason === undefined ? '' : ` (${why.reason})`}.`;
  return { text: [head, ...lines, ...variables].join('\n'), structured };
}

function whyOf(phase: DebugPhase | undefined): { readonly reason?: string; readonly text?: string } {
  if (phase?.kind !== 'stopped') return {};
  return { reason: phase.reason, ...(phase.text !== undefined && { text: phase.text }) };
}

interface StoppedAt {
  readonly threadId: number;
  readonly frames: readonly Frame[];
}

/** The requested thread and its frames; undefined when none has stopped. */
async function stoppedAt(
  session: vscode.DebugSession,
  threads: readonly { readonly id: number }[],
  phase: DebugPhase | undefined,
  { thread_id: requestedId, frames: levels = MAX_FRAMES }: Detail,
): Promise<StoppedAt | undefined> {
  const threadId = requestedId ?? (phase?.kind === 'stopped' ? phase.threadId : undefined) ?? activeThread(session);
  if (threadId !== undefined) return { threadId, frames: await framesOf(session, threadId, levels) };
  for (const { id } of threads) {
    // Adapters refuse this for a running thread.
    const frames = await framesOf(session, id, levels).catch(() => []);
    if (frames.length > 0) return { threadId: id, frames };
  }
  return undefined;
}

/** The thread selected in the UI. */
export function activeThread(session: vscode.DebugSession): number | undefined {
  const item = vscode.debug.activeStackItem;
  return item?.session === session ? item.threadId : undefined;
}

async function variablesOf(session: vscode.DebugSession, frames: readonly Frame[], detail: Detail) {
  const { frame_id: requestedId, variables_depth: depth = 1, filter } = detail;
  const frameId = requestedId ?? frames[0]?.id;
  if (frameId === undefined || depth === 0) return [];
  const limits: VariablesRequest = { depth, filter, limit: MAX_VARIABLES };
  return scopesOf(session, frameId, limits);
}

function toFrame({ id, name, path, line }: Frame) {
  return { frame_id: id, name, line, ...(path !== undefined && { path: sourceLabel(path) }) };
}

/** Adapters give paths, which VS Code turns into URIs when it runs remotely. */
function sourceLabel(path: string): string {
  if (!/^[a-z][\w+.-]+:\/\//i.test(path)) return labelOf(vscode.Uri.file(path));
  const uri = vscode.Uri.parse(path);
  return labelOf(uri.scheme === 'vscode-remote' ? vscode.Uri.file(uri.path) : uri);
}
