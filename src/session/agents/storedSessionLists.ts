import { asArray, asNumber, asObject, asString, omitUndefined } from '../../base/json';
import type { Memento } from '../../base/memento';
import { listTitle } from '../../history/sessionSummary';

/** A session in the list of an agent. */
export interface ListedSession {
  readonly agentName: string;
  readonly id: string;
  readonly cwd: string;
  readonly title?: string;
  /** Milliseconds since 1970; undefined when missing or in an unknown format. */
  readonly updatedAt?: number;
  readonly archived: boolean;
}

const KEY = 'agentSessionLists';
/** Maximum number of sessions that are stored per agent; the latest are kept. */
const MAX_SESSIONS = 200;
/** Longer ids and folders are not kept. */
const MAX_LENGTH = 2_000;

/** The last list of each agent; undefined for an agent that has none. */
export type SessionLists = Map<string, readonly ListedSession[] | undefined>;

/** What {@link storeLists} has kept; entries that cannot be read are left out. */
export function readLists(memory: Memento | undefined): SessionLists {
  const lists: SessionLists = new Map();
  for (const [agentName, value] of Object.entries(asObject(memory?.get(KEY)) ?? {})) {
    const list = value === null ? undefined : asArray(value).flatMap((one) => toSession(agentName, one) ?? []);
    lists.set(agentName, list);
  }
  return lists;
}

export function storeLists(memory: Memento | undefined, lists: SessionLists): void {
  const stored = Array.from(
    lists,
    ([agentName, list]) => [agentName, list === undefined ? null : latest(list)] as const,
  );
  void memory?.update(KEY, Object.fromEntries(stored));
}

function latest(list: readonly ListedSession[]): readonly object[] {
  return list
    .filter(({ id, cwd }) => id.length <= MAX_LENGTH && cwd.length <= MAX_LENGTH)
    .toSorted((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0))
    .slice(0, MAX_SESSIONS)
    .map(({ id, cwd, title, updatedAt, archived }) =>
      omitUndefined({ id, cwd, archived, updatedAt, title: title === undefined ? undefined : listTitle(title) }),
    );
}

function toSession(agentName: string, value: unknown): ListedSession | undefined {
  const fields = asObject(value);
  const [id, cwd] = [asString(fields?.['id']), asString(fields?.['cwd'])];
  if (!fields || id === undefined || cwd === undefined) return undefined;
  const more = omitUndefined({ title: asString(fields['title']), updatedAt: asNumber(fields['updatedAt']) });
  return { agentName, id, cwd, archived: fields['archived'] === true, ...more };
}
