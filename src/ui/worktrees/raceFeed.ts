import * as vscode from 'vscode';
import { DelayedCall } from '../../base/clock';
import { errorMessage } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Session } from '../../session/session';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { Sessions } from '../../session/sessions';
import type { Race } from '../../shared/protocol/racePageProtocol';
import type { SessionState } from '../../shared/state/sessionState';
import { localFolders } from '../../workbench/workspaceFolders';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import type { Review } from '../window';
import { answerOnCard, attemptRequest } from './attemptRequest';
import { countNewProblems } from './newProblems';
import type { EditorProblem } from './newProblems';
import { attemptOf, racesOf } from './raceRows';
import { takenFiles } from './takeChanges';

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
    private readonly catalog: SessionCatalog,
    private readonly sessions: Sessions,
    private readonly review: Review,
    private readonly interval = COUNT_INTERVAL_MS,
  ) {
    const { onDidChangeDiagnostics } = vscode.languages;
    const events = [catalog.onDidChange, sessions.onDidChange, worktrees.onDidChange, review.onDidChange];
    for (const event of [...events, onDidChangeDiagnostics]) this.#store.add(event(() => this.#later.schedule()));
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
      const session = this.#openSession(id);
      const request = session && attemptRequest(session);
      const failure = files?.failure;
      const taken = takenFiles(this.review, record).length;
      return {
        ...attempt,
        ...(request && { request }),
        ...(failure !== undefined && { filesFailure: failure }),
        ...(taken > 0 && { taken }),
      };
    });
    this.#countNext(outdated);
    return races;
  }

  /**
   * Answers the request that the card of an attempt shows. False if it shows another one, or none.
   * @param attempt id of a worktree
   */
  answer(attempt: string, permissionId: string, optionId: string): boolean {
    const session = this.#openSession(this.worktrees.get(attempt)?.session ?? '');
    return session !== undefined && answerOnCard(session, permissionId, optionId);
  }

  /** Frees the transcripts that were read; they are read again when they are needed. */
  clearTranscripts(): void {
    this.#storedStates.clear();
  }

  #openSession(id: string): Session | undefined {
    return this.sessions.allOpen().find((session) => session.id === id);
  }

  /** Reads the transcript of a session that is not open, once. */
  #stateOf(id: string): SessionState | undefined {
    const open = this.#openSession(id);
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
