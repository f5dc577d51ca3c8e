import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { CanceledError, messageOf } from '../base/errors';
import { isIn, netOf, withoutBrackets } from './addresses';

/** Milliseconds until a connection must stand. */
const CONNECT_TIMEOUT = 10_000;
/** Milliseconds without a byte, after which the other side counts as gone. */
const IDLE_TIMEOUT = 300_000;
/** Bytes of one answer. */
export const MAX_ANSWER = 4 * 1024 * 1024;

/** Why an address was not reached: Parley refused to, or the net did not let it. */
export class ReachError extends Error {
  readonly reason: 'refused' | 'network';

  constructor(reason: 'refused' | 'network', message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ReachError';
    this.reason = reason;
  }
}

/** `dns.lookup` with all addresses; tests bring their own. */
export type Resolve = (
  host: string,
  found: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

export const systemResolve: Resolve = (host, found) =>
  systemLookup(host, { all: true }, (error, addresses) => found(error, addresses ?? []));

export interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Requests to one origin that the person wrote down, and to nothing else. What its name resolves to is checked in the very lookup that
 * the connection is made with, so that a name cannot lead elsewhere in between (DNS rebinding); redirects are not followed.
 */
export class Reach {
  readonly origin: string;
  readonly #resolve: Resolve;

  /** @param origin such as `https://mcp.example.com`; https, or http on this machine */
  constructor(origin: string, resolve: Resolve = systemResolve) {
    this.origin = origin;
    this.#resolve = resolve;
  }

  /** The answer, whatever its status. @throws ReachError when it was not reached, CanceledError when the signal aborted */
  request(url: URL, outgoing: Outgoing): Promise<Response> {
    const refused = this.#refusal(url);
    if (refused !== undefined) return Promise.reject(new ReachError('refused', refused));
    return new Promise((resolve, reject) => {
      const { method, headers, body, signal } = outgoing;
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const options = { method, headers, agent: false, lookup: this.#lookup(url), ...(signal && { signal }) };
      const request = send(url, options, (answer) => {
        const status = answer.statusCode ?? 0;
        if (status >= 300 && status < 400) {
          answer.destroy();
          reject(new ReachError('refused', `${this.origin} answered with a redirect, which is not followed`));
        } else resolve(toResponse(answer, status));
      });
      request.on('error', (error) => reject(failed(error, this.origin, signal)));
      endWhenIdle(request);
      request.end(body);
    });
  }

  /** As `fetch`, for libraries. */
  readonly fetch: typeof fetch = async (input, init) => {
    const given = new Request(input, init);
    const body = given.body === null ? undefined : await given.text();
    const headers = Object.fromEntries(given.headers);
    return this.request(new URL(given.url), { method: given.method, headers, body, signal: init?.signal ?? undefined });
  };

  #refusal(url: URL): string | undefined {
    if (url.origin !== this.origin) return `${url.origin} is not ${this.origin}, the address in the settings`;
    const net = netOf(url);
    if (url.protocol !== 'https:' && (url.protocol !== 'http:' || net !== 'loopback'))
      return `${url.origin} is not encrypted: use https, or http on this machine`;
    const host = withoutBrackets(url.hostname);
    return isIP(host) === 0 || isIn(net, host) ? undefined : notIn(host);
  }

  #lookup(url: URL): LookupFunction {
    const net = netOf(url);
    return (host, options, done) => {
      this.#resolve(host, (error, addresses) => {
        const wrong = addresses.find(({ address }) => !isIn(net, address));
        const [first] = addresses;
        if (error) done(error, '');
        else if (wrong) done(new ReachError('refused', `${host} leads to ${notIn(wrong.address)}`), '');
        else if (!first) done(new ReachError('network', `${host} has no address`), '');
        else if (options.all === true) done(null, [...addresses]);
        else done(null, first.address, first.family);
      });
    };
  }
}

function notIn(address: string): string {
  return `${address}, which is not an address on the public net`;
}

function failed(error: Error, origin: string, signal: AbortSignal | undefined): Error {
  if (signal?.aborted === true) return new CanceledError();
  if (error instanceof ReachError) return error;
  return new ReachError('network', `${origin} could not be reached: ${messageOf(error)}`, { cause: error });
}

function endWhenIdle(request: ReturnType<typeof httpRequest>): void {
  request.setTimeout(CONNECT_TIMEOUT, () => request.destroy(new Error('it did not answer in time')));
  request.on('socket', (socket) => {
    const connected = (): unknown => request.setTimeout(IDLE_TIMEOUT);
    if (socket.connecting) socket.once('connect', connected);
    else connected();
  });
}

function toResponse(answer: IncomingMessage, status: number): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) answer.resume();
  const body = isEmpty ? null : (Readable.toWeb(Readable.from(limited(answer))) as ReadableStream<Uint8Array>);
  return new Response(body, { status: Math.min(Math.max(status, 200), 599), headers });
}

/** A server that never ends its answer does not fill the memory. */
async function* limited(answer: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER) throw new ReachError('network', `The answer is longer than ${MAX_ANSWER} bytes`);
    yield new Uint8Array(chunk);
  }
}
