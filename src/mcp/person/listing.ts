import type { JsonObject } from '../../base/json';
import { asArray, asString, isObject } from '../../base/json';
import type { ServerClient } from './client';

/** What a server has, as it said it. */
export interface Listing {
  readonly title?: string;
  readonly instructions?: string;
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
}

/** Pages of one list; a server could go on for ever. */
const MAX_PAGES = 50;
/** Entries of one list. */
const MAX_ENTRIES = 1_000;

/** Everything that the server says it has. Lists that it does not offer are empty. @param timeout milliseconds for each page */
export async function listAll(client: ServerClient, timeout: number): Promise<Listing> {
  const { capabilities, instructions, title } = client;
  const list = (kind: 'tools' | 'resources' | 'prompts'): Promise<readonly JsonObject[]> =>
    capabilities[kind] === undefined ? Promise.resolve([]) : pages(client, kind, timeout);
  const [tools, resources, prompts] = await Promise.all([list('tools'), list('resources'), list('prompts')]);
  return {
    tools,
    resources,
    prompts,
    ...(title !== undefined && { title }),
    ...(instructions !== undefined && { instructions }),
  };
}

async function pages(client: ServerClient, kind: string, timeout: number): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < MAX_ENTRIES; page += 1) {
    const result = await client.request(`${kind}/list`, cursor === undefined ? {} : { cursor }, { timeout });
    found.push(...asArray(result[kind]).filter(isObject));
    const next = asString(result['nextCursor']);
    if (next === undefined || next === cursor) break;
    cursor = next;
  }
  return found.slice(0, MAX_ENTRIES);
}
