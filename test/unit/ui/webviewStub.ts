import { commands, stub } from './vscodeStub';
import type { WebviewPanel, WebviewView } from 'vscode';
import { Emitter } from '../../../src/base/event';
import type { HostMessage, PageMessage } from '../../../src/shared/protocol/chatPageProtocol';
import { standIn } from '../../kit/stubOf';

/** Adds webviews to the stub of `vscode`, each with a page that the test controls. Import it before modules that use `vscode`. */

interface Uri {
  readonly path: string;
  toString(): string;
}

const uri = (path: string): Uri => ({ path, toString: () => path });

/** The page in a webview as the host sees it. */
export class WebviewStub {
  readonly #received = new Emitter<unknown>();
  readonly onDidReceiveMessage = this.#received.event;
  readonly posted: HostMessage[] = [];
  readonly cspSource = 'csp';
  options: unknown;
  html = '';

  asWebviewUri(address: Uri): Uri {
    return address;
  }

  /** @param message or its JSON */
  async postMessage(message: HostMessage | string): Promise<boolean> {
    this.posted.push(typeof message === 'string' ? (JSON.parse(message) as HostMessage) : structuredClone(message));
    return true;
  }

  /** The page sends a message about this session. */
  say(message: PageMessage, session?: string): void {
    this.#received.fire(session === undefined ? message : { ...message, session });
  }

  /** The page reports that it is ready and accepts all messages. */
  load(): void {
    this.say({ type: 'ready' });
    this.acknowledge();
  }

  acknowledge(): void {
    for (const message of this.posted) {
      if (message.type === 'snapshot') this.say({ type: 'ack', seq: message.seq });
      if (message.type === 'actions') this.say({ type: 'ack', seq: message.last });
    }
  }

  ofType<T extends HostMessage['type']>(type: T): Extract<HostMessage, { type: T }>[] {
    return this.posted.filter((message): message is Extract<HostMessage, { type: T }> => message.type === type);
  }
}

/** An editor tab. */
export class PanelStub {
  readonly #stateChanged = new Emitter<void>();
  readonly #disposed = new Emitter<void>();
  readonly onDidChangeViewState = this.#stateChanged.event;
  readonly onDidDispose = this.#disposed.event;
  readonly webview = new WebviewStub();
  visible = true;
  active = true;
  closed = false;
  viewColumn = 1;
  iconPath: { readonly light: Uri; readonly dark: Uri } | undefined;
  title: string;

  constructor(title = '') {
    this.title = title;
  }

  reveal(): void {
    this.change(true, true);
  }

  change(visible: boolean, active: boolean): void {
    this.visible = visible;
    this.active = active;
    this.#stateChanged.fire();
  }

  dispose(): void {
    if (this.closed) return;
    this.closed = true;
    this.#disposed.fire();
  }
}

/** The view in the side bar. */
export class ViewStub {
  readonly #visibilityChanged = new Emitter<void>();
  readonly #disposed = new Emitter<void>();
  readonly onDidChangeVisibility = this.#visibilityChanged.event;
  readonly onDidDispose = this.#disposed.event;
  readonly webview = new WebviewStub();
  badge: unknown;
  visible = true;

  change(visible: boolean): void {
    this.visible = visible;
    this.#visibilityChanged.fire();
  }

  dispose(): void {
    this.#disposed.fire();
  }
}

export const panels: PanelStub[] = [];

Object.assign(stub, {
  env: { language: 'en' },
  l10n: {},
  Uri: { joinPath: ({ path }: Uri, ...more: string[]) => uri([path, ...more].join('/')) },
  ViewColumn: { Active: -1, Beside: -2, One: 1 },
});
Object.assign(stub.window, {
  createWebviewPanel(_type: string, title: string, column: number) {
    const panel = new PanelStub(title);
    if (column > 0) panel.viewColumn = column;
    if (column === -2) panel.viewColumn = 2;
    panels.push(panel);
    return panel;
  },
});

export const extensionUri = uri('/ext');

export function resetWebviews(): void {
  panels.length = 0;
  commands.length = 0;
}

/** As code of the extension takes it. */
export function asView(view: ViewStub): WebviewView {
  return standIn(view);
}

export function asPanel(panel: PanelStub): WebviewPanel {
  return standIn(panel);
}
