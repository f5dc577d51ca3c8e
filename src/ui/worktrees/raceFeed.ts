import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { Race } from '../../shared/protocol/racePageProtocol';
import type { SessionState } from '../../shared/state/sessionState';
import { localFolders } from '../../workbench/workspaceFolders';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import type { UiSessions } from '../uiTypes';
import type { Problem } from './newProblems';
import { countNewProblems } from './newProblems';
import { attemptOf, racesOf } from './raceRows';

/** Milliseconds for which changes are merged. */
const REFRESH_MS = 300;

/** The races with the live state of their attempts. */
export class RaceFeed implements Disposable {
  readonly #worktrees: Worktrees;
  readonly #catalog: Pick<SessionCatalog, 'item' | 'transcript' | 'onDidChange'>;
  readonly #sessions: Pick<UiSessions, 'all' | 'onDidChange'>;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<void>());
  #timer: NodeJS.Timeout | undefined;
  /** Numbers of changed files by worktree, and the activity for which they were counted. */
  readonly #files = new Map<string, { readonly at: string; readonly count: number | undefined }>();
  /** States of sessions that are not open, by session id; undefined while they are read. */
  readonly #stored = new Map<string, SessionState | undefined>();

  /** Fires at most every 300 ms. */
  readonly onDidChange = this.#changed.event;

  constructor(
    worktrees: Worktrees,
    catalog: Pick<SessionCatalog, 'item' | 'transcript' | 'onDidChange'>,
    sessions: Pick<UiSessions, 'all' | 'onDidChange'>,
  ) {
    this.#worktrees = worktrees;
    this.#catalog = catalog;
    this.#sessions = sessions;
    this.#store.add(catalog.onDidChange(() => this.#soon()));
    this.#store.add(sessions.onDidChange(() => this.#soon()));
    this.#store.add(worktrees.onDidChange(() => this.#soon()));
    this.#store.add(vscode.languages.onDidChangeDiagnostics(() => this.#soon()));
    this.#store.defer(() => clearTimeout(this.#timer));
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** The newest first; worktrees in no race at the end. Numbers of files are counted in the background. */
  races(): Race[] {
    const problems = currentProblems();
    return racesOf(this.#worktrees.all(), (record) => {
      const { session: id = '' } = record;
      const item = this.#catalog.item(id);
      const state = this.#stateOf(id);
      const files = this.#count(record, `${item?.status} ${item?.added} ${item?.removed} ${state?.changes.length}`);
      return attemptOf(record, item, state, files, countNewProblems(record, localFolders(), problems));
    });
  }

  /** Frees the transcripts that were read; they are read again when they are needed. */
  forget(): void {
    this.#stored.clear();
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#changed.fire();
    }, REFRESH_MS);
  }

  /** Reads the transcript of a session that is not open, once. */
  #stateOf(id: string): SessionState | undefined {
    const open = this.#sessions.all().find((session) => session.id === id);
    if (open) {
      this.#stored.delete(id);
      return open.state;
    }
    if (!this.#stored.has(id)) {
      this.#stored.set(id, undefined);
      const read = (state: SessionState | undefined): void => {
        this.#stored.set(id, state);
        this.#soon();
      };
      this.#catalog.transcript(id).then(read, () => undefined);
    }
    return this.#stored.get(id);
  }

  /** Counted in the background. */
  #count(record: WorktreeRecord, at: string): number | undefined {
    const known = this.#files.get(record.id);
    if (known?.at === at) return known.count;
    this.#files.set(record.id, { at, count: known?.count });
    const counted = ({ length }: { readonly length: number }): void => {
      this.#files.set(record.id, { at, count: length });
      this.#soon();
    };
    this.#worktrees.changes(record).then(counted, () => undefined);
    return known?.count;
  }
}

function currentProblems(): readonly Problem[] {
  const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
  return vscode.languages.getDiagnostics().flatMap(([{ scheme, fsPath }, all]) => {
    if (scheme !== 'file') return [];
    const counted = all.filter(({ severity }) => severity === error || severity === warning);
    return counted.map(({ severity, message }) => ({ path: fsPath, severity, message }));
  });
}
