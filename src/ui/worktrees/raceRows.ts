import { locale, t } from '../../base/l10n';
import { firstLine, truncate } from '../../base/text';
import type { SessionListItem } from '../../history/sessionSummary';
import type { Race, RaceAttempt } from '../../shared/protocol/racePageProtocol';
import { entryAt } from '../../shared/state/entryPages';
import type { SessionState } from '../../shared/state/sessionState';
import type { TurnFile } from '../../shared/state/turnSummary';
import { formatCost } from '../../shared/text/formatCost';
import { stopReasonNotice } from '../../shared/text/statusText';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';

/** UTF-16 units. */
const MAX_ACTIVITY = 160;

/** The worktrees by race, the newest race first, those without a race at the end. */
export function racesOf(records: readonly WorktreeRecord[], row: (record: WorktreeRecord) => RaceAttempt): Race[] {
  const ids = [...new Set(records.map(({ race }) => race?.id))];
  const ordered = [...ids.filter((id) => id !== undefined).toReversed(), ...ids.filter((id) => id === undefined)];
  return ordered.map((id) => {
    const members = records.filter(({ race }) => race?.id === id);
    const title = members[0]?.race?.title ?? t('Other Worktrees');
    const attempts = numberAttempts(members.map(row));
    return id === undefined ? { title, attempts } : { id, title, attempts };
  });
}

/** Numbers the attempts of the same agent: "Claude", "Claude (2)". */
function numberAttempts(attempts: readonly RaceAttempt[]): RaceAttempt[] {
  return attempts.map((attempt, at) => {
    const before = attempts.slice(0, at).filter(({ agent }) => agent === attempt.agent).length;
    return before === 0 ? attempt : { ...attempt, agent: `${attempt.agent} (${before + 1})` };
  });
}

/**
 * What the board shows of a worktree.
 * @param item of its session
 * @param state of its session, or that of its transcript
 * @param files number of changed files; undefined until they are counted
 * @param problems number of new problems; undefined where they are not checked
 */
export function attemptOf(
  { id, branch }: WorktreeRecord,
  item: SessionListItem | undefined,
  state: SessionState | undefined,
  files: number | undefined,
  problems: number | undefined,
): RaceAttempt {
  const activity = state && activityOf(state);
  const cost = state?.usage?.cost;
  const changed = state?.turns.flatMap((turn) => turn.files ?? []) ?? [];
  return {
    id,
    agent: item?.agent?.title ?? branch,
    branch,
    ...statusOf(item, state),
    ...(activity !== undefined && activity !== '' && { activity: truncate(activity, MAX_ACTIVITY) }),
    ...(item?.status === 'running' && state?.turn.status === 'running' && { since: state.turn.startedAt }),
    ms: state?.turns.reduce((sum, turn) => sum + turn.ms, 0) ?? 0,
    ...(files !== undefined && { files }),
    ...(problems !== undefined && { problems }),
    // Not those under review: they are also in the files that were taken.
    added: sum(changed, 'added'),
    removed: sum(changed, 'removed'),
    ...(cost && { cost: formatCost(cost, locale()) }),
  };
}

function sum(files: readonly TurnFile[], side: 'added' | 'removed'): number {
  return files.reduce((total, file) => total + file[side], 0);
}

function statusOf(
  item: SessionListItem | undefined,
  state: SessionState | undefined,
): Pick<RaceAttempt, 'status' | 'outcome'> {
  if (!item) return { status: 'none' };
  if (item.status === 'waiting' || item.status === 'running') return { status: item.status };
  // A stored transcript that ends in a turn was cut off with its window.
  const reason = state?.turn.status === 'running' ? 'interrupted' : state?.turns.at(-1)?.stopReason;
  if (reason === 'error') return { status: 'stopped', outcome: t('Failed') };
  const outcome = reason === undefined ? undefined : stopReasonNotice(reason)?.title;
  return outcome === undefined ? { status: 'done' } : { status: 'stopped', outcome };
}

/** The last tool call, line of the answer or error of the current turn. */
function activityOf({ entries }: SessionState): string | undefined {
  for (let index = entries.count - 1; index >= 0; index--) {
    const entry = entryAt(entries, index);
    if (!entry || entry.kind === 'user') return undefined;
    if (entry.kind === 'tool') return firstLine(entry.title);
    if (entry.kind === 'agent') return lastLine(entry.text);
    if (entry.kind === 'error') return firstLine(entry.message);
  }
  return undefined;
}

/** Without the marks of inline code. */
function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim().replaceAll('`', '') ?? '';
}
