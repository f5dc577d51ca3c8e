import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { TrafficConnection, TrafficConnections } from '../agent/trafficConnections';
import { assertNever } from '../base/assert';
import type { Event } from '../base/event';
import { t } from '../base/l10n';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore, MutableDisposable, toDisposable } from '../base/lifecycle';
import type { Log } from '../base/log';
import { pageHtml } from './html';
import { pageLanguage } from './pageLanguage';
import { parseTrafficMessage } from './pageMessages';
import { TrafficFeed } from './trafficFeed';

export const TRAFFIC_PANEL = 'parley.traffic';

/** Milliseconds between two posts to the page. */
const PAUSE = 100;

export interface TrafficViewOptions {
  readonly extensionUri: vscode.Uri;
  readonly connections: TrafficConnections;
  readonly log: Log;
  recording(): boolean;
  readonly onDidChangeSettings: Event<void>;
  save(connection: TrafficConnection | undefined): Promise<void>;
}

/** "Show Traffic": the messages between this window and its agents, in an editor tab. There is one. */
export class TrafficView implements Disposable {
  readonly #options: TrafficViewOptions;
  readonly #open = new MutableDisposable<DisposableStore>();
  #panel: vscode.WebviewPanel | undefined;
  #feed: TrafficFeed | undefined;

  constructor(options: TrafficViewOptions) {
    this.#options = options;
  }

  /** The connection that is looked at. */
  get shown(): TrafficConnection | undefined {
    return this.#feed?.shown;
  }

  show(): void {
    if (this.#panel) {
      this.#panel.reveal();
      return;
    }
    const roots = [this.#uri('dist', 'webview'), this.#uri('media')];
    const panel = vscode.window.createWebviewPanel(TRAFFIC_PANEL, t('Traffic'), vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: roots,
    });
    this.#fill(panel);
  }

  dispose(): void {
    this.#panel?.dispose();
    this.#open.dispose();
  }

  #fill(panel: vscode.WebviewPanel): void {
    const { connections, onDidChangeSettings } = this.#options;
    const store = new DisposableStore();
    this.#open.value = store;
    const feed = new TrafficFeed({
      connections,
      recording: () => this.#options.recording(),
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a webview's postMessage has none
      post: (message) => void panel.webview.postMessage(message),
      schedule: (callback) => {
        const timer = setTimeout(callback, PAUSE);
        return toDisposable(() => clearTimeout(timer));
      },
    });
    store.add(feed);
    this.#panel = panel;
    this.#feed = feed;
    store.add(onDidChangeSettings(() => feed.refresh()));
    store.add(panel.webview.onDidReceiveMessage((value: unknown) => this.#receive(value, feed)));
    store.add(panel.onDidChangeViewState(() => void (!panel.visible && feed.hidden())));
    store.add(panel.onDidDispose(() => this.#closed(panel)));
    panel.webview.html = this.#document(panel.webview);
  }

  #closed(panel: vscode.WebviewPanel): void {
    if (this.#panel !== panel) return;
    this.#panel = undefined;
    this.#feed = undefined;
    this.#open.value = undefined;
  }

  #receive(value: unknown, feed: TrafficFeed): void {
    const parsed = parseTrafficMessage(value);
    if ('problem' in parsed) {
      this.#options.log.warn('view', `The traffic page sent ${parsed.problem}; ignored`);
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
        void this.#options.save(feed.shown);
        break;
      case 'pageError':
        this.#options.log.error('view', `The traffic page failed: ${message.message}`);
        break;
      default:
        assertNever(message);
    }
  }

  #document(webview: vscode.Webview): string {
    const address = (...path: string[]): string => webview.asWebviewUri(this.#uri(...path)).toString();
    return pageHtml({
      cspSource: webview.cspSource,
      nonce: randomBytes(18).toString('base64'),
      script: address('dist', 'webview', 'traffic.js'),
      styles: [address('dist', 'webview', 'codicon.css'), address('media', 'traffic.css')],
      title: t('Parley Traffic'),
      ...pageLanguage(),
    });
  }

  #uri(...path: string[]): vscode.Uri {
    return vscode.Uri.joinPath(this.#options.extensionUri, ...path);
  }
}
