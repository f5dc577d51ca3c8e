import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { truncate } from '../../base/text';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, toDisposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { PageMessage, PageEnvironment } from '../../shared/protocol/chatPageProtocol';
import type { DraftStore } from './draftStore';
import { pageHtml } from './chatHtml';
import type { Intent } from './intents/intentRouter';
import { pageLanguage } from './pageLanguage';
import { parsePageMessage } from './intents/parsePageMessage';
import type { IntentPage, UiSession, UiSessions } from '../uiTypes';
import type { IntentSource } from './intents/queueIntents';
import type { SideMessage } from './stateSync';
import { StateSync } from './stateSync';
import type { ToolsPanelSource } from './toolsPanelFeed';
import { ToolsPanelFeed } from './toolsPanelFeed';

/** Milliseconds between two posts to the page: a frame. */
const FRAME = 16;

/** What all pages have in common. */
export interface PageServices {
  readonly extensionUri: vscode.Uri;
  readonly sessions: UiSessions;
  readonly tools: ToolsPanelSource;
  readonly drafts: DraftStore;
  surroundings(): PageEnvironment;
  handle(intent: Intent, from: IntentSource): Promise<void>;
  readonly log: Logger;
}

export interface PageOwner {
  /** Opens a new chat where this page shows chats. */
  newChat(agentName?: string): void;
  /**
   * Shows another session where this page shows chats.
   * @returns the page that shows it
   */
  showChat(session: UiSession): Promise<IntentPage>;
  /** Brings the page to the front, with the cursor in it. */
  show(): Promise<void>;
  /** The cursor came into the page. */
  focused(): void;
}

/**
 * The host's half of one page: fills a webview, keeps it in step with its session, and hands on what the user does in it, for the session
 * it was done in. The view and each tab have one; VS Code may destroy and bring back what it shows at any moment (I2).
 */
export class ChatPage implements IntentPage, Disposable {
  readonly #parts: PageServices;
  readonly #owner: PageOwner;
  readonly #store = new DisposableStore();
  readonly #sync: StateSync;
  readonly #tools: ToolsPanelFeed;
  #webview: vscode.Webview | undefined;
  #session: UiSession;
  /** Ids of the sessions that the page has shown: it may say something about one of these and no other. */
  readonly #shown = new Set<string>();

