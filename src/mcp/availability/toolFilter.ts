import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';
import { matchesWildcard } from '../../permissions/rules/wildcard';

/** What the user has switched off, beside the rules. */
export interface ToolSwitches {
  /** Only trusted workspaces get any server. */
  readonly isTrusted: boolean;
  /** Whether the server is enabled; servers without a switch always are. */
  isOn(server: string): boolean;
  readonly toolsOff?: ReadonlySet<string>;
}

/** The availability rules of one agent. Patterns match whole ids; `*` matches any characters. */
export interface ToolRules extends ToolSwitches {
  /** `parley.agents.<name>.mcp.servers`: undefined means all enabled servers, an empty list none. */
  readonly agentServers?: readonly string[];
  /** All `deny` lists, joined. */
  readonly deny: readonly string[];
  /** The global list and the agent's. A non-empty list is exhaustive: what it does not match is unavailable. */
  readonly allow: readonly (readonly string[])[];
}

/** The first reason that applies. */
type UnavailableReason =
  | { readonly why: 'untrusted' }
  | { readonly why: 'off' }
  | { readonly why: 'notForAgent' }
  | { readonly why: 'denied'; readonly pattern: string }
  | { readonly why: 'notAllowed' }
  | { readonly why: 'excluded' }
  | { readonly why: 'toolOff' };

export function toolId(server: string, tool: string): string {
  return `${server}__${tool}`;
}

/** Why a whole server is unavailable, if so. `<server>__*` in `deny` also withholds its resources and prompts. */
export function serverUnavailable(server: string, rules: ToolRules): UnavailableReason | undefined {
  if (!rules.isTrusted) return { why: 'untrusted' };
  if (!rules.isOn(server)) return { why: 'off' };
  if (rules.agentServers && !rules.agentServers.includes(server)) return { why: 'notForAgent' };
  // Covers every tool: the pattern is the server's name with a wildcard, or matches everything.
  const pattern = rules.deny.find((denied) => denied.endsWith('*') && matchesWildcard(denied, toolId(server, '')));
  return pattern === undefined ? undefined : { why: 'denied', pattern };
}

/** Why a tool is unavailable, if so. Order: server, its entry, deny, allow, the tool's own switch. */
export function toolUnavailable(
  server: string,
  tool: { readonly name: string; readonly isExcluded?: boolean },
  rules: ToolRules,
): UnavailableReason | undefined {
  const reason = serverUnavailable(server, rules);
  if (reason) return reason;
  if (tool.isExcluded === true) return { why: 'excluded' };
  const id = toolId(server, tool.name);
  const pattern = rules.deny.find((denied) => matchesWildcard(denied, id));
  if (pattern !== undefined) return { why: 'denied', pattern };
  const isExcluded = rules.allow.some(
    (list) => list.length > 0 && !list.some((allowed) => matchesWildcard(allowed, id)),
  );
  if (isExcluded) return { why: 'notAllowed' };
  // Checked last: a rule is the better reason, because the switch could not change it.
  return rules.toolsOff?.has(id) ? { why: 'toolOff' } : undefined;
}

/** Short text for the panel and the log. */
export function unavailableText(reason: UnavailableReason): string {
  switch (reason.why) {
    case 'untrusted':
      return t('the workspace is not trusted');
    case 'off':
    case 'toolOff':
      return t('Off');
    case 'notForAgent':
      return t('not available to this agent (mcp.servers)');
    case 'denied':
      return t('denied by {0}', JSON.stringify(reason.pattern));
    case 'excluded':
      return t('excluded by the entry of its server');
    case 'notAllowed':
      return t('not in the list of allowed tools');
    default:
      return assertNever(reason);
  }
}
