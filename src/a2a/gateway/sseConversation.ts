import type { SseEvent } from '@a2a-js/sdk';
import { parseSseStream } from '@a2a-js/sdk';
import type { JsonObject } from '../../base/json';
import { isObject, parseJson } from '../../base/json';
import type { McpCall } from '../../session/toolServer';
import type { RestrictedFetch } from '../net/restrictedFetch';
import { McpCallError } from './callErrors';

/** Milliseconds until the stream must have named the URL for messages. */
const ENDPOINT_TIMEOUT_MS = 5_000;

/**
 * A conversation over HTTP+SSE, MCP's transport of 2024-11-05: a GET opens the stream of answers, whose first event names the URL that
 * takes the messages.
 */
export class SseConversation {
  private constructor(
    /** A URL of another origin is refused when it is requested. */
    readonly endpoint: URL,
    private readonly events: AsyncGenerator<SseEvent>,
    private readonly abort: AbortController,
  ) {}

  /**
   * Undefined if the server has no such stream.
   * @throws McpCallError for a stream that names no URL
   * @throws RestrictedFetchError without an answer
   */
  static async open(
    fetch: RestrictedFetch,
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<SseConversation | undefined> {
    const abort = new AbortController();
    const outgoing = { method: 'GET', headers: { ...headers, Accept: 'text/event-stream' } };
    const answer = await fetch.request(url, { ...outgoing, signal: AbortSignal.any([signal, abort.signal]) });
    if (!answer.ok || !/^text\/event-stream/i.test(answer.headers.get('content-type') ?? '')) {
      await answer.body?.cancel();
      return undefined;
    }
    const timer = setTimeout(() => abort.abort(), ENDPOINT_TIMEOUT_MS);
    try {
      const events = parseSseStream(answer);
      const { value } = await events.next();
      if (value && value.type === 'endpoint' && URL.canParse(value.data, url))
        return new SseConversation(new URL(value.data, url), events, abort);
      throw new Error('no endpoint');
    } catch (error) {
      abort.abort();
      signal.throwIfAborted();
      throw new McpCallError('protocol', 'Its stream does not name the URL for messages', { error: String(error) });
    } finally {
      clearTimeout(timer);
    }
  }

  /** The response with that id; undefined when the stream has ended. */
  read(id: McpCall['id'], progress?: McpCall['progress']): Promise<JsonObject | undefined> {
    return readResponse(this.events, id, progress);
  }

  close(): void {
    this.abort.abort();
  }
}

/** The response with that id, if the stream has one; earlier messages of the stream are progress. */
export async function readResponse(
  events: AsyncGenerator<SseEvent>,
  id: McpCall['id'],
  progress: McpCall['progress'] | undefined,
): Promise<JsonObject | undefined> {
  for (;;) {
    // Each event is read after the one before; a loop over the stream would end it.
    const event = await events.next();
    if (event.done === true) return undefined;
    const message = parseJson(event.value.data);
    if (!isObject(message)) continue;
    if (message['id'] === id && !('method' in message)) return message;
    const { params } = message;
    if (message['method'] === 'notifications/progress' && isObject(params) && params['progressToken'] === id)
      progress?.(params);
  }
}
