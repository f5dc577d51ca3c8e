import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { demoAgent } from '../../src/agent/config/agentSettings';
import type {
  ChatPageLocation,
  HostMessage,
  PageMessage,
  PageEnvironment,
} from '../../src/shared/protocol/chatPageProtocol';
import type { Action } from '../../src/shared/state/sessionActions';
import { reduce } from '../../src/shared/state/sessionReducer';
import type { SessionState } from '../../src/shared/state/sessionState';
import { emptySession } from '../../src/shared/state/sessionState';
import { pageHtml } from '../../src/ui/chat/chatHtml';
import { PATIENCE_MS } from '../kit/waiting';
import type { InPage } from './browserPage';
import { BrowserPage, scriptOf, startServer } from './browserPage';
import type { PageWindow } from './pageWindow';
import dark from './themes/dark.json';
import hcLight from './themes/hc-light.json';
import hc from './themes/hc.json';
import light from './themes/light.json';

export const themes = { dark, light, hc, 'hc-light': hcLight };
export type ThemeName = keyof typeof themes;

/** Styles that VS Code gives every webview; in a layer, so that the page's own styles win. */
const defaultStyles = readFileSync(join(process.cwd(), 'test/page/themes/webview.css'), 'utf8');

export interface PageOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  readonly reducedMotion?: boolean;
  /** Device scale factor of screenshots. */
  readonly scale?: number;
  /** Default: English. */
  readonly language?: Language;
  /** Default: the view. */
  readonly location?: ChatPageLocation;
  /** Whether the page is one file. Default: in tests; programs measure it as shipped, in parts that are loaded one by one. */
  readonly isJoined?: boolean;
}

export interface Language {
  /** As `vscode.env.language` names it. */
  readonly tag: string;
  /** English message → its translation. */
  readonly table: Readonly<Record<string, string>>;
}

const ABOUT_PAGE: ReadonlySet<PageMessage['type']> = new Set([
  'ready',
  'ack',
  'focused',
  'draft',
  'composing',
  'typing',
  'findCommands',
  'findPlaces',
  'notificationPermission',
]);

export const environment: PageEnvironment = {
  agents: [
    {
      name: 'demo',
      title: 'Demo agent',
      description: demoAgent('', '').description,
      builtIn: true,
    },
    { name: 'claude', title: 'Claude', description: 'claude-agent-acp', known: 'claude-acp' },
  ],
  trusted: true,
  mac: false,
};

/** The extension's page in Chromium, served under its real policy, with the test as its host. */
export class ChatPage {
  readonly #tab: BrowserPage;
  state: SessionState = emptySession('session-1', { name: 'demo', title: 'Demo agent' });
  seq = 0;

  readonly #language: Language | undefined;

  private constructor(tab: BrowserPage, language: Language | undefined) {
    this.#tab = tab;
    this.#language = language;
  }

  get page(): Page {
    return this.#tab.page;
  }

  /** Of the document. */
  get url(): string {
    return this.#tab.url;
  }

  /** Requested URLs that are not files of the page. */
  get strangers(): readonly string[] {
    return this.#tab.strangers;
  }

  get dialogs(): readonly string[] {
    return this.#tab.dialogs;
  }

  get pageErrors(): readonly string[] {
    return this.#tab.errors;
  }

  /** The page's translation of this message. */
  say(message: string): string {
    return this.#language?.table[message] ?? message;
  }

  static async open(options: PageOptions = {}): Promise<ChatPage> {
    const { theme = 'dark', width = 450, height = 800, reducedMotion, scale, language } = options;
    const { origin } = await startServer();
    const tab = await BrowserPage.open({ width, height, reducedMotion, scale });
    const opened = new ChatPage(tab, language);
    await tab.show(documentOf(origin, options), standIn, { ...themes[theme], defaultStyles }, 'ready');
    return opened;
  }

