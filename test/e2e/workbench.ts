import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright-core';
import { startHost } from '../host/window.mjs';
import { makeWorkspace } from '../host/workspace.mjs';

/** How a workbench is opened. All is optional. */
export interface WorkbenchOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Settings of scope `machine` and `machine-overridable` count here too; `settings` are written there as well. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** True: the window asks whether it may trust its workspace. */
  readonly workspaceTrust?: boolean;
  /** Path in the workspace → text, besides (or instead of) the sample's files. */
  readonly workspaceFiles?: Readonly<Record<string, string>>;
  /** For example "Light Modern" or "Dark High Contrast". */
  readonly theme?: string;
  /** Of the window, in CSS pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Variables for the extension host (and so for agents). */
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of installed extensions; Parley's own package when absent. */
  readonly extensions?: string;
  /** The display language, for example "de". VS Code's own words stay English: its language packs are not installed. */
  readonly language?: string;
  /** Absolute path of a CommonJS module that the extension host loads before anything else. */
  readonly preload?: string;
}

/** A window of VS Code with Parley installed, on a fresh copy of the sample project. */
export interface Workbench {
  readonly page: Page;
  /** The workspace on disk. */
  readonly folder: string;
  /** Folder with what the window and its extensions keep. */
  readonly data: string;
  /** The document of Parley's chat view, while there is no tab of Parley. */
  chat(): FrameLocator;
  /** The document of Parley's tab that is shown, where there is one. */
  tab(): FrameLocator;
  /** Runs a command by its title in the palette, for example "Parley: New Chat". */
  runCommand(title: string): Promise<void>;
  /** Shows the chat view and waits for its page. */
  focusChat(): Promise<void>;
  /** The notification toast that holds a text. */
  toast(text: string | RegExp): Locator;
  /** Reloads the window as "Developer: Reload Window" does. */
  reload(): Promise<void>;
  /** What server and page have written, for messages of failed tests. */
  logs(): string;
  /** Draws the window into out/pictures/<name>.png. */
  screenshot(name: string): Promise<void>;
  /** Closes the window, ends the server, removes its folders. Rejects when a process outlived the window. */
  close(): Promise<void>;
}

/** Milliseconds that a step in the workbench may take on a busy machine. */
const patience = 90_000;

/** Starts a server of its own with a browser window on it, and waits until the workbench stands. */
export async function openWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const extensions = options.extensions ?? process.env['E2E_EXTENSIONS'];
  if (!extensions) throw new Error('E2E_EXTENSIONS is not set. Run these tests by: npm test e2e');
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    const ends = [];
    for (const closer of closers.splice(0).toReversed()) ends.push(...(await Promise.allSettled([closer()])));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  };
  try {
    return await open(options, extensions, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Closes the window after a test; of a failed one there is a picture in out/pictures and the end of the logs. */
export async function closeAfter(
  test: { readonly state?: string | undefined; readonly title: string } | undefined,
  workbench: Workbench | undefined,
): Promise<void> {
  if (test?.state === 'failed') {
    await workbench?.screenshot(`failed-${test.title.replaceAll(/\W+/g, '-')}`);
    console.log(workbench?.logs().split('\n').slice(-60).join('\n'));
  }
  await workbench?.close();
}

async function open(
  options: WorkbenchOptions,
  extensions: string,
  closers: (() => Promise<void>)[],
  close: () => Promise<void>,
): Promise<Workbench> {
  const workspace = await makeWorkspace({ files: options.workspaceFiles ?? {} });
  closers.push(() => workspace.dispose());
  const theme = options.theme === undefined ? {} : { 'workbench.colorTheme': options.theme };
  const {
    server,
    browser,
    close: closeHost,
  } = await startHost({
    extensions,
    settings: { ...theme, ...options.settings },
    machineSettings: options.machineSettings ?? {},
    workspaceTrust: options.workspaceTrust ?? false,
    env: options.env ?? {},
    ...(options.preload !== undefined && { preload: options.preload }),
  });
  closers.push(async () => {
    const left = await closeHost();
    if (left.length > 0) throw new Error(`Left running after the window was closed:\n${left.join('\n')}`);
  });
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  // Where VS Code's page has the language from that it tells the extension host.
  if (options.language !== undefined)
    await context.addInitScript((language) => {
      Object.assign(globalThis, { _VSCODE_NLS_LANGUAGE: language });
    }, options.language);
  const { page, lines } = await openPage(context, server.open(workspace.folder));
  const logs = (): string => [...lines, server.output()].join('\n');
  return { ...actions(page), folder: workspace.folder, data: server.folders.userData, page, logs, close };
}

async function openPage(context: BrowserContext, address: string): Promise<{ page: Page; lines: string[] }> {
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const lines: string[] = [];
  page.on('console', (message) => lines.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => lines.push(`page error: ${error.stack ?? error.message}`));
  await page.goto(address);
  await page.locator('.monaco-workbench .part.statusbar').waitFor();
  return { page, lines };
}

const FRAME = 'iframe.webview.ready[src*="extensionId=parley.parley"]';
/** A view that is shown for the first time; one that was hidden meanwhile has no purpose. */
export const VIEW_FRAME = `${FRAME}[src*="purpose=webviewView"]`;
/** The frames of Parley's tabs that can be seen, while the chat view was never hidden or is. */
export const TAB_FRAMES = `${FRAME}:not([src*="purpose=webviewView"]):visible`;

type Actions = Pick<Workbench, 'chat' | 'tab' | 'runCommand' | 'focusChat' | 'toast' | 'reload' | 'screenshot'>;

function actions(page: Page): Actions {
  const chat = (): FrameLocator => page.frameLocator(FRAME).frameLocator('iframe#active-frame');
  const runCommand = (title: string): Promise<void> => runFromPalette(page, title);
  return {
    chat,
    tab: () => page.frameLocator(TAB_FRAMES).frameLocator('iframe#active-frame'),
    runCommand,
    focusChat: async () => {
      await runCommand('Parley: Focus on Chat View');
      await chat().locator('body').waitFor();
    },
    toast: (text) => page.locator('.notification-toast', { hasText: text }),
    reload: async () => {
      await page.reload();
      await page.locator('.monaco-workbench .part.statusbar').waitFor();
    },
    screenshot: async (name) => {
      const folder = join(process.cwd(), 'out', 'pictures');
      await mkdir(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}.png`) });
    },
  };
}

/**
 * Opens the palette, types, chooses. The palette lists the commands that existed when it was opened, so it is opened
 * again until the command is there (an extension may register it late).
 */
async function runFromPalette(page: Page, title: string): Promise<void> {
  const deadline = performance.now() + patience;
  const row = page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
  const input = page.locator('.quick-input-widget input.input');
  for (;;) {
    try {
      await page.keyboard.press('F1');
      await input.fill(`>${title}`, { timeout: 2000 });
      await row.click({ timeout: 1000 });
      await page.waitForFunction(isPaletteClosed, undefined, { timeout: 5000 });
      return;
    } catch (error) {
      if (performance.now() > deadline) throw new Error(`The palette has no command "${title}".`, { cause: error });
      await page.keyboard.press('Escape');
    }
  }
}

/** Runs in the page. The palette is closed when its box is hidden, or a list of the command's own has taken its place. */
function isPaletteClosed(): boolean {
  const box = document.querySelector<HTMLInputElement>('.quick-input-widget input.input');
  return !box?.checkVisibility() || !box.value.startsWith('>');
}
