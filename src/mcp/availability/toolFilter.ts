import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';
import { matchesWildcard } from '../../permissions/rules/wildcard';

/** The rules about what one agent is offered. Patterns stand for whole ids, `*` for any characters. */
export interface ToolRules {
  /** Only trusted workspaces get any server. */
  readonly trusted: boolean;
  /** Names of the servers that are switched on; undefined: this server needs no switch. */
  isOn(server: string): boolean;
  /** `parley.agents.<name>.mcp.servers`: absent is all that are on, an empty list is none. */
  readonly agentServers?: readonly string[];
  /** All denies together: they unite. */
  readonly deny: readonly string[];
  /** Ids of tools that the user has switched off here. */
  readonly toolsOff?: ReadonlySet<string>;
  /** Each list that is not empty is closed: what it does not match is not offered. The global one and the agent's. */
  readonly allow: readonly (readonly string[])[];
}

/** Why a server or tool is not offered: the first reason that holds. */
export type UnavailableReason =
  | { readonly why: 'untrusted' }
  | { readonly why: 'off' }
  | { readonly why: 'notForAgent' }
  | { readonly why: 'denied'; readonly pattern: string }
  | { readonly why: 'notAllowed' }
  | { readonly why: 'toolOff' };

/** The id of a tool in rules, logs and questions. */
export function toolId(server: string, tool: string): string {
  return `${server}__${tool}`;
}

/** Why a whole server is not offered; undefined when it is. `<server>__*` in deny withholds its resources and prompts too. */
export function serverUnavailable(server: string, rules: ToolRules): UnavailableReason | undefined {
  if (!rules.trusted) return { why: 'untrusted' };
  if (!rules.isOn(server)) return { why: 'off' };
  if (rules.agentServers && !rules.agentServers.includes(server)) return { why: 'notForAgent' };
  // Whatever the tool: a pattern that ends the server's name with a wildcard, or stands for everything.
  const pattern = rules.deny.find((denied) => denied.endsWith('*') && matchesWildcard(denied, toolId(server, '')));
  return pattern === undefined ? undefined : { why: 'denied', pattern };
}

/** Why a tool is not offered; undefined when it is. Server, deny, allow, the tool's own switch, in this order. */
export function toolUnavailable(server: string, tool: string, rules: ToolRules): UnavailableReason | undefined {
  const withheld = serverUnavailable(server, rules);
  if (withheld) return withheld;
  const id = toolId(server, tool);
  const pattern = rules.deny.find((denied) => matchesWildcard(denied, id));
  if (pattern !== undefined) return { why: 'denied', pattern };
  const closed = rules.allow.some((list) => list.length > 0 && !list.some((allowed) => matchesWildcard(allowed, id)));
  if (closed) return { why: 'notAllowed' };
  // Last: a rule is the better reason, which the switch could not change.
  return rules.toolsOff?.has(id) ? { why: 'toolOff' } : undefined;
}

/** The reason in a few words, for the panel and the log. */
export function unavailableText(withheld: UnavailableReason): string {
  switch (withheld.why) {
    case 'untrusted':
      return t('the workspace is not trusted');
    case 'off':
    case 'toolOff':
      return t('switched off');
    case 'notForAgent':
      return t('not given to this agent (mcp.servers)');
    case 'denied':
      return t('denied by {0}', JSON.stringify(withheld.pattern));
    case 'notAllowed':
      return t('not in the list of allowed tools');
    default:
      return assertNever(withheld);
  }
}
