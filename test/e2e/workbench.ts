import { appendFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright-core';
import { saveDrawing } from '../host/drawing.mjs';
import { openWindowPlace } from '../host/windowHost.mjs';
import { makeWorkspace } from '../host/workspace.mjs';
import { PATIENCE_MS, until } from '../kit/waiting';

/** How a workbench is opened. All fields are optional. */
export interface WorkbenchOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Settings of scope `machine` and `machine-overridable` apply here too; `settings` are written there as well. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** True: the window asks for workspace trust. */
  readonly workspaceTrust?: boolean;
  /** Path in the workspace → text, in addition to (or replacing) the sample's files. */
  readonly workspaceFiles?: Readonly<Record<string, string>>;
  /** Path → text of a second workspace folder, "other", beside the first. */
  readonly otherFiles?: Readonly<Record<string, string>>;
  /** For example "Light Modern" or "Dark High Contrast". */
  readonly theme?: string;
  /** Window size in CSS pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Environment variables for the extension host (and so for agents). */
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of installed extensions. Default: Parley's own package. */
  readonly extensions?: string;
  /** True: with all built-in extensions of VS Code, not only those that tests use. */
  readonly allBuiltIns?: boolean;
  /** The display language, for example "de". VS Code's own texts stay English: its language packs are not installed. */
  readonly language?: string;
  /** Absolute path of a CommonJS module that the extension host loads before anything else. */
  readonly preload?: string;
}

/** A window of VS Code with Parley installed, on a fresh copy of the sample project. */
export interface Workbench {
  readonly page: Page;
  /** The workspace on disk. */
  readonly folder: string;
  /** User data folder of the window and its extensions. */
  readonly data: string;
  /**
   * Stops the turn of the chat view and waits until its changes are recorded: a file that changes earlier counts as changed by the agent.
   */
  endTurn(): Promise<void>;
  /** Restores the original content of the workspace files. */
  restoreFiles(): Promise<void>;
  /** Replaces the settings of the scope machine, and the files that were added to the sample. */
  replace(settings: Readonly<Record<string, unknown>>, files: Readonly<Record<string, string>>): Promise<void>;
  /** The document of Parley's chat view, while no Parley tab exists. */
  chat(): FrameLocator;
  /** The document of Parley's visible tab, if there is one. */
  tab(): FrameLocator;
  /** Runs a command by its title in the palette, for example "Parley: New Chat". */
  runCommand(title: string): Promise<void>;
  /** Opens a file of the workspace by name, with keys only, and waits until its editor has the cursor. */
  openFile(name: string): Promise<void>;
  /** Shows the chat view and waits for its page. */
  focusChat(): Promise<void>;
  /** Closes all editors and notifications, and shows a new chat. */
  startOver(): Promise<void>;
  /** The notification toast that contains a text. VS Code hides it after about ten seconds. */
  toast(text: string | RegExp): Locator;
  /** Presses a button of a notification: on its toast, or in the notification center when the toast is hidden. */
  press(text: string | RegExp, button: string): Promise<void>;
  /** Waits until VS Code has stored that this many tabs have a session; in a browser it stores state every few seconds. */
  tabsStored(count: number): Promise<void>;
  /** Reloads the window as "Developer: Reload Window" does. */
  reload(): Promise<void>;
  /** Output of server and page, for messages of failed tests. */
  logs(): string;
  /** Takes a screenshot of the window: out/pictures/<name>.png. */
  screenshot(name: string): Promise<void>;
  /** Closes the window and removes its data. Rejects when a process outlives the window. */
  close(): Promise<void>;
}

/** A hover lies over the lines beside the pointer, which tests click: how long after the pointer came differs. */
const TEST_SETTINGS = {
  'editor.hover.enabled': 'off',
  'workbench.hover.delay': 3_600_000,
  // VS Code hides a toast by a clock of its own: under load it would lie over the buttons of the chat, which is on the right.
  'workbench.notifications.position': 'bottom-left',
  // The palette would list what earlier tests ran before the command that is typed, "New Chat in Editor" before "New Chat".
  'workbench.commandPalette.history': 0,
};
/** Whether this is a mocha run, not a program that measures. */
const IS_TEST_RUN = typeof after === 'function';
/** Characters of what a failed test saw. */
const SEEN_MAX = 6000;
/** Milliseconds after which a key without effect counts as lost: the focused page was being replaced. */
const keyLost = 10_000;

