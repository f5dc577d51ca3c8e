import * as vscode from 'vscode';
import type { Event } from '../../base/event';
import { locale, t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { escapeIconSyntax, escapeInvisibleInline } from '../../base/untrustedText';
import type { SessionListItem } from '../../history/sessionSummary';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { SessionState } from '../../shared/state/sessionState';
import { formatCost } from '../../shared/text/formatCost';
import { formatDuration } from '../../shared/text/formatDuration';
import { localFolders } from '../../workbench/workspaceFolders';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import { withErrorMessage } from '../reportErrors';
import type { UiSession } from '../uiTypes';
import type { Problem } from './newProblems';
import { countNewProblems } from './newProblems';

/** Milliseconds for which changes are merged. */
const REFRESH_MS = 300;

export interface RaceBoardDeps {
  readonly worktrees: Pick<Worktrees, 'all' | 'changes' | 'onDidChange'>;
  readonly catalog: Pick<SessionCatalog, 'item' | 'transcript' | 'onDidChange'>;
  readonly open: (id: string) => UiSession | undefined;
  readonly onDidChangeSession: Event<unknown>;
  readonly actions: {
    show(record: WorktreeRecord): Promise<void>;
    compare(record: WorktreeRecord): Promise<void>;
    takeAll(record: WorktreeRecord): Promise<void>;
    openInNewWindow(record: WorktreeRecord): Promise<void>;
    discard(record: WorktreeRecord): Promise<void>;
  };
}

interface Row extends vscode.QuickPickItem {
  readonly record?: WorktreeRecord;
}

interface Action extends vscode.QuickInputButton {
  readonly run: (record: WorktreeRecord) => Promise<void>;
}

/** "Show Races": the attempts of each race and the other worktrees, with their live state. */
export class RaceBoard implements Disposable {
  readonly #deps: RaceBoardDeps;
  readonly #store = new DisposableStore();
  readonly #pick = this.#store.add(vscode.window.createQuickPick<Row>());
  readonly #buttons: readonly Action[];
  /** Changed files by worktree, and the lines that the count was made at. */
  readonly #files = new Map<string, { readonly at: string; readonly count: number | undefined }>();
  /** States of sessions that are not open, by id; undefined while they are read. */
  readonly #stored = new Map<string, SessionState | undefined>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: RaceBoardDeps) {
    this.#deps = deps;
    const { actions, worktrees, catalog } = deps;
    const button = (icon: string, tooltip: string, run: Action['run']): Action => ({
      iconPath: new vscode.ThemeIcon(icon),
      tooltip,
      run,
    });
    this.#buttons = [
      button('diff-multiple', t('Compare'), (record) => actions.compare(record)),
      button('check-all', t('Take All'), (record) => actions.takeAll(record)),
      button('empty-window', t('Open in New Window'), (record) => actions.openInNewWindow(record)),
      button('trash', t('Discard Worktree'), (record) => actions.discard(record)),
    ];
    const pick = this.#pick;
    pick.title = t('Races and Worktrees');
    pick.placeholder = t('Select an attempt to open its chat');
    pick.matchOnDescription = true;
    pick.ignoreFocusOut = true;
    pick.keepScrollPosition = true;
    this.#store.add(pick.onDidAccept(() => this.#accepted(pick.selectedItems[0]?.record)));
    this.#store.add(pick.onDidTriggerItemButton(({ item, button: pressed }) => this.#pressed(item, pressed)));
    this.#store.add(pick.onDidHide(() => this.dispose()));
    this.#store.add(catalog.onDidChange(() => this.#soon()));
    this.#store.add(worktrees.onDidChange(() => this.#soon()));
    this.#store.add(deps.onDidChangeSession(() => this.#soon()));
    this.#store.add(vscode.languages.onDidChangeDiagnostics(() => this.#soon()));
    this.#store.defer(() => clearTimeout(this.#timer));
  }

  /** @param raceId whose first attempt is selected */
  show(raceId?: string): void {
    this.#refresh();
    const active = this.#pick.items.find(({ record }) => record && record.race?.id === raceId);
    if (active) this.#pick.activeItems = [active];
    this.#pick.show();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #accepted(record: WorktreeRecord | undefined): void {
    if (!record) return;
    this.#pick.hide();
    void withErrorMessage(() => this.#deps.actions.show(record));
  }

  #pressed({ record }: Row, pressed: vscode.QuickInputButton): void {
    const action = this.#buttons.find((button) => button === pressed);
    if (!record || !action) return;
    this.#pick.hide();
    void withErrorMessage(() => action.run(record));
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#refresh();
    }, REFRESH_MS);
  }

  #refresh(): void {
    const pick = this.#pick;
    const active = pick.activeItems[0]?.record?.id;
    const rows = this.#rows();
    const textOf = (all: readonly Row[]): string =>
      JSON.stringify(all.map(({ label, description, record }) => [label, description, record?.id]));
    if (textOf(rows) === textOf(pick.items)) return;
    pick.items = rows;
    const again = pick.items.find(({ record }) => record !== undefined && record.id === active);
    if (again) pick.activeItems = [again];
  }

  #rows(): Row[] {
    const all = this.#deps.worktrees.all();
    if (all.length === 0)
      return [{ label: t('There are no worktrees. “Race…” and “New Chat in Worktree” create some.') }];
    const titles = new Map(all.map(({ race }) => [race?.id, race?.title ?? t('Other Worktrees')]));
    const problems = currentProblems();
    // Races first, the newest at the top.
    const ids: (string | undefined)[] = [...titles.keys()].filter((id) => id !== undefined).toReversed();
    if (titles.has(undefined)) ids.push(undefined);
    return ids.flatMap((id) => {
      const title: Row = { label: shown(titles.get(id) ?? ''), kind: vscode.QuickPickItemKind.Separator };
      const attempts = all.filter(({ race }) => race?.id === id);
      return [title].concat(attempts.map((record) => this.#row(record, problems)));
    });
  }

  #row(record: WorktreeRecord, problems: readonly Problem[]): Row {
    const { session: id = '', branch } = record;
    const item = this.#deps.catalog.item(id);
    const state = this.#deps.open(id)?.state;
    const known = state ?? this.#storedState(id);
    const files = this.#count(record, `${item?.status} ${item?.added} ${item?.removed} ${state?.changes.length}`);
    const cost = known?.usage?.cost;
    const time = known?.turns.reduce((sum, { ms }) => sum + ms, 0) ?? 0;
    const added = countNewProblems(record, localFolders(), problems);
    const status = statusOf(item, known);
    const parts = [
      STATUS_TEXTS[status],
      files === undefined ? '' : files === 1 ? t('1 file') : t('{0} files', files),
      added === undefined ? t('problems not checked') : added === 1 ? t('1 new problem') : t('{0} new problems', added),
      time > 0 ? formatDuration(time) : '',
      cost ? formatCost(cost, locale()) : '',
      branch,
    ];
    return {
      label: `$(${STATUS_ICONS[status]}) ${shown(item?.agent?.title ?? branch)}`,
      description: shown(parts.filter(Boolean).join(' · ')),
      buttons: this.#buttons,
      record,
    };
  }

  /** Read in the background. */
  #storedState(id: string): SessionState | undefined {
    if (id === '' || this.#stored.has(id)) return this.#stored.get(id);
    this.#stored.set(id, undefined);
    this.#deps.catalog.transcript(id).then(
      (state) => {
        this.#stored.set(id, state);
        this.#soon();
        return undefined;
      },
      () => undefined,
    );
    return undefined;
  }

  /** Counted in the background. */
  #count(record: WorktreeRecord, at: string): number | undefined {
    const known = this.#files.get(record.id);
    if (known?.at === at) return known.count;
    this.#files.set(record.id, { at, count: known?.count });
    this.#deps.worktrees.changes(record).then(
      ({ length }) => {
        this.#files.set(record.id, { at, count: length });
        this.#soon();
        return undefined;
      },
      () => undefined,
    );
    return known?.count;
  }
}

