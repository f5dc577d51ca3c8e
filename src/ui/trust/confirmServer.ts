import * as vscode from 'vscode';
import { createDeferred, type Deferred } from '../../base/async';
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

/** A question that the user has not answered. */
interface OpenConfirmation {
  /** Whether the user wants to see the definition: from the notification or the Tools panel, whichever is first. */
  readonly isWanted: Deferred<boolean>;
  readonly answer: Promise<boolean>;
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
  /** By subject and content, until they are answered. */
  readonly #open = new Map<string, OpenConfirmation>();
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
   * @param isAgain the user wants to decide now: shows the definition at once, although its notification was dismissed or
   * is still open
   */
  confirm(server: ServerToConfirm, isAgain: boolean): Promise<boolean> {
    const { subject, content } = server;
    if (!vscode.workspace.isTrusted) return Promise.resolve(false);
    if (this.isAllowed(server)) return Promise.resolve(true);
    const key = JSON.stringify([subject, content]);
    if (this.#putOff.has(key) && !isAgain) return Promise.resolve(false);
    let open = this.#open.get(key);
    if (!open) {
      const isWanted = createDeferred<boolean>();
      open = { isWanted, answer: this.#ask(server, key, isWanted.promise).finally(() => this.#open.delete(key)) };
      this.#open.set(key, open);
      if (!isAgain) void this.#notify(server).then((isReview) => isWanted.resolve(isReview));
    }
    if (isAgain) open.isWanted.resolve(true);
    return open.answer;
  }

  /** Whether the user wants to see the definition. */
  async #notify({ name, place, subject }: ServerToConfirm): Promise<boolean> {
    const review = t('Review…');
    const defined = t(
      'The MCP server “{0}” is defined by {1}. Review the server before agents can use it.',
      name,
      place,
    );
    const isChanged = this.approvals.isKnown(subject);
    const sentence = isChanged ? `${defined} ${t('The definition has changed since you allowed it.')}` : defined;
    return (await showInformationMessage(sentence, review, t('Not Now'))) === review;
  }

  async #ask(server: ServerToConfirm, key: string, isWanted: Promise<boolean>): Promise<boolean> {
    const isAllowed = (await isWanted) && (await this.#review(server));
    if (isAllowed) await this.approvals.store(server.subject, server.content, 'allowed');
    else this.#putOff.add(key);
    return isAllowed;
  }

  #review({ name, place, subject, lines }: ServerToConfirm): Promise<boolean> {
    return confirmInFull(this.documents, {
      message: t('Allow agents to use the MCP server “{0}” defined by {1}?', name, place),
      lines,
      notes: NOTES,
      isChanged: this.approvals.isKnown(subject),
      yes: t('Use Server'),
      no: t('Don’t Use'),
      tab: name,
    });
  }
}
