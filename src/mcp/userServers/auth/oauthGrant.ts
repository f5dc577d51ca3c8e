import type { JsonObject } from '../../../base/json';
import { asObject, asString } from '../../../base/json';

/** What a sign-in gave, with all that renews and ends it; kept as a secret. */
export interface Grant {
  /** Of the MCP server: the grant is for this one alone. */
  readonly url: string;
  readonly access: string;
  readonly refresh?: string;
  /** As the OAuth library has them: tokens, the client that was registered, what was found out about the authorization server. */
  readonly tokens: JsonObject;
  readonly client: JsonObject;
  readonly discovery: JsonObject;
}

/** A grant as it was kept; undefined for one of another server, and for what has been damaged. @param url of the server */
export function readGrant(text: string, url: string): Grant | undefined {
  const kept = asObject(parsed(text));
  const [tokens, client, discovery] = [kept?.['tokens'], kept?.['client'], kept?.['discovery']].map(asObject);
  if (kept?.['url'] !== url || !tokens || !client || !discovery) return undefined;
  return grantOf(url, tokens, client, discovery);
}

/** Undefined where there is no access token among the tokens. */
export function grantOf(url: string, tokens: JsonObject, client: JsonObject, discovery: JsonObject): Grant | undefined {
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
