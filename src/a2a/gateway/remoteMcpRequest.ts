import { randomUUID } from 'node:crypto';
import { parseSseStream } from '@a2a-js/sdk';
import { CanceledError } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asArray, asNumber, asObject, asString, isObject, parseJson } from '../../base/json';
import { A2A_CALLER } from '../../session/sessionTools';
import type { McpCall, McpOutcome } from '../../session/toolServer';
import type { RestrictedFetch } from '../net/restrictedFetch';
import { McpCallError } from './callErrors';

/** Supported revisions of MCP: the older one is stateful, the newer one is stateless. */
const OLDER = '2025-11-25';
const NEWER = '2026-07-28';
/** Error codes with which a server of only the newer revision refuses `initialize`. */
const NO_INITIALIZE: ReadonlySet<number> = new Set([-32022, -32601, -32600, -32602]);
/** Maximum milliseconds for ending a conversation. */
const CLOSE_TIMEOUT_MS = 2_000;

/** A response and the id that the server gave it. */
interface RemoteAnswer {
  readonly id: string | number;
  readonly outcome: McpOutcome;
}

/** Headers of the following requests; empty for the newer revision. */
interface Conversation {
  readonly headers: Readonly<Record<string, string>>;
  readonly isOpen: boolean;
}

/**
 * One request to a configured MCP server over Streamable HTTP, in the revision that the server supports. A `tools/call`
 * is never sent twice.
 */
export class RemoteMcpRequest {
  /** @param headers From the settings and the caller. */
  constructor(
    private readonly fetch: RestrictedFetch,
    private readonly url: URL,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly version: string,
  ) {}

  /**
   * Sends the request.
   * @throws McpCallError or RestrictedFetchError without an answer
   * @throws CanceledError when the signal aborted
   */
  async call(call: McpCall): Promise<RemoteAnswer> {
    const conversation = await this.#initialize(call.signal);
    try {
      return await this.#send(call, conversation);
    } catch (error) {
      if (call.signal.aborted) await this.#cancel(call.id, conversation);
      throw error;
    } finally {
      if (conversation.isOpen) await this.#end(conversation);
    }
  }

  /** Older revisions start with `initialize`, which has no side effects, so it is safe to try first. */
  async #initialize(signal: AbortSignal): Promise<Conversation> {
    const id = randomUUID();
    const params = { protocolVersion: OLDER, capabilities: {}, clientInfo: this.#clientInfo };
    const answer = await this.#post({ id, method: 'initialize', params }, {}, signal);
    const message = await this.#read(answer, id, signal);
    const { error } = message;
    if (isObject(error) && NO_INITIALIZE.has(asNumber(error['code']) ?? 0)) return { headers: {}, isOpen: false };
    if (isObject(error))
      throw toCallError(answer, `It refused to begin: ${asString(error['message']) ?? 'no reason given'}`);
    const version = asString(asObject(message['result'])?.['protocolVersion']) ?? OLDER;
    const session = answer.headers.get('mcp-session-id');
    const headers = { 'MCP-Protocol-Version': version, ...(session !== null && { 'Mcp-Session-Id': session }) };
    const response = await this.#post({ method: 'notifications/initialized' }, headers, signal);
    await response.body?.cancel();
    if (!response.ok) throw toCallError(response, 'It refused to begin');
    return { headers, isOpen: session !== null };
  }

  async #send({ id, method, params, signal, progress }: McpCall, { headers }: Conversation): Promise<RemoteAnswer> {
    const isOlder = 'MCP-Protocol-Version' in headers;
    const meta = { ...asObject(params['_meta']), progressToken: id, ...(!isOlder && this.#envelope) };
    const name = asString(params['name']) ?? asString(params['uri']);
    const newer = {
      'MCP-Protocol-Version': NEWER,
      'Mcp-Method': method,
      ...(name !== undefined && /^[\x20-\x7e]*$/.test(name) && { 'Mcp-Name': name }),
    };
    const request = { id, method, params: { ...params, _meta: meta } };
    const answer = await this.#post(request, isOlder ? headers : newer, signal);
    const message = await this.#read(answer, id, signal, progress);
    const answered = message['id'];
    const responseId = typeof answered === 'string' || typeof answered === 'number' ? answered : id;
    return { id: responseId, outcome: outcomeOf(message) };
  }

  get #clientInfo(): JsonObject {
    return { name: A2A_CALLER, version: this.version };
  }

