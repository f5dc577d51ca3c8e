import * as vscode from 'vscode';
import { assertNever } from '../../base/assert';
import { DelayedCall } from '../../base/clock';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { AuditLog } from '../../permissions/auditLog';
import type { AuditHostMessage, AuditPageMessage, AuditRow } from '../../shared/protocol/auditPageProtocol';
import { offerToOpen } from '../../workbench/offerToOpen';
import { showErrorMessage } from '../../workbench/windowMessages';
import { inFirstFolder } from '../../workbench/workspaceFolders';
import { openTablePanel, showTablePage } from '../chat/tablePanel';
import { parseAuditMessage } from '../messages/parsePageMessage';

const AUDIT_PANEL = 'parley.audit';

/** Milliseconds between two messages to the page. */
const BATCH_MS = 100;

/** "Show Audit Log": all permission decisions, in the only editor tab of this kind. */
export class AuditView implements Disposable {
  readonly #open = new MutableDisposable<DisposableStore>();
  #panel: vscode.WebviewPanel | undefined;

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly audit: AuditLog,
    private readonly log: Logger,
    private readonly manageRules: () => Promise<void>,
  ) {}

  show(): void {
    if (this.#panel) {
      this.#panel.reveal();
      return;
    }
    const panel = openTablePanel(AUDIT_PANEL, t('Audit Log'));
    const store = new DisposableStore();
    this.#panel = panel;
    this.#open.value = store;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a webview's postMessage has none
    const feed = store.add(new AuditFeed(this.audit, (message) => void panel.webview.postMessage(message)));
    store.add(panel.webview.onDidReceiveMessage((value: unknown) => void this.#receive(value, feed)));
    store.add(panel.onDidChangeViewState(() => void (!panel.visible && feed.onPageHidden())));
    store.add(panel.onDidDispose(() => this.#onDidClose(panel)));
    showTablePage(panel, this.extensionUri, 'audit', t('Parley Audit Log'));
  }

  /** Asks for a file and writes all records to it. */
  async export(): Promise<void> {
    const defaultUri = inFirstFolder('parley-audit.jsonl');
    const target = await vscode.window.showSaveDialog({
      title: t('Export Audit Log'),
      filters: { [t('Audit log')]: ['jsonl'] },
      ...(defaultUri && { defaultUri }),
    });
    if (target) await this.exportTo(target);
  }

  async exportTo(target: vscode.Uri): Promise<void> {
    try {
      await this.audit.export(target.fsPath);
    } catch (error) {
      void showErrorMessage(t('Could not export the audit log: {0}.', errorMessage(error)));
      return;
    }
    const sentence = t('The audit log was exported. Known secrets are redacted. Review the file before you share it.');
    void offerToOpen(sentence, target);
  }

  dispose(): void {
    this.#panel?.dispose();
    this.#open.dispose();
  }

  #onDidClose(panel: vscode.WebviewPanel): void {
    if (this.#panel !== panel) return;
    this.#panel = undefined;
    this.#open.value = undefined;
  }

  async #receive(value: unknown, feed: AuditFeed): Promise<void> {
    const parsed = parseAuditMessage(value);
    if ('problem' in parsed) {
      this.log.warn('ui', `Ignored a message of the audit log page: ${parsed.problem}`);
      return;
    }
    await this.#handle(parsed.message, feed);
  }

  async #handle(message: AuditPageMessage, feed: AuditFeed): Promise<void> {
    switch (message.type) {
      case 'ready':
        return feed.start();
      case 'copy':
        return vscode.env.clipboard.writeText(message.text);
      case 'export':
        return this.export();
      case 'manageRules':
        return this.manageRules();
      case 'pageError':
        return this.log.error('ui', `Audit log page failed: ${message.message}`);
      default:
        return assertNever(message);
    }
  }
}

/** Sends the log to a page: first all records, then new ones in batches. */
export class AuditFeed implements Disposable {
  readonly #listening = new MutableDisposable<Disposable>();
  #pending: AuditRow[] = [];
  readonly #later = new DelayedCall(BATCH_MS, () =>
    this.post({ type: 'records', fresh: false, records: this.#pending.splice(0) }),
  );
  /** Number of page loads: results for an earlier load are dropped. */
  #round = 0;

  constructor(
    private readonly audit: AuditLog,
    private readonly post: (message: AuditHostMessage) => void,
  ) {}

  /** The page is loaded and empty. Settles when the log was sent. */
  async start(): Promise<void> {
    this.onPageHidden();
    const round = this.#round;
    const records = await this.audit.entries();
    if (round !== this.#round) return;
    this.#listening.value = this.audit.onDidAppend((record) => this.#addRow(record));
    this.post({ type: 'records', fresh: true, records });
  }

  /** The page is unloaded until it reports that it is ready. */
  onPageHidden(): void {
    this.#round++;
    this.#listening.value = undefined;
    this.#pending = [];
    this.#later.cancel();
  }

  dispose(): void {
    this.onPageHidden();
    this.#listening.dispose();
    this.#later.dispose();
  }

  #addRow(record: AuditRow): void {
    this.#pending.push(record);
    this.#later.schedule();
  }
}
