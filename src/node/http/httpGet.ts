import { ParleyError, isCancellation, errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import { disallowedUrlReason } from '../../base/urlPolicy';

interface HttpResponse {
  readonly status: number;
  /** The URL after redirects. */
  readonly url: string;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface HttpOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Maximum milliseconds without data. */
  readonly patience?: number;
  /** Maximum size in bytes; a larger body is an error. */
  readonly limit: number;
}

const IDLE_TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

/**
 * Sends a GET request. Redirects are followed if each URL is allowed. The body throws when it is longer than `limit`,
 * shorter than announced, or silent for too long.
 * @throws ParleyError for any status but 2xx and 304
 * @throws CanceledError
 */
export async function httpGet(requestUrl: string, options: HttpOptions): Promise<HttpResponse> {
  const silence = new Silence(options.patience ?? IDLE_TIMEOUT_MS, options.signal);
  try {
    const { response, url } = await follow(requestUrl, options, silence.signal);
    if (response.status !== 304 && !response.ok)
      throw requestFailure(url, t('the server responded with {0}', response.status));
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    if (length > options.limit) throw tooLarge(url, options.limit);
    return { status: response.status, url, headers: response.headers, body: read(response, url, options, silence) };
  } catch (error) {
    silence.end();
    throw toRequestError(error, requestUrl, silence);
  }
}

/** Reads a whole body, which must be small. */
export async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function follow(
  requestUrl: string,
  { headers = {} }: HttpOptions,
  signal: AbortSignal,
): Promise<{ response: Response; url: string }> {
  let url = requestUrl;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const refused = disallowedUrlReason(url);
    if (refused !== undefined) throw requestFailure(requestUrl, refused);
    const response = await fetch(url, { headers, redirect: 'manual', signal, credentials: 'omit' });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || response.status === 304 || location === null)
      return { response, url };
    await response.body?.cancel();
    url = new URL(location, url).href;
  }
  throw requestFailure(requestUrl, t('the request was redirected more than {0} times', MAX_REDIRECTS));
}

async function* read(
  response: Response,
  url: string,
  { limit }: HttpOptions,
  silence: Silence,
): AsyncGenerator<Uint8Array> {
  const announced = response.headers.get('content-length');
  // With a content encoding the length is that of the encoded bytes.
  const expected =
    response.headers.get('content-encoding') === null && announced !== null ? Number(announced) : undefined;
  let bytes = 0;
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      silence.onBroken();
      bytes += chunk.length;
      if (bytes > limit) throw tooLarge(url, limit);
      yield chunk;
    }
    if (expected !== undefined && bytes < expected)
      throw requestFailure(url, t('the response ended after {0} of {1} bytes', bytes, expected));
  } catch (error) {
    throw toRequestError(error, url, silence);
  } finally {
    silence.end();
  }
}

/** Aborts when no data came for the given time, or the user canceled. */
class Silence {
  readonly #abort = new AbortController();
  readonly #onAbort = (): void => this.#abort.abort();
  #timer: NodeJS.Timeout;
  #hasTimedOut = false;

  constructor(
    private readonly ms: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    this.#timer = this.#start();
    if (outer?.aborted) this.#abort.abort();
    outer?.addEventListener('abort', this.#onAbort);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get hasTimedOut(): boolean {
    return this.#hasTimedOut;
  }

  onBroken(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.outer?.removeEventListener('abort', this.#onAbort);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#hasTimedOut = true;
      this.#abort.abort();
    }, this.ms);
  }
}

function toRequestError(error: unknown, url: string, silence: Silence): unknown {
  if (silence.hasTimedOut) return requestFailure(url, t('the server did not respond in time'), error);
  if (isCancellation(error) || ParleyError.is(error)) return error;
  const cause = error instanceof Error && error.cause !== undefined ? errorMessage(error.cause) : errorMessage(error);
  return requestFailure(url, cause, error);
}

function requestFailure(url: string, why: string, cause?: unknown): ParleyError {
  return new ParleyError('internal', t('Could not load {0}: {1}', url, why), {
    nextStep: t('Check your connection or proxy.'),
    ...(cause === undefined ? {} : { cause }),
  });
}

function tooLarge(url: string, limit: number): ParleyError {
  return requestFailure(url, t('the response is larger than {0} MB', Math.max(1, Math.round(limit / 1024 / 1024))));
}
