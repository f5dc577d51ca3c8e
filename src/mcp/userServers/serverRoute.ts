import { isIP } from 'node:net';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { isInZone, withoutBrackets } from '../../node/http/ipRanges';
import { matchesWildcard, parseWildcard } from '../../permissions/rules/wildcard';
import type { ToolRules } from '../availability/toolFilter';
import { toolId } from '../availability/toolFilter';
import type { AgentTransports } from '../contract/transportKind';
import { chooseTransport, outOfReachText } from '../contract/transportKind';
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
  /** The entry itself excludes tools. */
  readonly isFiltered?: boolean;
  readonly mode: GatewayMode;
  readonly rules: ToolRules;
  /** The `tool` patterns of `parley.permissions.rules`. */
  readonly permissions: readonly string[];
  readonly transports: AgentTransports;
}

export function routeOf({ name, start, isFiltered, mode, rules, permissions, transports }: RouteRequest): Route {
  const isCut = isFiltered === true || cutsTools(name, rules);
  const canReach = reaches(start, transports);
  const gateway: Route = chooseTransport(transports) ? { type: 'gateway' } : { type: 'none', why: outOfReachText() };
  if (mode === 'always') return gateway;
  if (mode === 'never') {
    if (isCut)
      return {
        type: 'none',
        why: t('some tools of this server are denied or disabled, but parley.mcp.gateway is "never"'),
      };
    return canReach ? { type: 'asItIs' } : { type: 'none', why: unreachable(start) };
  }
  const isRuled = isCut || permissions.some((pattern) => mayMatch(pattern, toolId(name, '')));
  return canReach && !isRuled ? { type: 'asItIs' } : gateway;
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
  const [first = '', ...others] = parseWildcard(pattern);
  return others.length === 0 ? first.startsWith(prefix) : first.startsWith(prefix) || prefix.startsWith(first);
}

/** Whether the agent can start or reach the server directly. ACP has no field for a process's folder. */
function reaches(start: ServerLaunch, { capabilities, isRemote, transport }: AgentTransports): boolean {
  // An agent that can start Parley's relay can start other programs of this machine.
  if (start.type === 'stdio') return start.cwd === undefined && (!isRemote || transport === 'stdio');
  // ACP has no WebSocket servers.
  if (start.type === 'ws') return false;
  const supported = isObject(capabilities['mcpCapabilities']) ? capabilities['mcpCapabilities'][start.type] : false;
  const isNear = !isRemote || transport === 'http' || transport === 'stdio';
  return supported === true && (isNear || isPublicHttps(start.url));
}

/** Whether another machine can reach the server under the same URL. */
function isPublicHttps(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  const host = withoutBrackets(hostname).replace(/\.$/, '');
  if (protocol !== 'https:') return false;
  if (isIP(host) !== 0) return isInZone('public', host);
  return host.includes('.') && !/\.(?:localhost|local|internal|home\.arpa|test)$/.test(host);
}

function unreachable(start: ServerLaunch): string {
  const what = start.type === 'stdio' ? t('servers with a custom working folder') : t('{0} servers', start.type);
  return t('the agent does not support {0}, and parley.mcp.gateway is "never"', what);
}
