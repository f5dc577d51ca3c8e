import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { disabledFeatures, flagForTests, requireChromium } from '../host/chromium.mjs';
import { PATIENCE_MS } from '../kit/waiting';
import { declareFonts, loadFonts } from './fonts';
import { PageServer } from './pageServer';
import type { PageWindow } from './pageWindow';

export interface ViewOptions {
  readonly width: number;
  readonly height: number;
  readonly reducedMotion?: boolean | undefined;
  /** Device scale factor of screenshots. */
  readonly scale?: number | undefined;
}

/** No host name is resolved: a request to another origin fails immediately. */
const ONLY_LOOPBACK = '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1';

/** Whether this is a mocha run, not a program that measures or takes pictures. */
const IS_TEST_RUN = typeof after === 'function';

/** Members of a page through which a test changes or observes more than the document. */
const LASTING: ReadonlySet<PropertyKey> = new Set<keyof Page>([
  'addInitScript',
  'addLocatorHandler',
  'clock',
  'context',
  'emulateMedia',
  'exposeBinding',
  'exposeFunction',
  'on',
  'once',
  'route',
  'routeFromHAR',
  'routeWebSocket',
  'setDefaultNavigationTimeout',
  'setDefaultTimeout',
  'setExtraHTTPHeaders',
]);

interface Shared {
  browser?: Promise<Browser> | undefined;
  server?: Promise<PageServer>;
  /** The page that was closed last. */
  idlePage?: BrowserPage | undefined;
  /** Number of documents shown. */
  openings: number;
}

/** Shared by all test files of a run: each file is a bundle with its own copy of this module. */
const shared = ((globalThis as { parleyPages?: Shared }).parleyPages ??= startSharing());

/** In a mocha run the browser ends after the last file. A program closes it itself. */
function startSharing(): Shared {
  if (IS_TEST_RUN) {
    after(closeBrowser);
    afterEach('a page on which a test failed is not used again', async function () {
      if (this.currentTest?.state === 'failed') await takeIdle()?.discard();
    });
  }
  return { openings: 0 };
}

/** One Chromium for all tests of a run; `flags` apply only at the first call. */
export function launch(flags: readonly string[] = []): Promise<Browser> {
  shared.browser ??= chromium.launch({
    executablePath: requireChromium(),
    args: [
      ONLY_LOOPBACK,
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...(IS_TEST_RUN ? [disabledFeatures, flagForTests] : []),
      ...flags,
    ],
  });
  return shared.browser;
}

export async function closeBrowser(): Promise<void> {
  const open = shared.browser;
  shared.browser = undefined;
  shared.idlePage = undefined;
  await (await open)?.close();
}

/** The server of all pages of a run. */
export function startServer(): Promise<PageServer> {
  shared.server ??= PageServer.start();
  return shared.server;
}

/** URL of the script of a page: joined to one file, which takes two thirds of the CPU of a short test, or in many parts, as shipped. */
export function scriptOf(origin: string, name: string, isJoined = IS_TEST_RUN): string {
  return `${origin}/${isJoined ? 'out/test' : 'dist'}/webview/${name}.js`;
}

function takeIdle(): BrowserPage | undefined {
  const taken = shared.idlePage;
  shared.idlePage = undefined;
  return taken;
}

/**
 * A page of Chromium with a document of the tests. Opening a page takes a second, so the last closed page is reused with a new
 * document and an empty session storage, unless its options differ or a test changed state that outlasts the document.
 */
export class BrowserPage {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #server: PageServer;
  /** Options of the browser context, which cannot be changed. */
  readonly kind: string;
  #isReusable = true;
  #isOpen = false;
  #initScript: { readonly content: string; readonly script: { dispose(): Promise<void> } } | undefined;
  #isRecording = false;
  /** URL of the current document. */
  url = '';
  /** Requests for anything but the document and files of the extension. */
  strangers: string[] = [];
  /** Texts of its dialogs, and its uncaught errors. */
  dialogs: string[] = [];
  errors: string[] = [];

  private constructor(context: BrowserContext, page: Page, from: PageServer, kind: string) {
    this.#context = context;
    this.page = this.#watched(page);
    this.#server = from;
    this.kind = kind;
    this.#record(page);
  }