const FOCUS_CHAT = 'Control+Alt+F7';
const START_OVER = 'Control+Alt+F8';
/** Start of the quick input that shows that all commands before it have run. */
const DONE = '?';
/** For what tests do between their steps: running a command from the palette takes half a second of a core. */
const keys = [
  { key: 'ctrl+alt+f7', command: 'parley.chat.focus' },
  {
    key: 'ctrl+alt+f8',
    command: 'runCommands',
    args: {
      commands: [
        'workbench.action.closeAllEditors',
        'workbench.action.terminal.killAll',
        'parley.chat.focus',
        'parley.newChat',
        'notifications.clearAll',
        { command: 'workbench.action.quickOpen', args: DONE },
      ],
    },
  },
];

const keptKey = Symbol.for('parley.test.keptWorkbench');
/** The window that suites share. In a global, because each test file has its own copy of this module. */
export const kept = ((globalThis as { [keptKey]?: { workbench?: Workbench | undefined } })[keptKey] ??= {});

/** Closes the window that suites share. */
export async function closeKept(): Promise<void> {
  const { workbench } = kept;
  kept.workbench = undefined;
  await workbench?.close();
}

/** Opens a window as on a new machine, and waits until the workbench is ready. Close your previous window first. */
export async function openWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const extensions = options.extensions ?? process.env['E2E_EXTENSIONS'];
  if (!extensions) throw new Error('E2E_EXTENSIONS is not set. Run these tests by: npm test e2e');
  await closeKept();
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

/** Closes the window after a test; a failed test leaves a screenshot in out/pictures and prints the end of the logs. */
export async function closeAfter(
  test: { readonly state?: string | undefined; readonly title: string } | undefined,
  workbench: Workbench | undefined,
): Promise<void> {
  try {
    if (test?.state !== 'failed') return;
    console.log(workbench?.logs().split('\n').slice(-60).join('\n'));
    if (workbench) await reportSeen(workbench);
    await workbench?.screenshot(`failed-${test.title.replaceAll(/\W+/g, '-')}`);
  } finally {
    await workbench?.close();
  }
}

/** Adds what Parley's pages and notifications show to the report of the tests. */
async function reportSeen(workbench: Workbench): Promise<void> {
  const report = process.env['HOST_TEST_REPORT'];
  if (report === undefined) return;
  const seen = await Promise.all([
    ...(await workbench.page.locator(FRAME).all()).map(async (frame) => {
      const page = frame.contentFrame().locator('iframe#active-frame').contentFrame();
      return `Page:\n${await page.locator('body').ariaSnapshot({ timeout: 5000 }).catch(String)}`;
    }),
    workbench.page.locator('.notification-toast').allInnerTexts().catch(String),
  ]);
  const text = seen.flat().join('\n').slice(-SEEN_MAX);
  appendFileSync(report, `${JSON.stringify({ event: 'seen', text })}\n`);
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
    settings: { ...TEST_SETTINGS, ...theme, ...options.settings },
    keys,
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
  if (otherFiles) await foldersShown(page);
  const logs = (): string => [...lines, server.output()].join('\n');
  const endTurn = async (): Promise<void> => {
    const chat = page.frameLocator(VIEW_FRAME).frameLocator('iframe#active-frame');
    const stop = chat.getByRole('button', { name: 'Stop', exact: true });
    // Presses what is there: Playwright's click would wait for the button of a turn that has just ended.
    if (await stop.isVisible()) await stop.evaluateAll((all) => (all as HTMLElement[]).forEach((one) => one.click()));
    await stop.waitFor({ state: 'detached' });
    await server.awaitGit();
  };
  const restoreFiles = (): Promise<void> => workspace.restore();
  let replaced = 0;
  const replace: Workbench['replace'] = async (settings, files) => {
    await workspace.replace(files);
    // The title shows that VS Code has read the settings. The extension host receives them before any later command.
    const title = `Settings ${++replaced}`;
    await server.configure({ settings: TEST_SETTINGS, machineSettings: { ...settings, 'window.title': title } });
    await page.waitForFunction((wanted) => document.title === wanted, title);
  };
  return {
    ...actions(page),
    endTurn,
    restoreFiles,
    replace,
    folder: workspace.folder,
    data: server.folders.userData,
    page,
    logs,
    close,
  };
}

