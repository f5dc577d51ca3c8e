import type { JsonObject } from '../../../base/json';
import { asArray, asNumber, asObject, asString, isObject, omitUndefined } from '../../../base/json';
import { truncate } from '../../../base/text';
import type { ServerLaunch } from '../config/serverDefinition';

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface McpRequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly timeout: number;
  readonly onprogress?: (progress: Progress) => void;
}

/** What a server tells about itself when it connects. */
export interface ServerInfo {
  /** Capabilities of the server: `tools`, `prompts`, `resources`. */
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly title: string | undefined;
  readonly version: string | undefined;
  /** As it was connected: a server that is defined by a URL may have turned out to use SSE. */
  readonly start: ServerLaunch;
}

/** A server that can be listed. */
interface ListableServer extends Omit<ServerInfo, 'start'> {
  /** Rejects with the error of the server or of the transport. */
  request(method: string, params: JsonObject, options: McpRequestOptions): Promise<JsonObject>;
}

/** A connection to a server, independent of the MCP revision. */
export interface ServerClient extends ListableServer, ServerInfo {
  /** Replaces the set of resources with update notifications. */
  subscribe(uris: readonly string[]): void;
  /**
   * Rejects when the server does not answer; undefined where the revision has no ping (2026-07-28).
   * @param timeout milliseconds
   */
  ping?(timeout: number): Promise<void>;
  /** The last lines of stderr; empty for a remote server. */
  tail(): string;
  /** Closes the connection; settles when everything started for it has ended. */
  close(): Promise<void>;
}

export interface ServerListing {
  readonly title?: string;
  readonly instructions?: string;
  /** Version of the server: another version may have other tools. */
  readonly version?: string;
  /** Milliseconds that the listing may be cached. */
  readonly ttl: number;
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  /** Resource templates. */
  readonly templates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  /** How many definitions were skipped because they are too large. */
  readonly skipped?: number;
}

/** A cached listing; `at` is in milliseconds since 1970. */
export interface CachedListing {
  readonly listing: ServerListing;
  readonly at: number;
}

/** Maximum pages of one list: a server could send pages endlessly. */
const MAX_PAGES = 50;
/** Maximum entries of one list. */
const MAX_ENTRIES = 1_000;
/** UTF-16 units of one definition, and of all definitions of one list: they are stored, compared and sent to agents. */
const MAX_DEFINITION = 256 * 1024;
const MAX_LIST = 8 * 1024 * 1024;
/** UTF-16 units of texts that a model or the user reads. */
export const MAX_TITLE = 200;
export const MAX_DESCRIPTION = 32 * 1024;
/** Milliseconds, where the server gives none. */
const DEFAULT_TTL_MS = 600_000;
const MAX_TTL_MS = 86_400_000;

/** The MCP lists and the field of each response that contains the entries. */
const LISTS = {
  tools: { of: 'tools', method: 'tools/list' },
  resources: { of: 'resources', method: 'resources/list' },
  resourceTemplates: { of: 'resources', method: 'resources/templates/list' },
  prompts: { of: 'prompts', method: 'prompts/list' },
} as const;

interface Pages {
  readonly entries: readonly JsonObject[];
  readonly skipped: number;
  readonly ttl?: number | undefined;
}

const NO_PAGES: Pages = { entries: [], skipped: 0 };

/**
 * Lists everything that the server's capabilities name.
 * @param timeout milliseconds for each page
 */
export async function listAll(client: ListableServer, timeout: number): Promise<ServerListing> {
  const { capabilities, instructions, title, version } = client;
  const list = async (kind: keyof typeof LISTS): Promise<Pages> => {
    if (capabilities[LISTS[kind].of] === undefined) return NO_PAGES;
    return pages(client, kind, timeout);
  };
  const [tools, resources, templates, prompts] = await Promise.all([
    list('tools'),
    list('resources'),
    // Many servers with resources do not support templates.
    list('resourceTemplates').catch(() => NO_PAGES),
    list('prompts'),
  ]);
  const all = [tools, resources, templates, prompts];
  const skipped = all.reduce((sum, each) => sum + each.skipped, 0) || undefined;
  const ttls = all.flatMap(({ ttl }) => (ttl === undefined ? [] : [ttl]));
  const ttl = ttls.length === 0 ? DEFAULT_TTL_MS : Math.min(...ttls);
  const lists = { tools: tools.entries, resources: resources.entries, templates: templates.entries };
  return { ...lists, prompts: prompts.entries, ttl, ...omitUndefined({ title, instructions, version, skipped }) };
}

/** Whether a cached listing is of this version and not expired. */
export function isFresh({ listing, at }: CachedListing, version: string | undefined, now: number): boolean {
  return version !== undefined && listing.version === version && now >= at && now - at < listing.ttl;
}

/** Parses what the listing cache stored, which may be damaged. */
export function readCached(value: unknown): CachedListing | undefined {
  const listing = asObject(asObject(value)?.['listing']);
  const at = asNumber(asObject(value)?.['at']);
  const ttl = asNumber(listing?.['ttl']);
  if (!listing || at === undefined || ttl === undefined) return undefined;
  const texts = omitUndefined({
    title: asString(listing['title']),
    instructions: asString(listing['instructions']),
    version: asString(listing['version']),
  });
  const list = (kind: string): readonly JsonObject[] => asArray(listing[kind]).filter(isObject);
  const lists = { tools: list('tools'), resources: list('resources'), templates: list('templates') };
  return { at, listing: { ...texts, ttl, ...lists, prompts: list('prompts') } };
}

async function pages(client: ListableServer, kind: keyof typeof LISTS, timeout: number): Promise<Pages> {
  const found: JsonObject[] = [];
  let cursor: string | undefined;
  let ttl: number | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < MAX_ENTRIES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request(LISTS[kind].method, params, { timeout });
    found.push(...asArray(result[kind]).filter(isObject));
    const pageTtl = asNumber(result['ttlMs']);
    if (pageTtl !== undefined) ttl = Math.min(ttl ?? MAX_TTL_MS, Math.max(0, pageTtl));
    const next = asString(result['nextCursor']);
    if (next === undefined || next === cursor) break;
    cursor = next;
  }
  const entries = withinLimits(found.slice(0, MAX_ENTRIES));
  return { entries, skipped: Math.min(found.length, MAX_ENTRIES) - entries.length, ttl };
}

/** Skips definitions that are too large, and shortens texts. */
function withinLimits(definitions: readonly JsonObject[]): readonly JsonObject[] {
  let total = 0;
  return definitions.flatMap((definition) => {
    const { title, description } = definition;
    const texts = omitUndefined({
      title: typeof title === 'string' ? truncate(title, MAX_TITLE) : undefined,
      description: typeof description === 'string' ? truncate(description, MAX_DESCRIPTION) : undefined,
    });
    const short = { ...definition, ...texts };
    const size = JSON.stringify(short).length;
    if (size > MAX_DEFINITION || total + size > MAX_LIST) return [];
    total += size;
    return [short];
  });
}
