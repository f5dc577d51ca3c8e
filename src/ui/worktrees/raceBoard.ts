import * as vscode from 'vscode';
import { locale, t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { escapeIconSyntax, escapeInvisibleInline } from '../../base/untrustedText';
import type { SessionListItem } from '../../history/sessionSummary';
import type { SessionCatalog } from '../../session/sessionCatalog';
import { formatCost } from '../../shared/text/formatCost';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import { withErrorMessage } from '../reportErrors';
import type { UiSession } from '../uiTypes';

/** Milliseconds for which changes are merged. */
const REFRESH_MS = 300;

export interface RaceBoardDeps {
  readonly worktrees: Worktrees;
  readonly catalog: Pick<SessionCatalog, 'item' | 'onDidChange'>;
  readonly open: (id: string) => UiSession | undefined;
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
    pick.items = this.#rows();
    const again = pick.items.find(({ record }) => record !== undefined && record.id === active);
    if (again) pick.activeItems = [again];
  }

  #rows(): Row[] {
    const all = this.#deps.worktrees.all();
    if (all.length === 0)
      return [{ label: t('There are no worktrees. “Race…” and “New Chat in Worktree” create some.') }];
    const titles = new Map(all.map(({ race }) => [race?.id, race?.title ?? t('Other Worktrees')]));
    // Races first, the newest at the top.
    const ids: (string | undefined)[] = [...titles.keys()].filter((id) => id !== undefined).toReversed();
    if (titles.has(undefined)) ids.push(undefined);
    return ids.flatMap((id) => {
      const title: Row = { label: shown(titles.get(id) ?? ''), kind: vscode.QuickPickItemKind.Separator };
      return [title].concat(all.filter(({ race }) => race?.id === id).map((record) => this.#row(record)));
    });
  }

  #row(record: WorktreeRecord): Row {
    const { session: id = '', branch } = record;
    const item = this.#deps.catalog.item(id);
    const state = this.#deps.open(id)?.state;
    const files = this.#count(record, `${item?.status} ${item?.added} ${item?.removed} ${state?.changes.length}`);
    const cost = state?.usage?.cost;
    const parts = [
      statusText(item),
      files === undefined ? '' : files === 1 ? t('1 file') : t('{0} files', files),
      cost ? formatCost(cost, locale()) : '',
      branch,
    ];
    return {
      label: `${statusIcon(item)} ${shown(item?.agent?.title ?? branch)}`,
      description: shown(parts.filter(Boolean).join(' · ')),
      buttons: this.#buttons,
      record,
    };
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

function statusText(item: SessionListItem | undefined): string {
  if (!item) return t('no chat');
  const texts: Readonly<Record<SessionListItem['status'], string>> = {
    waiting: t('waiting for you'),
    running: t('running'),
    unread: t('done'),
    idle: t('done'),
  };
  return texts[item.status];
}

function statusIcon(item: SessionListItem | undefined): string {
  const icons: Readonly<Record<SessionListItem['status'], string>> = {
    waiting: '$(bell-dot)',
    running: '$(sync~spin)',
    unread: '$(pass)',
    idle: '$(pass)',
  };
  return item ? icons[item.status] : '$(git-branch)';
}
