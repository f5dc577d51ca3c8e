import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { CanceledError, errorMessage } from '../../base/errors';
import { fixedAddress } from './ipRanges';

/**
 * HTTP requests whose URL and resolved addresses are checked, for URLs from untrusted sources (docs/security.md, row
 * 19).
 */

/** Maximum milliseconds for connecting. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Milliseconds without data after which the connection counts as lost. */
const IDLE_TIMEOUT_MS = 300_000;
/** In bytes, for one answer. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** Why a URL was not reached: Parley refused the request, or the network failed. */
export class RestrictedFetchError extends Error {
  readonly reason: 'refused' | 'network';

  constructor(reason: 'refused' | 'network', message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RestrictedFetchError';
    this.reason = reason;
  }
}

/** `dns.lookup` with all addresses; replaced in tests. */
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
  /** `manual`: a redirect is returned as an answer. When absent, redirects are refused. They are never followed. */
  readonly redirect?: 'manual' | undefined;
  /** The caller limits the answer's time and size. */
  readonly isUnlimited?: boolean;
}

/** What may be requested; each function returns the reason for a refusal. */
export interface Restriction {
  refuseUrl(url: URL): string | undefined;
  /** @param address an IP address: from the URL, or resolved from its host */
  refuseAddress(url: URL, address: string): string | undefined;
  refuseRedirect(url: URL): string;
}

/**
 * The answer, whatever its status. The addresses of a host are checked in the same lookup that the connection uses, so
 * that DNS rebinding cannot change them in between.
 * @throws RestrictedFetchError without an answer
 * @throws CanceledError when the signal aborted
 */
export function restrictedRequest(
  url: URL,
  outgoing: Outgoing,
  restriction: Restriction,
  resolve: Resolve = systemResolve,
): Promise<Response> {
  const refused = refusalOf(url, restriction);
  if (refused !== undefined) return Promise.reject(new RestrictedFetchError('refused', refused));
  return new Promise((answered, reject) => {
    const { method, headers, body, signal, redirect, isUnlimited = false } = outgoing;
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const lookup = checkedLookup(url, restriction, resolve);
    const options = { method, headers, agent: false, lookup, ...(signal && { signal }) };
    const request = send(url, options, (answer) => {
      const status = answer.statusCode ?? 0;
      if (redirect === 'manual' || status < 300 || status >= 400) answered(toResponse(answer, status, isUnlimited));
      else {
        answer.destroy();
        reject(new RestrictedFetchError('refused', restriction.refuseRedirect(url)));
      }
    });
    request.on('error', (error) => reject(requestError(error, url.origin, signal)));
    endWhenIdle(request, isUnlimited ? 0 : IDLE_TIMEOUT_MS);
    request.end(body);
  });
}

/** Restricted requests as `fetch`, for libraries. */
export function fetchBy(request: (url: URL, outgoing: Outgoing) => Promise<Response>): typeof fetch {
  return async (input, init) => {
    const given = new Request(input, init);
    const { method } = given;
    const body = given.body === null ? undefined : await given.text();
    const headers = {
      ...Object.fromEntries(given.headers),
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    };
    const redirect = given.redirect === 'manual' ? 'manual' : undefined;
    return request(new URL(given.url), { method, headers, body, redirect, signal: init?.signal ?? undefined });
  };
}

/** Why a URL is refused before its host is resolved. */
export function refusalOf(url: URL, restriction: Restriction): string | undefined {
  const address = fixedAddress(url);
  return restriction.refuseUrl(url) ?? (address === undefined ? undefined : restriction.refuseAddress(url, address));
}

function checkedLookup(url: URL, restriction: Restriction, resolve: Resolve): LookupFunction {
  return (host, options, done) => {
    resolve(host, (error, addresses) => {
      const refusals = addresses.map(({ address }) => restriction.refuseAddress(url, address));
      const refused = refusals.find((refusal) => refusal !== undefined);
      const [first] = addresses;
      if (error) done(error, '');
      else if (refused !== undefined) done(new RestrictedFetchError('refused', refused), '');
      else if (!first) done(new RestrictedFetchError('network', `${host} has no address`), '');
      else if (options.all === true) done(null, [...addresses]);
      else done(null, first.address, first.family);
    });
  };
}

function requestError(error: Error, origin: string, signal: AbortSignal | undefined): Error {
  if (signal?.aborted === true) return new CanceledError();
  if (error instanceof RestrictedFetchError) return error;
  return new RestrictedFetchError('network', `${origin} could not be reached: ${errorMessage(error)}`, {
    cause: error,
  });
}

/** @param idle milliseconds; 0 for no limit */
function endWhenIdle(request: ReturnType<typeof httpRequest>, idle: number): void {
  request.setTimeout(CONNECT_TIMEOUT_MS, () => request.destroy(new Error('it did not answer in time')));
  request.on('socket', (socket) => {
    const onConnect = (): unknown => request.setTimeout(idle);
    if (socket.connecting) socket.once('connect', onConnect);
    else onConnect();
  });
}

function toResponse(answer: IncomingMessage, status: number, isUnlimited: boolean): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) answer.resume();
  const limited = isUnlimited ? answer : Readable.from(limitSize(answer));
  const body = isEmpty ? null : (Readable.toWeb(limited) as ReadableStream<Uint8Array>);
  return new Response(body, { status: Math.min(Math.max(status, 200), 599), headers });
}

/** Limits the size of an answer, so that an endless answer cannot exhaust memory. */
async function* limitSize(answer: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES)
      throw new RestrictedFetchError('network', `The answer is longer than ${MAX_RESPONSE_BYTES} bytes`);
    yield new Uint8Array(chunk);
  }
}
