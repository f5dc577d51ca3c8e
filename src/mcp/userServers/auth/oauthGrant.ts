import { ParleyError } from '../../../base/errors';
import type { JsonObject } from '../../../base/json';
import { asObject, asString, parseJson } from '../../../base/json';
import { t } from '../../../base/l10n';
import type { Mutex } from '../../../node/fs/fileMutex';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** What a sign-in needs of the window. */
export interface SignInUi {
  /** Shows the complete URL of a sign-in page and opens it if the user agrees; returns whether it was opened. */
  open(server: string, address: string): Promise<boolean>;
  /** The URL under which the user's browser reaches a local one: the browser may run on another machine. */
  reachable(address: string): Promise<string>;
  /** Refresh tokens are single-use: windows take turns to refresh. */
  readonly inTurn: Mutex;
}

export type AccountChange = 'here' | 'signedInInOtherWindow' | 'signedOutInOtherWindow';

/** The server of an account. */
export interface AccountServer {
  readonly name: string;
  /** Only this URL gets the token. */
  readonly url: string;
  /** Owner in the secret storage. */
  readonly owner: string;
}

export function signInRequiredText(): ParleyError {
  return new ParleyError('signInRequired', t('sign-in is required'));
}

/** The result of a sign-in with all that is needed to refresh and revoke it; stored as a secret. */
export interface OAuthGrant {
  /** URL of the MCP server; the grant is for this URL only. */
  readonly url: string;
  readonly access: string;
  readonly refresh?: string;
  /** In the OAuth library's form: tokens, client registration, discovery data. */
  readonly tokens: JsonObject;
  readonly client: JsonObject;
  readonly discovery: JsonObject;
}

/**
 * Reads a stored grant; undefined if it is damaged or belongs to another server.
 * @param url URL of the server
 */
export function readGrant(text: string, url: string): OAuthGrant | undefined {
  const stored = asObject(parseJson(text));
  const [tokens, client, discovery] = [stored?.['tokens'], stored?.['client'], stored?.['discovery']].map(asObject);
  if (stored?.['url'] !== url || !tokens || !client || !discovery) return undefined;
  return grantOf(url, tokens, client, discovery);
}

/** Undefined if the tokens contain no access token. */
export function grantOf(
  url: string,
  tokens: JsonObject,
  client: JsonObject,
  discovery: JsonObject,
): OAuthGrant | undefined {
  const access = asString(tokens['access_token']);
  const refresh = asString(tokens['refresh_token']);
  if (access === undefined || access === '') return undefined;
  return { url, access, ...(refresh !== undefined && { refresh }), tokens, client, discovery };
}
