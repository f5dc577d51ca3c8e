import * as vscode from 'vscode';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { t } from '../../base/l10n';
import { DisposableStore } from '../../base/lifecycle';
import { escapeIconSyntax, plainLabel } from '../../base/untrustedText';
import { showInformationMessage } from '../../workbench/windowMessages';

const MIN_ATTEMPTS = 2;
const MAX_ATTEMPTS = 4;

interface Row extends vscode.QuickPickItem {
  readonly agent: AgentDefinition;
  readonly attempts: number;
}

const LESS: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('remove'), tooltip: t('One attempt less') };
const MORE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('add'), tooltip: t('One more attempt') };

/**
 * Selects the agents of a race, each with a number of attempts: a digit sets that of the active row.
 * @param message its first line
 * @returns the agent of each attempt; undefined when the user cancels
 */
export function pickRaceAgents(
  agents: readonly AgentDefinition[],
  message: string,
): Promise<readonly AgentDefinition[] | undefined> {
  const store = new DisposableStore();
  const list = store.add(vscode.window.createQuickPick<Row>());
  const title = t('Race: select {0} to {1} attempts', MIN_ATTEMPTS, MAX_ATTEMPTS);
  Object.assign(list, { title, placeholder: plainLabel(message), canSelectMany: true, ignoreFocusOut: true });
  Object.assign(list, { keepScrollPosition: true });
  // The only agent can race against itself.
  fill(list, agents.length === 1 ? agents.map((agent) => rowOf(agent, 2)) : agents.map((agent) => rowOf(agent, 0)));
  setAttemptsByDigit(list, store);
  return new Promise((resolve) => {
    const finish = (picked: readonly AgentDefinition[] | undefined): void => {
      store.dispose();
      resolve(picked);
    };
    store.add(
      list.onDidTriggerItemButton(({ item, button }) =>
        count(list, item, (attempts) => attempts + (button === LESS ? -1 : 1)),
      ),
    );
    store.add(
      list.onDidAccept(() => {
        const picked = list.selectedItems.flatMap(({ agent, attempts }) =>
          Array.from({ length: Math.max(attempts, 1) }, () => agent),
        );
        if (picked.length >= MIN_ATTEMPTS && picked.length <= MAX_ATTEMPTS) return finish(picked);
        const sentence = t('Select {0} to {1} attempts. You selected {2}.', MIN_ATTEMPTS, MAX_ATTEMPTS, picked.length);
        void showInformationMessage(sentence);
      }),
    );
    store.add(list.onDidHide(() => finish(undefined)));
    list.show();
  });
}

/** For the keyboard, for which the buttons of a row are far. */
function setAttemptsByDigit(list: vscode.QuickPick<Row>, store: DisposableStore): void {
  let active: AgentDefinition | undefined;
  store.add(
    list.onDidChangeActive(([row]) => {
      // A digit also filters the rows, before it is reported.
      if (row && list.value === '') active = row.agent;
    }),
  );
  store.add(
    list.onDidChangeValue((value) => {
      const row = list.items.find(({ agent }) => agent === active);
      if (!row || !/^[0-4]$/.test(value)) return;
      list.value = '';
      count(list, row, () => Number(value));
    }),
  );
}

/** Changes the number of attempts of a row. A selected row has at least one. */
function count(list: vscode.QuickPick<Row>, changed: Row, next: (attempts: number) => number): void {
  const attemptsOf = (row: Row): number => (list.selectedItems.includes(row) ? Math.max(row.attempts, 1) : 0);
  const rows = list.items.map((row) => rowOf(row.agent, row === changed ? next(attemptsOf(row)) : attemptsOf(row)));
  const active = list.items.indexOf(changed);
  fill(list, rows);
  list.activeItems = rows.slice(active, active + 1);
}

function fill(list: vscode.QuickPick<Row>, rows: readonly Row[]): void {
  list.items = rows;
  list.selectedItems = rows.filter(({ attempts }) => attempts > 0);
}

function rowOf(agent: AgentDefinition, wanted: number): Row {
  const attempts = Math.min(Math.max(wanted, 0), MAX_ATTEMPTS);
  const description = attempts > 1 ? t('{0} attempts', attempts) : '';
  return { label: escapeIconSyntax(agent.title), description, agent, attempts, buttons: [LESS, MORE] };
}
