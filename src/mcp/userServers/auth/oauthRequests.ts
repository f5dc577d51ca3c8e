import { t } from '../../../base/l10n';
import { disallowedUrlReason } from '../../../base/urlPolicy';
import { isInZone, zoneOf } from '../../../node/http/ipRanges';
import type { Resolve, Restriction } from '../../../node/http/restrictedRequest';
import { fetchBy, RestrictedFetchError, refusalOf, restrictedRequest } from '../../../node/http/restrictedRequest';
import type { Fetch } from './oauthGrant';

/** Milliseconds for one response of an authorization server. */
const TIMEOUT_MS = 20_000;
/** Bytes of one response. */
const MAX_BODY = 1024 * 1024;

/**
 * The requests of one sign-in, to URLs that a server named: its metadata, the authorization server's, and their endpoints. Only public
 * addresses and the origin in the user's settings are allowed; only a local server may name local URLs.
 */
export class OAuthRequests {
  readonly #restriction: Restriction;
  /** The first refusal, which explains more than the library's later error: the library continues after failed requests. */
  refusal: Error | undefined;

  /**
   * @param server URL in the user's settings
   * @param resolve replaced in tests
   */
  constructor(
    server: string,
    private readonly resolve?: Resolve,
  ) {
    this.#restriction = restrictionFor(new URL(server));
  }

  readonly fetch: Fetch = async (url, init) => {
    const refused = disallowedUrlReason(String(url));
    // Checked first, because `Request` rejects URLs with a password.
    if (refused !== undefined) throw (this.refusal ??= new Error(refused));
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const signal = AbortSignal.any([timeout, ...(init?.signal ? [init.signal] : [])]);
    try {
      return withSizeLimit(await this.#send(url, { ...init, signal }), new URL(url).host);
    } catch (error) {
      if (timeout.aborted) throw new Error(t('{0} did not respond in time', new URL(url).host), { cause: error });
      if (!(error instanceof RestrictedFetchError)) throw error;
      // The error of `fetch`, after which the library tries the next well-known URL.
      if (error.reason === 'network') throw new TypeError(error.message, { cause: error });
      this.refusal ??= error;
      throw error;
    }
  };

  /** Why a page must not be opened in the browser, if so. The browser resolves host names itself, so only IP addresses and names of this machine can be checked. */
  refusePage(page: string): string | undefined {
    return URL.canParse(page) ? refusalOf(new URL(page), this.#restriction) : disallowedUrlReason(page);
  }

  readonly #send = fetchBy((url, outgoing) => restrictedRequest(url, outgoing, this.#restriction, this.resolve));
}

function restrictionFor(server: URL): Restriction {
  const isLocal = zoneOf(server) === 'loopback';
  return {
    refuseUrl: (url) => disallowedUrlReason(url.href),
    refuseAddress: (url, address) => {
      if (url.origin === server.origin || isInZone('public', address)) return undefined;
      if (isLocal && isInZone('loopback', address)) return undefined;
      return t('{0} resolves to {1}, which is not a public IP address', url.host, address);
    },
    refuseRedirect: (url) => t('{0} returned a redirect; redirects are not followed', url.host),
  };
}

function withSizeLimit(response: Response, host: string): Response {
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  let size = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > MAX_BODY) controller.error(new Error(t('the response from {0} is too large', host)));
      else controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(counted), { status, statusText, headers });
}
