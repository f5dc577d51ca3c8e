import { LINE_LIMIT, limitDepth, parseBatch } from '../../node/process/ndjson';

/** The SDK's transports skip JSON-RPC batches, and an unread request would wait forever. */

/** The messages of a batch as JSON; undefined for any other text. */
export function splitBatch(text: string): readonly string[] | undefined {
  return parseBatch(text)?.map((message) => {
    // A deeper one cannot be written as JSON.
    limitDepth(message);
    return JSON.stringify(message);
  });
}

/** In an event stream, each message of a batch becomes an event of its own. */
export function withSplitBatches(response: Response): Response {
  if (!response.body || response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
  const body = response.body
    .pipeThrough<string>(new TextDecoderStream())
    .pipeThrough(new TransformStream(new EventSplitter()))
    .pipeThrough(new TextEncoderStream());
  return Object.defineProperty(response, 'body', { value: body });
}

/** Holds back unfinished lines. */
class EventSplitter implements Transformer<string, string> {
  #line = '';

  transform(chunk: string, controller: TransformStreamDefaultController<string>): void {
    this.#line += chunk;
    const end = Math.max(chunk.lastIndexOf('\n'), chunk.lastIndexOf('\r'));
    if (end < 0 && this.#line.length < LINE_LIMIT) return;
    const next = this.#line.length - chunk.length + end + 1;
    controller.enqueue(splitEvents(this.#line.slice(0, next)));
    this.#line = this.#line.slice(next);
  }

  flush(controller: TransformStreamDefaultController<string>): void {
    controller.enqueue(splitEvents(this.#line));
  }
}

/** @param lines of an event stream */
function splitEvents(lines: string): string {
  return lines.replaceAll(/(?<=^|[\r\n])data: ?(\[[^\r\n]*)/g, (line: string, text: string) => {
    const messages = splitBatch(text);
    return messages ? messages.map((message) => `data: ${message}`).join('\n\n') : line;
  });
}
