import { basename } from 'node:path';
import * as vscode from 'vscode';
import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';
import { plainLabel } from '../../base/untrustedText';
import type { LineMatch } from '../../history/search/scanText';
import { MARKS, asWord, parseQuery } from '../../history/search/searchQuery';
import type { Query } from '../../history/search/searchQuery';
import type { SearchResult, SearchProgress, SessionSearch } from '../../history/search/sessionSearch';
import type { SessionListItem } from '../../history/sessionSummary';
import { sessionFolder } from '../../history/sessionSummary';
import type { SessionCatalog } from '../../session/sessionCatalog';
import { withErrorMessage } from '../reportErrors';
import type { Chat } from '../window';
import { workspaceRoots } from './folderCommands';
import type { FolderText } from './sessionGroups';
import { folderTexts, sessionDescription, sessionIcon } from './sessionGroups';

interface Row extends vscode.QuickPickItem {
  readonly sessionId?: string;
  /** Index of the entry with the line. */
  readonly entry?: number;
}

type FilterButton = vscode.QuickInputButton & { readonly filter: 'agent' | 'folder' | 'day' | 'mark' };

/** "Search Sessions": updates the matching lines while the user types; selecting one shows it in its session. */
export class SessionSearchPicker {
  readonly #pick = vscode.window.createQuickPick<Row>();
  #running: AbortController | undefined;
  #query: Query = parseQuery('', 0);

  constructor(
    private readonly catalog: SessionCatalog,
    private readonly chat: Chat,
    private readonly search: SessionSearch,
  ) {}

