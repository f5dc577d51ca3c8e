import * as vscode from 'vscode';
import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { AttemptAction, Race, RaceHostMessage, RacePageMessage } from '../../shared/protocol/racePageProtocol';
import { RACE_PANEL } from '../../shared/protocol/racePageProtocol';
import type { SessionState } from '../../shared/state/sessionState';
import { localFolders } from '../../workbench/workspaceFolders';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import { parseRaceMessage } from '../chat/intents/parsePageMessage';
import { showTablePage, openTablePanel } from '../chat/tablePanel';
import { withErrorMessage } from '../reportErrors';
import type { UiSessions } from '../uiTypes';
import type { Problem } from './newProblems';
import { countNewProblems } from './newProblems';
import { attemptOf, racesOf } from './raceRows';

/** Milliseconds for which changes are merged. */
const REFRESH_MS = 300;

/** What the user can do with an attempt; each shows its errors. */
export type AttemptActions = Readonly<Record<AttemptAction, (record: WorktreeRecord) => Promise<void>>>;

/** "Show Races": the attempts of each race side by side with their live state, in the only editor tab of this kind. */
export class RaceBoard implements Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #worktrees: Worktrees;
  readonly #catalog: Pick<SessionCatalog, 'item' | 'transcript' | 'onDidChange'>;
  readonly #sessions: Pick<UiSessions, 'all' | 'onDidChange'>;
  readonly #actions: AttemptActions;
  readonly #log: Logger;
  readonly #open = new MutableDisposable<DisposableStore>();
  #panel: vscode.WebviewPanel | undefined;
  /** Numbers of changed files by worktree, and the activity for which they were counted. */
  readonly #files = new Map<string, { readonly at: string; readonly count: number | undefined }>();
  /** States of sessions that are not open, by session id; undefined while they are read. */
  readonly #stored = new Map<string, SessionState | undefined>();
  /** What the page has, as JSON. */
  #posted = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(
    extensionUri: vscode.Uri,
    worktrees: Worktrees,
    catalog: Pick<SessionCatalog, 'item' | 'transcript' | 'onDidChange'>,
    sessions: Pick<UiSessions, 'all' | 'onDidChange'>,
    actions: AttemptActions,
    log: Logger,
  ) {
    this.#extensionUri = extensionUri;
    this.#worktrees = worktrees;
    this.#catalog = catalog;
    this.#sessions = sessions;
    this.#actions = actions;
    this.#log = log;
  }

  show(): void {
    if (this.#panel) this.#panel.reveal();
    else this.restore(openTablePanel(RACE_PANEL, t('Races')));
    void withErrorMessage(() => this.#worktrees.refresh());
  }

  /** @param panel a new tab, or that of the window before a reload */
  restore(panel: vscode.WebviewPanel): void {
    this.#panel?.dispose();
    const store = new DisposableStore();
    this.#panel = panel;
    this.#open.value = store;
    store.add(panel.webview.onDidReceiveMessage((value: unknown) => void this.#receive(value)));
    store.add(this.#catalog.onDidChange(() => this.#soon()));
    store.add(this.#sessions.onDidChange(() => this.#soon()));
    store.add(this.#worktrees.onDidChange(() => this.#soon()));
    store.add(vscode.languages.onDidChangeDiagnostics(() => this.#soon()));
    store.defer(() => clearTimeout(this.#timer));
    store.add(panel.onDidDispose(() => this.#closed(panel)));
    showTablePage(panel, this.#extensionUri, 'races', t('Parley Races'));
  }

  dispose(): void {
    this.#open.dispose();
  }

  #closed(panel: vscode.WebviewPanel): void {
    if (this.#panel !== panel) return;
    this.#panel = undefined;
    this.#open.value = undefined;
    this.#stored.clear();
  }

  async #receive(value: unknown): Promise<void> {
    const parsed = parseRaceMessage(value);
    if ('problem' in parsed) this.#log.warn('view', `The page of the races sent ${parsed.problem}; ignored`);
    else await this.#carryOut(parsed.message);
  }

  async #carryOut(message: RacePageMessage): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.#posted = '';
        return this.#post();
      case 'newRace':
        return vscode.commands.executeCommand('parley.race');
      case 'act': {
        const record = this.#worktrees.get(message.attempt);
        if (record) await withErrorMessage(() => this.#actions[message.action](record));
        return;
      }
      case 'pageError':
        return this.#log.error('view', `The page of the races failed: ${message.message}`);
      default:
        return assertNever(message);
    }
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#post();
    }, REFRESH_MS);
  }

  #post(): void {
    const message: RaceHostMessage = { type: 'races', races: this.#races() };
    const text = JSON.stringify(message);
    if (text === this.#posted) return;
    this.#posted = text;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a webview's postMessage has none
    void this.#panel?.webview.postMessage(message);
  }

  #races(): Race[] {
    const problems = currentProblems();
    return racesOf(this.#worktrees.all(), (record) => {
      const { session: id = '' } = record;
      const item = this.#catalog.item(id);
      const state = this.#stateOf(id);
      const files = this.#count(record, `${item?.status} ${item?.added} ${item?.removed} ${state?.changes.length}`);
      return attemptOf(record, item, state, files, countNewProblems(record, localFolders(), problems));
    });
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
