import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page, Route } from 'playwright-core';
import { chromium } from 'playwright-core';
import { assertDefined } from '../../src/base/assert';
import { requireChromium } from '../host/chromium.mjs';
import { declareFonts, loadFonts, TestFonts } from './fonts';
import type { PageWindow } from './pageWindow';
import dark from './themes/dark.json';

/** The policy of the real page (its host half sets the same), so that tests block what the page blocks. */
const policy =
  "default-src 'none'; script-src http://parley.test; style-src http://parley.test; font-src http://parley.test; " +
  "img-src http://parley.test data:; connect-src 'none'";

const TYPES: Readonly<Record<string, string>> = { '.css': 'text/css', '.woff2': 'font/woff2' };

export interface WebviewCode {
  readonly page: Page;
  /** Uncaught errors, policy violations and errors on the console so far. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens a page in Chromium that runs `source`, a module that may import from `src/webview`, under the real page's policy. Waits
 * for the value that the module assigns to `globalThis.ready`. `flags` are Chromium's.
 */
export async function openWebviewCode(source: string, flags: readonly string[] = []): Promise<WebviewCode> {
  const files = await bundle(source);
  files.set('/chat.css', await readFile(join(process.cwd(), 'dist/webview/chat.css')));
  const fonts = new TestFonts();
  for (const [path, content] of fonts.files) files.set(path, content);
  const browser = await launch(flags);
  const page = await browser.newPage({ viewport: { width: 420, height: 800 } });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.route('http://parley.test/**', (route) => serve(route, files));
  await page.addInitScript(declareFonts, fonts.faces);
  await page.addInitScript(setVariables, dark.variables);
  try {
    await page.goto('http://parley.test/');
    await page.waitForFunction(() => 'loaded' in globalThis);
    await loadFonts(page);
  } catch (error) {
    await browser.close();
    throw new Error(`The code under test did not load. ${errors.join('\n')}`, { cause: error });
  }
  return { page, errors, close: () => browser.close() };
}

export interface SuiteCode {
  readonly page: Page;
  /** Calls a function that the module has assigned to `globalThis`. */
  call<T>(name: string, ...args: unknown[]): Promise<T>;
}

/** Opens such a page for all tests of a suite. A test fails on an error in the page. */
export function suiteWebviewCode(source: string): SuiteCode {
  let code: WebviewCode | undefined;
  before(async () => {
    code = await openWebviewCode(source);
  });
  after(() => code?.close());
  afterEach(() => assert.deepEqual(code?.errors, []));
  return {
    get page() {
      return assertDefined(code, 'the page of the suite').page;
    },
    call<T>(name: string, ...args: unknown[]): Promise<T> {
      return this.page.evaluate(
        ([name, args]) => (globalThis as PageWindow<Record<string, (...all: unknown[]) => unknown>>)[name]!(...args),
        [name, args] as const,
      ) as Promise<T>;
    },
  };
}

function launch(flags: readonly string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: requireChromium(),
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...flags],
  });
}

async function bundle(source: string): Promise<Map<string, Buffer>> {
  const result = await build({
    stdin: {
      contents: `${source}\nvoid Promise.resolve(globalThis.ready).then(() => { globalThis.loaded = true; });`,
      resolveDir: process.cwd(),
      loader: 'ts',
    },
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    outdir: '/',
    write: false,
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  return new Map(result.outputFiles.map((file) => [file.path.replace(/^.*[\\/]/, '/'), Buffer.from(file.contents)]));
}

async function serve(route: Route, files: ReadonlyMap<string, Buffer>): Promise<void> {
  const path = new URL(route.request().url()).pathname;
  if (path === '/') {
    await route.fulfill({
      contentType: 'text/html',
      headers: { 'Content-Security-Policy': policy },
      body: '<!doctype html><link rel="stylesheet" href="/chat.css"><link rel="icon" href="data:,"><body><main id="host"></main><script type="module" src="/stdin.js"></script>',
    });
    return;
  }
  if (/^\/[\w-]+\.(?:ttf|woff2)$/.test(path)) {
    await route.fulfill({ path: join(process.cwd(), 'dist/webview', path) });
    return;
  }
  const body = files.get(path);
  if (body === undefined) await route.fulfill({ status: 404 });
  else await route.fulfill({ contentType: TYPES[extname(path)] ?? 'text/javascript', body });
}

/** Runs in the page before any script: the variables of a theme, among them the fonts. */
function setVariables(variables: Readonly<Record<string, string>>): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    `:root { ${Object.entries(variables)
      .map(([name, value]) => `${name}: ${value};`)
      .join(' ')} }`,
  );
  document.adoptedStyleSheets.push(sheet);
}
