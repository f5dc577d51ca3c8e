import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Emitter } from '../../../../src/base/event';
import { end, listen } from './testServers';

/** An authorization server and its protected server, on one port each; validates as strictly as the specification allows. */
export class AuthServer {
  /** Currently valid tokens. */
  readonly good = new Set<string>();
  /** Bodies of requests for tokens, registrations and revocations, in order. */
  readonly asked: { readonly path: string; readonly body: Record<string, string> }[] = [];
  /** Overrides of the authorization server's and the protected resource's metadata. */
  metadata: Record<string, unknown> = {};
  resource: Record<string, unknown> = {};
  /** Overrides of the response to the browser. */
  answer: Record<string, string> = {};
  /** Tokens are issued when it settles. */
  hold: Promise<void> | undefined;
  /** The protected server has rejected a request. */
  readonly refused = new Emitter<void>();
  /** All requests are accepted. */
  isOpen = false;
  issuer = '';
  /** URL of the protected server. */
  url = '';
  readonly #server: Server;
  readonly #protected: Server;
  readonly #codes = new Map<
    string,
    { readonly challenge: string; readonly redirect: string; readonly resource: string }
  >();
  readonly #refresh = new Set<string>();

  /** @param serve The protected server: handles requests with a valid token. */
  constructor(serve: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#protected = createServer((request, response) => {
      if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
        json(response, 200, {
          resource: this.url,
          authorization_servers: [this.issuer],
          scopes_supported: ['use'],
          ...this.resource,
        });
        return;
      }
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
      if (this.isOpen || (token !== undefined && this.good.has(token))) return serve(request, response);
      const metadata = new URL('/.well-known/oauth-protected-resource/mcp', this.url).href;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
      this.refused.fire();
    });
  }

  async open(): Promise<void> {
    this.issuer = (await listen(this.#server)).replace(/\/mcp$/, '');
    this.url = await listen(this.#protected);
  }

  close(): void {
    end(this.#server);
    end(this.#protected);
  }

  count(path: string): number {
    return this.asked.filter((one) => one.path === path).length;
  }

  /**
   * The browser of a user who approves: follows redirects.
   * @returns The status of the last response.
   */
  async browse(page: string): Promise<number> {
    const answer = await fetch(page, { redirect: 'manual' });
    const location = answer.headers.get('location');
    return location === null ? answer.status : (await fetch(location)).status;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.issuer);
    if (pathname === '/.well-known/oauth-authorization-server') return json(response, 200, this.#metadata());
    if (pathname === '/authorize') return this.#authorize(searchParams, response);
    const given = await text(request);
    const isJson = request.headers['content-type']?.includes('json') === true;
    const body = (isJson ? JSON.parse(given) : Object.fromEntries(new URLSearchParams(given))) as Record<
      string,
      string
    >;
    this.asked.push({ path: pathname, body });
    if (pathname === '/register') return json(response, 201, { ...body, client_id: 'client-1' });
    if (pathname === '/revoke') return json(response, 200, {});
    if (pathname === '/token') return this.#token(body, response);
    response.writeHead(404).end();
  }

  #metadata(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      revocation_endpoint: `${this.issuer}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ...this.metadata,
    };
  }

  #authorize(params: URLSearchParams, response: ServerResponse): void {
    const code = randomBytes(8).toString('hex');
    const redirect = params.get('redirect_uri') ?? '';
    this.#codes.set(code, {
      challenge: params.get('code_challenge') ?? '',
      redirect,
      resource: params.get('resource') ?? '',
    });
    const back = new URL(redirect);
    const answer = { code, state: params.get('state') ?? '', iss: this.issuer, ...this.answer };
    for (const [name, value] of Object.entries(answer)) if (value !== '') back.searchParams.set(name, value);
    response.writeHead(302, { location: back.href }).end();
  }

  async #token(body: Record<string, string>, response: ServerResponse): Promise<void> {
    const code = this.#codes.get(body['code'] ?? '');
    const challenge = createHash('sha256')
      .update(body['code_verifier'] ?? '')
      .digest('base64url');
    const isByCode =
      code?.challenge === challenge && code.redirect === body['redirect_uri'] && code.resource === this.url;
    this.#codes.delete(body['code'] ?? '');
    if (!isByCode && !this.#refresh.delete(body['refresh_token'] ?? ''))
      return json(response, 400, { error: 'invalid_grant' });
    const [access, refresh] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')];
    this.good.add(access);
    this.#refresh.add(refresh);
    await this.hold;
    return json(response, 200, { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 60 });
  }

  /** Issued tokens expire early. */
  endGrants(): void {
    this.good.clear();
    this.#refresh.clear();
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
