import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import type { TrafficEntry } from '../../src/shared/traffic';
import type { TrafficHostMessage, TrafficPageMessage } from '../../src/shared/trafficMessages';
import { pageHtml } from '../../src/view/html';
import type { ThemeName } from './harness';
import { launch, themes } from './harness';

const ORIGIN = 'https://page.test';
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };

interface StandIn {
  sent: TrafficPageMessage[];
  violations: string[];
}

/** The traffic page in Chromium, served under its real policy, with the test as its host. */
export class TrafficPage {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly errors: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
  }

  static async open(theme: ThemeName = 'dark'): Promise<TrafficPage> {
    const browser = await launch();
    const context = await browser.newContext({ viewport: { width: 900, height: 600 }, timezoneId: 'UTC' });
    const opened = new TrafficPage(context, await context.newPage());
    const { page } = opened;
    page.on('pageerror', (error) => opened.errors.push(String(error)));
    await page.route('**/*', async (route) => {
      const { pathname, origin } = new URL(route.request().url());
      if (origin !== ORIGIN) return route.abort();
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: documentOf() });
      const body = await readFile(join(process.cwd(), pathname));
      return route.fulfill({ contentType: TYPES[extname(pathname)] ?? 'application/octet-stream', body });
    });
    await page.addInitScript(standIn, themes[theme]);
    await page.goto(`${ORIGIN}/`);
    await opened.sent('ready');
    return opened;
  }

  async post(message: TrafficHostMessage): Promise<void> {
    await this.page.evaluate((data) => window.postMessage(data, '*'), message);
  }

  /** Entries of the one connection there is; `fresh` begins it anew. */
  async show(entries: readonly TrafficEntry[], fresh = true): Promise<void> {
    const connections = [{ id: 1, title: 'Claude', status: 'ready' }];
    if (fresh) await this.post({ type: 'connections', connections, shown: 1, recording: true });
    await this.post({ type: 'entries', first: 0, fresh, entries });
  }

  /** Waits for the last message of this type. */
  async sent(type: TrafficPageMessage['type']): Promise<TrafficPageMessage> {
    const wanted = await this.page.waitForFunction(
      (type) => (window as unknown as StandIn).sent.findLast((message) => message.type === type),
      type,
    );
    return wanted.jsonValue() as Promise<TrafficPageMessage>;
  }

  violations(): Promise<string[]> {
    return this.page.evaluate(() => (window as unknown as StandIn).violations);
  }

  get grid(): Locator {
    return this.page.getByRole('grid', { name: 'Messages' });
  }

  get detail(): Locator {
    return this.page.getByRole('region', { name: 'Message' });
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}

function documentOf(): string {
  return pageHtml({
    cspSource: ORIGIN,
    nonce: 'abcdefghijklmnop',
    script: `${ORIGIN}/dist/webview/traffic.js`,
    styles: [`${ORIGIN}/dist/webview/codicon.css`, `${ORIGIN}/media/traffic.css`],
    title: 'Parley Traffic',
    language: 'en',
  });
}

/** Runs in the page before anything of it. */
function standIn(theme: { variables: Record<string, string> }): void {
  const sent: TrafficPageMessage[] = [];
  const violations: string[] = [];
  const acquireVsCodeApi = () => ({
    postMessage: (message: TrafficPageMessage) => sent.push(structuredClone(message)),
  });
  Object.assign(window, { sent, violations, acquireVsCodeApi });
  document.addEventListener('securitypolicyviolation', (event) => {
    violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
  });
  document.addEventListener('readystatechange', () => {
    for (const [name, value] of Object.entries(theme.variables))
      document.documentElement.style.setProperty(name, value);
  });
}
