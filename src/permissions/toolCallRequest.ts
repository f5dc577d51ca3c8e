import { isAbsolute, resolve } from 'node:path';
import type { ToolEntry } from '../shared/state/toolCallState';
import { toolCommand, toolEnv, toolCwd, toolPaths } from '../shared/text/toolInput';
import { DEFAULT_SHELL, withRealPaths } from './permissionPolicy';
import type { RuleCommand, RuleRequest } from './rules/ruleRequest';
import { inputTool, leadingTool } from './rules/toolNames';

/** Why all commands of a session need approval, even inside the workspace. */
export type Confinement = 'untrusted' | 'remote';

/** The session's part of a rule request. */
export interface RequestingSession {
  readonly agent: string;
  /** Absolute; relative paths and commands start there. The first folder if undefined. */
  readonly cwd?: string;
  readonly folders: readonly string[];
  readonly confined: Confinement | undefined;
  /** The agent and its commands come with Parley: the commands need not be readable. */
  readonly isBuiltIn?: boolean;
}

/**
 * Converts an agent's tool call: its command comes from the raw input, its paths from locations, diffs and the raw
 * input.
 */
export function toRuleRequest(
  tool: Pick<ToolEntry, 'title' | 'name' | 'tool' | 'content' | 'locations' | 'rawInput'>,
  title: string,
  session: RequestingSession,
): RuleRequest {
  const { rawInput } = tool;
  const { cwd, folders, agent, confined } = session;
  const from = (path: string): string => (isAbsolute(path) ? path : resolve(cwd ?? folders[0] ?? '/', path));
  const diffs = tool.content.flatMap((content) => (content.type === 'diff' ? [content.path] : []));
  const reported = toolPaths(rawInput);
  const command = toCommand(tool, reported, from);
  const paths = [...diffs, ...tool.locations.map(({ path }) => path), ...reported].map(from);
  // The title of a command is often its line, in which a tool's name has no meaning.
  const isName = command === undefined || !/\s/.test(tool.title.trim());
  const called = [isName ? tool.title : leadingTool(tool.title), tool.name, inputTool(rawInput).name].flatMap(
    (name) => name || [],
  );
  return withRealPaths({
    kind: kindOf(tool, command !== undefined, diffs.length > 0),
    title,
    agent,
    called,
    ...(confined === 'untrusted' && { isUntrusted: true as const }),
    ...(command && { command }),
    paths,
    folders,
    ...(cwd !== undefined && { cwd }),
  });
}

/** A call with a diff edits, and one with a command executes, whatever kind the agent reports. */
function kindOf({ tool }: Pick<ToolEntry, 'tool'>, hasCommand: boolean, hasDiff: boolean): RuleRequest['kind'] {
  if (hasCommand) return 'execute';
  return hasDiff && tool !== 'delete' && tool !== 'move' ? 'edit' : tool;
}

function toCommand(
  { tool, rawInput }: Pick<ToolEntry, 'tool' | 'rawInput'>,
  paths: readonly string[],
  from: (path: string) => string,
): RuleCommand | undefined {
  const command = toolCommand(rawInput);
  if (!command) return undefined;
  // The edit tool of some agents has "command": "str_replace" besides the path: the name of an edit, not of a program.
  if (tool !== 'execute' && paths.length > 0 && 'line' in command && /^[a-z_]+$/.test(command.line)) return undefined;
  const folder = toolCwd(rawInput);
  const env = toolEnv(rawInput);
  return { ...command, shell: DEFAULT_SHELL, ...(folder !== undefined && { cwd: from(folder) }), ...(env && { env }) };
}
