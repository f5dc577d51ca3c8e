import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright-core';
import { openWindowPlace } from '../host/windowHost.mjs';
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
  /** Path → text of a second workspace folder, "other", beside the first. */
  readonly otherFiles?: Readonly<Record<string, string>>;
  /** For example "Light Modern" or "Dark High Contrast". */
  readonly theme?: string;
  /** Of the window, in CSS pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Variables for the extension host (and so for agents). */
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of installed extensions; Parley's own package when absent. */
  readonly extensions?: string;
  /** True: with every extension that VS Code itself brings, not only those that tests use. */
  readonly allBuiltIns?: boolean;
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
  /** Gives the files of the workspace back the content that they had at first. */
  restoreFiles(): Promise<void>;
  /** The document of Parley's chat view, while there is no tab of Parley. */
  chat(): FrameLocator;
  /** The document of Parley's tab that is shown, where there is one. */
  tab(): FrameLocator;
  /** Runs a command by its title in the palette, for example "Parley: New Chat". */
  runCommand(title: string): Promise<void>;
  /** Opens a file of the workspace by its name, by keys alone, and waits until its editor has the cursor. */
  openFile(name: string): Promise<void>;
  /** Shows the chat view and waits for its page. */
  focusChat(): Promise<void>;
  /** The notification toast that holds a text. VS Code takes it off the screen after ten seconds or a little more. */
  toast(text: string | RegExp): Locator;
  /** Presses a button of a notification: on its toast, or in the notification center when the toast has left the screen. */
  press(text: string | RegExp, button: string): Promise<void>;
  /** Reloads the window as "Developer: Reload Window" does. */
  reload(): Promise<void>;
  /** What server and page have written, for messages of failed tests. */
  logs(): string;
  /** Draws the window into out/pictures/<name>.png. */
  screenshot(name: string): Promise<void>;
  /** Closes the window and removes what it kept. Rejects when a process outlived the window. */
  close(): Promise<void>;
}

/** Milliseconds that a step in the workbench may take on a busy machine. */
export const patience = 90_000;
/** Milliseconds after which a key that did nothing was lost: the page that had the focus was just being replaced. */
const keyLost = 10_000;

/** Reads again until it is what is wanted; the error of one that never becomes so shows what was read last. */
export async function becomes<T>(read: () => T | Promise<T>, wanted: T): Promise<void> {
  const end = performance.now() + patience;
  let found = await read();
  while (!isDeepStrictEqual(found, wanted) && performance.now() < end) {
    await new Promise((again) => setTimeout(again, 50));
    found = await read();
  }
  assert.deepEqual(found, wanted);
}

/** Opens a window as on a new machine, and waits until the workbench stands. The one before must have been closed. */
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
  try {
    if (test?.state !== 'failed') return;
    console.log(workbench?.logs().split('\n').slice(-60).join('\n'));
    await workbench?.screenshot(`failed-${test.title.replaceAll(/\W+/g, '-')}`);
  } finally {
    await workbench?.close();
  }
}

async function open(
  options: WorkbenchOptions,
  extensions: string,
  closers: (() => Promise<void>)[],
  close: () => Promise<void>,
): Promise<Workbench> {
  const { workspaceFiles: files = {}, otherFiles } = options;
  const workspace = await makeWorkspace({ files, ...(otherFiles && { otherFiles }) });
  closers.push(() => workspace.dispose());
  const theme = options.theme === undefined ? {} : { 'workbench.colorTheme': options.theme };
  const builtIns = process.env['E2E_BUILT_INS'];
  const place = await openWindowPlace({
    extensions,
    ...(builtIns !== undefined && !options.allBuiltIns && { builtIns }),
    settings: { ...theme, ...options.settings },
    machineSettings: options.machineSettings ?? {},
    workspaceTrust: options.workspaceTrust ?? false,
    env: options.env ?? {},
    ...(options.preload !== undefined && { preload: options.preload }),
  });
  closers.push(async () => {
    const left = await place.close();
    if (left.length > 0) throw new Error(`Left running after the window was closed:\n${left.join('\n')}`);
  });
  const { server } = place;
  const { page, lines } = await openPage(place.context, server.open(workspace.place), options);
  const logs = (): string => [...lines, server.output()].join('\n');
  const restoreFiles = (): Promise<void> => workspace.restore();
  return { ...actions(page), restoreFiles, folder: workspace.folder, data: server.folders.userData, page, logs, close };
}

async function openPage(
  context: BrowserContext,
  address: string,
  options: WorkbenchOptions,
): Promise<{ page: Page; lines: string[] }> {
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  await page.setViewportSize({ width: options.width ?? 1280, height: options.height ?? 900 });
  // Where VS Code's page has the language from that it tells the extension host.
  if (options.language !== undefined)
    await page.addInitScript((language) => {
      Object.assign(globalThis, { _VSCODE_NLS_LANGUAGE: language });
    }, options.language);
  const lines: string[] = [];
  page.on('console', (message) => lines.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => lines.push(`page error: ${error.stack ?? error.message}`));
  await page.goto(address);
  await stands(page);
  return { page, lines };
}

/**
 * Until VS Code has brought back what was shown and Parley has been started. Before, VS Code gives the focus to the pages that come
 * back: a palette that was opened meanwhile closes without having run anything.
 */
async function stands(page: Page): Promise<void> {
  await page.locator('.statusbar-item[id^="parley"]').first().waitFor();
  await page.waitForFunction(areFramesReady);
}

/** Runs in the page. */
function areFramesReady(): boolean {
  const shown = Array.from(document.querySelectorAll('iframe.webview')).filter((frame) =>
    frame.checkVisibility({ visibilityProperty: true }),
  );
  return shown.every((frame) => frame.classList.contains('ready'));
}

