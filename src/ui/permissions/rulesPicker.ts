import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import { DisposableStore } from '../../base/lifecycle';
import { plainLabel } from '../../base/untrustedText';
import type { RememberedRule } from '../../permissions/rememberedRules';
import type { Rule } from '../../permissions/rules/permissionRule';
import { DECISION_LABELS, ruleSentence } from '../../permissions/rules/ruleSentence';
import type { RememberScope } from '../../shared/state/toolCallState';
import { showErrorMessage } from '../../workbench/windowMessages';
import type { Permissions } from '../window';

/** Parley's id of the viewed session, and the titles of other sessions. */
interface RuleSessions {
  readonly active: { readonly id: string };
  allOpen(): readonly { readonly id: string; readonly state: { readonly title?: string } }[];
}

/** A row: a remembered rule, which can be removed; a rule of the settings, or a link to them. */
type Row = vscode.QuickPickItem & { readonly rule?: RememberedRule; readonly opens?: 'user' | 'workspace' | 'new' };

const REMOVE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: t('Remove Rule') };

/** "Manage Permission Rules": all rules with their sources, and a button to remove each. */
export class RulesPicker {
  constructor(
    private readonly policy: Permissions,
    private readonly sessions: RuleSessions,
  ) {}

  /** Settles when the list is closed. */
  show(): Promise<void> {
    const store = new DisposableStore();
    const list = store.add(vscode.window.createQuickPick<Row>());
    list.title = t('Permission Rules');
    list.placeholder = t('Permission rules by source. Use the trash button to remove a remembered rule');
    list.matchOnDescription = true;
    list.matchOnDetail = true;
    const fill = (): void => void (list.items = this.rows());
    fill();
    store.add(this.policy.remembered.onDidChange(fill));
    store.add(list.onDidTriggerItemButton(({ item }) => void this.#remove(item)));
    return new Promise((resolve) => {
      store.add(
        list.onDidAccept(() => {
          const opens = list.selectedItems[0]?.opens;
          if (!opens) return;
          list.hide();
          void openSettings(opens);
        }),
      );
      store.add(
        list.onDidHide(() => {
          store.dispose();
          resolve();
        }),
      );
      list.show();
    });
  }

  /** The rows grouped by the rules' sources. */
  rows(): Row[] {
    const { user, workspace } = this.policy.rules();
    return [
      ...this.#rowsOf('session', t('Remembered for this session')),
      ...this.#rowsOf('workspace', t('Remembered for this workspace')),
      ...this.#rowsOf('everywhere', t('Remembered everywhere')),
      ...group(t('User settings'), user, (rule) => fromSettings(rule, 'user')),
      ...group(t('Workspace settings'), workspace, (rule) => fromSettings(rule, 'workspace')),
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      { label: t('$(add) Add Rule…'), opens: 'new' },
      { label: t('$(gear) Edit Rules in Settings…'), description: 'parley.permissions.rules', opens: 'user' },
    ];
  }

  #rowsOf(scope: RememberScope, title: string): Row[] {
    const rules = this.policy.remembered.list().filter((rule) => rule.scope === scope);
    return group(title, rules, (stored) => ({
      ...describeRule(stored.rule),
      ...this.#whose(stored),
      buttons: [REMOVE],
      rule: stored,
    }));
  }

  /** The chat of a session rule, unless it is the viewed one. */
  #whose({ sessionId }: RememberedRule): { readonly detail?: string } {
    const sessions = this.sessions;
    if (sessionId === undefined || sessionId === sessions.active.id) return {};
    const title = sessions.allOpen().find(({ id }) => id === sessionId)?.state.title ?? t('another session');
    return { detail: t('In {0}', plainLabel(title)) };
  }

  async #remove({ rule }: Row): Promise<void> {
    if (!rule) return;
    try {
      await this.policy.remembered.remove(rule.id);
    } catch (error) {
      void showErrorMessage(t('Could not remove the rule: {0}.', errorMessage(error)));
    }
  }
}

function group<T>(title: string, rules: readonly T[], row: (rule: T) => Row): Row[] {
  if (rules.length === 0) return [];
  return [{ label: title, kind: vscode.QuickPickItemKind.Separator }, ...rules.map(row)];
}

function fromSettings(rule: Rule, opens: 'user' | 'workspace'): Row {
  const isIgnored = opens === 'workspace' && rule.decision === 'allow';
  return {
    ...describeRule(rule),
    ...(isIgnored && {
      detail: t('$(warning) Ignored: workspace rules can only ask or deny. Move this rule to your user settings.'),
    }),
    opens,
  };
}

function describeRule(rule: Rule): { readonly label: string; readonly description: string } {
  const icon = { allow: 'check', ask: 'question', deny: 'close' }[rule.decision];
  return { label: `$(${icon}) ${DECISION_LABELS[rule.decision]}`, description: plainLabel(ruleSentence(rule)) };
}

async function openSettings(of: 'user' | 'workspace' | 'new'): Promise<void> {
  if (of === 'new') return vscode.commands.executeCommand('parley.addRule');
  const command = of === 'user' ? 'workbench.action.openSettings' : 'workbench.action.openWorkspaceSettings';
  await vscode.commands.executeCommand(command, { query: 'parley.permissions.rules' });
}
