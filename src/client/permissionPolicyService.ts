import * as vscode from 'vscode';
import type { AgentDefinition } from '../agent/config/agentDefinition';
import { t } from '../base/l10n';
import { Lazy } from '../base/lazy';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { Redactor } from '../base/redactor';
import { workspaceScopeValues } from '../base/settingScopes';
import type { Git } from '../node/gitCommand';
import { AuditLog } from '../permissions/auditLog';
import { EditApprovalMemory } from '../permissions/editApprovalMemory';
import type { PermissionPolicy } from '../permissions/permissionPolicy';
import { RememberedRules } from '../permissions/rememberedRules';
import type { Rule } from '../permissions/rules/permissionRule';
import { ruleText } from '../permissions/rules/permissionRule';
import type { ScopedSettingsReader } from '../session/settings/scopedSettings';
import { showWarningMessage } from '../workbench/windowMessages';

export interface PermissionPolicyService extends PermissionPolicy, Disposable {
  readonly remembered: RememberedRules;
  readonly audit: AuditLog;
  readonly editApprovals: EditApprovalMemory;
}

export function createPermissionPolicy(
  context: vscode.ExtensionContext,
  settings: ScopedSettingsReader<'permissions.rules'> & { agents(): readonly AgentDefinition[] },
  redactor: Redactor,
  log: Logger,
  git: Git,
): PermissionPolicyService {
  const store = new DisposableStore();
  const { workspaceState, globalState, storageUri, globalStorageUri } = context;
  const memories = { workspace: workspaceState, everywhere: globalState };
  const remembered = store.add(new RememberedRules({ ...memories, now: Date.now }));
  const folder = vscode.Uri.joinPath(storageUri ?? globalStorageUri, 'audit').fsPath;
  const audit = store.add(new AuditLog(folder, redactor, log));
  const editApprovals = new EditApprovalMemory(
    globalState,
    (agent) => settings.agents().find(({ name }) => name === agent)?.description,
  );
  const read = (): ReturnType<PermissionPolicy['rules']> => {
    const scopes = settings.scoped('permissions.rules');
    return { user: scopes.user, workspace: workspaceScopeValues(scopes).flat() };
  };
  const warnings = new IgnoredRules(log);
  warnings.check(read().workspace);
  store.add(settings.onDidChange(() => warnings.check(read().workspace)));
  const engine = store.add(new Lazy(async () => (await import('../permissions/ruleEngine')).ruleEngine));
  return { rules: read, remembered, audit, editApprovals, git, engine, dispose: () => store.dispose() };
}

/** Reports each ignored rule once: a repository must not be able to allow anything. */
class IgnoredRules {
  readonly #reported = new Set<string>();

  constructor(private readonly log: Logger) {}

  check(workspace: readonly Rule[]): void {
    const ignored = workspace.filter(({ decision }) => decision === 'allow').map(ruleText);
    const fresh = ignored.filter((text) => !this.#reported.has(text));
    for (const text of fresh) {
      this.#reported.add(text);
      this.log.warn('config', `Ignored a workspace rule in parley.permissions.rules that allows ${text}`);
    }
    if (fresh.length > 0) void showIgnoredRules(fresh.length);
  }
}

async function showIgnoredRules(count: number): Promise<void> {
  const sentence =
    count === 1
      ? t(
          'An allow rule was ignored. Workspace settings can only ask or deny (parley.permissions.rules). Add allow rules to your user settings.',
        )
      : t(
          '{0} allow rules were ignored. Workspace settings can only ask or deny (parley.permissions.rules). Add allow rules to your user settings.',
          count,
        );
  const open = t('Open Settings');
  if ((await showWarningMessage(sentence, open)) !== open) return;
  await vscode.commands.executeCommand('workbench.action.openWorkspaceSettings', { query: 'parley.permissions.rules' });
}
