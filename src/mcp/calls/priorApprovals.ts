// Protected by test/unit/permissions/oneSubject.test.ts: an answer covers only the subject that the request shows.
import type { Clock } from '../../base/clock';
import { canonicalJson } from '../../base/json';
import { leadingTool } from '../../permissions/rules/toolNames';
import { shownName, toolSubject } from '../../permissions/subject/toolSubject';
import type { AgreedCall } from '../../session/sessionHandle';
import type { ToolServers } from '../contract/toolServerRegistry';

/** Milliseconds that an approval of the agent's own permission request covers the tool call that follows. */
const VALID_MS = 60_000;

/**
 * Approvals of the agent's own permission requests: a tool call that the agent has already asked about is not asked about again. Each
 * approval is used once.
 */
export class PriorApprovals {
  /** Ids of used requests and when they were used; after a minute the approval itself has expired. */
  readonly #used = new Map<string, number>();

  /**
   * @param clock as for {@link AgreedCall.at}
   * @param servers all whose tools an approval may mean
   */
  constructor(
    private readonly clock: Clock,
    private readonly servers: ToolServers,
  ) {}

  #markUsed(permissionId: string): void {
    const now = this.clock.elapsed();
    for (const [id, at] of this.#used) if (at < now - VALID_MS) this.#used.delete(id);
    this.#used.set(permissionId, now);
  }

  /**
   * Uses the approval of exactly this call, if the user gave one within the last minute.
   * @param agreed what the user has seen and approved
   * @param title the title of a tool of Parley, which some agents show in place of its name; a server chooses those of its tools
   */
  consume(agreed: readonly AgreedCall[], server: string, tool: string, input: unknown, title?: string): boolean {
    const oldest = this.clock.elapsed() - VALID_MS;
    const isUsable = (call: AgreedCall): boolean =>
      !this.#used.has(call.permissionId) &&
      call.at >= oldest &&
      isCallOf(call, { server, tool, title, input }) &&
      !this.#isAmbiguous(call, server, tool, title);
    const found = agreed.find(isUsable);
    if (found) this.#markUsed(found.permissionId);
    return found !== undefined;
  }

  /** Whether the approval may mean another tool: `mcp_a_b_c` is the tool `c` of `a_b`, and `b_c` of `a`. */
  #isAmbiguous(call: AgreedCall, server: string, tool: string, title: string | undefined): boolean {
    // Several tools may have one title, which does not matter with a name beside it.
    const isMeant = isNamed({ ...call, title: '' }, server, tool, title) ? isNamed : isTool;
    return this.servers
      .list()
      .some(({ name, server: { tools } }) =>
        tools.some((other) => (name !== server || other.name !== tool) && isMeant(call, name, other.name, other.title)),
      );
  }
}

/** A server selects its tools' titles: such a title would use an approval of another server's tool. */
const LOOKS_LIKE_TOOL_NAME = /^\S+$|__|[/.]|MCP Server\)$/;

interface Call {
  readonly server: string;
  readonly tool: string;
  readonly title: string | undefined;
  readonly input: unknown;
}

function isCallOf(call: AgreedCall, { server, tool, title, input }: Call): boolean {
  const subject = toolSubject(call);
  if (subject.type !== 'tool') return false;
  return isTool(call, server, tool, title) && canonicalJson(subject.args ?? {}) === canonicalJson(input ?? {});
}

function isTool(call: AgreedCall, server: string, tool: string, title: string | undefined): boolean {
  if (isNamed(call, server, tool, title)) return true;
  // The title alone (Copilot), which is ambiguous without arguments.
  return (
    title !== undefined &&
    call.title === title &&
    call.rawInput !== undefined &&
    // A plan is shown instead of the arguments.
    call.tool !== 'switch_mode' &&
    !LOOKS_LIKE_TOOL_NAME.test(title)
  );
}

/** Also for the tool's title with its server (Codex by Zed). */
function isNamed(call: AgreedCall, server: string, tool: string, title: string | undefined): boolean {
  const subject = toolSubject(call);
  const name = subject.type === 'tool' ? subject.name : undefined;
  const names = [call.title, shownName(call), name];
  // One request names one tool, in whatever form.
  const isOther = (given = ''): boolean => leadingTool(given) !== undefined && !isToolName(given, server, tool);
  if (names.some(isOther)) return false;
  return (
    names.some((given) => given !== undefined && isToolName(given, server, tool)) ||
    (title !== undefined && name === `${server}/${title}`)
  );
}

/**
 * Forms that agents use: `mcp__server__tool`, `mcp_server_tool`, `server__tool`, `server-tool`, `server/tool`, `server.tool`, `tool (server
 * MCP Server)`.
 */
export function isToolName(name: string, server: string, tool: string): boolean {
  const given = name.trim();
  const prefixed = [`mcp__${server}__${tool}`, `mcp_${server}_${tool}`, `${server}__${tool}`, `${server}_${tool}`];
  const others = [
    `${server}-${tool}`,
    `${server}/${tool}`,
    `${server}.${tool}`,
    `${tool} (${server} MCP Server)`,
    `Tool: ${server}/${tool}`,
    `mcp__${server}/${tool}`,
  ];
  return [...prefixed, ...others].includes(given);
}
