import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { Emitter } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore, MutableDisposable, toDisposable } from '../base/lifecycle';
import type { Log } from '../base/log';
import type { Attachment, Mention } from '../shared/attachments';
import type { HostMessage, Sound, Surroundings } from '../shared/messages';
import type { ToolsShown } from '../shared/tools';
import { pageHtml } from './html';
import type { Intents } from './intents';
import { parsePageMessage } from './pageMessages';
import type { ViewSession, ViewSessions } from './ports';
import { Sync } from './sync';
import type { WaitingRequest } from './waiting';

export const CHAT_VIEW = 'parley.chat';

/** Milliseconds between two posts to the page: a frame. */
const FRAME = 16;

export interface ChatViewOptions {
  readonly extensionUri: vscode.Uri;
  readonly sessions: ViewSessions;
  readonly intents: Intents;
  surroundings(): Surroundings;
  readonly log: Log;
}

/** The chat view: makes the page, keeps it in step with the active session and hands on what the person does in it. */
export class ChatView implements vscode.WebviewViewProvider, Disposable {
  readonly #options: ChatViewOptions;
  readonly #store = new DisposableStore();
  readonly #sync: Sync;
  readonly #shown = this.#store.add(new MutableDisposable<DisposableStore>());
  readonly #visibility = this.#store.add(new Emitter<boolean>());
  #view: vscode.WebviewView | undefined;
  #waiting = 0;

  /** The view was shown or hidden. */
  readonly onDidChangeVisibility = this.#visibility.event;

  constructor(options: ChatViewOptions) {
    this.#options = options;
    this.#sync = this.#store.add(
      new Sync(options.sessions.active, {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a webview's postMessage has none
        post: (message) => void this.#view?.webview.postMessage(message),
        surroundings: () => options.surroundings(),
        schedule: (callback) => {
          const timer = setTimeout(callback, FRAME);
          return toDisposable(() => clearTimeout(timer));
        },
      }),
    );
    this.#store.add(options.sessions.onDidChangeActive((session) => this.#sync.attach(session)));
  }

  get visible(): boolean {
    return this.#view?.visible ?? false;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const store = new DisposableStore();
    this.#shown.value = store;
    this.#view = view;
    this.#sync.hidden();
    store.add(view.webview.onDidReceiveMessage((value: unknown) => this.#receive(value)));
    store.add(view.onDidChangeVisibility(() => this.#visibilityChanged(view.visible)));
    store.add(view.onDidDispose(() => this.#disposed(view)));
    this.setWaiting(this.#waiting);
    const roots = [this.#uri('dist', 'webview'), this.#uri('media')];
    view.webview.options = { enableScripts: true, localResourceRoots: roots };
    view.webview.html = this.#document(view.webview);
    this.#visibility.fire(view.visible);
  }

  /** Shows the view with the cursor in the composer. */
  async focus(): Promise<void> {
    this.#sync.tell({ type: 'focusComposer' });
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
  }

  /** A hidden view has no page that could be heard. */
  playSound(sound: Sound): void {
    if (this.visible) this.#sync.tell({ type: 'playSound', sound });
  }

  /** Shows the view with its Tools panel open. */
  async showTools(): Promise<void> {
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
    this.#sync.tell({ type: 'showTools' });
  }

  /** What the Tools panel shows; a hidden page asks again when it is back. */
  tools(tools: ToolsShown): void {
    if (this.visible) this.#sync.tell({ type: 'tools', tools });
  }

  /** Shows the view and adds a text to what is being written there. */
  async insert(text: string): Promise<void> {
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
    this.#sync.tell({ type: 'insertText', text });
  }

  /** Tells what goes with a query of the page. */
  mentions(id: number, mentions: readonly Mention[]): void {
    if (this.visible) this.#sync.tell({ type: 'mentions', id, mentions });
  }

  /** Shows the view and attaches these to what is being written there. @param remarks what could not be attached, and why */
  async attach(attachments: readonly Attachment[], remarks: readonly string[]): Promise<void> {
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
    this.#sync.tell({ type: 'attach', attachments, remarks });
  }

  /** Gives a message back that was not sent. */
  refuse(refused: Omit<Extract<HostMessage, { type: 'sendRefused' }>, 'type'>): void {
    this.#sync.tell({ type: 'sendRefused', ...refused });
  }

  /** Shows the view with a text that a link has brought in the message box of a session. */
  async fill(session: ViewSession, text: string, remarks: readonly string[]): Promise<void> {
    this.#options.sessions.activate(session);
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
    this.#sync.tell({ type: 'fillComposer', session: session.id, text, remarks });
  }

  /** Shows the view with this request in sight. */
  async reveal({ session, entry }: Pick<WaitingRequest, 'session' | 'entry'>): Promise<void> {
    this.#options.sessions.activate(session);
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
    this.#sync.tell({ type: 'reveal', entry });
  }

  /** The number on the view's icon. */
  setWaiting(count: number): void {
    this.#waiting = count;
    const badge = count === 0 ? undefined : { value: count, tooltip: `${count} waiting` };
    if (this.#view && this.#view.badge?.value !== badge?.value) this.#view.badge = badge;
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
      this.#options.log.warn('view', `The page sent ${parsed.problem}; ignored`);
      return;
    }
    const { message } = parsed;
    if (message.type === 'ready') this.#sync.ready();
    else if (message.type === 'ack') this.#sync.ack(message.seq);
    else void this.#options.intents.handle(message);
  }

  #visibilityChanged(visible: boolean): void {
    if (!visible) this.#sync.hidden();
    this.#visibility.fire(visible);
  }

  #disposed(view: vscode.WebviewView): void {
    if (this.#view !== view) return;
    this.#view = undefined;
    this.#shown.value = undefined;
    this.#visibilityChanged(false);
  }

  #document(webview: vscode.Webview): string {
    const address = (...path: string[]): string => webview.asWebviewUri(this.#uri(...path)).toString();
    return pageHtml({
      cspSource: webview.cspSource,
      nonce: randomBytes(18).toString('base64'),
      script: address('dist', 'webview', 'page.js'),
      styles: [address('dist', 'webview', 'codicon.css'), address('media', 'chat.css')],
      title: 'Parley Chat',
      language: 'en',
    });
  }

  #uri(...path: string[]): vscode.Uri {
    return vscode.Uri.joinPath(this.#options.extensionUri, ...path);
  }
}