  /** Resolves when the list is closed and the selection is shown. */
  async show(text: string): Promise<void> {
    const pick = this.#pick;
    pick.title = t('Search Sessions');
    pick.placeholder = t('Search by words and filters, such as agent:claude folder:shop after:2026-11-01 is:unread');
    // Only for highlighting: the search itself selects the rows.
    pick.matchOnDetail = true;
    pick.keepScrollPosition = true;
    pick.buttons = filterButtons();
    pick.value = text;
    const chosen = new Promise<Row | undefined>((resolve) => {
      pick.onDidAccept(() => {
        const [row] = pick.selectedItems;
        // Informational rows cannot be selected.
        if (row?.sessionId !== undefined) resolve(row);
      });
      pick.onDidHide(() => resolve(undefined));
    });
    pick.onDidChangeValue(() => this.#refresh());
    pick.onDidTriggerButton((button) => void withErrorMessage(() => this.#addFilter(button as FilterButton)));
    pick.show();
    this.#refresh();
    const row = await chosen;
    this.#running?.abort();
    this.search.rest();
    pick.dispose();
    if (row?.sessionId !== undefined) await this.#open(row.sessionId, row.entry);
  }

  #refresh(): void {
    const pick = this.#pick;
    this.#running?.abort();
    const abort = (this.#running = new AbortController());
    const query = (this.#query = parseQuery(pick.value, Date.now()));
    pick.busy = true;
    let isShown = false;
    const report = ({ found, reading }: SearchProgress): void => {
      if (abort.signal.aborted) return;
      // Skip empty intermediate results to avoid flicker; without words there is nothing to find during loading.
      if (found.length > 0 && (query.words.length > 0 || !isShown)) this.#show(rowsOf(query, found));
      isShown = true;
      pick.title = reading
        ? t('Search Sessions: indexing {0} of {1} sessions', reading.done, reading.of)
        : t('Search Sessions');
    };
    void withErrorMessage(async () => {
      const found = await this.search.search(query, abort.signal, report);
      if (abort.signal.aborted) return;
      if (query.words.length > 0 || found.length === 0) this.#show(rowsOf(query, found));
      pick.title = t('Search Sessions');
      pick.busy = false;
    });
  }

  /** Keeps the active row when new rows arrive. */
  #show(rows: readonly Row[]): void {
    const pick = this.#pick;
    const [active] = pick.activeItems;
    const isFirst = active === undefined || active === pick.items[0];
    pick.items = rows;
    const same = rows.find(({ sessionId, entry }) => sessionId === active?.sessionId && entry === active?.entry);
    if (!isFirst && same) pick.activeItems = [same];
  }

  async #open(id: string, entry: number | undefined): Promise<void> {
    const { words } = this.#query;
    const shown: Promise<unknown>[] = [];
    // Show the transcript immediately: restoring the agent's session may take a while.
    await this.catalog.open(id, (session) => {
      shown.push(entry === undefined ? this.chat.open(session) : this.chat.reveal({ session, entry, words }));
    });
    await Promise.all(shown);
  }

  /** Inserts a filter before the typed text. Its values are shown in a separate list; then this list returns. */
  async #addFilter({ filter }: FilterButton): Promise<void> {
    const pick = this.#pick;
    const before = pick.value;
    // Hiding would close this list: another quick pick replaces it temporarily.
    const value = await vscode.window.showQuickPick(valuesOf(filter, this.catalog.items()), {
      title: t('Search Sessions'),
      placeHolder: t('Add a filter'),
    });
    await vscode.commands.executeCommand('parley.searchSessions', value ? `${value.filter} ${before}`.trim() : before);
  }
}

function rowsOf(query: Query, found: readonly SearchResult[]): Row[] {
  const rows: Row[] = query.problems.map((problem) => ({ label: `$(warning) ${problem}`, alwaysShow: true }));
  const now = Date.now();
  const folderText = folderTexts(
    found.map(({ item }) => item),
    workspaceRoots(),
  );
  for (const one of found) rows.push(...rowsOfSession(one, now, folderText));
  if (found.length > 0) return rows;
  return [...rows, { label: t('No results found'), alwaysShow: true }];
}

function rowsOfSession({ item, hits, hasMore }: SearchResult, now: number, folderText: FolderText): Row[] {
  const label = `$(${sessionIcon(item)}) ${plainLabel(item.title)}`;
  const description = plainLabel(sessionDescription(item, now, folderText));
  const row = { label, alwaysShow: true, sessionId: item.id };
  if (hits.length === 0) return [{ ...row, description }];
  return hits.map((hit, at) => ({
    ...row,
    // Only the first of several lines names the session.
    label: at === 0 ? label : `$(blank) ${t('In the same session')}`,
    description: at === 0 ? description : hasMore && at === hits.length - 1 ? t('and more') : '',
    detail: detailOf(hit),
    entry: hit.entry,
  }));
}

function detailOf({ kind, line }: LineMatch): string {
  const icons: Readonly<Record<string, string>> = {
    user: 'account',
    agent: 'comment',
    thought: 'lightbulb',
    tool: 'tools',
    permission: 'shield',
    error: 'error',
    subagent: 'organization',
  };
  return `$(${icons[kind] ?? 'note'}) ${plainLabel(line)}`;
}

function filterButtons(): FilterButton[] {
  const button = (filter: FilterButton['filter'], icon: string, tooltip: string): FilterButton => {
    return { filter, iconPath: new vscode.ThemeIcon(icon), tooltip };
  };
  return [
    button('agent', 'server-process', t('Filter by agent')),
    button('folder', 'folder', t('Filter by folder')),
    button('day', 'calendar', t('Filter by date')),
    button('mark', 'filter', t('Filter by state')),
  ];
}

function valuesOf(
  filter: FilterButton['filter'],
  items: readonly SessionListItem[],
): (vscode.QuickPickItem & { readonly filter: string })[] {
  switch (filter) {
    case 'agent':
      return unique(items.map(({ agent }) => agent?.title)).map((title) => value(title, `agent:${asWord(title)}`));
    case 'folder': {
      const folders = unique(items.map(sessionFolder));
      return folders.map((cwd) => value(basename(cwd) || cwd, `folder:${asWord(cwd)}`, cwd));
    }
    case 'day':
      return [
        value(t('Today'), 'after:today'),
        value(t('Since yesterday'), 'after:yesterday'),
        value(t('Last 7 days'), 'after:7d'),
        value(t('Last 30 days'), 'after:30d'),
        value(t('Older than 30 days'), 'before:30d'),
      ];
    case 'mark':
      return MARKS.map((mark) => value(`is:${mark}`, `is:${mark}`));
    default:
      return assertNever(filter);
  }
}

function value(label: string, filter: string, description = ''): vscode.QuickPickItem & { readonly filter: string } {
  return { label: plainLabel(label), filter, description: plainLabel(description) };
}

function unique(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values)].filter((one) => one !== undefined).toSorted();
}
