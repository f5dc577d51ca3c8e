import { randomUUID } from 'node:crypto';
import type { McpServer } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../base/json';
import { RpcError, rpcCodes } from '../../base/jsonRpc';
import { truncate } from '../../base/text';
import type { ToolResult } from '../../session/toolServer';
import type { Mcp } from './sessionServer';

/** Bytes of a result that a model gets at once; a longer one becomes a resource link. */
export const MAX_RESULT_BYTES = 256 * 1024;
/** UTF-16 units of a long result that are included beside the link. */
const INCLUDED_START_CHARS = 4_000;
/** Long results per conversation; the oldest is dropped. */
const MAX_RESULTS = 8;
const SCHEME = 'result';

interface StoredResult {
  readonly text: string;
  readonly mimeType: string;
}

/** The results of one conversation that exceeded the limit, as resources. */
export class LongResults {
  readonly #results = new Map<string, StoredResult>();

  /**
   * Returns the result, or its beginning with a link to the whole result.
   * @param hasSchema the data is required; if the data is too long, the result becomes an error
   */
  shorten(result: ToolResult, hasSchema: boolean): ToolResult {
    const { structured, isError, meta = {} } = result;
    const textBytes = bytesOf(result.content ?? result.text) + bytesOf(meta);
    const data = structured === undefined ? 0 : bytesOf(structured);
    if (textBytes + data <= MAX_RESULT_BYTES) return result;
    const isDataIncluded = structured !== undefined && data <= MAX_RESULT_BYTES / 2;
    const content = this.#toLinkedContent(result, isDataIncluded);
    const isLost = hasSchema && !isDataIncluded;
    return {
      text: result.text,
      content,
      ...(isDataIncluded && { structured }),
      ...((isError === true || isLost) && { isError: true }),
    };
  }

  read(id: string): StoredResult | undefined {
    return this.#results.get(id);
  }

  /** @param isDataIncluded keeps the data, because only the text is too long */
  #toLinkedContent({ text, structured, content }: ToolResult, isDataIncluded: boolean): readonly JsonObject[] {
    const data = isDataIncluded ? content : (structured ?? content);
    const whole = data === undefined ? text : JSON.stringify(data, null, 1);
    const mimeType = whole === text ? 'text/plain' : 'application/json';
    const id = randomUUID();
    this.#results.set(id, { text: whole, mimeType });
    const [oldest] = this.#results.keys();
    if (this.#results.size > MAX_RESULTS && oldest !== undefined) this.#results.delete(oldest);
    const uri = `${SCHEME}://${id}`;
    const size = Buffer.byteLength(whole);
    const note = `The result has ${size} bytes, more than the ${MAX_RESULT_BYTES} that fit here. Read the resource ${uri} for all of it, or ask for less. It begins:\n`;
    return [
      { type: 'text', text: note + truncate(whole, INCLUDED_START_CHARS) },
      { type: 'resource_link', uri, name: 'result', title: 'The whole result', mimeType, size },
    ];
  }
}

export function offerLongResults(server: McpServer, { ResourceTemplate }: Mcp, results: LongResults): void {
  const template = new ResourceTemplate(`${SCHEME}://{id}`, { list: undefined });
  const config = { title: 'Long result', description: 'A result that was too long to be answered at once' };
  server.registerResource('long-result', template, config, async (uri, { id }) => {
    const stored = results.read(String(id));
    if (!stored) {
      throw new RpcError(rpcCodes.invalidParams, `The result ${uri.href} is not kept any more. Call the tool again.`);
    }
    return { contents: [{ uri: uri.href, ...stored }] };
  });
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
}
