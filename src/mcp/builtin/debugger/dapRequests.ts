import type * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors';
import type { JsonObject } from '../../../base/json';
import { asString, isObject } from '../../../base/json';
import { truncate } from '../../../base/text';
import { ToolError } from '../../contract/toolServerTypes';

/** Limits of a result: children of one variable, and UTF-16 units of a value. */
const MAX_CHILDREN = 50;
const MAX_VALUE = 300;

/** One stack frame from the adapter; the line is 1-based, as VS Code asks adapters for that. */
export interface Frame {
  readonly id: number;
  readonly name: string;
  readonly path?: string;
  readonly line: number;
}

interface Variable {
  /** Qualified, such as `user.name`. */
  readonly name: string;
  readonly value: string;
  readonly type?: string;
}

export function noDebugSession(cause?: unknown): ToolError {
  return new ToolError('Nothing is being debugged.', 'Start a configuration first.', { cause });
}

/**
 * Sends a request to a debug adapter.
 * @throws ToolError with the adapter's message
 */
export async function dapRequest(session: vscode.DebugSession, command: string, args: JsonObject): Promise<JsonObject> {
  try {
    const answer: unknown = await session.customRequest(command, args);
    return isObject(answer) ? answer : {};
  } catch (error) {
    // VS Code briefly keeps a session whose adapter has ended.
    if (/No debugger available/.test(errorMessage(error))) throw noDebugSession(error);
    const reason = errorMessage(error).replace(/\.$/, '');
    throw new ToolError(`The debugger refused ${command}: ${reason}.`, 'Look at the state first.', { cause: error });
  }
}

export async function threadsOf(
  session: vscode.DebugSession,
): Promise<{ readonly id: number; readonly name: string }[]> {
  const { threads } = await dapRequest(session, 'threads', {});
  return objects(threads).flatMap(({ id, name }) => {
    return typeof id === 'number' ? [{ id, name: asString(name) ?? String(id) }] : [];
  });
}

/**
 * The stack frames of a thread.
 * @throws ToolError while the thread runs
 */
export async function framesOf(session: vscode.DebugSession, threadId: number, levels: number): Promise<Frame[]> {
  const { stackFrames } = await dapRequest(session, 'stackTrace', { threadId, startFrame: 0, levels });
  return objects(stackFrames)
    .slice(0, levels)
    .flatMap(({ id, name, line, source }) => {
      if (typeof id !== 'number') return [];
      const path = isObject(source) ? asString(source['path']) : undefined;
      const location = { line: typeof line === 'number' ? line : 0, ...(path !== undefined && { path }) };
      return [{ id, name: asString(name) ?? '', ...location }];
    });
}

export interface VariablesRequest {
  /** 1: variables of the scope; 2: also their children. */
  readonly depth: number;
  /** Part of a name, case-insensitive. */
  readonly filter: string | undefined;
  /** Limit per scope. */
  readonly limit: number;
}

/** The variables of a frame by scope. Expensive scopes (globals, modules) are read only with a filter. */
export async function scopesOf(
  session: vscode.DebugSession,
  frameId: number,
  request: VariablesRequest,
): Promise<{ name: string; variables: Variable[]; truncated: boolean }[]> {
  const { scopes } = await dapRequest(session, 'scopes', { frameId });
  const chosen = objects(scopes).filter(({ expensive }) => expensive !== true || request.filter !== undefined);
  return Promise.all(
    chosen.map(async ({ name, variablesReference }) => {
      const found = await children(session, variablesReference, request);
      const variables = found.slice(0, request.limit);
      return { name: asString(name) ?? '', variables, truncated: found.length > variables.length };
    }),
  );
}

async function children(
  session: vscode.DebugSession,
  reference: unknown,
  { depth, filter, limit }: VariablesRequest,
  parent = '',
): Promise<Variable[]> {
  if (typeof reference !== 'number' || reference <= 0 || depth <= 0) return [];
  const { variables } = await dapRequest(session, 'variables', { variablesReference: reference });
  const named = objects(variables).map((variable) => ({ variable, name: nameIn(parent, variable) }));
  const matchesFilter = ({ name }: { name: string }): boolean =>
    filter === undefined || name.toLowerCase().includes(filter.toLowerCase());
  const chosen = named.filter(matchesFilter).slice(0, parent === '' ? limit + 1 : MAX_CHILDREN);
  const inner = { depth: depth - 1, filter: undefined, limit };
  const all = await Promise.all(
    chosen.map(async ({ variable, name }) => {
      const found = await children(session, variable['variablesReference'], inner, name);
      return [toVariable(name, variable)].concat(found);
    }),
  );
  return all.flat();
}

function nameIn(parent: string, { name }: JsonObject): string {
  const own = asString(name) ?? '';
  if (parent === '') return own;
  return /^[\d[]/.test(own) ? `${parent}[${own.replaceAll(/^\[|\]$/g, '')}]` : `${parent}.${own}`;
}

function toVariable(name: string, { value, type }: JsonObject): Variable {
  return {
    name,
    value: truncate(asString(value) ?? '', MAX_VALUE),
    ...(typeof type === 'string' && type !== '' && { type }),
  };
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter((item): item is JsonObject => isObject(item)) : [];
}
