import { ParleyError } from '../../../base/errors';
import type { Event } from '../../../base/event';
import type { JsonObject } from '../../../base/json';
import { asObject, asString } from '../../../base/json';
import { t } from '../../../base/l10n';
import type { Logger } from '../../../base/logger';
import type { Mutex } from '../../../node/fs/fileMutex';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Keeps what sign-ins gave, in the editor's secret storage, which all windows share. */
export interface SecretStorage {
  /** Something that is kept is different, whoever changed it: this window or another one. */
  readonly onDidChange: Event<void>;
  /** @param owner whose it is, as the user reads it when they forget secrets */
  read(owner: string, name: string): Promise<string | undefined>;
  /** @param value undefined forgets it */
  write(owner: string, name: string, value: string | undefined): Promise<void>;
}

/** The user at a sign-in. */
export interface SignInUi {
  /** Shows the whole address of a sign-in page, and opens it in the browser when the user says so; false when they do not. */
  open(server: string, address: string): Promise<boolean>;
  /** The address by which the user's browser reaches a local one, which may be on another machine. */
  reachable(address: string): Promise<string>;
}

/** What became of an account, and in which window. */
export type AccountChange = 'here' | 'signedInElsewhere' | 'signedOutElsewhere';

export interface AccountOptions {
  /** Of the server. */
  readonly name: string;
  /** Of the server: the only one that gets the token. */
  readonly url: string;
  /** Whose it is in the vault. */
  readonly owner: string;
  readonly vault: SecretStorage;
  readonly person: SignInUi;
  readonly log: Logger;
  readonly version: string;
  readonly hide: (values: Readonly<Record<string, string>>) => void;
  /** A refresh token is good once: windows renew one after the other. */
  readonly inTurn: Mutex;
  /** Signed in or out, here or in another window: what is connected has to follow. */
  readonly changed: (change: AccountChange) => Promise<void>;
}

/** What a server with an account says to everybody who is not signed in. */
export function signInRequiredText(): ParleyError {
  return new ParleyError('signInRequired', t('it wants you to sign in'));
}

/** What a sign-in gave, with all that renews and ends it; kept as a secret. */
export interface OAuthGrant {
  /** Of the MCP server: the grant is for this one alone. */
  readonly url: string;
  readonly access: string;
  readonly refresh?: string;
  /** As the OAuth library has them: tokens, the client that was registered, what was found out about the authorization server. */
  readonly tokens: JsonObject;
  readonly client: JsonObject;
  readonly discovery: JsonObject;
}

/**
 * A grant as it was kept; undefined for one of another server, and for what has been damaged.
 * @param url of the server
 */
export function readGrant(text: string, url: string): OAuthGrant | undefined {
  const kept = asObject(parsed(text));
  const [tokens, client, discovery] = [kept?.['tokens'], kept?.['client'], kept?.['discovery']].map(asObject);
  if (kept?.['url'] !== url || !tokens || !client || !discovery) return undefined;
  return grantOf(url, tokens, client, discovery);
}

/** Undefined where there is no access token among the tokens. */
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
