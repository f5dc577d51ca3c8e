import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';
import type { McpCall } from '../../session/toolServer';

/** A validated `execute_mcp_command` message. */
export interface McpCommand {
  readonly target: string;
  /** Undefined: the target's own path, or `/mcp`. */
  readonly path: string | undefined;
  readonly method: string;
  readonly params: JsonObject;
  /** The caller's id unchanged, or a new one. */
  readonly requestId: RequestId;
  readonly headers: Readonly<Record<string, string>>;
}

/** Id of a JSON-RPC request. Numbers stay numbers, because the caller matches its request by the id. */
export type RequestId = McpCall['id'];

/** Field of the data part with headers for the target; the values are secrets. */
export const HEADERS_FIELD = 'mcp_headers';

/**
 * Allowed methods: requests to a server. Requests from servers (sampling, elicitation) and the handshake are excluded.
 */
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

/** Headers of the connection or the gateway, and those that decide where a request is routed. */
const OWN_HEADERS =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|accept.*|mcp-.*|origin|forwarded|x-forwarded-.*)$/i;

/** A message part as the A2A SDKs parse it. */
interface MessagePart {
  readonly content?: { readonly $case: string; readonly value?: unknown } | undefined;
}

/** The command in a message, or a description of its first problem. */
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
  // Approval requests show the name, and rules find it.
  if (method === 'tools/call' && typeof params?.['name'] !== 'string') return 'mcp_params.name must name a tool';
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

/** The headers, or a description of the problem. Values are never included: they are secrets. */
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