  /** Sends a message as the extension host does. */
  async post(message: HostMessage): Promise<void> {
    await this.page.evaluate((data) => window.postMessage(data, '*'), message);
  }

  /** Sends messages without a frame between them. */
  async postTogether(...messages: readonly HostMessage[]): Promise<void> {
    await this.page.evaluate((all) => {
      for (const data of all) window.postMessage(data, '*');
    }, messages);
  }

  /** All messages of the page so far. */
  sent(): Promise<PageMessage[]> {
    return this.page.evaluate(() => (window as PageWindow<StandIn>).sent);
  }

  /** Messages of the page after the first `count`, with `frames` after the next two frames are rendered. */
  sentAfter(count: number, frames: boolean): Promise<PageMessage[]> {
    return this.page.evaluate(
      async ([count, frames]) => {
        for (let left = frames ? 2 : 0; left > 0; left--) await new Promise(requestAnimationFrame);
        return (window as PageWindow<StandIn>).sent.slice(count);
      },
      [count, frames] as const,
    );
  }

  /** Messages that contain user intents, without those about the page itself. */
  async intents(): Promise<PageMessage[]> {
    return (await this.sent()).filter(({ type }) => !ABOUT_PAGE.has(type));
  }

  /** Session ids that the messages of this type addressed. */
  async meantFor(type: PageMessage['type']): Promise<(string | undefined)[]> {
    const sessions = await this.page.evaluate(() => (window as PageWindow<StandIn>).sessions);
    const sent = await this.sent();
    return sessions.filter((_, index) => sent[index]?.type === type);
  }

  /**
   * Waits for the nth message of this type, counted from 1. Playwright's `waitForFunction` loads a large script into each document, 25 ms
   * of CPU.
   */
  sentType(type: PageMessage['type'], count = 1): Promise<PageMessage> {
    return this.page.evaluate(
      async ([type, count, wait]) => {
        const { sent } = window as PageWindow<StandIn>;
        const end = Date.now() + wait;
        for (;;) {
          const wanted = sent.filter((message) => message.type === type)[count - 1];
          if (wanted) return wanted;
          if (Date.now() > end) throw new Error(`The page sent "${type}" less than ${count} times.`);
          await new Promise(requestAnimationFrame);
        }
      },
      [type, count, PATIENCE_MS] as const,
    );
  }

  /** Sets the session's state in one snapshot. */
  async snapshot(actions: readonly Action[] = [], around: PageEnvironment = environment): Promise<void> {
    await this.#deliver(this.#snapshotAfter(actions, around));
  }

  /** Dispatches actions to the session. */
  async act(...actions: readonly Action[]): Promise<void> {
    await this.#deliver(this.#actionsAfter(actions));
  }

  /** A page with this session in it. */
  static async with(actions: readonly Action[], options: PageOptions = {}): Promise<ChatPage> {
    const page = await ChatPage.open(options);
    const snapshot = page.#snapshotAfter([], environment);
    await page.#deliver(snapshot, ...(actions.length > 0 ? [page.#actionsAfter(actions)] : []));
    return page;
  }