function shown(text: string): string {
  return escapeIconSyntax(escapeInvisibleInline(text));
}

type AttemptStatus = 'none' | 'waiting' | 'running' | 'interrupted' | 'failed' | 'done';

const STATUS_TEXTS: Readonly<Record<AttemptStatus, string>> = {
  none: t('no chat'),
  waiting: t('waiting for you'),
  running: t('running'),
  interrupted: t('interrupted'),
  failed: t('failed'),
  done: t('done'),
};

const STATUS_ICONS: Readonly<Record<AttemptStatus, string>> = {
  none: 'git-branch',
  waiting: 'bell-dot',
  running: 'sync~spin',
  interrupted: 'circle-slash',
  failed: 'error',
  done: 'pass',
};

function statusOf(item: SessionListItem | undefined, state: SessionState | undefined): AttemptStatus {
  if (!item) return 'none';
  if (item.status === 'waiting' || item.status === 'running') return item.status;
  const turn = state?.turn;
  // The window was closed during the turn, and the session was not opened since.
  if (turn?.status === 'running' || turn?.stopReason === 'interrupted' || turn?.stopReason === 'cancelled')
    return 'interrupted';
  return turn?.stopReason === 'error' ? 'failed' : 'done';
}

function currentProblems(): readonly Problem[] {
  const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
  return vscode.languages.getDiagnostics().flatMap(([{ scheme, fsPath }, all]) => {
    if (scheme !== 'file') return [];
    const counted = all.filter(({ severity }) => severity === error || severity === warning);
    return counted.map(({ severity, message }) => ({ path: fsPath, severity, message }));
  });
}
