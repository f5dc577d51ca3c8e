import { randomBytes } from 'node:crypto';
import { CanceledError, isCancellation, ParleyError } from '../../../base/errors';
import type { JsonObject } from '../../../base/json';
import { asArray, asObject, asString } from '../../../base/json';
import { t } from '../../../base/l10n';
import type { Resolve } from '../../../node/http/restrictedRequest';
import type * as Library from '../mcpClientSdk';
import { startCallbackServer } from './oauthCallback';
import type { AccountServer, OAuthGrant, SignInUi } from './oauthGrant';
import { grantOf, signInRequiredText } from './oauthGrant';
import { OAuthRequests } from './oauthRequests';

/**
 * OAuth by the MCP specification (Authorization, revision 2025-11-25): protected resource metadata, client registration, PKCE,
 * resource-bound tokens. The SDK does the steps; checks that it leaves to its caller are made here.
 */

type Provider = Parameters<typeof Library.auth>[0];

/**
 * @param challenge the response with which the server required a sign-in
 * @param resolve replaced in tests
 * @throws CanceledError when the user declines
 * @throws Error that says what is wrong
 */
export async function runSignIn(
  { name, url }: AccountServer,
  signInUi: SignInUi,
  challenge: Response | undefined,
  signal: AbortSignal,
  resolve?: Resolve,
): Promise<OAuthGrant> {
  const library = await import('../mcpClientSdk');
  const callback = await startCallbackServer();
  const requests = new OAuthRequests(url, resolve);
  try {
    const walk = new Walk(url, await signInUi.reachable(callback.address));
    const { resourceMetadataUrl, scope } = challenge ? library.extractWWWAuthenticateParams(challenge) : {};
    const found = { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
    await library.auth(walk, { serverUrl: url, fetchFn: requests.fetch, ...found });
    const page = walk.page;
    if (!page) throw new Error(t('the server provided no sign-in page'));
    const refused = requests.refusePage(page);
    if (refused !== undefined) throw new Error(refused);
    // Listen before opening: the browser of a user who is already signed in redirects at once.
    const answer = callback.answer(walk.secret, signal);
    answer.catch(() => undefined);
    if (!(await signInUi.open(name, page))) throw new CanceledError();
    const { code, issuer } = await answer;
    walk.checkIssuer(issuer);
    await library.auth(walk, { serverUrl: url, fetchFn: requests.fetch, authorizationCode: code });
    return walk.grant();
  } catch (error) {
    throw isCancellation(error) ? error : (requests.refusal ?? error);
  } finally {
    callback.close();
  }
}

/**
 * Refreshes a grant.
 * @throws ParleyError `signInRequired` where the user must sign in again
 */
export async function refreshGrant(grant: OAuthGrant): Promise<OAuthGrant> {
  const { url } = grant;
  const { auth } = await import('../mcpClientSdk');
  const [redirect] = asArray(grant.client['redirect_uris']);
  const walk = new Walk(url, asString(redirect) ?? url, grant);
  await auth(walk, { serverUrl: url, fetchFn: new OAuthRequests(url).fetch });
  return walk.grant();
}

/**
 * Revokes a grant at the authorization server, if supported (RFC 7009).
 * @throws Error when it fails
 */
export async function revoke({ url, discovery, client, tokens }: OAuthGrant): Promise<void> {
  const metadata = asObject(discovery['authorizationServerMetadata']) ?? {};
  const endpoint = asString(metadata['revocation_endpoint']);
  const token = asString(tokens['refresh_token']) ?? asString(tokens['access_token']);
  if (endpoint === undefined || token === undefined) return;
  const id = asString(client['client_id']) ?? '';
  const secret = isOwnEndpoint(endpoint, metadata) ? asString(client['client_secret']) : undefined;
  const way = secret === undefined ? 'none' : await authMethod(client, metadata);
  const body = new URLSearchParams({
    token,
    ...(way !== 'client_secret_basic' && { client_id: id }),
    ...(way === 'client_secret_post' && { client_secret: secret ?? '' }),
  });
  const basic = `Basic ${Buffer.from(`${id}:${secret ?? ''}`).toString('base64')}`;
  const headers = way === 'client_secret_basic' ? { authorization: basic } : {};
  const response = await new OAuthRequests(url).fetch(endpoint, { method: 'POST', body, headers });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`status ${response.status}`);
}

/** How a client with a secret proves who it is (RFC 8414, section 2), as for tokens. */
async function authMethod(client: JsonObject, metadata: JsonObject): Promise<string> {
  const { selectClientAuthMethod } = await import('../mcpClientSdk');
  const named = metadata['revocation_endpoint_auth_methods_supported'];
  return selectClientAuthMethod(
    client as never,
    asArray(named).flatMap((name) => asString(name) ?? []),
  );
}

