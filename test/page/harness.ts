import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { Action } from '../../src/shared/actions';
import type { HostMessage, PageMessage, Surroundings } from '../../src/shared/messages';
import { reduce } from '../../src/shared/reducer';
import type { SessionState } from '../../src/shared/state';
import { emptySession } from '../../src/shared/state';
import { pageHtml } from '../../src/view/html';
import dark from './themes/dark.json';
import hcLight from './themes/hc-light.json';
import hc from './themes/hc.json';
import light from './themes/light.json';

export const themes = { dark, light, hc, 'hc-light': hcLight };
export type ThemeName = keyof typeof themes;

const ORIGIN = 'https://page.test';
const ROOT = process.cwd();
const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
  '.map': 'application/json',
};
/** Styles that VS Code itself gives every webview; in a layer, so that the page's own come first. */
const defaultStyles = readFileSync(join(ROOT, 'test/page/themes/webview.css'), 'utf8');

export interface PageOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  readonly reducedMotion?: boolean;
  /** Of the picture: CSS pixels to pixels. */
  readonly scale?: number;
  /** English when it is left out. */
  readonly language?: Language;
}

export interface Language {
  /** As `vscode.env.language` names it. */
  readonly tag: string;
  /** English message → its translation. */
  readonly table: Readonly<Record<string, string>>;
}

const ABOUT_PAGE: ReadonlySet<PageMessage['type']> = new Set(['ready', 'ack', 'focused', 'draft', 'findPlaces']);

let browser: Promise<Browser> | undefined;

/** One Chromium for all tests of a run; `flags` count at the first call. */
export function launch(flags: readonly string[] = []): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...flags],
  });
  return browser;
}

export async function closeBrowser(): Promise<void> {
  const open = browser;
  browser = undefined;
  await (await open)?.close();
}

export const surroundings: Surroundings = {
  agents: [
    {
      name: 'demo',
      title: 'Demo agent',
      description: 'Built in and scripted: needs no key and no network.',
      builtIn: true,
    },
    { name: 'claude', title: 'Claude', description: 'claude-agent-acp' },
  ],
  trusted: true,
  mac: false,
};

/** The page of the extension in Chromium, served under its real policy, with the test as its host. */
export class ChatPage {
  readonly page: Page;
  readonly #context: BrowserContext;
  /** Addresses asked for that are not files of the page. */
  readonly strangers: string[] = [];
  readonly dialogs: string[] = [];
  readonly pageErrors: string[] = [];
  state: SessionState = emptySession('session-1', { name: 'demo', title: 'Demo agent' });
  seq = 0;

  readonly #language: Language | undefined;

  private constructor(context: BrowserContext, page: Page, language: Language | undefined) {
    this.#context = context;
    this.page = page;
    this.#language = language;
  }

  /** What the page says for this message of the source. */
  say(message: string): string {
    return this.#language?.table[message] ?? message;
  }

  static async open(options: PageOptions = {}): Promise<ChatPage> {
    const context = await (
      await launch()
    ).newContext({
      viewport: { width: options.width ?? 450, height: options.height ?? 800 },
      timezoneId: 'UTC',
      locale: 'en-GB',
      reducedMotion: options.reducedMotion ? 'reduce' : 'no-preference',
      deviceScaleFactor: options.scale ?? 1,
    });
    const opened = new ChatPage(context, await context.newPage(), options.language);
    await opened.#prepare(options.theme ?? 'dark');
    await opened.page.goto(`${ORIGIN}/`);
    await opened.sentType('ready');
    return opened;
  }

