// One Chromium and one VS Code server for the windows of a run, one window at a time. Both are warm after the first windows: Chromium has
// cached VS Code's page and its compiled code, which would take most of a window's start. The data of each window is removed.
import { isDeepStrictEqual } from 'node:util';
import { launchProfile } from './chromium.mjs';
import { startServer } from './server.mjs';
import { makeTemporaryFolder, removeFolder } from './workspace.mjs';

/** Removed when a window is closed: all that Chromium stores for a page, except loaded files and compiled code. */
const clearedStorage = 'cookies,local_storage,indexeddb,file_systems,cache_storage,service_workers';

class WindowHost {
  #browser;
  #server;
  #port = 0;
  /** Closes the open window. */
  #close = async () => [];

  /** @param {import('./hostTypes').ServerOptions} options */
  async open(options) {
    const [server, browser] = await Promise.allSettled([this.#serverFor(options), this.#chromium()]);
    if (server.reason ?? browser.reason) throw server.reason ?? browser.reason;
    const close = () => {
      this.#close = async () => [];
      return this.#closeWindow(server.value, browser.value);
    };
    this.#close = close;
    return { server: server.value, context: browser.value.context, close };
  }

  /** Closes the open window, and ends server and browser. */
  async end() {
    const [closed] = await Promise.allSettled([this.#close()]);
    const ends = [closed, ...(await Promise.allSettled([this.#endServer(), this.#endBrowser()]))];
    const failed = ends.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
    return [...ends[0].value, ...ends[1].value];
  }

  /** Returns the running server if its options match, else starts another. */
  async #serverFor({ settings, machineSettings, keys, ...started }) {
    const now = this.#server;
    if (now && isDeepStrictEqual(now.started, started) && now.server.isReusable()) {
      await now.server.reset({ settings, machineSettings, keys });
      return now.server;
    }
    const left = await this.#endServer();
    if (left.length > 0) throw new Error(`Left running after a server ended:\n${left.join('\n')}`);
    const server = await this.#start({ settings, machineSettings, keys, ...started });
    this.#server = { server, started };
    this.#port = server.port;
    return server;
  }

  /** Reuses the port of the previous server, because Chromium's cache is keyed by URL; uses another if the port is taken. */
  async #start(options) {
    if (this.#port === 0) return startServer(options);
    return startServer({ ...options, port: this.#port }).catch(() => startServer(options));
  }

  async #chromium() {
    if (this.#browser) return this.#browser;
    const profile = await makeTemporaryFolder('browser');
    const flag = process.env.E2E_CHROMIUM_FLAG;
    const context = await launchProfile(profile, flag === undefined ? [] : [flag]);
    // The first page stays open: storage is cleared through it, and without any page the browser would exit.
    const [page] = context.pages();
    this.#browser = { profile, context, page, session: await context.newCDPSession(page) };
    context.on('close', () => (this.#browser = undefined));
    return this.#browser;
  }

  /** @returns {Promise<string[]>} Command lines of processes that had to be killed. */
  async #closeWindow(server, browser) {
    const pages = browser.context.pages().filter((page) => page !== browser.page);
    // Ends the server's processes even if the browser has crashed.
    await Promise.allSettled(pages.map((page) => page.close()));
    const left = server.isReusable() ? await server.awaitWindowEnd() : await this.#endServer();
    const origin = `http://localhost:${server.port}`;
    await browser.session.send('Storage.clearDataForOrigin', { origin, storageTypes: clearedStorage });
    return left;
  }

  async #endServer() {
    const { server } = this.#server ?? {};
    this.#server = undefined;
    return (await server?.stop()) ?? [];
  }

  async #endBrowser() {
    if (!this.#browser) return;
    const { context, profile } = this.#browser;
    await context.close();
    await removeFolder(profile);
  }
}

const key = Symbol.for('parley.test.windowHost');

/** One per process: this module exists several times, once in each test bundle. */
const windowHost = () => (globalThis[key] ??= new WindowHost());

/**
 * Makes sure that a server with these options runs, and a browser; does not open a window. Close the last window first.
 * @param {import('./hostTypes').ServerOptions} options
 * @returns {Promise<import('./hostTypes').WindowPlace>}
 */
export function openWindowPlace(options) {
  return windowHost().open(options);
}

/** For mocha's --require: the browser and the last server end with the run. */
export const mochaHooks = {
  async afterAll() {
    this.timeout(60_000);
    const left = await windowHost().end();
    if (left.length > 0) throw new Error(`Left running after the last window was closed:\n${left.join('\n')}`);
  },
};
