import type { Entry, SessionState } from './sessionState';
import { ENTRIES_PER_PAGE } from './sessionState';
import type { BackgroundTask } from './subagentState';

/** Work of a session that does not belong to its running turn. */
export interface BackgroundWorkItem {
  readonly kind: BackgroundTask['kind'];
  readonly title: string;
  /** Milliseconds since 1970; undefined if unknown. */
  readonly startedAt?: number;
  /** What to stop: the id of a terminal, or of a child session. Undefined where the agent does not allow it. */
  readonly stop?: { readonly terminalId: string } | { readonly sessionId: string };
  readonly key: string;
}

/** A child session that runs. */
interface RunningSubagent {
  /** Index in its page. */
  readonly at: number;
  readonly item: BackgroundWorkItem;
}

/** A page of entries is never changed but replaced, so that only new pages are searched (I8). */
const subagentsByPage = new WeakMap<readonly Entry[], readonly RunningSubagent[]>();

/**
 * Commands in Parley's terminals, child sessions and other tasks that run outside the turn: all after a turn, and those of earlier turns
 * during a turn.
 */
export function backgroundWork(state: SessionState): BackgroundWorkItem[] {
  const subagents = runningSubagents(state);
  const titles = new Set(subagents.map(({ title }) => title));
  // Claude reports a background subagent as a task, too.
  const tasks = state.background.filter(({ kind, title }) => kind !== 'subagent' || !titles.has(title));
  const items = tasks.map(({ taskId, kind, title }) => ({ kind, title, key: `task ${taskId}` }));
  return [...runningCommands(state), ...subagents, ...items];
}

function runningCommands({ terminals, turn }: SessionState): BackgroundWorkItem[] {
  const end = turn.status === 'running' ? turn.startedAt : Number.POSITIVE_INFINITY;
  return Object.values(terminals)
    .filter(({ exit, foreign, startedAt }) => !exit && !foreign && startedAt < end)
    .map(({ terminalId, command, startedAt }) => ({
      kind: 'command',
      title: command,
      startedAt,
      stop: { terminalId },
      key: `command ${terminalId}`,
    }));
}

function runningSubagents({ entries, turn }: SessionState): BackgroundWorkItem[] {
  const end = turn.status === 'running' ? turn.firstEntry : entries.count;
  return entries.pages.flatMap((page, index) =>
    subagentsOf(page)
      .filter(({ at }) => index * ENTRIES_PER_PAGE + at < end)
      .map(({ item }) => item),
  );
}

function subagentsOf(page: readonly Entry[]): readonly RunningSubagent[] {
  const cached = subagentsByPage.get(page);
  if (cached) return cached;
  const found = page.flatMap((entry, at): RunningSubagent[] => {
    if (entry.kind !== 'subagent' || entry.child.turn.status !== 'running') return [];
    const { sessionId, canStop, child } = entry;
    const title = entry.title ?? child.title ?? '';
    const { startedAt } = entry.child.turn;
    const stop = canStop ? { stop: { sessionId } } : {};
    return [{ at, item: { kind: 'subagent', title, startedAt, ...stop, key: `subagent ${sessionId}` } }];
  });
  subagentsByPage.set(page, found);
  return found;
}
