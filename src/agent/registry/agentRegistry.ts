import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock';
import { ParleyError, errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asNumber, asObject, asString, omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { disallowedUrlReason } from '../../base/urlPolicy';
import { writeFileAtomic } from '../../node/fs/atomicWrite';
import { httpGet, readAll } from '../../node/http/httpGet';
import type { RegistryAgent } from './registryAgent';
import { parseIndex } from './registryIndex';

/** The agents of the registry, and when they were loaded. */
export interface RegistrySnapshot {
  readonly agents: readonly RegistryAgent[];
  /** When it was loaded, in milliseconds since 1970. */
  readonly at: number;
  /** The reason when loading failed; `agents` are then those of `at`. */
  readonly offline?: string;
}

/** The index of August 2026 has 80 KB. */
const MAX_INDEX_BYTES = 8 * 1024 * 1024;
/** The index changes hourly at its source. Within this time it is not requested again. */
const FRESH_MS = 10 * 60 * 1000;
const IDLE_TIMEOUT_MS = 15_000;

interface CachedIndex {
  readonly url: string;
  readonly at: number;
  readonly etag?: string;
  readonly index: unknown;
}

/** The ACP Registry: loaded on demand, cached on disk, usable offline. */
export class AgentRegistry {
  #loading: Promise<RegistrySnapshot> | undefined;

  /**
   * @param index the URL of the index, which the user may change
   * @param cache absolute path of the file with the last index
   */
  constructor(
    private readonly index: { readonly url: string },
    private readonly cache: string,
    private readonly log: Logger,
    private readonly clock: Clock,
  ) {}

  /**
   * The agents. Requests the index unless it was loaded within {@link FRESH_MS}; if that fails, uses the cached index.
   * @throws ParleyError when there is neither an answer nor a cached index
   */
  load(signal?: AbortSignal): Promise<RegistrySnapshot> {
    this.#loading ??= this.#load(signal).finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  async #load(signal: AbortSignal | undefined): Promise<RegistrySnapshot> {
    const { url } = this.index;
    const refused = disallowedUrlReason(url);
    if (refused !== undefined) throw settingError(refused);
    const cached = await this.#readCache(url);
    if (cached && this.#isFresh(cached)) return this.#parseSnapshot(cached);
    try {
      return this.#parseSnapshot(await this.#fetch(url, cached, signal));
    } catch (error) {
      this.log.warn('agent', `Failed to load the registry: ${errorMessage(error)}`);
      if (!cached || signal?.aborted) throw error;
      return { ...this.#parseSnapshot(cached), offline: errorMessage(error) };
    }
  }

  #isFresh({ at }: CachedIndex): boolean {
    const age = this.clock.now() - at;
    return age >= 0 && age < FRESH_MS;
  }

  async #fetch(url: string, cached: CachedIndex | undefined, signal: AbortSignal | undefined): Promise<CachedIndex> {
    const headers = { accept: 'application/json', ...(cached?.etag && { 'if-none-match': cached.etag }) };
    const answer = await httpGet(url, {
      headers,
      limit: MAX_INDEX_BYTES,
      patience: IDLE_TIMEOUT_MS,
      ...omitUndefined({ signal }),
    });
    const body = await readAll(answer.body);
    const at = this.clock.now();
    const fresh =
      answer.status === 304 && cached ? { ...cached, at } : readBody(url, body, at, answer.headers.get('etag'));
    await this.#writeCache(fresh);
    return fresh;
  }

  #parseSnapshot({ index, at }: CachedIndex): RegistrySnapshot {
    const { agents, problems } = parseIndex(index);
    for (const problem of problems) this.log.warn('agent', `Skipped an entry of the registry: ${problem}`);
    return { agents, at };
  }

  /** The cached index of this exact URL; undefined when there is no usable one. */
  async #readCache(url: string): Promise<CachedIndex | undefined> {
    try {
      const file = asObject(JSON.parse(await readFile(this.cache, 'utf8'))) ?? {};
      const at = asNumber(file['at']);
      if (file['url'] !== url || at === undefined || file['sum'] !== sumOf(file)) return undefined;
      parseIndex(file['index']);
      return { url, at, index: file['index'], ...omitUndefined({ etag: asString(file['etag']) }) };
    } catch {
      return undefined;
    }
  }

  /** Atomic, so that another window never reads an incomplete file. A failure only costs another download. */
  async #writeCache(cached: CachedIndex): Promise<void> {
    const { cache, log } = this;
    try {
      await writeFileAtomic(cache, JSON.stringify({ ...cached, sum: sumOf({ ...cached }) }));
    } catch (error) {
      log.warn('agent', `Failed to cache the registry: ${errorMessage(error)}`);
    }
  }
}

function readBody(url: string, body: Buffer, at: number, etag: string | null): CachedIndex {
  try {
    const index: unknown = JSON.parse(body.toString('utf8'));
    parseIndex(index);
    return { url, at, index, ...(etag === null ? {} : { etag }) };
  } catch (error) {
    throw new ParleyError('internal', t('{0} is not an ACP Registry index: {1}', url, errorMessage(error)), {
      nextStep: t('Check the setting parley.registry.url.'),
      cause: error,
    });
  }
}

/** Detects a truncated or edited file. */
function sumOf(file: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(file['index'])).digest('hex');
}

function settingError(why: string): ParleyError {
  return new ParleyError('badInput', t('Could not load agents from the registry: {0}', why), {
    nextStep: t('Correct the setting parley.registry.url.'),
  });
}
