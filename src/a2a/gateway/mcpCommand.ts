import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';
import type { McpCall } from '../sessionTools';

/** What an `execute_mcp_command` message asks for, checked. */
export interface McpCommand {
  readonly target: string;
  /** Undefined: the target's own, `/mcp` where it has none. */
  readonly path: string | undefined;
  readonly method: string;
  readonly params: JsonObject;
  /** The caller's id as it came, or a new one. */
  readonly requestId: RequestId;
  readonly headers: Readonly<Record<string, string>>;
}

/** Of a JSON-RPC request. A number stays one: the caller finds its request again by it. */
export type RequestId = McpCall['id'];

/** Field of the data part with headers for the target; their values are secrets. */
export const HEADERS_FIELD = 'mcp_headers';

/** What can be asked of a server. What a server asks its client (sampling, elicitation), and what begins a conversation, is not here. */
const METHODS: ReadonlySet<string> = new Set([
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'server/discover',
]);

/** Headers that belong to the connection, to the gateway, or decide where a request ends up. */
const OWN_HEADERS =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|accept.*|mcp-.*|origin|forwarded|x-forwarded-.*)$/i;

/** The part of a message that an A2A SDK has read. */
export interface MessagePart {
  readonly content?: { readonly $case: string; readonly value?: unknown } | undefined;
}

/** The command in a message, or a sentence that says what is wrong with it. */
export function parseMcpCommand(parts: readonly MessagePart[]): McpCommand | string {
  const data = parts.map(({ content }) => (content?.$case === 'data' ? content.value : undefined)).find(isObject);
  if (!data) return 'The message needs a data part with mcp_target_url, mcp_method and mcp_params';
  const { mcp_target_url: target, mcp_request_path: path, mcp_method: method, mcp_params: params } = data;
  if (typeof target !== 'string' || target === '') return 'mcp_target_url must be a string that names a target';
  if (path !== undefined && (typeof path !== 'string' || !/^\/(?![/\\])[\x21-\x7e]*$/.test(path)))
    return 'mcp_request_path must be a path that begins with one slash, such as /mcp';
  if (typeof method !== 'string') return 'mcp_method must be a string';
  if (!METHODS.has(method))
    return `mcp_method ${JSON.stringify(method.slice(0, 100))} is not served; there is ${[...METHODS].join(', ')}`;
  if (params !== undefined && params !== null && !isObject(params)) return 'mcp_params must be an object';
  const requestId = readId(data['mcp_request_id']);
  if (requestId === undefined) return 'mcp_request_id must be a string of at most 200 characters or a whole number';
  const headers = readHeaders(data[HEADERS_FIELD]);
  if (typeof headers === 'string') return headers;
  return { target, path, method, params: params ?? {}, requestId, headers };
}

function readId(value: unknown): RequestId | undefined {
  if (value === undefined || value === null || value === '') return randomUUID();
  if (Number.isSafeInteger(value)) return value as number;
  return typeof value === 'string' && value.length <= 200 ? value : undefined;
}

/** Headers, or what is wrong with them. Values are never named: they are secrets. */
function readHeaders(value: unknown): McpCommand['headers'] | string {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) return `${HEADERS_FIELD} must be an object of strings`;
  for (const [name, text] of Object.entries(value)) {
    const shown = JSON.stringify(name.slice(0, 100));
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return `${HEADERS_FIELD}: ${shown} is not a name of a header`;
    if (OWN_HEADERS.test(name)) return `${HEADERS_FIELD}: ${shown} cannot be set by the caller`;
    if (typeof text !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(text))
      return `${HEADERS_FIELD}: the value of ${shown} must be a string of one line`;
  }
  return value as McpCommand['headers'];
}
