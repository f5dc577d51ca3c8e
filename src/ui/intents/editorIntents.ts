import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Lazy } from '../../base/lazy';
import type { Session } from '../../session/session';
import type { RememberScope } from '../../shared/state/toolCallState';
import type { ShowNotice } from '../../workbench/notice';
import { openExternalUrl } from '../../workbench/openExternal';
import { openSettings } from '../../workbench/openSettings';
import type { PlanEditor } from '../chat/content/planEditor';
import type { Intent, IntentSource, Permissions, Terminals } from '../window';

/** User actions in a page that VS Code carries out. Their code loads when they happen. */
export class EditorIntents {
  constructor(
    private readonly permissions: Permissions,
    private readonly terminals: Terminals,
    private readonly plans: Lazy<PlanEditor>,
    private readonly showNotice: ShowNotice,
  ) {}

  async openLink(session: Session, href: string): Promise<void> {
    await (await import('../chat/content/openLink')).openLink(href, session, this.#noticeIn(session));
  }

  /** `line` and `lastLine` are 1-based. */
  async openFile(session: Session, path: string, lines: { line?: number; lastLine?: number }): Promise<void> {
    const { openFile } = await import('../chat/content/openLink');
    const { line, lastLine } = lines;
    await openFile(path, session, omitUndefined({ line, lastLine }), this.#noticeIn(session));
  }

  async showTerminal(session: Session, terminalId: string): Promise<void> {
    if (await this.terminals.show(session, terminalId)) return;
    this.showNotice({ text: t('The output of this command is no longer available.') }, session.id);
  }

  async copy(text: string): Promise<void> {
    await vscode.env.clipboard.writeText(text);
  }

  async manageTrust(): Promise<void> {
    await vscode.commands.executeCommand('workbench.trust.manage');
  }

  openSettings(): Promise<void> {
    return openSettings();
  }

  async signIn(session: Session): Promise<void> {
    await (await import('../agents/signInCommands')).signIn(session, this.showNotice);
  }

  async continueInNewChat({ id }: Session): Promise<void> {
    await vscode.commands.executeCommand('parley.continueInNewChat', { session: id });
  }

  /** @param id Parley's id; without it the user selects a session */
  async openSession(id: string | undefined): Promise<void> {
    await vscode.commands.executeCommand('parley.openSession', id);
  }

  /** Opens the plan of a pending request as a document. */
  async editPlan(session: Session, permissionId: string): Promise<void> {
    await (await this.plans.load()).open(session, permissionId);
  }

  /** Stores an "always" rule with this scope, and reports failures. */
  async remember({ id, userRequests }: Session, permissionId: string, scope: RememberScope): Promise<void> {
    try {
      await userRequests.alwaysRules.saveRule(permissionId, scope);
    } catch (error) {
      const text = t('Could not save this rule: {0}. The rule applies only in this window.', errorMessage(error));
      this.showNotice({ text, isWarning: true }, id);
    }
  }

  async rememberRule(active: Session, permissionId: string): Promise<void> {
    const { AddRule } = await import('../permissions/addRule');
    await new AddRule(this.permissions.remembered, { active }, this.showNotice).remember(permissionId);
  }

  /** Sets the agent of a chat that has none. */
  async selectAgent(): Promise<void> {
    await vscode.commands.executeCommand('parley.selectAgent');
  }

  /** Opens the URL of an elicitation in the browser, and accepts it. */
  async openElicitation({ userRequests: { elicitations } }: Session, elicitationId: string): Promise<void> {
    const url = elicitations.urlOf(elicitationId);
    if (url === undefined) return;
    if (await openExternalUrl(url)) await elicitations.answer(elicitationId, { action: 'accept' });
  }

  async reportFailure(intent: Intent, from: IntentSource, error: unknown): Promise<void> {
    (await import('./intentErrors')).reportIntentError(intent, from, error);
  }

  #noticeIn({ id }: Session): ShowNotice {
    return (notice) => this.showNotice(notice, id);
  }
}
