import { t } from '../base/l10n';
import { stableJson } from './audit';
import { readCommand } from './rules/facts';
import type { RuleRequest } from './rules/request';
import { onlyReads } from './rules/request';
import { tellingVariables } from './rules/variables';

/** An approval of a tool call counts so long, in milliseconds, and once (tool-servers: rules). */
const TOOL_APPROVAL = 60_000;

/**
 * What the person has allowed in a session, beyond rules: for the turn by answering the agent's question, so that the same file or command is
 * not asked about again when the agent then uses it; for the session by answering a question of Parley's own.
 */
export class Grants {
  readonly #turn = new Set<string>();
  readonly #session = new Set<string>();
  /** When each expires. */
  readonly #tools = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The agent's question was answered with yes. @param input arguments of the tool call */
  approve(request: RuleRequest, input: unknown): void {
    for (const key of keysOf(request)) this.#turn.add(key);
    for (const [key, expires] of this.#tools) if (expires <= this.#now()) this.#tools.delete(key);
    if (request.tool !== undefined) this.#tools.set(toolKey(request.tool, input), this.#now() + TOOL_APPROVAL);
  }

  /** A question of Parley's own was answered with "for this session". */
  remember(request: RuleRequest): void {
    for (const key of keysOf(request)) this.#session.add(key);
  }

  /** Why a request needs no question; undefined when it does. An approved call of a tool is used up by this. */
  reasonFor(request: RuleRequest, input: unknown): string | undefined {
    const keys = keysOf(request);
    if (keys.length > 0 && keys.every((key) => this.#session.has(key))) return t('you allowed it for this session');
    if (request.tool !== undefined) return this.#useTool(toolKey(request.tool, input));
    return keys.length > 0 && keys.every((key) => this.#turn.has(key)) ? t('you approved it in this turn') : undefined;
  }

  endTurn(): void {
    this.#turn.clear();
  }

  #useTool(key: string): string | undefined {
    const expires = this.#tools.get(key);
    this.#tools.delete(key);
    return expires !== undefined && this.#now() < expires ? t('you approved this call just now') : undefined;
  }
}

/** What a request stands for: each file and what is done to it, the command, or the tool. */
function keysOf({ kind, paths, command, tool, folders }: RuleRequest): readonly string[] {
  if (command) {
    const { commands, redirects, problem } = readCommand(command);
    const [only, ...more] = commands;
    // "npm test" as a line, and as a program with an argument, are the same.
    const isPlain = only && more.length === 0 && redirects.length === 0 && problem === undefined;
    const what = isPlain ? stableJson(only) : `line ${command.line ?? stableJson(command.argv)}`;
    const variables = tellingVariables(command);
    const where = `in ${command.cwd ?? folders[0] ?? ''}`;
    return [`command ${what} ${where}${variables ? ` with ${stableJson(variables)}` : ''}`];
  }
  if (tool !== undefined) return [`tool ${tool}`];
  // Who may write a file may read it, never the reverse: what a page was fetched into the person was not asked to have written.
  return paths.flatMap((path) => (onlyReads(kind) ? [`read ${path}`] : [`read ${path}`, `write ${path}`]));
}

/** Agents write `mcp__server__tool` and `mcp_server_tool`. */
function toolKey(tool: string, input: unknown): string {
  return `${tool.replaceAll('__', '_')} ${stableJson(input ?? {})}`;
}
