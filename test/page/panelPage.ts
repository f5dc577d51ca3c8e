import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { pageHtml } from '../../src/view/html';
import type { PageOptions, ThemeName } from './harness';
import { changeTheme, launch, nextFrames, themes } from './harness';

const ORIGIN = 'https://page.test';
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };

interface Message {
  readonly type: string;
}

interface StandIn {
  sent: Message[];
  violations: string[];
}

export interface PanelOptions extends PageOptions {
  /** Of dist/webview, without its ending. */
  readonly script: string;
  readonly title: string;
}

/** The page of an editor tab in Chromium, served under its real policy, with the test as its host. */
export class PanelPage<In extends Message, Out extends Message> {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly errors: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
  }

  static async open<In extends Message, Out extends Message>(options: PanelOptions): Promise<PanelPage<In, Out>> {
    const browser = await launch();
    const context = await browser.newContext({
      viewport: { width: options.width ?? 900, height: options.height ?? 600 },
      timezoneId: 'UTC',
      locale: 'en-GB',
      reducedMotion: options.reducedMotion ? 'reduce' : 'no-preference',
      deviceScaleFactor: options.scale ?? 1,
    });
    const opened = new PanelPage<In, Out>(context, await context.newPage());
    const { page } = opened;
    page.on('pageerror', (error) => opened.errors.push(String(error)));
    await page.route('**/*', async (route) => {
      const { pathname, origin } = new URL(route.request().url());
      if (origin !== ORIGIN) return route.abort();
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: documentOf(options) });
      const body = await readFile(join(process.cwd(), pathname));
      return route.fulfill({ contentType: TYPES[extname(pathname)] ?? 'application/octet-stream', body });
    });
    await page.addInitScript(standIn, themes[options.theme ?? 'dark']);
    await page.goto(`${ORIGIN}/`);
    await opened.sent('ready');
    return opened;
  }

  frame(): Promise<void> {
    return nextFrames(this.page);
  }

  async setTheme(theme: ThemeName): Promise<void> {
    await changeTheme(this.page, theme);
    await this.frame();
  }

  async post(message: In): Promise<void> {
    await this.page.evaluate((data) => window.postMessage(data, '*'), message as Message);
  }

  /** Waits for the last message of this type. */
  async sent(type: Out['type']): Promise<Out> {
    const wanted = await this.page.waitForFunction(
      (type) => (window as unknown as StandIn).sent.findLast((message) => message.type === type),
      type,
    );
    return wanted.jsonValue() as unknown as Promise<Out>;
  }

  violations(): Promise<string[]> {
    return this.page.evaluate(() => (window as unknown as StandIn).violations);
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}

function documentOf({ script, title, language }: PanelOptions): string {
  return pageHtml({
    cspSource: ORIGIN,
    nonce: 'abcdefghijklmnop',
    script: `${ORIGIN}/dist/webview/${script}.js`,
    styles: ['dist/webview/codicon.css', 'media/base.css', 'media/traffic.css'].map((file) => `${ORIGIN}/${file}`),
    title,
    language: language?.tag ?? 'en',
    translations: language?.table,
  });
}

/** Runs in the page before anything of it. */
function standIn(theme: { kind: string; variables: Record<string, string> }): void {
  const sent: Message[] = [];
  const violations: string[] = [];
  const acquireVsCodeApi = () => ({ postMessage: (message: Message) => sent.push(structuredClone(message)) });
  Object.assign(window, { sent, violations, acquireVsCodeApi });
  document.addEventListener('securitypolicyviolation', (event) => {
    violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
  });
  document.addEventListener('readystatechange', () => {
    for (const [name, value] of Object.entries(theme.variables))
      document.documentElement.style.setProperty(name, value);
    document.body?.classList.add(theme.kind);
  });
}
