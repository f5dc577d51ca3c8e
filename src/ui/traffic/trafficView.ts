import * as vscode from 'vscode';
import type { TrafficConnections } from '../../agent/connection/trafficConnections';
import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { openTablePanel, showTablePage } from '../chat/tablePanel';
import { parseTrafficMessage } from '../messages/parsePageMessage';
import type { TrafficSettings } from './trafficFeed';
import { TrafficFeed } from './trafficFeed';
import type { TrafficFiles } from './trafficFiles';

const TRAFFIC_PANEL = 'parley.traffic';

/** "Show Traffic": the messages between this window and its agents, in the only editor tab of this kind. */
export class TrafficView implements Disposable {
  readonly #open = new MutableDisposable<DisposableStore>();
  #panel: vscode.WebviewPanel | undefined;
  #feed: TrafficFeed | undefined;

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly connections: TrafficConnections,
    private readonly files: TrafficFiles,
    private readonly settings: TrafficSettings,
    private readonly log: Logger,
  ) {}

  show(): void {
    if (this.#panel) {
      this.#panel.reveal();
      return;
    }
    const panel = openTablePanel(TRAFFIC_PANEL, t('Traffic'));
    this.#fill(panel);
    showTablePage(panel, this.extensionUri, 'traffic', t('Parley Traffic'));
  }

  /** Saves the selected connection, if there is one. */
  save(): Promise<void> {
    return this.files.save(this.#feed?.shownConnection);
  }

  dispose(): void {
    this.#panel?.dispose();
    this.#open.dispose();
  }

  #fill(panel: vscode.WebviewPanel): void {
    const { connections, settings } = this;
    const store = new DisposableStore();
    this.#open.value = store;
    const feed = store.add(new TrafficFeed(connections, settings, panel.webview));
    this.#panel = panel;
    this.#feed = feed;
    store.add(panel.webview.onDidReceiveMessage((value: unknown) => this.#receive(value, feed)));
    store.add(panel.onDidChangeViewState(() => void (!panel.visible && feed.onPageHidden())));
    store.add(panel.onDidDispose(() => this.#onDidClose(panel)));
  }

  #onDidClose(panel: vscode.WebviewPanel): void {
    if (this.#panel !== panel) return;
    this.#panel = undefined;
    this.#feed = undefined;
    this.#open.value = undefined;
  }

  #receive(value: unknown, feed: TrafficFeed): void {
    const parsed = parseTrafficMessage(value);
    if ('problem' in parsed) {
      this.log.warn('ui', `Ignored a message of the traffic page: ${parsed.problem}`);
      return;
    }
    const { message } = parsed;
    switch (message.type) {
      case 'ready':
        feed.ready();
        break;
      case 'choose':
        feed.show(message.id);
        break;
      case 'copy':
        void vscode.env.clipboard.writeText(message.text);
        break;
      case 'save':
        void this.save();
        break;
      case 'pageError':
        this.log.error('ui', `Traffic page failed: ${message.message}`);
        break;
      default:
        assertNever(message);
    }
  }
}