  async #prepare(theme: ThemeName): Promise<void> {
    const { page } = this;
    page.on('dialog', (dialog) => {
      this.dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => this.pageErrors.push(String(error)));
    await page.route('**/*', async (route) => {
      const { pathname, origin } = new URL(route.request().url());
      if (origin !== ORIGIN) {
        this.strangers.push(route.request().url());
        return route.abort();
      }
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: documentOf(this.#language) });
      if (!/^\/(?:dist\/webview|media)\//.test(pathname)) {
        this.strangers.push(pathname);
        return route.fulfill({ status: 404 });
      }
      const body = await readFile(join(ROOT, pathname));
      return route.fulfill({ contentType: TYPES[extname(pathname)] ?? 'application/octet-stream', body });
    });
    await page.addInitScript(standIn, { ...themes[theme], defaultStyles });
  }

  /** Sends a message as the extension host does. */
  async post(message: HostMessage): Promise<void> {
    await this.page.evaluate((data) => window.postMessage(data, '*'), message);
  }

  /** Sends messages directly one after the other, with no frame between them. */
  async postTogether(...messages: readonly HostMessage[]): Promise<void> {
    await this.page.evaluate((all) => {
      for (const data of all) window.postMessage(data, '*');
    }, messages);
  }

  /** What the page has sent so far. */
  sent(): Promise<PageMessage[]> {
    return this.page.evaluate(() => (window as unknown as StandIn).sent);
  }

  /** Messages sent that are about what the person wants, not about the page itself. */
  async intents(): Promise<PageMessage[]> {
    return (await this.sent()).filter(({ type }) => !ABOUT_PAGE.has(type));
  }

  /** The sessions that the messages of this type were meant for. */
  async meantFor(type: PageMessage['type']): Promise<(string | undefined)[]> {
    const sessions = await this.page.evaluate(() => (window as unknown as StandIn).sessions);
    const sent = await this.sent();
    return sessions.filter((_, index) => sent[index]?.type === type);
  }

  /** Waits for the nth message of this type, counted from 1. */
  async sentType(type: PageMessage['type'], count = 1): Promise<PageMessage> {
    const wanted = await this.page.waitForFunction(
      ([type, count]) => (window as unknown as StandIn).sent.filter((message) => message.type === type)[count - 1],
      [type, count] as const,
    );
    return wanted.jsonValue() as Promise<PageMessage>;
  }

  /** Puts the session in a state in one snapshot. */
  async snapshot(actions: readonly Action[] = [], around: Surroundings = surroundings): Promise<void> {
    this.state = actions.reduce(reduce, this.state);
    this.seq += actions.length;
    await this.post({ type: 'snapshot', seq: this.seq, state: this.state, surroundings: around });
    await this.#applied();
  }

  /** Lets something happen in the session. */
  async act(...actions: readonly Action[]): Promise<void> {
    const first = this.seq + 1;
    this.state = actions.reduce(reduce, this.state);
    this.seq += actions.length;
    await this.post({ type: 'actions', seq: first, last: this.seq, actions });
    await this.#applied();
  }

  /** A page with this session in it. */
  static async with(actions: readonly Action[], options: PageOptions = {}): Promise<ChatPage> {
    const page = await ChatPage.open(options);
    await page.snapshot();
    if (actions.length > 0) await page.act(...actions);
    return page;
  }

  async #applied(): Promise<void> {
    await this.page.waitForFunction(
      (seq) => (window as unknown as StandIn).sent.some((message) => message.type === 'ack' && message.seq >= seq),
      this.seq,
    );
    await this.frame();
  }

  /** Waits until the next two frames are drawn: what was rendered is there, and what follows a resize too. */
  frame(): Promise<void> {
    return nextFrames(this.page);
  }

  /** Changes the theme under the open page, as VS Code does when the person chooses another. */
  async setTheme(theme: ThemeName): Promise<void> {
    await changeTheme(this.page, theme);
    await this.frame();
  }

  violations(): Promise<string[]> {
    return this.page.evaluate(() => (window as unknown as StandIn).violations);
  }

  get log(): Locator {
    return this.page.getByRole('log', { name: this.say('Conversation') });
  }

  get box(): Locator {
    return this.page.getByRole('textbox', { name: this.say('Message'), exact: true });
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name: this.say(name), exact: true });
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}

/** Waits until the next two frames are drawn. */
export function nextFrames(page: Page): Promise<void> {
  return page.evaluate(
    () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );
}

/** Gives an open page another theme, as VS Code does. */
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

/** Asserts again and again until it holds: text and output are drawn in slices, some frames after they came. */
export async function eventually(assertion: () => Promise<void>): Promise<void> {
  const end = Date.now() + 15_000;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((retry) => setTimeout(retry, 30));
    }
  }
}

interface StandIn {
  sent: PageMessage[];
  /** The session that each message named. */
  sessions: (string | undefined)[];
  violations: string[];
}

function documentOf(language: Language | undefined): string {
  return pageHtml({
    cspSource: ORIGIN,
    nonce: 'abcdefghijklmnop',
    script: `${ORIGIN}/dist/webview/page.js`,
    styles: ['dist/webview/codicon.css', 'media/base.css', 'media/chat.css'].map((file) => `${ORIGIN}/${file}`),
    title: 'Parley',
    language: language?.tag ?? 'en',
    translations: language?.table,
  });
}

/** Runs in the page before anything of it: VS Code's API and theme. */
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
