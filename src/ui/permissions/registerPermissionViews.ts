import type * as vscode from 'vscode';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { AuditSource } from './auditView';
import { AuditView } from './auditView';
import type { PermissionPolicy } from '../../permissions/permissionPolicy';
import type { RuleStore } from '../../permissions/rules/rememberedRules';
import type { ShowNotice } from '../../workbench/notice';
import type { UiSessions } from '../uiTypes';

/** The UI of permission rules and decisions. */
export interface PermissionViews extends Disposable {
  readonly showAuditLog: () => void;
  readonly manageRules: () => Promise<void>;
  readonly addRule: () => Promise<void>;
  /** For tests: exports the log without a file dialog. */
  readonly auditView: AuditView;
}

/** The sources of permission rules. */
interface RuleSources {
  readonly remembered: RuleStore;
  readonly settings: PermissionPolicy['rules'];
}

export function registerPermissionViews(
  extensionUri: vscode.Uri,
  log: Logger,
  audit: AuditSource,
  { remembered, settings }: RuleSources,
  sessions: UiSessions,
  showNotice: ShowNotice,
): PermissionViews {
  const manageRules = async (): Promise<void> =>
    new (await import('./rulesPicker')).RulesPicker(remembered, settings, sessions).show();
  const addRule = async (): Promise<void> =>
    new (await import('./addRule')).AddRule(remembered, sessions, showNotice).show();
  const auditView = new AuditView(extensionUri, audit, log, manageRules);
  return {
    showAuditLog: () => auditView.show(),
    manageRules,
    addRule,
    auditView,
    dispose: () => auditView.dispose(),
  };
}
