import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Deferred } from '../../../base/async';
import { createDeferred } from '../../../base/async';
import { CanceledError } from '../../../base/errors';
import { t } from '../../../base/l10n';
import { truncate } from '../../../base/text';
import { escapeInvisibleInline } from '../../../base/untrustedText';

/** Milliseconds that a sign-in in the browser may take. */
const SIGN_IN_TIMEOUT_MS = 10 * 60_000;

interface CallbackAnswer {
  readonly code: string;
  /** RFC 9207. */
  readonly issuer: string | undefined;
}

/** The loopback redirect URL of a sign-in (RFC 8252, section 7.3). */
interface CallbackServer {
  readonly address: string;
  /**
   * @param secret the `state` of the sign-in; other callbacks are ignored
   * @throws CanceledError
   * @throws Error with the page's error
   */
  answer(secret: string, signal: AbortSignal): Promise<CallbackAnswer>;
  close(): void;
}

/** Listens on the loopback interface, on a random port. */
export async function startCallbackServer(): Promise<CallbackServer> {
  let take: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => refuse(response);
  const server = createServer((request, response) => take(request, response));
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    // Stays: also accepting a connection can fail (EMFILE).
    server.on('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/callback`,
    answer: (secret, signal) => {
      const answered = createDeferred<CallbackAnswer>();
      take = (request, response) => {
        const params = paramsOf(request);
        if (!params || !isSameSecret(params.get('state') ?? '', secret)) refuse(response);
        else settle(params, response, answered);
      };
      return within(answered.promise, signal);
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function within<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(SIGN_IN_TIMEOUT_MS)]);
  const ended = createDeferred<never>();
  const end = (): void =>
    ended.reject(signal.aborted ? new CanceledError() : new Error(t('the sign-in was not completed in the browser')));
  over.addEventListener('abort', end, { once: true });
  if (over.aborted) end();
  try {
    return await Promise.race([answer, ended.promise]);
  } finally {
    over.removeEventListener('abort', end);
  }
}

function settle(params: URLSearchParams, response: ServerResponse, answered: Deferred<CallbackAnswer>): void {
  const [code, error] = [params.get('code'), params.get('error')];
  if (code !== null && code !== '') {
    say(response, 200, t('You are signed in. Return to the editor. You can close this page.'));
    answered.resolve({ code, issuer: params.get('iss') ?? undefined });
    return;
  }
  say(response, 400, t('Sign-in failed. See the editor for details. You can close this page.'));
  const message = [error, params.get('error_description')].filter(Boolean).join(': ');
  answered.reject(
    new Error(message === '' ? t('no authorization code was received') : truncate(escapeInvisibleInline(message), 300)),
  );
}

/** Only for `GET /callback`. */
function paramsOf({ method, url }: IncomingMessage): URLSearchParams | undefined {
  const base = 'http://127.0.0.1';
  const address = URL.canParse(url ?? '', base) ? new URL(url ?? '', base) : undefined;
  return method === 'GET' && address?.pathname === '/callback' ? address.searchParams : undefined;
}

function isSameSecret(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function refuse(response: ServerResponse): void {
  say(response, 404, t('Page not found.'));
}

function say(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  const escaped = sentence.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  response.end(`<!doctype html><title>Parley</title><p>${escaped}</p>`);
}