  #snapshotAfter(actions: readonly Action[], around: PageEnvironment): Delivered {
    this.state = actions.reduce(reduce, this.state);
    this.seq += actions.length;
    return { type: 'snapshot', seq: this.seq, state: this.state, environment: around };
  }

  #actionsAfter(actions: readonly Action[]): Delivered {
    const first = this.seq + 1;
    this.state = actions.reduce(reduce, this.state);
    this.seq += actions.length;
    return { type: 'actions', seq: first, last: this.seq, actions };
  }

  /** Sends messages, and after each waits until it is acknowledged and rendered; in one round trip. */
  async #deliver(...messages: readonly Delivered[]): Promise<void> {
    await this.page.evaluate(async (all) => {
      const { sent, showFrames } = window as PageWindow<StandIn & InPage>;
      for (const data of all) {
        const seq = data.type === 'actions' ? data.last : data.seq;
        window.postMessage(JSON.stringify(data), '*');
        do await new Promise(requestAnimationFrame);
        while (!sent.some((one) => one.type === 'ack' && one.seq >= seq));
        await showFrames();
      }
    }, messages);
  }

  /** Waits until the next two frames are rendered, including effects of a resize. */
  frame(): Promise<void> {
    return nextFrames(this.page);
  }

  /** Changes the theme of the open page, as VS Code does. */
  async setTheme(theme: ThemeName): Promise<void> {
    await changeTheme(this.page, theme);
    await this.frame();
  }

  violations(): Promise<string[]> {
    return this.page.evaluate(() => (window as PageWindow<StandIn>).violations);
  }

  get log(): Locator {
    return this.page.getByRole('log', { name: this.say('Conversation') });
  }

  get box(): Locator {
    return this.page.getByRole('textbox', { name: this.say('Message'), exact: true });
  }

  /** The place of the first line of text in the message box: chips take some of the space above it. */
  async textTop(): Promise<number> {
    const padding = await this.box.evaluate((box) => parseFloat(getComputedStyle(box).paddingTop));
    return ((await this.box.boundingBox())?.y ?? NaN) + padding;
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name: this.say(name), exact: true });
  }

  async close(): Promise<void> {
    await this.#tab.close();
  }
}

/** Waits until the next two frames are rendered, with the fonts of their texts. */
export function nextFrames(page: Page): Promise<void> {
  return page.evaluate(() => (window as PageWindow<InPage>).showFrames());
}

/** Changes the theme of an open page, as VS Code does. */
export async function changeTheme(page: Page, theme: ThemeName): Promise<void> {
  const kinds = Object.values(themes).map(({ kind }) => kind);
  await page.evaluate(
    ([next, all]) => {
      document.documentElement.removeAttribute('style');
      for (const [name, value] of Object.entries(next.variables))
        document.documentElement.style.setProperty(name, value);
      document.body.classList.remove(...all);
      document.body.classList.add(next.kind);
    },
    [themes[theme] as { kind: string; variables: Record<string, string> }, kinds] as const,
  );
}

/** Messages that the page acknowledges. */
type Delivered = Extract<HostMessage, { type: 'snapshot' | 'actions' }>;

interface StandIn {
  sent: PageMessage[];
  /** The session that each message named. */
  sessions: (string | undefined)[];
  violations: string[];
}

function documentOf(origin: string, { language, location = 'view', isJoined }: PageOptions): string {
  return pageHtml({
    cspSource: origin,
    nonce: 'abcdefghijklmnop',
    script: scriptOf(origin, 'page', isJoined),
    styles: `${origin}/dist/webview/chat.css`,
    title: 'Parley',
    location,
    opening: 'Opening the conversation…',
    language: language?.tag ?? 'en',
    translations: language?.table,
  });
}

/** Runs in the page before any script: VS Code's API and theme. */
function standIn(theme: { kind: string; variables: Record<string, string>; defaultStyles: string }): void {
  const sent: PageMessage[] = [];
  const sessions: (string | undefined)[] = [];
  const violations: string[] = [];
  Object.assign(window, {
    sent,
    sessions,
    violations,
    acquireVsCodeApi: () => ({
      postMessage: ({ session, ...message }: PageMessage & { readonly session?: string }) => {
        sent.push(structuredClone(message));
        sessions.push(session);
      },
      getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') as unknown,
      setState: (state: unknown) => sessionStorage.setItem('state', JSON.stringify(state)),
    }),
  });
  document.addEventListener('securitypolicyviolation', (event) => {
    violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
  });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(theme.defaultStyles);
  document.adoptedStyleSheets.push(sheet);
  document.addEventListener('readystatechange', () => {
    for (const [name, value] of Object.entries(theme.variables))
      document.documentElement.style.setProperty(name, value);
    document.body?.classList.add(theme.kind);
  });
}
