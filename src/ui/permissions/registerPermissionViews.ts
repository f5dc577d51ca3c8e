import type * as vscode from 'vscode';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { AuditSource } from './auditView';
import { AuditView } from './auditView';
import type { AddRuleOptions } from './addRule';
import type { RulesListOptions } from './rulesPicker';

export interface PolicyViewOptions {
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
  readonly audit: AuditSource;
  readonly rules: RulesListOptions & AddRuleOptions;
}

/** The UI of permission rules and decisions. */
export interface PermissionViews extends Disposable {
  readonly showAuditLog: () => void;
  readonly manageRules: () => Promise<void>;
  readonly addRule: () => Promise<void>;
  /** For tests: exports the log without a file dialog. */
  readonly auditView: AuditView;
}

export function registerPermissionViews({ extensionUri, log, audit, rules }: PolicyViewOptions): PermissionViews {
  const manageRules = async (): Promise<void> => new (await import('./rulesPicker')).RulesPicker(rules).show();
  const addRule = async (): Promise<void> => new (await import('./addRule')).AddRule(rules).show();
  const auditView = new AuditView({ extensionUri, audit, log, manageRules });
  return {
    showAuditLog: () => auditView.show(),
    manageRules,
    addRule,
    auditView,
    dispose: () => auditView.dispose(),
  };
}
