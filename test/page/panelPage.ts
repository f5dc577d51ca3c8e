import type { Page } from 'playwright-core';
import { pageHtml } from '../../src/ui/chat/chatHtml';
import { PATIENCE_MS } from '../kit/waiting';
import { BrowserPage, scriptOf, startServer } from './browserPage';
import type { PageOptions, ThemeName } from './harness';
import { changeTheme, nextFrames, themes } from './harness';
import type { PageWindow } from './pageWindow';

interface Message {
  readonly type: string;
}

interface StandIn {
  sent: Message[];
  violations: string[];
}

export interface PanelOptions extends PageOptions {
  /** Name in dist/webview, without extension. */
  readonly script: string;
  readonly title: string;
}

/** The page of an editor tab in Chromium, served under its real policy, with the test as its host. */
export class PanelPage<In extends Message, Out extends Message> {
  readonly #tab: BrowserPage;

  private constructor(tab: BrowserPage) {
    this.#tab = tab;
  }

  get page(): Page {
    return this.#tab.page;
  }

  get errors(): readonly string[] {
    return this.#tab.errors;
  }

  static async open<In extends Message, Out extends Message>(options: PanelOptions): Promise<PanelPage<In, Out>> {
    const { theme = 'dark', width = 900, height = 600, reducedMotion, scale } = options;
    const { origin } = await startServer();
    const tab = await BrowserPage.open({ width, height, reducedMotion, scale });
    const opened = new PanelPage<In, Out>(tab);
    await tab.show(documentOf(origin, options), standIn, themes[theme], 'ready');
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
    const wanted = await this.page.evaluate(
      async ([type, wait]) => {
        const { sent } = window as PageWindow<StandIn>;
        const end = Date.now() + wait;
        for (;;) {
          const last = sent.findLast((message) => message.type === type);
          if (last) return last;
          if (Date.now() > end) throw new Error(`The page did not send "${type}".`);
          await new Promise(requestAnimationFrame);
        }
      },
      [type, PATIENCE_MS] as const,
    );
    return wanted as Out;
  }

  violations(): Promise<string[]> {
    return this.page.evaluate(() => (window as PageWindow<StandIn>).violations);
  }

  async close(): Promise<void> {
    await this.#tab.close();
  }
}

function documentOf(origin: string, { script, title, language, isJoined }: PanelOptions): string {
  return pageHtml({
    cspSource: origin,
    nonce: 'abcdefghijklmnop',
    script: scriptOf(origin, script, isJoined),
    styles: `${origin}/dist/webview/tables.css`,
    title,
    language: language?.tag ?? 'en',
    translations: language?.table,
  });
}

/** Runs in the page before any script. */
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
