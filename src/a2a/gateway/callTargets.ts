import { createHmac, randomBytes } from 'node:crypto';
import { asObject, asString } from '../../base/json';
import { t } from '../../base/l10n';
import { traceMetadata } from '../../base/traceMetadata';
import type { Resolve } from '../../node/http/restrictedRequest';
import type { Sessions } from '../../session/sessions';
import type { SessionTools } from '../../session/sessionTools';
import { A2A_CALLER } from '../../session/sessionTools';
import type { McpCall, McpOutcome } from '../../session/toolServer';
import type { AddressEntry, ConfiguredAddresses } from '../agents/configuredAddresses';
import { RestrictedFetch } from '../net/restrictedFetch';
import { McpCallError } from './callErrors';
import type { McpCommand } from './mcpCommand';
import { RemoteMcpRequest } from './remoteMcpRequest';

/** The only path of a session's server, and the default of a configured origin. */
const MCP_PATH = '/mcp';
const SESSION_SCHEME = 'mcp+session:';

/** Who calls, and how the call is followed. */
interface CallMode {
  readonly client: McpCall['client'];
  readonly signal: AbortSignal;
  readonly progress: McpCall['progress'];
}

export interface CallAnswer {
  readonly id: string | number;
  readonly outcome: McpOutcome;
}

/**
 * Resolves the target of a command: `mcp+session://<session>/<server>`, or a configured origin. A URL in a message is
 * only a key for this lookup; no connection is opened to an unlisted URL (docs/security.md, row 19).
 */
export class CallTargets {
  readonly #salt = randomBytes(16);

  /**
   * @param sessions in the active one, the user decides about a call that belongs to no session
   * @param addresses real MCP origins that the user listed
   * @param resolve replaced in tests
   */
  constructor(
    private readonly sessions: Sessions,
    private readonly tools: SessionTools,
    private readonly addresses: ConfiguredAddresses,
    private readonly version: string,
    private readonly resolve?: Resolve,
  ) {}

  /** Names of the current targets: those of sessions, and the configured ones. */
  names(): readonly string[] {
    const ofSessions = this.sessions
      .allOpen()
      .flatMap((session) => this.tools.servers(session).map((server) => `${SESSION_SCHEME}//${session.id}/${server}`));
    return [...ofSessions, ...this.configured().map(({ name }) => name)];
  }

  /** The entries of the setting that may be used now. */
  configured(): readonly AddressEntry[] {
    return this.addresses.available();
  }

  /**
   * Calls the target.
   * @throws McpCallError, RestrictedFetchError, RpcError without an answer
   * @throws CanceledError when the signal aborted
   */
  async call(command: McpCommand, how: CallMode): Promise<CallAnswer> {
    const call = { id: command.requestId, method: command.method, params: command.params, ...how };
    if (command.target.toLowerCase().startsWith(SESSION_SCHEME)) return this.#callSession(command, call);
    return this.#callConfigured(command, call);
  }

  async #callSession({ target, path, headers }: McpCommand, call: McpCall): Promise<CallAnswer> {
    const [, id, server] = /^mcp\+session:\/\/([^/?#]+)\/([^/?#]+)\/?$/i.exec(target) ?? [];
    const session = this.sessions.allOpen().find((open) => open.id === id);
    if ((path ?? MCP_PATH) !== MCP_PATH)
      throw new McpCallError('refused', `A session's server has only the path ${MCP_PATH}`);
    if (Object.keys(headers).length > 0)
      throw new McpCallError('refused', 'mcp_headers are for the targets in the setting parley.a2a.targets only');
    const answer = session && server !== undefined ? this.tools.call(session, server, call) : undefined;
    if (!answer)
      throw new McpCallError('refused', `There is no such target; the agent card lists those of open sessions`);
    return { id: call.id, outcome: await answer };
  }

  async #callConfigured(command: McpCommand, call: McpCall): Promise<CallAnswer> {
    const target = find(this.configured(), command.target);
    if (!target) throw new McpCallError('refused', 'This target is not in the setting parley.a2a.targets');
    const url = urlOf(target, command);
    const restricted = new RestrictedFetch(url.origin, this.resolve);
    const isTool = command.method === 'tools/call';
    if (isTool) await this.#authorize(target, url, command, call);
    const headers = mergeHeaders(command.headers, await target.headers());
    return new RemoteMcpRequest(restricted, url, headers, this.version).call(isTool ? asShown(call) : call);
  }

  /** The caller's headers, whose values are secrets: marks that are equal for equal values in this window. */
  #marked(headers: McpCommand['headers']): McpCommand['headers'] {
    const mark = (value: string): string => createHmac('sha256', this.#salt).update(value).digest('hex').slice(0, 12);
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `secret ${mark(value)}`]));
  }

  /** Permission rules and the user decide about a tool of a remote server as about any other tool. */
  async #authorize(
    { name: target, address }: AddressEntry,
    url: URL,
    { params, headers }: McpCommand,
    { client, signal }: McpCall,
  ): Promise<void> {
    const name = asString(params['name']) ?? '';
    const request = {
      kind: 'other' as const,
      title: `${A2A_CALLER}: call ${name} of ${new URL(address.url).host}`,
      caller: `${A2A_CALLER} ${client}`,
      otherwise: 'ask' as const,
      // A rule that allows is about the session's servers, one of which may have the target's name.
      always: t('a call of another machine is asked about every time'),
      tool: `${target}__${name}`,
      input: {
        url: url.href,
        arguments: params['arguments'] ?? {},
        ...(Object.keys(headers).length > 0 && { headers: this.#marked(headers) }),
      },
    };
    const { allowed, reason } = await this.sessions.active.userRequests.authorize(request, signal);
    signal.throwIfAborted();
    if (!allowed) throw new McpCallError('refused', `It was not allowed: ${reason}`);
  }
}

/** A call of a tool, without what the user was not shown. */
function asShown(call: McpCall): McpCall {
  const { name, arguments: input, _meta: meta } = call.params;
  return { ...call, params: { name, arguments: input ?? {}, _meta: traceMetadata(asObject(meta) ?? {}) } };
}

/** Finds a target by name, or by a URL with exactly its origin. */
function find(listed: readonly AddressEntry[], requested: string): AddressEntry | undefined {
  const byName = listed.find(({ name }) => name === requested);
  if (byName || !URL.canParse(requested)) return byName;
  const { origin, username, password } = new URL(requested);
  if (origin === 'null' || username !== '' || password !== '') return undefined;
  return listed.find(({ address }) => new URL(address.url).origin === origin);
}

/** The user's headers override the caller's: the caller cannot send another identity. */
function mergeHeaders(callerHeaders: McpCommand['headers'], own: McpCommand['headers']): McpCommand['headers'] {
  const ownNames = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const callerEntries = Object.entries(callerHeaders).filter(([name]) => !ownNames.has(name.toLowerCase()));
  return { ...Object.fromEntries(callerEntries), ...own };
}

/** A configured path has priority; the caller's path cannot leave the origin. */
function urlOf({ address }: AddressEntry, command: McpCommand): URL {
  const base = new URL(address.url);
  const fixed = address.path ?? (base.pathname === '/' ? undefined : base.pathname);
  if (fixed !== undefined && command.path !== undefined && command.path !== fixed)
    throw new McpCallError('refused', `Only the path ${fixed} of this target may be used`);
  const url = new URL(fixed ?? command.path ?? MCP_PATH, base.origin);
  if (url.origin !== base.origin) throw new McpCallError('refused', 'mcp_request_path leads to another address');
  return url;
}