  static async open({ width, height, reducedMotion = false, scale = 1 }: ViewOptions): Promise<BrowserPage> {
    const kind = `${scale} ${reducedMotion}`;
    const idle = takeIdle();
    if (idle && idle.kind === kind) {
      const size = idle.page.viewportSize();
      if (size?.width !== width || size.height !== height) await idle.page.setViewportSize({ width, height });
      return idle;
    }
    await idle?.discard();
    const from = await startServer();
    const context = await (
      await launch()
    ).newContext({
      viewport: { width, height },
      timezoneId: 'UTC',
      locale: 'en-GB',
      reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
      deviceScaleFactor: scale,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    return new BrowserPage(context, await context.newPage(), from, kind);
  }

  /**
   * Shows a document, and waits for the fonts of tests, in a program for all.
   * @param prepare Runs in the page before any script of the document, also after a reload.
   * @param lastSign Type of the message to wait for; `prepare` keeps the messages of the page in `sent`.
   */
  async show<T>(html: string, prepare: (arg: T) => void, arg: T, lastSign?: string): Promise<void> {
    const call = `(${String(prepare)})(${JSON.stringify(arg)})`;
    const fonts = `(${String(declareFonts)})(${JSON.stringify(this.#server.fonts)})`;
    const script = `(${String(forgetSession)})();(${String(keepMessages)})();(${String(addFrames)})();${fonts};${call}`;
    [this.strangers, this.dialogs, this.errors] = [[], [], []];
    await this.#setInitScript(script);
    this.#isOpen = true;
    this.url = `${this.#server.addDocument(html)}?opening=${++shared.openings}`;
    await this.page.goto(this.url);
    if (!IS_TEST_RUN) await loadFonts(this.page);
    await this.page.evaluate(awaitReady, [lastSign, PATIENCE_MS] as const);
  }

  async #setInitScript(content: string): Promise<void> {
    if (this.#initScript?.content === content) return;
    const [script] = await Promise.all([this.#context.addInitScript({ content }), this.#initScript?.script.dispose()]);
    this.#initScript = { content, script };
  }

  /** Keeps the page for the next test, if this test left no state on it. */
  async close(): Promise<void> {
    if (shared.idlePage === this) return;
    this.#isOpen = false;
    this.#isRecording = false;
    const isUsedUp = !this.#isReusable || this.page.isClosed() || this.#context.pages().length > 1;
    if (isUsedUp || shared.idlePage) await this.discard();
    else shared.idlePage = this;
  }

  async discard(): Promise<void> {
    await this.#context.close();
  }

  /** Records events of the document from its start, but none of the previous document. */
  #record(page: Page): void {
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.#isRecording = this.#isOpen;
    });
    page.on('dialog', (dialog) => {
      if (this.#isRecording) this.dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => {
      if (this.#isRecording) this.errors.push(String(error));
    });
    page.on('request', (request) => {
      if (this.#isRecording && !isOwn(request.url(), this.#server)) this.strangers.push(request.url());
    });
    page.on('crash', () => {
      this.#isReusable = false;
    });
  }

  /** A proxy of the page that records the use of members that outlast a document. */
  #watched(page: Page): Page {
    return new Proxy(page, {
      get: (target, name): unknown => {
        if (LASTING.has(name)) this.#isReusable = false;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  }
}

function isOwn(url: string, from: PageServer): boolean {
  return url.startsWith('data:') || from.isServed(url);
}

/** Runs in the page: empties the session storage, but not when the same document is reloaded. Each opening has an address of its own. */
function forgetSession(): void {
  const opening = window.location.search;
  if (sessionStorage.getItem('opening') === opening) return;
  sessionStorage.clear();
  sessionStorage.setItem('opening', opening);
}

/** Runs in the page: keeps texts of the host unchanged in a pseudo-translated page, because the page does not translate them. */
function keepMessages(): void {
  const received: unknown[] = [];
  Object.assign(window, { received });
  window.addEventListener('message', ({ data }) => {
    if (document.documentElement.lang === 'qps-ploc') received.push(typeof data === 'string' ? JSON.parse(data) : data);
  });
}

/** What each page has for its tests. */
export interface InPage {
  /** Waits until two frames are rendered while no font is loaded. */
  readonly showFrames: () => Promise<void>;
}

/** Runs in the page. */
function addFrames(): void {
  const showFrames = async (): Promise<void> => {
    for (let left = 2; left > 0; left = document.fonts.status === 'loading' ? 2 : left - 1) {
      await document.fonts.ready;
      await new Promise(requestAnimationFrame);
    }
  };
  Object.assign(window, { showFrames });
}

/** Runs in the page: waits for the fonts that are being loaded, and for a message of the page. */
async function awaitReady([lastSign, wait]: readonly [lastSign: string | undefined, wait: number]): Promise<void> {
  const { sent } = window as PageWindow<{ readonly sent: readonly { readonly type: string }[] }>;
  const isReady = (): boolean => lastSign === undefined || sent.some(({ type }) => type === lastSign);
  const end = Date.now() + wait;
  while (!isReady()) {
    if (Date.now() > end) throw new Error(`The page did not send "${lastSign}".`);
    await new Promise(requestAnimationFrame);
  }
  await Promise.all([...document.fonts].filter(({ status }) => status !== 'unloaded').map((face) => face.load()));
}