async function openPage(
  context: BrowserContext,
  address: string,
  options: WorkbenchOptions,
): Promise<{ page: Page; lines: string[] }> {
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.setViewportSize({ width: options.width ?? 1280, height: options.height ?? 900 });
  // VS Code's page reads the language from here and passes it to the extension host.
  if (options.language !== undefined)
    await page.addInitScript((language) => {
      Object.assign(globalThis, { _VSCODE_NLS_LANGUAGE: language });
    }, options.language);
  await page.addInitScript(saveDrawing, IS_TEST_RUN);
  const lines: string[] = [];
  page.on('console', (message) => lines.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => lines.push(`page error: ${error.stack ?? error.message}`));
  await page.goto(address);
  await workbenchReady(page);
  return { page, lines };
}

/**
 * Waits until VS Code has restored the views and Parley has started. Earlier, VS Code moves the focus to restored pages, and a
 * palette opened meanwhile closes without running anything.
 */
async function workbenchReady(page: Page): Promise<void> {
  await page.locator('.statusbar-item[id^="parley"]').first().waitFor();
  await page.waitForFunction(areFramesReady);
}

/**
 * Waits for the folders of a workspace file. On a busy machine, VS Code reads the file before the server's file system is ready and
 * then shows a workspace without folders until the window is reloaded.
 */
async function foldersShown(page: Page): Promise<void> {
  const folder = page.locator('.explorer-folders-view .monaco-list-row').first();
  const none = page.locator('.pane-body.welcome').first();
  await folder.or(none).first().waitFor();
  if (await folder.isVisible()) return;
  await page.reload();
  await workbenchReady(page);
  await folder.waitFor();
}

/** Runs in the page. */
function areFramesReady(): boolean {
  const shown = Array.from(document.querySelectorAll('iframe.webview')).filter((frame) =>
    frame.checkVisibility({ visibilityProperty: true }),
  );
  return shown.every((frame) => frame.classList.contains('ready'));
}

const FRAME = 'iframe.webview.ready[src*="extensionId=parley.parley"]';
/** The view, also while it is hidden. */
export const VIEW_FRAME = `${FRAME}[src*="purpose=webviewView"]`;
/** The frames of Parley's visible tabs. */
export const TAB_FRAMES = `${FRAME}:not([src*="purpose=webviewView"]):visible`;

type Actions = Omit<Workbench, 'page' | 'folder' | 'data' | 'logs' | 'endTurn' | 'restoreFiles' | 'replace' | 'close'>;

function actions(page: Page): Actions {
  const chat = (): FrameLocator => page.frameLocator(`${FRAME}:visible`).frameLocator('iframe#active-frame');
  const runCommand = (title: string): Promise<void> => runFromPalette(page, title);
  return {
    chat,
    tab: () => page.frameLocator(TAB_FRAMES).frameLocator('iframe#active-frame'),
    runCommand,
    openFile: (name) => openFile(page, name),
    focusChat: async () => {
      await pressUntil(page, FOCUS_CHAT, isWebviewFocused);
      // A page that is still loading receives no keys.
      await chat().locator('.app').waitFor();
    },
    startOver: async () => {
      await pressUntil(page, START_OVER, takesKeys, DONE);
      const box = page.locator('.quick-input-widget input.input');
      await box.press('Escape');
      await box.waitFor({ state: 'hidden' });
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
      // VS Code redraws toasts while others arrive: a click on a replaced toast is lost.
      const isGone = onToast.waitFor({ state: 'hidden', timeout: 5000 }).then(
        () => true,
        () => false,
      );
      if (!(await isGone)) await onToast.click();
    },
    tabsStored: (count) =>
      until(
        async () => (await page.evaluate(sessionsInTabs)) === count,
        `VS Code has stored ${count} tabs with a session`,
      ),
    reload: async () => {
      await page.reload();
      await workbenchReady(page);
    },
    screenshot: async (name) => {
      const folder = join(process.cwd(), 'out', 'pictures');
      await mkdir(folder, { recursive: true });
      const paint = (isSeen: boolean): Promise<boolean> =>
        page.locator(':root').evaluate((root, seen) => root.toggleAttribute('data-seen', seen), isSeen);
      await paint(true);
      await page.screenshot({ path: join(folder, `${name}.png`) });
      await paint(false);
    },
  };
}