const FRAME = 'iframe.webview.ready[src*="extensionId=parley.parley"]';
/** A view that is shown for the first time; one that was hidden meanwhile has no purpose. */
export const VIEW_FRAME = `${FRAME}[src*="purpose=webviewView"]`;
/** The frames of Parley's tabs that can be seen, while the chat view was never hidden or is. */
export const TAB_FRAMES = `${FRAME}:not([src*="purpose=webviewView"]):visible`;

type Actions = Omit<Workbench, 'page' | 'folder' | 'data' | 'logs' | 'restoreFiles' | 'close'>;

function actions(page: Page): Actions {
  const chat = (): FrameLocator => page.frameLocator(FRAME).frameLocator('iframe#active-frame');
  const runCommand = (title: string): Promise<void> => runFromPalette(page, title);
  return {
    chat,
    tab: () => page.frameLocator(TAB_FRAMES).frameLocator('iframe#active-frame'),
    runCommand,
    openFile: (name) => openFile(page, name),
    focusChat: async () => {
      await runCommand('Parley: Focus on Chat View');
      // A page that is still being loaded hears no keys.
      await chat().locator('.app').waitFor();
    },
    toast: (text) => page.locator('.notification-toast', { hasText: text }),
    press: async (text, name) => {
      const button = (items: Locator): Locator =>
        items.filter({ hasText: text }).getByRole('button', { name, exact: true }).first();
      const onToast = button(page.locator('.notification-toast'));
      try {
        await onToast.click({ timeout: 8000 });
      } catch {
        await runCommand('Notifications: Show Notifications');
        await button(page.locator('.notifications-center .notification-list-item')).click();
        return;
      }
      // VS Code draws toasts again while others come and go: a click on a toast that is replaced is lost.
      const isGone = onToast.waitFor({ state: 'hidden', timeout: 5000 }).then(
        () => true,
        () => false,
      );
      if (!(await isGone)) await onToast.click();
    },
    reload: async () => {
      await page.reload();
      await stands(page);
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
  const end = performance.now() + patience;
  const row = page
    .locator('.quick-input-list .monaco-list-row')
    .filter({ has: page.getByText(title, { exact: true }) })
    .first();
  const box = page.locator('.quick-input-widget input.input');
  for (;;) {
    let cause: unknown;
    try {
      await openQuickInput(page, 'F1');
      // It closes when something else takes the focus, as a page does that comes back after a reload.
      await box.fill(`>${title}`, { timeout: keyLost });
      await row.waitFor({ timeout: 1500 });
      // VS Code draws the rows again a moment later, with those that are only similar: a click on one that is replaced is lost, a key is
      // not.
      const takesEnter = await appears(row.and(page.locator('.focused')), 1000);
      await (takesEnter ? box.press('Enter', { timeout: keyLost }) : row.click({ timeout: keyLost }));
      // It closes before the command begins: one that is still open has run nothing.
      if (await closes(page)) return;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > end) throw new Error(`The palette has no command "${title}".`, { cause });
    if (await box.isVisible()) await page.keyboard.press('Escape');
  }
}

async function closes(page: Page): Promise<boolean> {
  return page.waitForFunction(isPaletteClosed, undefined, { timeout: keyLost }).then(
    () => true,
    () => false,
  );
}

/**
 * Opens VS Code's box for commands (F1) or files (Control+P). It hears of a key that is pressed in a page a moment later: what is typed
 * before its box has the focus goes to the page.
 */
async function openQuickInput(page: Page, key: 'F1' | 'Control+P'): Promise<void> {
  const end = performance.now() + patience;
  for (;;) {
    await page.keyboard.press(key);
    try {
      await page.waitForFunction(takesKeys, key === 'F1' ? '>' : '', { timeout: keyLost });
      return;
    } catch (cause) {
      if (performance.now() > end) throw new Error(`${key} opens nothing.`, { cause });
    }
  }
}

/** Opens a file of the workspace by its name and waits until its editor has the cursor. */
async function openFile(page: Page, name: string): Promise<void> {
  const end = performance.now() + patience;
  const row = page.locator('.quick-input-list .monaco-list-row.focused', { hasText: name });
  const box = page.locator('.quick-input-widget input.input');
  for (;;) {
    await openQuickInput(page, 'Control+P');
    try {
      // Like the palette, the box closes when a page takes the focus.
      await box.fill(name, { timeout: keyLost });
      await row.waitFor({ timeout: keyLost });
      await box.press('Enter', { timeout: keyLost });
      break;
    } catch (cause) {
      if (performance.now() > end) throw new Error(`There is no file "${name}".`, { cause });
    }
  }
  await page.locator('.tab.active', { hasText: name }).waitFor();
  await page.locator('.editor-instance .monaco-editor.focused').waitFor();
}

/** Whether it can be seen within so many milliseconds. */
async function appears(what: Locator, timeout: number): Promise<boolean> {
  return what.waitFor({ timeout }).then(
    () => true,
    () => false,
  );
}

/** Runs in the page. The box takes what is typed, and begins so. */
function takesKeys(start: string): boolean {
  const box = document.querySelector<HTMLInputElement>('.quick-input-widget input.input');
  return box !== null && box === document.activeElement && box.checkVisibility() && box.value.startsWith(start);
}

/** Runs in the page. The palette is closed when its box is hidden, or a list of the command's own has taken its place. */
function isPaletteClosed(): boolean {
  const box = document.querySelector<HTMLInputElement>('.quick-input-widget input.input');
  return !box?.checkVisibility() || !box.value.startsWith('>');
}
