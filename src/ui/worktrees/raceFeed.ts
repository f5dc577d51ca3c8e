import { join, relative } from 'node:path';
import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import { errorMessage } from '../../base/errors';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { Race, RaceAttempt } from '../../shared/protocol/racePageProtocol';
import type { SessionState } from '../../shared/state/sessionState';
import { localFolders } from '../../workbench/workspaceFolders';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import type { UiSessions } from '../uiTypes';
import { DelayedCall } from '../../base/clock';
import { isInside } from '../../node/fs/realPaths';
import { firstLine, truncate } from '../../base/text';
import { locale, t } from '../../base/l10n';
import type { SessionListItem } from '../../history/sessionSummary';
import { entryAt } from '../../shared/state/entryPages';
import { formatCost } from '../../shared/text/formatCost';
import { stopReasonNotice } from '../../shared/text/statusText';

/** Milliseconds for which changes are merged. */
const REFRESH_MS = 300;
/** Milliseconds between two counts of a worktree's files: git reads all that have changed. */
const COUNT_INTERVAL_MS = 2_000;

/** The number of changed files of a worktree. */
interface FileCount {
  /** The attempt's activity when the files were counted. */
  readonly of: string;
  readonly count: number | undefined;
  /** Why the count failed; an earlier count stays. */
  readonly failure?: string;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

/** The races with the live state of their attempts. */
export class RaceFeed implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new Emitter<void>());
  readonly #later = this.#store.add(new DelayedCall(REFRESH_MS, () => this.#onDidChange.fire()));
  /** By worktree. */
  readonly #files = new Map<string, FileCount>();
  #recount: NodeJS.Timeout | undefined;
  #isCounting = false;
  /** States of sessions that are not open, by session id; undefined while they are read. */
  readonly #storedStates = new Map<string, SessionState | undefined>();

  /** Fires at most every 300 ms. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(
    private readonly worktrees: Worktrees,
    private readonly catalog: Pick<SessionCatalog, 'item' | 'transcript' | 'onDidChange'>,
    private readonly sessions: Pick<UiSessions, 'allOpen' | 'onDidChange'>,
    private readonly interval = COUNT_INTERVAL_MS,
  ) {
    const { onDidChangeDiagnostics } = vscode.languages;
    for (const event of [catalog.onDidChange, sessions.onDidChange, worktrees.onDidChange, onDidChangeDiagnostics])
      this.#store.add(event(() => this.#later.schedule()));
    this.#store.defer(() => clearTimeout(this.#recount));
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** The newest first; worktrees in no race at the end. Numbers of files are counted in the background. */
  races(): Race[] {
    const problems = currentProblems();
    const outdated: (readonly [record: WorktreeRecord, activity: string])[] = [];
    const races = racesOf(this.worktrees.usable(), (record) => {
      const { session: id = '' } = record;
      const item = this.catalog.item(id);
      const state = this.#stateOf(id);
      const files = this.#files.get(record.id);
      const activity = `${item?.status} ${item?.added} ${item?.removed} ${state?.changes.length}`;
      if (files?.of !== activity) outdated.push([record, activity]);
      const attempt = attemptOf(record, item, state, files?.count, countNewProblems(record, localFolders(), problems));
      return files?.failure === undefined ? attempt : { ...attempt, filesFailure: files.failure };
    });
    this.#countNext(outdated);
    return races;
  }

  /** Frees the transcripts that were read; they are read again when they are needed. */
  clearTranscripts(): void {
    this.#storedStates.clear();
  }

  /** Reads the transcript of a session that is not open, once. */
  #stateOf(id: string): SessionState | undefined {
    const open = this.sessions.allOpen().find((session) => session.id === id);
    if (open) {
      this.#storedStates.delete(id);
      return open.state;
    }
    if (!this.#storedStates.has(id)) {
      this.#storedStates.set(id, undefined);
      const read = (state: SessionState | undefined): void => {
        this.#storedStates.set(id, state);
        this.#later.schedule();
      };
      this.catalog.transcript(id).then(read, () => undefined);
    }
    return this.#storedStates.get(id);
  }

  /** Counts the files of one worktree at a time, starting with the oldest count. */
  #countNext(outdated: readonly (readonly [record: WorktreeRecord, activity: string])[]): void {
    const at = ({ id }: WorktreeRecord): number => this.#files.get(id)?.at ?? -Infinity;
    const [next] = outdated.toSorted(([a], [b]) => (at(a) === at(b) ? 0 : at(a) - at(b)));
    if (!next || this.#isCounting) return;
    clearTimeout(this.#recount);
    const wait = at(next[0]) + this.interval - performance.now();
    if (wait > 0) this.#recount = setTimeout(() => this.#later.schedule(), wait);
    else void this.#count(...next);
  }

  async #count(record: WorktreeRecord, activity: string): Promise<void> {
    this.#isCounting = true;
    const lastCount = this.#files.get(record.id)?.count;
    const counted = await this.worktrees.changes(record).then(
      ({ length }) => ({ count: length }),
      (error: unknown) => ({ count: lastCount, failure: errorMessage(error) }),
    );
    this.#files.set(record.id, { of: activity, ...counted, at: performance.now() });
    this.#isCounting = false;
    this.#later.schedule();
  }
}

function currentProblems(): readonly EditorProblem[] {
  const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
  return vscode.languages.getDiagnostics().flatMap(([{ scheme, fsPath }, all]) => {
    if (scheme !== 'file') return [];
    const counted = all.filter(({ severity }) => severity === error || severity === warning);
    return counted.map(({ severity, message }) => ({ path: fsPath, severity, message }));
  });
}

/** An error or a warning of the editor. */
export interface EditorProblem {
  /** Absolute. */
  readonly path: string;
  readonly severity: number;
  readonly message: string;
}

/**
 * Number of problems of a worktree that its repository does not have in the same file.
 * @param folders of the window, absolute
 * @returns undefined where the editor does not check the worktree, because it is not open as a folder
 */
export function countNewProblems(
  { path, repository }: Pick<WorktreeRecord, 'path' | 'repository'>,
  folders: readonly string[],
  problems: readonly EditorProblem[],
): number | undefined {
  if (!folders.some((folder) => isInside(folder, path) || isInside(path, folder))) return undefined;
  const problemKey = (file: string, { severity, message }: EditorProblem): string =>
    JSON.stringify([file, severity, message]);
  const counts = new Map<string, number>();
  for (const problem of problems) {
    const key = problemKey(problem.path, problem);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  let count = 0;
  for (const problem of problems) {
    if (!isInside(path, problem.path)) continue;
    const key = problemKey(join(repository, relative(path, problem.path)), problem);
    const remaining = counts.get(key) ?? 0;
    // Each known problem excludes only one equal problem of the worktree.
    if (remaining > 0) counts.set(key, remaining - 1);
    else count++;
  }
  return count;
}

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
    added: item?.added ?? 0,
    removed: item?.removed ?? 0,
    ...(cost && { cost: formatCost(cost, locale()) }),
  };
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
