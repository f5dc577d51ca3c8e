import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { matchesWildcard, wildcard } from '../../permissions/rules/wildcard';
import type { ToolRules } from '../availability/toolFilter';
import { toolId } from '../availability/toolFilter';
import type { AgentTransports } from '../transport/transportKind';
import type { ServerLaunch } from './config/serverDefinition';

/** `parley.mcp.gateway` */
export type GatewayMode = 'whenRules' | 'always' | 'never';

/** How a user server reaches an agent: directly, through Parley, or not at all. */
export type Route =
  | { readonly type: 'asItIs' }
  | { readonly type: 'gateway' }
  | { readonly type: 'none'; readonly why: string };

export interface RouteRequest {
  readonly name: string;
  readonly start: ServerLaunch;
  readonly mode: GatewayMode;
  readonly rules: Pick<ToolRules, 'deny' | 'allow' | 'toolsOff'>;
  /** The `tool` patterns of `parley.permissions.rules`. */
  readonly permissions: readonly string[];
  readonly reach: AgentTransports;
}

export function routeOf({ name, start, mode, rules, permissions, reach }: RouteRequest): Route {
  const isCut = cutsTools(name, rules);
  const canReach = reaches(start, reach);
  if (mode === 'always') return { type: 'gateway' };
  if (mode === 'never') {
    if (isCut)
      return {
        type: 'none',
        why: t('some tools of this server are denied or disabled, but parley.mcp.gateway is "never"'),
      };
    return canReach ? { type: 'asItIs' } : { type: 'none', why: unreachable(start) };
  }
  const isRuled = isCut || permissions.some((pattern) => mayMatch(pattern, toolId(name, '')));
  return canReach && !isRuled ? { type: 'asItIs' } : { type: 'gateway' };
}

/** Whether rules remove some tools of the server, so that the agent must not connect to the server directly. */
function cutsTools(name: string, { deny, allow, toolsOff }: RouteRequest['rules']): boolean {
  const prefix = toolId(name, '');
  if (deny.some((pattern) => mayMatch(pattern, prefix))) return true;
  if ([...(toolsOff ?? [])].some((id) => id.startsWith(prefix))) return true;
  const isWhole = (pattern: string): boolean => pattern.endsWith('*') && matchesWildcard(pattern, prefix);
  return allow.some((list) => list.length > 0 && !list.some(isWhole));
}

/** Whether a pattern can match any id with this prefix. */
function mayMatch(pattern: string, prefix: string): boolean {
  const [first = '', ...others] = wildcard(pattern);
  return others.length === 0 ? first.startsWith(prefix) : first.startsWith(prefix) || prefix.startsWith(first);
}

/** Whether the agent can start or reach the server directly. ACP has no field for a process's folder. */
function reaches(start: ServerLaunch, { capabilities, isRemote }: AgentTransports): boolean {
  if (start.type === 'stdio') return !isRemote && start.cwd === undefined;
  const offered = isObject(capabilities['mcpCapabilities']) ? capabilities['mcpCapabilities'][start.type] : false;
  // Loopback is another machine for a remote agent.
  return offered === true && !(isRemote && isLoopback(start.url));
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
}

function unreachable(start: ServerLaunch): string {
  const what = start.type === 'stdio' ? t('servers with a custom working folder') : t('{0} servers', start.type);
  return t('the agent does not support {0}, and parley.mcp.gateway is "never"', what);
}
