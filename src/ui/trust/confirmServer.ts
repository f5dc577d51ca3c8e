import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { ReadOnlyDocuments } from '../../workbench/virtualDocuments';
import { showInformationMessage } from '../../workbench/windowMessages';
import { confirmInFull } from './confirmInFull';
import type { WorkspaceApprovals } from './workspaceApprovals';

/** An MCP server that the opened workspace defines, as shown to the user. */
interface ServerToConfirm {
  /** Without hidden characters. */
  readonly name: string;
  /** For display: "the folder “app”". */
  readonly place: string;
  /** Key of the decision; unique in the workspace. */
  readonly subject: string;
  /** Everything that decides what is run or reached: a decision applies to exactly this content. */
  readonly content: string;
  /** The complete text of what would be run or reached. */
  readonly lines: readonly string[];
}

const NOTES = [
  t('Agents can run this server with your permissions, or send any data to it.'),
  t('Parley asks again if this definition changes. Parley cannot detect changes to the server itself.'),
];

/**
 * Confirms each MCP server of the workspace before its use (security: config rug pull). Chats meanwhile open without
 * it.
 */
export class ConfirmServer {
  /** Open confirmations by subject. */
  readonly #confirmations = new Map<string, Promise<boolean>>();
  /** Servers whose confirmation the user dismissed in this window. */
  readonly #putOff = new Set<string>();

  constructor(
    private readonly approvals: WorkspaceApprovals,
    private readonly documents: ReadOnlyDocuments,
  ) {}

  isAllowed({ subject, content }: ServerToConfirm): boolean {
    return vscode.workspace.isTrusted && this.approvals.decision(subject, content) === 'allowed';
  }

  /**
   * Asks unless the user has decided.
   * @param isAgain ask although the user dismissed the confirmation in this window
   */
  confirm(server: ServerToConfirm, isAgain: boolean): Promise<boolean> {
    const { subject, content } = server;
    if (!vscode.workspace.isTrusted) return Promise.resolve(false);
    if (this.isAllowed(server)) return Promise.resolve(true);
    const key = JSON.stringify([subject, content]);
    if (this.#putOff.has(key) && !isAgain) return Promise.resolve(false);
    const confirmation =
      this.#confirmations.get(key) ??
      this.#showConfirmation(server, key).finally(() => this.#confirmations.delete(key));
    this.#confirmations.set(key, confirmation);
    return confirmation;
  }

  async #showConfirmation(server: ServerToConfirm, key: string): Promise<boolean> {
    const { name, place, subject, content, lines } = server;
    const isChanged = this.approvals.isKnown(subject);
    const review = t('Review…');
    const defined = t(
      'The MCP server “{0}” is defined by {1}. Review the server before agents can use it.',
      name,
      place,
    );
    const sentence = isChanged ? `${defined} ${t('The definition has changed since you allowed it.')}` : defined;
    const isReviewed = (await showInformationMessage(sentence, review, t('Not Now'))) === review;
    const isAllowed =
      isReviewed &&
      (await confirmInFull(this.documents, {
        message: t('Allow agents to use the MCP server “{0}” defined by {1}?', name, place),
        lines,
        notes: NOTES,
        isChanged,
        yes: t('Use Server'),
        no: t('Don’t Use'),
        tab: name,
      }));
    if (isAllowed) await this.approvals.store(subject, content, 'allowed');
    else this.#putOff.add(key);
    return isAllowed;
  }
}
