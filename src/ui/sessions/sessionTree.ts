import * as vscode from 'vscode';
import { SerialQueue } from '../../base/async';
import { locale, t } from '../../base/l10n';
import { DisposableStore } from '../../base/lifecycle';
import type { Disposable } from '../../base/lifecycle';
import { escapeInvisibleInline, plainLabel } from '../../base/untrustedText';
import type { SessionListItem } from '../../history/sessionSummary';
import { sessionFolder } from '../../history/sessionSummary';
import { mergeCalls } from '../../node/mergeCalls';
import type { SessionCatalog } from '../../session/sessionCatalog';
import { workspaceRoots } from './folderCommands';
import type { FilterChoice, SessionFilter } from './sessionFilter';
import { everything, filterChoices, filterOf, isChosen, isFiltering, matchesFilter } from './sessionFilter';
import {
  formatChangedLines,
  folderTexts,
  groupSessions,
  isFolded,
  sessionContext,
  sessionDescription,
  sessionIcon,
  sessionLabel,
} from './sessionGroups';
import type { FolderText, SessionGroup } from './sessionGroups';

export type SessionNode =
  | { readonly type: 'group'; readonly group: SessionGroup }
  | { readonly type: 'session'; readonly item: SessionListItem };

/** The tree of Parley's and the agents' sessions, by day. */
export class SessionTree implements vscode.TreeDataProvider<SessionNode>, Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChangeTreeData = this.#store.add(new vscode.EventEmitter<void>());
  #filter: SessionFilter = everything;
  #groups: readonly SessionGroup[] = [];
  #folderText: FolderText = () => '';
  /** Id of the last automatically selected session. */
  #selectedKey: string | undefined;
  /** By session: number of times that its row was replaced by an equal one, which is not selected. */
  readonly #rowVersions = new Map<string, number>();
  /** Changes of the selection, one after the other. */
  readonly #selecting = new SerialQueue();
  readonly #schedule = mergeCalls(this.#store, () => {
    this.#deselectHidden();
    this.#onDidChangeTreeData.fire();
    this.#selectShown();
  });

  readonly onDidChangeTreeData = this.#onDidChangeTreeData.event;

  /** @param view not disposed here; asks this provider for its rows */
  constructor(
    private readonly catalog: SessionCatalog,
    private readonly view: vscode.TreeView<SessionNode>,
  ) {
    this.#store.add(catalog.onDidChange(() => this.#schedule()));
    if (view.visible) void catalog.refresh();
    this.#store.add(
      this.view.onDidChangeVisibility(({ visible }) => {
        if (!visible) return;
        // Relative times such as "5 min" have changed.
        this.#schedule();
        void catalog.refresh();
      }),
    );
  }

  /** The number on the tree's icon, used when the chat view is unavailable. */
  set badge(badge: vscode.ViewBadge | undefined) {
    this.view.badge = badge;
  }

  get badge(): vscode.ViewBadge | undefined {
    return this.view.badge;
  }

  getChildren(node?: SessionNode): SessionNode[] {
    if (node?.type === 'session') return [];
    if (node) return node.group.items.map((item) => ({ type: 'session', item }));
    const items = this.catalog.items().filter((item) => matchesFilter(this.#filter, item));
    const isNone = items.length === 0 && isFiltering(this.#filter);
    this.view.message = isNone ? t('No sessions match the filter.') : '';
    this.#groups = groupSessions(items, Date.now());
    this.#folderText = folderTexts(items, workspaceRoots());
    return this.#groups.map((group) => ({ type: 'group', group }));
  }

  /**
   * Id of the session whose row has the keyboard focus, for keys: VS Code passes them no row and tells extensions only the selection, which
   * arrow keys do not move. Undefined when the selection changes meanwhile.
   */
  findFocusedId(): Promise<string | undefined> {
    return this.#selecting.run(async () => {
      const [first, second] = [await this.#toggleFocused(), await this.#toggleFocused()];
      const [toggled, ...others] = [...without(first, second), ...without(second, first)];
      return toggled?.type === 'session' && others.length === 0 ? toggled.item.id : undefined;
    });
  }

  /** Adds the focused row to the selection, or removes it: twice leaves the selection as it was. */
  async #toggleFocused(): Promise<readonly SessionNode[]> {
    await vscode.commands.executeCommand('list.toggleSelection');
    return this.view.selection;
  }

  /** VS Code calls this for revealing a node. */
  getParent(node: SessionNode): SessionNode | undefined {
    if (node.type === 'group') return undefined;
    const group = this.#groups.find(({ items }) => items.some(({ id }) => id === node.item.id));
    return group && { type: 'group', group };
  }

  /** "Filter Sessions": the filter applies until it is changed or the window closes. */
  async filter(): Promise<void> {
    const chosen = await vscode.window.showQuickPick(filterRows(this.catalog.items(), this.#filter), {
      title: t('Filter Sessions'),
      placeHolder: t('Select the sessions to show. Without a selection, all sessions are shown'),
      canPickMany: true,
    });
    if (chosen) this.#show(filterOf(chosen), chosen.map(({ label }) => label).join(', '));
  }

  clearFilter(): void {
    this.#show(everything, '');
  }

  #show(filter: SessionFilter, description: string): void {
    this.#filter = filter;
    this.view.description = description;
    void vscode.commands.executeCommand('setContext', 'parley.sessionsFiltered', isFiltering(filter));
    this.#schedule();
  }

  getTreeItem(node: SessionNode): vscode.TreeItem {
    if (node.type === 'group') return groupItem(node.group);
    const count = this.#rowVersions.get(node.item.id);
    const item = sessionItem(node.item, this.#folderText);
    return count === undefined ? item : Object.assign(item, { id: `${node.item.id} ${count}` });
  }

  /** Lazy, because the tooltip may require a request to the agent. */
  async resolveTreeItem(item: vscode.TreeItem, node: SessionNode): Promise<vscode.TreeItem> {
    if (node.type === 'group') return item;
    const status = await this.catalog.statusAtAgent(node.item.id);
    const { title, agent, updatedAt, lastPrompt } = node.item;
    const lines = [
      title,
      agent?.title,
      updatedAt > 0 ? new Date(updatedAt).toLocaleString(locale()) : undefined,
      sessionFolder(node.item),
      lastPrompt === title ? undefined : lastPrompt,
      formatChangedLines(node.item) || undefined,
      status === 'open' ? t('Loaded by the agent') : undefined,
    ];
    return Object.assign(item, {
      tooltip: lines.flatMap((line) => (line === undefined ? [] : escapeInvisibleInline(line))).join('\n'),
    });
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** An empty chat has no row. VS Code cannot clear a selection, but drops that of a row whose id changes. */
  #deselectHidden(): void {
    const id = this.#selectedKey;
    if (id === undefined || this.catalog.items().some(({ isActive }) => isActive)) return;
    this.#selectedKey = undefined;
    const isSelected = this.view.selection.some((node) => node.type === 'session' && node.item.id === id);
    if (isSelected) this.#rowVersions.set(id, (this.#rowVersions.get(id) ?? 0) + 1);
  }

  /** Selects the row of the viewed session once per change of the view, so that the user may select another row. */
  #selectShown(): void {
    if (!this.view.visible) return;
    const item = this.catalog.items().find(({ isActive }) => isActive);
    if (item?.id === this.#selectedKey) return;
    const listed = item && matchesFilter(this.#filter, item) ? item : undefined;
    // A session hidden by the filter is selected when it is listed again.
    this.#selectedKey = listed?.id;
    if (!listed) return;
    const node: SessionNode = { type: 'session', item: listed };
    // The row may be gone, or the list may be changing: retried with the next change.
    const select = async (): Promise<void> => this.view.reveal(node, { select: true, focus: false });
    this.#selecting.run(select).catch(() => (this.#selectedKey = undefined));
  }
}

function without(nodes: readonly SessionNode[], others: readonly SessionNode[]): readonly SessionNode[] {
  const ids = new Set(others.map(idOf));
  return nodes.filter((node) => !ids.has(idOf(node)));
}

function idOf(node: SessionNode): string {
  return node.type === 'session' ? node.item.id : `group ${node.group.id}`;
}

type FilterRow = vscode.QuickPickItem & Pick<FilterChoice, 'gives'>;

function filterRows(items: readonly SessionListItem[], filter: SessionFilter): FilterRow[] {
  const rows: FilterRow[] = [];
  let group = '';
  for (const choice of filterChoices(items)) {
    if (choice.group !== group) rows.push({ label: choice.group, kind: vscode.QuickPickItemKind.Separator, gives: {} });
    ({ group } = choice);
    const { label, description } = choice;
    const shown = {
      label: plainLabel(label),
      ...(description !== undefined && { description: plainLabel(description) }),
    };
    rows.push({ ...choice, ...shown, picked: isChosen(filter, choice) });
  }
  return rows;
}

function groupItem({ id, label }: SessionGroup): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  return Object.assign(new vscode.TreeItem(label, isFolded({ id }) ? Collapsed : Expanded), {
    id: `group ${id}`,
    contextValue: 'group',
  });
}

function sessionItem(item: SessionListItem, folderText: FolderText): vscode.TreeItem {
  const now = Date.now();
  // No highlights in the label: themes draw them as search matches.
  const isMarked = item.isActive || item.status === 'unread' || item.status === 'waiting';
  const color = isMarked ? new vscode.ThemeColor('charts.blue') : undefined;
  return Object.assign(new vscode.TreeItem(escapeInvisibleInline(item.title)), {
    id: item.id,
    description: escapeInvisibleInline(sessionDescription(item, now, folderText)),
    iconPath: new vscode.ThemeIcon(sessionIcon(item), color),
    contextValue: sessionContext(item),
    accessibilityInformation: { label: escapeInvisibleInline(sessionLabel(item, now, folderText)) },
    command: { command: 'parley.openSession', title: t('Open Session'), arguments: [item.id] },
  });
}
