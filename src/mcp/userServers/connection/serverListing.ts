import type { JsonObject } from '../../../base/json';
import { asArray, asNumber, asObject, asString, isObject, omitUndefined } from '../../../base/json';

/** What a server tells of a request while it runs. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** How long a request may take, and who is told of it. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly timeout: number;
  readonly onprogress?: (told: Progress) => void;
}

/** A conversation with a server, whichever revision of MCP it speaks. */
export interface ServerClient {
  /** What it says it can do: `tools`, `prompts`, `resources`. */
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly title: string | undefined;
  readonly version: string | undefined;
  /** Wants to be told of changes of these documents, and of no others. */
  subscribe(uris: readonly string[]): void;
  /** Rejects with what the server answered, or with what broke. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  /** The last lines that it wrote to stderr; empty for one that is reached at an address. */
  tail(): string;
  /** Settles when what was started for it is gone. */
  close(): Promise<void>;
}

/** What a server has, as it said it. */
export interface ServerListing {
  readonly title?: string;
  readonly instructions?: string;
  /** Of the server itself: another one may have other tools. */
  readonly version?: string;
  /** Milliseconds for which it may be kept without asking again. */
  readonly ttl: number;
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  /** Of resources. */
  readonly templates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
}

/** A listing that was kept, and when it was made: milliseconds since 1970. */
export interface KnownListing {
  readonly listing: ServerListing;
  readonly at: number;
}

/** Where the listing of one server is kept between connections, also over a restart of the window. */
export interface ListingCache {
  known(): KnownListing | undefined;
  keep(known: KnownListing): void;
}

/** Pages of one list; a server could go on for ever. */
const MAX_PAGES = 50;
/** Entries of one list. */
const MAX_ENTRIES = 1_000;
/** Milliseconds for which a listing is kept where the server does not say. */
const DEFAULT_TTL = 600_000;
const MAX_TTL = 86_400_000;

/** The lists, by the name that their entries have in answers. */
const LISTS = {
  tools: { of: 'tools', method: 'tools/list' },
  resources: { of: 'resources', method: 'resources/list' },
  resourceTemplates: { of: 'resources', method: 'resources/templates/list' },
  prompts: { of: 'prompts', method: 'prompts/list' },
} as const;

interface Pages {
  readonly entries: readonly JsonObject[];
  readonly ttl?: number | undefined;
}

/**
 * Everything that the server says it has. Lists that it does not offer are empty.
 * @param timeout milliseconds for each page
 */
export async function listAll(client: ServerClient, timeout: number): Promise<ServerListing> {
  const { capabilities, instructions, title, version } = client;
  const list = async (kind: keyof typeof LISTS): Promise<Pages> => {
    if (capabilities[LISTS[kind].of] === undefined) return { entries: [] };
    return pages(client, kind, timeout);
  };
  const [tools, resources, templates, prompts] = await Promise.all([
    list('tools'),
    list('resources'),
    // Many servers have documents and know nothing of templates.
    list('resourceTemplates').catch(() => ({ entries: [] as const, ttl: undefined })),
    list('prompts'),
  ]);
  const told = [tools, resources, templates, prompts].flatMap(({ ttl }) => (ttl === undefined ? [] : [ttl]));
  const ttl = told.length === 0 ? DEFAULT_TTL : Math.min(...told);
  const lists = { tools: tools.entries, resources: resources.entries, templates: templates.entries };
  return { ...lists, prompts: prompts.entries, ttl, ...omitUndefined({ title, instructions, version }) };
}

/** Whether a listing can stand for what the server would say: it is of this version, and not too old. */
export function isFresh({ listing, at }: KnownListing, version: string | undefined, now: number): boolean {
  return version !== undefined && listing.version === version && now >= at && now - at < listing.ttl;
}

/** What was kept by {@link ListingCache.keep}, however it has been damaged since. */
export function readKnown(value: unknown): KnownListing | undefined {
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

async function pages(client: ServerClient, kind: keyof typeof LISTS, timeout: number): Promise<Pages> {
  const found: JsonObject[] = [];
  let cursor: string | undefined;
  let ttl: number | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < MAX_ENTRIES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request(LISTS[kind].method, params, { timeout });
    found.push(...asArray(result[kind]).filter(isObject));
    const told = asNumber(result['ttlMs']);
    if (told !== undefined) ttl = Math.min(ttl ?? MAX_TTL, Math.max(0, told));
    const next = asString(result['nextCursor']);
    if (next === undefined || next === cursor) break;
    cursor = next;
  }
  return { entries: found.slice(0, MAX_ENTRIES), ttl };
}
