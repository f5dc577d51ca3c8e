import * as vscode from 'vscode';
import { DelayedCall } from '../../base/clock';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { plainLabel } from '../../base/untrustedText';
import type { SessionListItem } from '../../history/sessionSummary';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { AgentRef } from '../../shared/state/sessionState';
import { workspaceRoots } from './folderCommands';
import { folderTexts, groupSessions, sessionDescription, sessionIcon } from './sessionGroups';

/**
 * Where to open a session. `there`: where it is already shown, else in the view. `editor`: in a tab. `side`: in a tab beside the active
 * editor.
 */
type PickedLocation = 'there' | 'editor' | 'side';

interface PickedSession {
  readonly id: string;
  readonly location: PickedLocation;
}

interface Row extends AgentListRow {
  readonly sessionId?: string;
}

/** Milliseconds after which a list without an active row is not merely being filled. */
const ACTIVE_DELAY_MS = 50;

interface LocationButton extends vscode.QuickInputButton {
  readonly location: PickedLocation;
}

/**
 * "Open Session": selects among all sessions by title or agent, waiting ones first. The list opens immediately and
 * updates as agents report their sessions. A row for each agent that does not run starts it for its list.
 */
export function pickSession(catalog: SessionCatalog): Promise<PickedSession | undefined> {
  const store = new DisposableStore();
  const list = store.add(vscode.window.createQuickPick<Row>());
  Object.assign(list, { title: t('Open Session'), placeholder: t('Search sessions by title or agent') });
  Object.assign(list, { matchOnDescription: true, keepScrollPosition: true });
  const loader = new AgentListLoader(catalog);
  let isRefreshing = true;
  const update = (): void => {
    if (store.isDisposed) return;
    fill(list, catalog, loader);
    list.busy = isRefreshing || loader.isBusy;
  };
  return new Promise((resolve) => {
    const finish = (picked: PickedSession | undefined): void => {
      store.dispose();
      resolve(picked);
    };
    const choose = (row: Row | undefined, location: PickedLocation): void => {
      if (row?.sessionId !== undefined) return finish({ id: row.sessionId, location });
      if (row?.agentName === undefined) return;
      // The agent may have to be confirmed in a dialog.
      list.ignoreFocusOut = true;
      void loader.load(row.agentName, update);
    };
    store.add(list.onDidAccept(() => choose(list.selectedItems[0], 'there')));
    store.add(list.onDidTriggerItemButton(({ item, button }) => choose(item, (button as LocationButton).location)));
    store.add(list.onDidHide(() => finish(undefined)));
    store.add(catalog.onDidChange(update));
    store.add(new FirstRow(list));
    update();
    // Agents may answer late; known sessions can be selected meanwhile.
    void catalog.refresh().finally(() => {
      isRefreshing = false;
      update();
    });
    list.show();
  });
}

/**
 * Makes the first visible row active where none is: a refill that crosses the typed text activates a row that this text hides, and Enter
 * would do nothing.
 */
class FirstRow implements Disposable {
  /** The text for which the list was filled again. */
  #filledFor: string | undefined;
  readonly #fill = new DelayedCall(ACTIVE_DELAY_MS, () => this.#refill());
  readonly #subscription: Disposable;

  constructor(private readonly list: vscode.QuickPick<Row>) {
    this.#subscription = list.onDidChangeActive((active) => void (active.length === 0 && this.#fill.restart()));
  }

  /** Once for each text: it may match no row. */
  #refill(): void {
    const { list } = this;
    if (list.activeItems.length > 0 || list.value === this.#filledFor) return;
    this.#filledFor = list.value;
    list.items = [...list.items];
  }

  dispose(): void {
    this.#fill.dispose();
    this.#subscription.dispose();
  }
}

