import * as vscode from 'vscode';
import { asString } from '../../../base/json';
import { truncate } from '../../../base/text';
import type { Tool, ToolServer, Zod } from '../../contract/toolServerTypes';
import { tool, ToolError } from '../../contract/toolServerTypes';
import { resolveWorkspaceFile } from '../common/workspaceFile';
import { dapRequest, framesOf, noDebugSession } from './dapRequests';
import { controlTool } from './debugControlTool';
import type { DebugSessionMonitor } from './debugSessionMonitor';
import { activeThread, breakpoints, breakpointSchema, debugStateTool } from './debugStateTool';

/** UTF-16 units of a value in a result. */
const MAX_VALUE = 10_000;

/** Tools for the debugger, which the user and the agent share. */
export function debuggerServer(watch: DebugSessionMonitor): ToolServer {
  return {
    name: 'debugger',
    title: 'Debugger',
    description: 'Debugs the program: breakpoints, steps, frames, variables and expressions',
    instructions: 'Set breakpoints, start a configuration with control, then look at state when it has stopped.',
    tools: [debugStateTool(watch), breakpointTool(), controlTool(watch), evaluateTool(watch)],
  };
}

function breakpointTool(): Tool {
  return tool({
    name: 'breakpoint',
    title: 'Set or remove a breakpoint',
    description:
      'Adds a breakpoint to a line of a file, or removes those on it. A condition is code: the user is asked.',
    annotations: { idempotentHint: true },
    approval: 'policy',
    asksItself: true,
    input: breakpointInput,
    output: (z) => z.object({ breakpoints: z.array(breakpointSchema(z)) }),
    call: async ({ op, path, line, condition }, { session, approve }) => {
      const { uri, label } = resolveWorkspaceFile(path, session);
      const document = await vscode.workspace.openTextDocument(uri);
      if (line > document.lineCount) {
        throw new ToolError(`${label} has ${document.lineCount} lines.`, 'Choose another line.');
      }
      const when = condition === undefined ? '' : ` when ${truncate(condition, 200)}`;
      const what = op === 'add' ? 'Set a breakpoint' : 'Remove the breakpoints';
      await approve({ title: `${what} at ${label}:${line}${when}`, always: condition !== undefined });
      setBreakpoint(uri, line, op === 'add' ? { condition } : undefined);
      const all = breakpoints();
      const lines = all.map(
        (one) => `${one.path}:${one.line}${one.condition === undefined ? '' : ` if ${one.condition}`}`,
      );
      return { text: lines.join('\n') || 'There are no breakpoints.', structured: { breakpoints: all } };
    },
  });
}

/** Replaces the breakpoints of a line; without one, removes them. */
function setBreakpoint(
  uri: vscode.Uri,
  line: number,
  set: { readonly condition: string | undefined } | undefined,
): void {
  vscode.debug.removeBreakpoints(sourceBreakpoints().filter((one) => isAt(one, uri, line)));
  if (!set) return;
  const location = new vscode.Location(uri, new vscode.Position(line - 1, 0));
  vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(location, true, set.condition)]);
}

function breakpointInput(z: Zod) {
  return z.object({
    op: z.enum(['add', 'remove']),
    path: z.string().describe('File, relative to a workspace folder'),
    line: z.int().min(1).describe('1-based'),
    condition: z.string().min(1).optional().describe('Stop only when this expression is true'),
  });
}

function sourceBreakpoints(): vscode.SourceBreakpoint[] {
  return vscode.debug.breakpoints.filter((one) => one instanceof vscode.SourceBreakpoint);
}

function isAt({ location }: vscode.SourceBreakpoint, uri: vscode.Uri, line: number): boolean {
  return location.uri.toString() === uri.toString() && location.range.start.line === line - 1;
}

function evaluateTool(watch: DebugSessionMonitor): Tool {
  return tool({
    name: 'evaluate',
    title: 'Evaluate an expression',
    description: 'Evaluates an expression in the stopped program. It is code that runs there.',
    annotations: { destructiveHint: true, openWorldHint: true },
    approval: 'always',
    asksItself: true,
    input: (z) =>
      z.object({
        expression: z.string().min(1),
        frame_id: z.int().optional().describe('A frame of state; the innermost one when absent'),
      }),
    output: (z) => z.object({ value: z.string(), type: z.string().optional(), truncated: z.boolean() }),
    call: async ({ expression, frame_id: given }, { approve }) => {
      const session = vscode.debug.activeDebugSession;
      if (!session) throw noDebugSession();
      await approve({ title: `Evaluate in ${session.name}: ${truncate(expression, 300)}` });
      const frameId = given ?? (await innermostFrame(session, watch));
      const answer = await dapRequest(session, 'evaluate', {
        expression,
        context: 'watch',
        ...(frameId !== undefined && { frameId }),
      });
      const whole = asString(answer['result']) ?? '';
      const type = asString(answer['type']);
      const value = truncate(whole, MAX_VALUE);
      const structured = { value, truncated: value !== whole, ...(type !== undefined && { type }) };
      return { text: `${expression} = ${value}`, structured };
    },
  });
}

/** Undefined when nothing has stopped: the adapter then evaluates globally or refuses. */
async function innermostFrame(session: vscode.DebugSession, watch: DebugSessionMonitor): Promise<number | undefined> {
  const phase = watch.phase(session);
  const threadId = (phase?.kind === 'stopped' ? phase.threadId : undefined) ?? activeThread(session);
  if (threadId === undefined || phase?.kind === 'running') return undefined;
  const [frame] = await framesOf(session, threadId, 1);
  return frame?.id;
}