  get #envelope(): JsonObject {
    const prefix = 'io.modelcontextprotocol/';
    return {
      [`${prefix}protocolVersion`]: NEWER,
      [`${prefix}clientCapabilities`]: {},
      [`${prefix}clientInfo`]: this.#clientInfo,
    };
  }

  #post(message: JsonObject, more: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    const own = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    return this.fetch.request(this.url, {
      method: 'POST',
      headers: { ...this.headers, ...own, ...length, ...more },
      body,
      signal,
    });
  }

  /** The response with that id, from a JSON body or a stream; earlier messages of the stream are progress. */
  async #read(
    answer: Response,
    id: McpCall['id'],
    signal: AbortSignal,
    progress?: McpCall['progress'],
  ): Promise<JsonObject> {
    try {
      const type = answer.headers.get('content-type') ?? '';
      const isStream = answer.ok && /^text\/event-stream/i.test(type);
      const found = isStream ? await this.#fromStream(answer, id, progress) : responseIn(await answer.text());
      if (found) return found;
    } catch (error) {
      if (signal.aborted) throw new CanceledError();
      throw error;
    }
    throw toCallError(answer, 'Its answer is not an MCP response');
  }

  async #fromStream(
    answer: Response,
    id: McpCall['id'],
    progress: McpCall['progress'] | undefined,
  ): Promise<JsonObject | undefined> {
    for await (const { data } of parseSseStream(answer)) {
      const message = parseJson(data);
      if (!isObject(message)) continue;
      if (message['id'] === id && !('method' in message)) return message;
      const { params } = message;
      if (message['method'] === 'notifications/progress' && isObject(params) && params['progressToken'] === id)
        progress?.(params);
    }
    return undefined;
  }

  /** Servers of older revisions get a notification; in the newer revision closing the connection cancels the request. */
  async #cancel(requestId: McpCall['id'], { headers }: Conversation): Promise<void> {
    if (!('MCP-Protocol-Version' in headers)) return;
    const params = { requestId, reason: 'canceled by the caller' };
    const shortly = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
    await this.#post({ method: 'notifications/cancelled', params }, headers, shortly).then(
      discardBody,
      () => undefined,
    );
  }

  async #end(conversation: Conversation): Promise<void> {
    const outgoing = { method: 'DELETE', headers: { ...this.headers, ...conversation.headers } };
    await this.fetch
      .request(this.url, { ...outgoing, signal: AbortSignal.timeout(CLOSE_TIMEOUT_MS) })
      .then(discardBody, () => undefined);
  }
}

async function discardBody(answer: Response): Promise<void> {
  await answer.body?.cancel();
}

/** A JSON-RPC response; errors may come with any HTTP status. */
function responseIn(text: string): JsonObject | undefined {
  const parsed = parseJson(text);
  const message = Array.isArray(parsed) ? asArray(parsed)[0] : parsed;
  return isObject(message) && ('result' in message || isObject(message['error'])) ? message : undefined;
}

function outcomeOf({ result, error }: JsonObject): McpOutcome {
  if (!isObject(error)) return { result };
  const { data } = error;
  const message = asString(error['message']) ?? 'no message';
  return { error: { code: asNumber(error['code']) ?? -32603, message, ...(data !== undefined && { data }) } };
}

function toCallError({ ok, status, statusText }: Response, message: string): McpCallError {
  if (ok) return new McpCallError('protocol', message);
  return new McpCallError('http', `It answered HTTP ${status} ${statusText}`.trim(), { status });
}
