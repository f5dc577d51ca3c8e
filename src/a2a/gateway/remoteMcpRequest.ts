import { randomUUID } from 'node:crypto';
import { parseSseStream } from '@a2a-js/sdk';
import { CanceledError } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asArray, asNumber, asObject, asString, isObject, parseJson } from '../../base/json';
import { A2A_CALLER } from '../../session/sessionTools';
import type { McpCall, McpOutcome } from '../../session/toolServer';
import type { RestrictedFetch } from '../net/restrictedFetch';
import { McpCallError } from './callErrors';
import { readResponse, SseConversation } from './sseConversation';

/** Supported revisions of MCP: the older one is stateful, the newer one is stateless. */
const OLDER = '2025-11-25';
const NEWER = '2026-07-28';
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
  readonly stream?: SseConversation | undefined;
}

/** For servers that know no `initialize`: those of the newer revision, and those that only answer requests. */
const WITHOUT_INITIALIZE: Conversation = { headers: {}, isOpen: false };

/**
 * One request to a configured MCP server over Streamable HTTP or HTTP+SSE, in the revision that the server supports. A
 * `tools/call` is never sent twice.
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
      conversation.stream?.close();
    }
  }

  /** Older revisions start with `initialize`, which has no side effects, so it is safe to try first. */
  async #initialize(signal: AbortSignal): Promise<Conversation> {
    const request = { id: randomUUID(), method: 'initialize', params: this.#initializeParams };
    const answer = await this.#post(request, {}, signal);
    const message = await this.#tryRead(answer, request.id, signal);
    if (message && isObject(message['error'])) {
      if (answer.status !== 401 && answer.status !== 403) return WITHOUT_INITIALIZE;
      throw toCallError(answer, 'It refused to begin');
    }
    if (message) return this.#begin(message, answer.headers.get('mcp-session-id'), signal);
    if (![400, 404, 405].includes(answer.status)) throw toCallError(answer, NO_MCP);
    const stream = await SseConversation.open(this.fetch, this.url, this.headers, signal);
    if (stream) return this.#beginStream(request, stream, signal);
    if (answer.status === 404) return WITHOUT_INITIALIZE;
    throw toCallError(answer, NO_MCP);
  }

  async #begin({ result }: JsonObject, session: string | null, signal: AbortSignal): Promise<Conversation> {
    const version = asString(asObject(result)?.['protocolVersion']) ?? OLDER;
    const headers = { 'MCP-Protocol-Version': version, ...(session !== null && { 'Mcp-Session-Id': session }) };
    const response = await this.#post({ method: 'notifications/initialized' }, headers, signal);
    await discardBody(response);
    if (!response.ok) throw toCallError(response, 'It refused to begin');
    return { headers, isOpen: session !== null };
  }

  async #beginStream(request: JsonObject, stream: SseConversation, signal: AbortSignal): Promise<Conversation> {
    const version = { 'MCP-Protocol-Version': OLDER };
    try {
      const message = await this.#exchange({ ...request, id: randomUUID() }, version, signal, { stream });
      if (isObject(message['error'])) throw new McpCallError('protocol', 'It refused to begin');
      await discardBody(await this.#post({ method: 'notifications/initialized' }, version, signal, stream.endpoint));
      return { headers: version, isOpen: false, stream };
    } catch (error) {
      stream.close();
      throw error;
    }
  }

  async #send({ id, method, params, signal, progress }: McpCall, conversation: Conversation): Promise<RemoteAnswer> {
    const { headers, stream } = conversation;
    const isOlder = 'MCP-Protocol-Version' in headers;
    const meta = { ...asObject(params['_meta']), progressToken: id, ...(!isOlder && this.#envelope) };
    const name = asString(params['name']) ?? asString(params['uri']);
    const newer = {
      'MCP-Protocol-Version': NEWER,
      'Mcp-Method': method,
      ...(name !== undefined && /^[\x20-\x7e]*$/.test(name) && { 'Mcp-Name': name }),
    };
    const request = { id, method, params: { ...params, _meta: meta } };
    const message = await this.#exchange(request, isOlder ? headers : newer, signal, { stream, progress });
    const answered = message['id'];
    const responseId = typeof answered === 'string' || typeof answered === 'number' ? answered : id;
    return { id: responseId, outcome: outcomeOf(message) };
  }

  /** The response to a request, which comes over the stream if there is one. */
  async #exchange(
    request: JsonObject & { readonly id: McpCall['id'] },
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    { stream, progress }: { readonly stream?: SseConversation | undefined; readonly progress?: McpCall['progress'] },
  ): Promise<JsonObject> {
    const answer = await this.#post(request, headers, signal, stream?.endpoint);
    const read = async (): Promise<JsonObject | undefined> => {
      if (!stream) return this.#tryRead(answer, request.id, signal, progress);
      await discardBody(answer);
      return answer.ok ? untilAborted(stream.read(request.id, progress), signal) : undefined;
    };
    const message = await read();
    if (message) return message;
    throw toCallError(answer, NO_MCP);
  }

  get #initializeParams(): JsonObject {
    return { protocolVersion: OLDER, capabilities: {}, clientInfo: this.#clientInfo };
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

  #post(
    message: JsonObject,
    more: Readonly<Record<string, string>>,
    signal: AbortSignal,
    url = this.url,
  ): Promise<Response> {
    const own = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    return this.fetch.request(url, {
      method: 'POST',
      headers: { ...this.headers, ...own, ...length, ...more },
      body,
      signal,
    });
  }

  /** The response with that id, from a JSON body or a stream; undefined if the answer is not MCP. */
  async #tryRead(
    answer: Response,
    id: McpCall['id'],
    signal: AbortSignal,
    progress?: McpCall['progress'],
  ): Promise<JsonObject | undefined> {
    const isStream = answer.ok && /^text\/event-stream/i.test(answer.headers.get('content-type') ?? '');
    if (!isStream) return untilAborted(answer.text().then(responseIn), signal);
    const events = parseSseStream(answer);
    try {
      return await untilAborted(readResponse(events, id, progress), signal);
    } finally {
      await events.return(undefined);
    }
  }

  /** Servers of older revisions get a notification; in the newer revision closing the connection cancels the request. */
  async #cancel(requestId: McpCall['id'], { headers, stream }: Conversation): Promise<void> {
    if (!('MCP-Protocol-Version' in headers)) return;
    const params = { requestId, reason: 'canceled by the caller' };
    const shortly = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
    await this.#post({ method: 'notifications/cancelled', params }, headers, shortly, stream?.endpoint).then(
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

const NO_MCP = 'Its answer is not an MCP response';

/** @throws CanceledError when the signal aborted */
async function untilAborted<T>(reading: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (signal.aborted) throw new CanceledError();
    throw error;
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