/** Keeps the active row, unless the typed text hides it: VS Code activates the first row that it shows then. */
function fill(list: vscode.QuickPick<Row>, catalog: SessionCatalog, loader: AgentListLoader): void {
  const [{ sessionId: before, agentName } = {}] = list.activeItems;
  const items = catalog.items();
  const rows = [...rowsOf(items, placeButtons()), ...loader.rows()];
  list.items = rows;
  const activeId = before ?? items.find(({ isActive, archived }) => !isActive && !archived)?.id;
  const isWanted = (row: Row): boolean =>
    agentName === undefined ? row.sessionId === activeId : row.agentName === agentName;
  // The first row is usually the current session.
  const active = rows.find(isWanted);
  if (active && isShownFor(list.value, active)) list.activeItems = [active];
}

/** Whether VS Code certainly shows a row for a typed text. */
function isShownFor(value: string, { label, description = '' }: Row): boolean {
  const typed = value.trim().toLowerCase();
  const title = label.replace(/^\$\([^)]*\) /, '');
  return typed === '' || [title, description].some((text) => text.toLowerCase().includes(typed));
}

function rowsOf(items: readonly SessionListItem[], buttons: readonly LocationButton[]): Row[] {
  const now = Date.now();
  const folderText = folderTexts(items, workspaceRoots());
  const waiting = items.filter(({ status }) => status === 'waiting');
  const others = groupSessions(
    items.filter(({ status }) => status !== 'waiting'),
    now,
  );
  const groups = [{ label: t('Waiting for you'), items: waiting }, ...others].filter((group) => group.items.length > 0);
  const rows: Row[] = [];
  for (const group of groups) {
    rows.push({ label: group.label, kind: vscode.QuickPickItemKind.Separator });
    for (const item of group.items)
      rows.push(rowOf(item, plainLabel(sessionDescription(item, now, folderText)), buttons));
  }
  return rows;
}

function rowOf(item: SessionListItem, description: string, buttons: readonly LocationButton[]): Row {
  const label = `$(${sessionIcon(item)}) ${plainLabel(item.title)}`;
  return { label, description, sessionId: item.id, buttons };
}

function placeButtons(): LocationButton[] {
  return [
    { location: 'editor', iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: t('Open in Editor') },
    { location: 'side', iconPath: new vscode.ThemeIcon('split-horizontal'), tooltip: t('Open to the Side') },
  ];
}

interface AgentListRow extends vscode.QuickPickItem {
  /** The agent that is started for its list when the row is selected. */
  readonly agentName?: string;
}

/** The rows "Load sessions of …" of a list of sessions, for agents that do not run. */
class AgentListLoader {
  readonly #loading = new Set<string>();
  /** Why a list could not be loaded. */
  readonly #problems = new Map<string, string>();

  constructor(private readonly catalog: SessionCatalog) {}

  get isBusy(): boolean {
    return this.#loading.size > 0;
  }

  rows(): AgentListRow[] {
    const rows = this.catalog.listNotRunning().map((agent) => this.#row(agent));
    if (rows.length === 0) return [];
    return [{ label: t('Agents that are not running'), kind: vscode.QuickPickItemKind.Separator }, ...rows];
  }

  /**
   * Never rejects: the row says what went wrong.
   * @param onChange called when {@link rows} have changed
   */
  async load(agentName: string, onChange: () => void): Promise<void> {
    if (this.#loading.has(agentName)) return;
    this.#loading.add(agentName);
    this.#problems.delete(agentName);
    onChange();
    try {
      await this.catalog.loadSessionsOf(agentName);
    } catch (error) {
      this.#problems.set(agentName, errorMessage(error));
    }
    this.#loading.delete(agentName);
    onChange();
  }

  #row({ name, title }: AgentRef): AgentListRow {
    const shown = plainLabel(title);
    const problem = this.#problems.get(name);
    if (this.#loading.has(name))
      return { label: `$(loading~spin) ${t('Loading sessions of {0}…', shown)}`, agentName: name };
    const label = `$(cloud-download) ${t('Load sessions of {0}…', shown)}`;
    return { label, agentName: name, ...(problem !== undefined && { description: plainLabel(problem) }) };
  }
}
