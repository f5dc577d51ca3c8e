import { isInZone, zoneOf } from '../../node/http/ipRanges';
import type { Outgoing, Resolve, Restriction } from '../../node/http/restrictedRequest';
import { fetchBy, restrictedRequest, systemResolve } from '../../node/http/restrictedRequest';

/** Requests to one origin that the user configured. Redirects are not followed. */
export class RestrictedFetch {
  readonly origin: string;

  /** @param origin such as `https://mcp.example.com`; https, or http on this machine */
  constructor(
    origin: string,
    private readonly resolve: Resolve = systemResolve,
  ) {
    this.origin = origin;
  }

  /**
   * The answer, whatever its status.
   * @throws RestrictedFetchError without an answer
   * @throws CanceledError when the signal aborted
   */
  request(url: URL, outgoing: Outgoing): Promise<Response> {
    return restrictedRequest(url, outgoing, this.#restriction, this.resolve);
  }

  /** As `fetch`, for libraries. */
  readonly fetch = fetchBy((url, outgoing) => this.request(url, { ...outgoing, redirect: undefined }));

  get #restriction(): Restriction {
    return {
      refuseUrl: (url) => {
        if (url.origin !== this.origin) return `${url.origin} is not ${this.origin}, the address in the settings`;
        if (url.protocol === 'https:' || (url.protocol === 'http:' && zoneOf(url) === 'loopback')) return undefined;
        return `${url.origin} is not encrypted: use https, or http on this machine`;
      },
      refuseAddress: (url, address) =>
        isInZone(zoneOf(url), address)
          ? undefined
          : `${url.hostname} leads to ${address}, which is not an address on the public net`,
      refuseRedirect: () => `${this.origin} answered with a redirect, which is not followed`,
    };
  }
}
