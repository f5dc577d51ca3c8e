import { basename } from 'node:path';
import { t } from '../../base/l10n';
import type { SessionListItem, SessionStatus } from '../../history/sessionSummary';
import { sessionFolder } from '../../history/sessionSummary';

/** Filter of the session list. Pure. */

export interface SessionFilter {
  /** Keys of agents; empty: all. */
  readonly agents: readonly string[];
  /** Absolute; empty: all. */
  readonly folders: readonly string[];
  /** Empty: all. */
  readonly states: readonly FilterState[];
}

type FilterState = Exclude<SessionStatus, 'idle'> | 'archived' | 'imported';

export const everything: SessionFilter = { agents: [], folders: [], states: [] };

/** One available filter value. */
export interface FilterChoice {
  readonly label: string;
  readonly description?: string;
  readonly group: string;
  readonly gives: Partial<SessionFilter>;
}

export function isFiltering({ agents, folders, states }: SessionFilter): boolean {
  return agents.length + folders.length + states.length > 0;
}

/** Each non-empty list must contain the session's value. */
export function matchesFilter({ agents, folders, states }: SessionFilter, item: SessionListItem): boolean {
  const { agent } = item;
  const isOneOf = (all: readonly string[], one: string | undefined): boolean =>
    all.length === 0 || (one !== undefined && all.includes(one));
  return (
    isOneOf(agents, agent?.name) &&
    isOneOf(folders, sessionFolder(item)) &&
    (states.length === 0 || states.some((state) => isIn(state, item)))
  );
}

function isIn(state: FilterState, { status, archived, imported }: SessionListItem): boolean {
  if (state === 'archived') return archived;
  return state === 'imported' ? imported === true : status === state;
}

/** The available filter values; agents and folders only if there are several. */
export function filterChoices(items: readonly SessionListItem[]): FilterChoice[] {
  const agents = new Map(items.flatMap(({ agent }) => (agent ? [[agent.name, agent.title] as const] : [])));
  const folders = new Set(items.flatMap((item) => sessionFolder(item) ?? []));
  const states: readonly (readonly [FilterState, string])[] = [
    ['waiting', t('Waiting for you')],
    ['running', t('Running')],
    ['unread', t('Unread')],
    ['archived', t('Archived')],
    ['imported', t('Imported')],
  ];
  const byState = states.map(([state, label]) => ({ label, group: t('State'), gives: { states: [state] } }));
  const byAgent = Array.from(agents, ([name, title]) => {
    return { label: title, group: t('Agent'), gives: { agents: [name] } };
  });
  const byFolder = Array.from(folders, (cwd) => {
    return { label: basename(cwd) || cwd, description: cwd, group: t('Folder'), gives: { folders: [cwd] } };
  });
  return [...byState, ...(agents.size > 1 ? byAgent : []), ...(folders.size > 1 ? byFolder : [])];
}

export function filterOf(chosen: readonly Pick<FilterChoice, 'gives'>[]): SessionFilter {
  const all = <K extends keyof SessionFilter>(key: K): SessionFilter[K][number][] =>
    chosen.flatMap(({ gives }) => gives[key] ?? []);
  return { agents: all('agents'), folders: all('folders'), states: all('states') };
}

/** Whether the filter includes the value. */
export function isChosen(filter: SessionFilter, { gives }: FilterChoice): boolean {
  const { agents = [], folders = [], states = [] } = gives;
  return (
    agents.every((one) => filter.agents.includes(one)) &&
    folders.every((one) => filter.folders.includes(one)) &&
    states.every((one) => filter.states.includes(one))
  );
}
