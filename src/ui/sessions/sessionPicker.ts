import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { DisposableStore } from '../../base/lifecycle';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { SessionListItem } from '../../history/sessionSummary';
import { workspaceRoots } from './folderCommands';
import { folderTexts, groupSessions, sessionDescription, sessionIcon } from './sessionGroups';

/**
 * Where to open a session. `there`: where it is already shown, else in the view. `editor`: in a tab. `side`: in a tab beside the active
 * editor.
 */
export type PickedPlace = 'there' | 'editor' | 'side';

export interface PickedSession {
  readonly id: string;
  readonly place: PickedPlace;
}

interface Row extends vscode.QuickPickItem {
  readonly sessionId?: string;
}

interface PlaceButton extends vscode.QuickInputButton {
  readonly place: PickedPlace;
}

/**
 * "Open Session": selects among all sessions by title or agent, waiting ones first. The list opens immediately and
 * updates as agents report their sessions.
 */
export function pickSession(
  catalog: Pick<SessionCatalog, 'items' | 'refresh' | 'onDidChange'>,
): Promise<PickedSession | undefined> {
  const store = new DisposableStore();
  const list = store.add(vscode.window.createQuickPick<Row>());
  Object.assign(list, { title: t('Open Session'), placeholder: t('Search sessions by title or agent') });
  Object.assign(list, { matchOnDescription: true, keepScrollPosition: true });
  const buttons = placeButtons();
  const fill = (): void => {
    const before = list.activeItems[0]?.sessionId;
    const items = catalog.items();
    const rows = rowsOf(items, buttons);
    list.items = rows;
    const wanted = before ?? items.find(({ isActive, archived }) => !isActive && !archived)?.id;
    // The first row is usually the current session.
    const active =
      list.value === '' || before !== undefined ? rows.find(({ sessionId }) => sessionId === wanted) : undefined;
    if (active) list.activeItems = [active];
  };
  return new Promise((resolve) => {
    const finish = (picked: PickedSession | undefined): void => {
      store.dispose();
      resolve(picked);
    };
    const choose = (row: Row | undefined, place: PickedPlace): void =>
      row?.sessionId === undefined ? undefined : finish({ id: row.sessionId, place });
    store.add(list.onDidAccept(() => choose(list.selectedItems[0], 'there')));
    store.add(list.onDidTriggerItemButton(({ item, button }) => choose(item, (button as PlaceButton).place)));
    store.add(list.onDidHide(() => finish(undefined)));
    store.add(catalog.onDidChange(fill));
    fill();
    list.busy = true;
    // Agents may answer late; known sessions can be selected meanwhile.
    void catalog.refresh().finally(() => void (store.isDisposed || (list.busy = false)));
    list.show();
  });
}

function rowsOf(items: readonly SessionListItem[], buttons: readonly PlaceButton[]): Row[] {
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
      rows.push(rowOf(item, escapeInvisibleInline(sessionDescription(item, now, folderText)), buttons));
  }
  return rows;
}

function rowOf(item: SessionListItem, description: string, buttons: readonly PlaceButton[]): Row {
  // A title must not contain icon syntax.
  const title = escapeInvisibleInline(item.title).replaceAll('$(', '$\u2060(');
  return { label: `$(${sessionIcon(item)}) ${title}`, description, sessionId: item.id, buttons };
}

function placeButtons(): PlaceButton[] {
  return [
    { place: 'editor', iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: t('Open in Editor') },
    { place: 'side', iconPath: new vscode.ThemeIcon('split-horizontal'), tooltip: t('Open to the Side') },
  ];
}