  constructor(session: UiSession, parts: PageServices, owner: PageOwner) {
    this.#parts = parts;
    this.#owner = owner;
    this.#session = session;
    this.#shown.add(session.id);
    this.#sync = this.#store.add(
      new StateSync(session, {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a webview's postMessage has none
        post: (message) => void this.#webview?.postMessage(message),
        surroundings: () => parts.surroundings(),
        schedule: (callback) => {
          const timer = setTimeout(callback, FRAME);
          return toDisposable(() => clearTimeout(timer));
        },
      }),
    );
    const { tools, sessions } = parts;
    this.#tools = this.#store.add(
      new ToolsPanelFeed({
        tools,
        sessions,
        session: () => this.#session,
        post: (shown) => this.tell({ type: 'tools', tools: shown }),
      }),
    );
    this.#store.add(
      parts.drafts.onDidChange(({ session: id, by }) => {
        if (by !== this && id === this.#session.id) this.#tellDraft();
      }),
    );
  }

  get session(): UiSession {
    return this.#session;
  }

  /** Shows another session. */
  attach(session: UiSession): void {
    if (session === this.#session) return;
    this.#session = session;
    this.#shown.add(session.id);
    this.#sync.attach(session);
    this.#tools.sessionChanged();
    this.#tellDraft();
  }

  /**
   * Fills a webview with the page.
   * @returns what is disposed when the webview is gone
   */
  open(webview: vscode.Webview): Disposable {
    const store = new DisposableStore();
    this.#sync.opening();
    this.#webview = webview;
    store.add(webview.onDidReceiveMessage((value: unknown) => this.#receive(value)));
    store.defer(() => {
      if (this.#webview !== webview) return;
      this.#webview = undefined;
      this.hidden();
    });
    const roots = [this.#uri('dist', 'webview'), this.#uri('media')];
    webview.options = { enableScripts: true, localResourceRoots: roots };
    webview.html = this.#document(webview);
    return store;
  }

  /** The webview is hidden: VS Code destroys the page. */
  hidden(): void {
    this.#tools.watch(false);
    this.#sync.hidden();
  }

  tell(message: SideMessage): void {
    this.#sync.tell(message);
  }

  show(): Promise<void> {
    return this.#owner.show();
  }

  watchTools(open: boolean): void {
    this.#tools.watch(open);
  }

  newChat(agentName?: string): void {
    this.#owner.newChat(agentName);
  }

  showChat(session: UiSession): Promise<IntentPage> {
    return this.#owner.showChat(session);
  }

  /** Agents, trust or the like changed. */
  surroundingsChanged(): void {
    this.#sync.surroundingsChanged();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #receive(value: unknown): void {
    const parsed = parsePageMessage(value);
    if ('problem' in parsed) {
      this.#parts.log.warn('view', `The page sent ${parsed.problem}; ignored`);
      return;
    }
    const { message } = parsed;
    if (message.type === 'ready') {
      this.#tellDraft();
      this.#sync.ready();
    } else if (message.type === 'ack') this.#sync.ack(message.seq);
    else if (message.type === 'focused') this.#owner.focused();
    else this.#act(message, isObject(value) ? value['session'] : undefined);
  }

  /** Something the user did, in the session that the page showed at that moment. */
  #act(message: Exclude<PageMessage, { type: 'ready' | 'ack' | 'focused' }>, id: unknown): void {
    const session = this.#sessionOf(id);
    if (!session) {
      this.#tooLate(message, id);
      return;
    }
    const { drafts } = this.#parts;
    if (message.type === 'draft') drafts.set(session.id, message, this);
    else void this.#parts.handle(message, { session, page: this });
  }

  /** The session that a message names; without a name, from a page that shows none yet, the one it will show. */
  #sessionOf(id: unknown): UiSession | undefined {
    if (id === undefined || id === this.#session.id) return this.#session;
    if (typeof id !== 'string' || !this.#shown.has(id)) return undefined;
    return this.#parts.sessions.all().find((session) => session.id === id);
  }

  /** What was written for a session that is closed is not sent to another one, and not lost either. */
  #tooLate(message: PageMessage, id: unknown): void {
    const name = typeof id === 'string' ? JSON.stringify(truncate(id, 60)) : `(${typeof id})`;
    this.#parts.log.warn('view', `"${message.type}" was meant for session ${name}, which is not open here; ignored`);
    if (message.type !== 'send' || typeof id !== 'string' || !this.#shown.has(id)) return;
    const { text, attachments = [] } = message;
    const reason = t('Its session was closed. Send it in this one, or open that one again.');
    this.tell({ type: 'sendRefused', session: this.#session.id, text, attachments, reason });
  }

  #tellDraft(): void {
    const draft = this.#parts.drafts.get(this.#session.id);
    if (draft) this.tell({ type: 'draft', session: this.#session.id, ...draft });
  }

  #document(webview: vscode.Webview): string {
    const address = (...path: string[]): string => webview.asWebviewUri(this.#uri(...path)).toString();
    return pageHtml({
      cspSource: webview.cspSource,
      nonce: randomBytes(18).toString('base64'),
      script: address('dist', 'webview', 'page.js'),
      styles: [address('dist', 'webview', 'codicon.css'), address('media', 'base.css'), address('media', 'chat.css')],
      title: t('Parley Chat'),
      ...pageLanguage(),
    });
  }

  #uri(...path: string[]): vscode.Uri {
    return vscode.Uri.joinPath(this.#parts.extensionUri, ...path);
  }
}