/**
 * Opens the palette, types, and selects. The palette lists the commands that existed when it was opened, so it is reopened until
 * the command is listed (an extension may register it late).
 */
async function runFromPalette(page: Page, title: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  const row = page
    .locator('.quick-input-list .monaco-list-row')
    .filter({ has: page.getByText(title, { exact: true }) })
    .first();
  const box = page.locator('.quick-input-widget input.input');
  for (;;) {
    let cause: unknown;
    try {
      await openQuickInput(page, 'F1');
      // The palette closes when something else takes the focus, for example a page restored after a reload.
      await box.fill(`>${title}`, { timeout: keyLost });
      await row.waitFor({ timeout: 1500 });
      // VS Code renders the rows again a moment later, with similar commands: a click on a replaced row is lost, a key is not.
      const takesEnter = await appears(row.and(page.locator('.focused')), 1000);
      await (takesEnter ? box.press('Enter', { timeout: keyLost }) : row.click({ timeout: keyLost }));
      // The palette closes before the command runs: an open palette has run nothing.
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
 * Opens VS Code's quick input for commands (F1) or files (Control+P). A key pressed in a page arrives with a delay: text typed
 * before the quick input has the focus goes to the page.
 */
async function openQuickInput(page: Page, key: 'F1' | 'Control+P'): Promise<void> {
  await pressUntil(page, key, takesKeys, key === 'F1' ? '>' : '');
}

/** Presses a key until it has an effect, which a function in the page reports. */
async function pressUntil<T>(page: Page, key: string, isDone: (given: T) => boolean, given?: T): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    await page.keyboard.press(key);
    try {
      await page.waitForFunction(isDone as (given: unknown) => boolean, given, { timeout: keyLost });
      return;
    } catch (cause) {
      if (performance.now() > end) throw new Error(`${key} has no effect.`, { cause });
    }
  }
}

/** Opens a file of the workspace by its name and waits until its editor has the cursor. */
async function openFile(page: Page, name: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  const row = page.locator('.quick-input-list .monaco-list-row.focused', { hasText: name });
  const box = page.locator('.quick-input-widget input.input');
  for (;;) {
    await openQuickInput(page, 'Control+P');
    try {
      // Like the palette, the quick input closes when a page takes the focus.
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

/** Whether it becomes visible within that many milliseconds. */
async function appears(what: Locator, timeout: number): Promise<boolean> {
  return what.waitFor({ timeout }).then(
    () => true,
    () => false,
  );
}

/** Runs in the page. */
function isWebviewFocused(): boolean {
  return document.activeElement?.matches('iframe.webview') ?? false;
}

/** Runs in the page. The quick input has the focus and starts with this text. */
function takesKeys(start: string): boolean {
  const box = document.querySelector<HTMLInputElement>('.quick-input-widget input.input');
  return box !== null && box === document.activeElement && box.checkVisibility() && box.value.startsWith(start);
}

/** Runs in the page. The palette counts as closed when it is hidden or shows the command's own list. */
function isPaletteClosed(): boolean {
  const box = document.querySelector<HTMLInputElement>('.quick-input-widget input.input');
  return !box?.checkVisibility() || !box.value.startsWith('>');
}

/** Runs in the window: counts the tabs whose webview state has a session, from VS Code's storage in the browser. */
async function sessionsInTabs(): Promise<number> {
  const names = (await indexedDB.databases()).flatMap(({ name }) =>
    name?.startsWith('vscode-web-state-db-') ? [name] : [],
  );
  const answer = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error('The database gives no reason')));
    });
  const counts = await Promise.all(
    names.map(async (name) => {
      const database = await answer(indexedDB.open(name));
      try {
        const values = await answer(
          database.transaction('ItemTable').objectStore('ItemTable').get('memento/workbench.parts.editor'),
        );
        return String(values ?? '').match(/blank[\\\\"]+:false/g)?.length ?? 0;
      } finally {
        database.close();
      }
    }),
  );
  return Math.max(0, ...counts);
}
