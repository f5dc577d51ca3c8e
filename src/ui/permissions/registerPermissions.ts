import * as vscode from 'vscode';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Session } from '../../session/session';
import { RACE_PANEL } from '../../shared/protocol/racePageProtocol';
import type { PermissionKind } from '../../shared/state/toolCallState';
import { isPanelVisible } from '../../workbench/activeEditor';
import type { Window } from '../window';
import { PermissionNotifications } from './permissionNotifications';

/** The UI of permission requests, rules and decisions. */
export interface PermissionsFeature extends Disposable {
  readonly notifications: PermissionNotifications;
  readonly pendingRequests: {
    /** See `PendingRequestPicker`. */
    show(): Promise<void>;
    answerBy(kinds: readonly PermissionKind[], target?: unknown): Promise<void>;
    rejectAndExplain(target?: unknown): Promise<void>;
  };
  readonly permissionViews: {
    showAuditLog(): Promise<void>;
    manageRules(): Promise<void>;
    addRule(): Promise<void>;
  };
}

/** Most code is loaded on first use. */
export function registerPermissions(window: Window): PermissionsFeature {
  const { sessions, chat, settings, worktrees } = window;
  const store = new DisposableStore();
  const picker = new Lazy(async () => {
    const { PendingRequestPicker } = await import('./pendingRequestPicker');
    return new PendingRequestPicker(sessions, chat, ({ cwd }) => worktrees.around(cwd));
  });
  const races = {
    shows: ({ cwd }: Session) => isPanelVisible(RACE_PANEL) && worktrees.around(cwd)?.race !== undefined,
    onDidChange: vscode.window.tabGroups.onDidChangeTabs,
  };
  return {
    notifications: store.add(new PermissionNotifications(sessions, chat, settings, races)),
    pendingRequests: {
      show: async () => (await picker.load()).show(),
      answerBy: async (...how) => (await picker.load()).answerBy(...how),
      rejectAndExplain: async (target) => (await picker.load()).rejectAndExplain(target),
    },
    permissionViews: viewsOf(window, store),
    dispose: () => store.dispose(),
  };
}

function viewsOf(
  { extension, log, permissions, sessions, notices, tools }: Window,
  store: DisposableStore,
): PermissionsFeature['permissionViews'] {
  const manageRules = async (): Promise<void> => {
    const { RulesPicker } = await import('./rulesPicker');
    await new RulesPicker(permissions, sessions).show();
  };
  const auditView = store.add(
    new Lazy(async () => {
      const { AuditView } = await import('./auditView');
      return new AuditView(extension.uri, permissions.audit, log, manageRules);
    }),
  );
  return {
    showAuditLog: async () => (await auditView.load()).show(),
    manageRules,
    addRule: async () => {
      const { AddRule } = await import('./addRule');
      await new AddRule(permissions.remembered, sessions, notices.show).show(await tools.trustedTools());
    },
  };
}
