import * as vscode from 'vscode';
import { ParleyError } from '../../../base/errors';
import { t } from '../../../base/l10n';
import type { Disposable } from '../../../base/lifecycle';
import type { Session } from '../../../session/session';
import type { PermissionEntry } from '../../../shared/state/toolCallState';
import { planText } from '../../../shared/text/toolInput';
import type { ShowNotice } from '../../../workbench/notice';
import { closeUntitled } from '../../../workbench/textDocuments';
import { ALREADY_ANSWERED, pendingRequestAt } from '../../pendingRequests';

interface EditedPlan {
  readonly session: Session;
  readonly permissionId: string;
  /** As the agent proposed it. */
  readonly text: string;
}

/** Context key with the URIs of the documents that {@link PlanEditor.send} takes. */
const DOCUMENTS_KEY = 'parley.plans';

/** Opens plans that wait for approval as documents. An edited plan rejects the agent's and is sent as the next message. */
export class PlanEditor implements Disposable {
  /** By the URI of the document. */
  readonly #plans = new Map<string, EditedPlan>();
  readonly #listener = vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#removePlan(uri));

  constructor(private readonly showNotice: ShowNotice) {}

  async open(session: Session, permissionId: string): Promise<void> {
    const text = planText(findPendingPermission(session, permissionId)?.about?.rawInput);
    if (text === undefined) throw new ParleyError('notFound', ALREADY_ANSWERED);
    const document = await vscode.workspace.openTextDocument({ content: text, language: 'markdown' });
    this.#plans.set(document.uri.toString(), { session, permissionId, text });
    this.#updateContextKey();
    await vscode.window.showTextDocument(document);
  }

  /**
   * Sends the plan of the active editor. The document of a plan that cannot be sent stays open.
   * @throws ParleyError `notFound` when the request is no longer pending
   */
  async send(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const plan = document && this.#plans.get(document.uri.toString());
    if (!plan) return;
    const { session, permissionId, text } = plan;
    const edited = document.getText().trim();
    if (edited === text.trim() || edited === '') {
      return this.showNotice({ text: t('The plan was not changed. Answer the request in the chat.') }, session.id);
    }
    const reject = rejection(findPendingPermission(session, permissionId));
    if (!reject) throw new ParleyError('notFound', ALREADY_ANSWERED);
    // First: the answer may end the turn, for some agents as canceled, after which the queue sends the message.
    const sent = session.send(`${t('Follow this plan instead:')}\n\n${edited}`, [], { next: true });
    session.userRequests.answer(permissionId, reject.optionId);
    await closeUntitled(document);
    this.#removePlan(document.uri);
    await sent;
  }

  dispose(): void {
    this.#listener.dispose();
  }

  #removePlan(uri: vscode.Uri): void {
    if (this.#plans.delete(uri.toString())) this.#updateContextKey();
  }

  #updateContextKey(): void {
    void vscode.commands.executeCommand('setContext', DOCUMENTS_KEY, [...this.#plans.keys()]);
  }
}

function findPendingPermission(session: Session, permissionId: string): PermissionEntry | undefined {
  const pending = session.state.waiting.map((entry) => pendingRequestAt(session, entry)?.permission);
  return pending.find((permission) => permission?.permissionId === permissionId);
}

function rejection(permission: PermissionEntry | undefined): PermissionEntry['options'][number] | undefined {
  return permission?.options.find(({ kind }) => kind === 'reject_once');
}
