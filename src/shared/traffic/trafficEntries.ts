import type { JsonObject } from '../../base/json';
import { asNumber, asObject, asString, isObject } from '../../base/json';
import { t } from '../../base/l10n';

/** Recorded messages between Parley and an agent, and how they correspond. */

export type Direction = 'in' | 'out';

/**
 * One recorded message or line. `seq` counts per connection from 0; `at` is milliseconds since 1970; `bytes` its length
 * on the wire.
 */
export type TrafficEntry = { readonly seq: number; readonly at: number; readonly bytes: number } & (
  | { readonly dir: Direction; readonly message: unknown }
  /** A message too large to be recorded completely. */
  | { readonly dir: Direction; readonly beginning: string }
  /** A line on stdout that is not a JSON-RPC message. */
  | { readonly dir: 'in'; readonly noise: string }
  | { readonly dir: 'in'; readonly stderr: string }
);

type TrafficKind = 'request' | 'response' | 'notification' | 'noise' | 'stderr' | 'cut';

/** An entry with a summary for the list. */
export interface TrafficRow {
  readonly entry: TrafficEntry;
  readonly kind: TrafficKind;
  /** For a response: the method of its request. */
  readonly method?: string;
  /** As JSON, so that 1 and "1" differ. */
  readonly id?: string;
  /** Milliseconds from a request to its response, on both. */
  readonly duration?: number;
  /** An error message: the response is an error, or the request was answered by one. */
  readonly error?: string;
}

/** Finds the request of each response. Ids are unique per sender, so both sides may use the same. */
export class RequestIndex {
  /** Row numbers of unanswered requests, by direction and id; after a restart of the agent the newest applies. */
  readonly #open = new Map<string, number>();
  readonly #rows: TrafficRow[] = [];

  /** In wire order. Rows are replaced, never changed: an answered request gets a new row. */
  get rows(): readonly TrafficRow[] {
    return this.#rows;
  }

  add(entry: TrafficEntry): void {
    const at = this.#rows.length;
    const message = 'message' in entry ? asObject(entry.message) : undefined;
    if (!message) {
      this.#rows.push({ entry, kind: kindOfText(entry) });
      return;
    }
    const method = asString(message['method']);
    const id = 'id' in message ? JSON.stringify(message['id']) : undefined;
    if (method === undefined) this.#rows.push(this.#answer(entry, message, id));
    else this.#rows.push({ entry, method, ...(id === undefined ? { kind: 'notification' } : { kind: 'request', id }) });
    if (method !== undefined && id !== undefined) this.#open.set(`${entry.dir} ${id}`, at);
  }

  #answer(entry: TrafficEntry, message: JsonObject, id: string | undefined): TrafficRow {
    const key = `${entry.dir === 'in' ? 'out' : 'in'} ${id}`;
    const requestAt = this.#open.get(key);
    this.#open.delete(key);
    const error = errorOf(message);
    const failed = error === undefined ? {} : { error };
    const request = requestAt === undefined ? undefined : this.#rows[requestAt];
    const row = { entry, kind: 'response' as const, ...(id !== undefined && { id }), ...failed };
    if (requestAt === undefined || request?.method === undefined) return row;
    const duration = entry.at - request.entry.at;
    this.#rows[requestAt] = { ...request, duration, ...failed };
    return { ...row, method: request.method, duration };
  }

  /** Removes the rows of entries before this one. */
  dropBefore(seq: number): void {
    const firstRetained = this.#rows.findIndex(({ entry }) => entry.seq >= seq);
    const dropped = firstRetained < 0 ? this.#rows.length : firstRetained;
    if (dropped === 0) return;
    this.#rows.splice(0, dropped);
    for (const [key, at] of this.#open) {
      if (at < dropped) this.#open.delete(key);
      else this.#open.set(key, at - dropped);
    }
  }
}

/** Filter of the list; an empty text and undefined match everything. */
export interface TrafficFilter {
  readonly text: string;
  readonly method?: string;
  readonly dir?: Direction;
  readonly errorsOnly: boolean;
}

/** @param textOf the text of an entry in lower case; called only when all other criteria match */
export function matchesTrafficFilter(
  row: TrafficRow,
  filter: TrafficFilter,
  textOf: (entry: TrafficEntry) => string,
): boolean {
  if (filter.errorsOnly && row.error === undefined) return false;
  if (filter.dir !== undefined && row.entry.dir !== filter.dir) return false;
  if (filter.method !== undefined && row.method !== filter.method) return false;
  return filter.text === '' || textOf(row.entry).includes(filter.text.toLowerCase());
}

/** An entry as text, for searching and copying. */
export function entryText(entry: TrafficEntry): string {
  if ('message' in entry) return JSON.stringify(entry.message);
  if ('noise' in entry) return entry.noise;
  return 'stderr' in entry ? entry.stderr : entry.beginning;
}

function kindOfText(entry: TrafficEntry): TrafficKind {
  if ('noise' in entry) return 'noise';
  if ('stderr' in entry) return 'stderr';
  return 'beginning' in entry ? 'cut' : 'noise';
}

function errorOf(message: JsonObject): string | undefined {
  if (!('error' in message)) return undefined;
  const error = message['error'];
  if (!isObject(error)) return t('Error without a message');
  const code = asNumber(error['code']);
  return [code === undefined ? undefined : String(code), asString(error['message'])].filter(Boolean).join(' ');
}