/** The secret goes only where the authorization server already has it, whatever endpoint its metadata names. */
function isOwnEndpoint(endpoint: string, metadata: JsonObject): boolean {
  const origin = originOf(endpoint);
  return origin !== undefined && [metadata['token_endpoint'], metadata['issuer']].map(originOf).includes(origin);
}

function originOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined;
}

/** SEP-837: without it, an authorization server may take Parley for a web application and refuse its loopback address. */
const NATIVE = { application_type: 'native' } as const;

/** The SDK's provider for one sign-in or refresh. */
class Walk implements Provider {
  readonly redirectUrl: string;
  /** The `state` of the callback, which proves that it belongs to this sign-in. */
  readonly secret = randomBytes(32).toString('base64url');
  readonly #isRenewal: boolean;
  #client: JsonObject | undefined;
  #tokens: JsonObject | undefined;
  #discovery: JsonObject | undefined;
  #verifier = '';
  /** The sign-in page, once it is known. */
  page: string | undefined;

  /** @param grant the grant to refresh; undefined for a new sign-in */
  constructor(
    private readonly url: string,
    redirectUrl: string,
    grant?: OAuthGrant,
  ) {
    this.redirectUrl = redirectUrl;
    this.#isRenewal = grant !== undefined;
    this.#client = grant?.client;
    this.#tokens = grant?.tokens;
    this.#discovery = grant?.discovery;
  }

  get clientMetadata(): Provider['clientMetadata'] {
    return {
      client_name: 'Parley',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...NATIVE,
    };
  }

  state(): string {
    return this.secret;
  }

  clientInformation(): ReturnType<Provider['clientInformation']> {
    return this.#client as never;
  }

  saveClientInformation(client: object): void {
    this.#client = { ...client };
  }

  tokens(): ReturnType<Provider['tokens']> {
    return this.#tokens as never;
  }

  saveTokens(tokens: object): void {
    this.#tokens = { ...tokens };
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  discoveryState(): ReturnType<NonNullable<Provider['discoveryState']>> {
    return this.#discovery as never;
  }

  /**
   * The SDK does not check that the metadata's issuer is the authorization server (RFC 8414, section 3.3), and takes PKCE for granted where
   * the metadata do not state it (MCP, Authorization, "Authorization Code Protection": clients must refuse).
   */
  saveDiscoveryState(found: object): void {
    const discovery = { ...found } as JsonObject;
    const server = asString(discovery['authorizationServerUrl']) ?? '';
    const issuer = asString(asObject(discovery['authorizationServerMetadata'])?.['issuer']);
    if (issuer !== undefined && !isSameIssuer(issuer, server))
      throw new Error(t('the authorization server {0} reports a different issuer: {1}', server, issuer));
    const methods = asArray(asObject(discovery['authorizationServerMetadata'])?.['code_challenge_methods_supported']);
    if (!this.#isRenewal && !methods.includes('S256'))
      throw new Error(t('the authorization server {0} does not state that it supports PKCE with S256', server));
    this.#discovery = discovery;
  }

  redirectToAuthorization(page: URL): void {
    // Only the user starts a sign-in.
    if (this.#isRenewal) throw signInRequiredText();
    this.page = page.href;
  }

  /**
   * Checks the issuer of the callback (RFC 9207).
   * @throws Error when the issuer is not the authorization server
   */
  checkIssuer(received: string | undefined): void {
    const metadata = asObject(this.#discovery?.['authorizationServerMetadata']);
    const issuer = asString(metadata?.['issuer']);
    const isPromised = metadata?.['authorization_response_iss_parameter_supported'] === true;
    if (received === undefined && !isPromised) return;
    if (received === undefined || received !== issuer)
      throw new Error(t('the response came from an unexpected authorization server'));
  }

  /** @throws Error when the sign-in is incomplete */
  grant(): OAuthGrant {
    const type = asString(this.#tokens?.['token_type']) ?? 'bearer';
    if (type.toLowerCase() !== 'bearer') throw new Error(t('MCP does not support the token type {0}', type));
    const grant = grantOf(this.url, this.#tokens ?? {}, this.#client ?? {}, this.#discovery ?? {});
    if (!grant) throw new ParleyError('signInRequired', t('no token was received'));
    return grant;
  }
}

function isSameIssuer(a: string, b: string): boolean {
  const plain = (text: string): string => (URL.canParse(text) ? new URL(text).href : text).replace(/\/$/, '');
  return plain(a) === plain(b);
}
