// One Chromium and one VS Code server for the windows of a run, one window at a time. Both are warm after the first windows: Chromium has
// VS Code's page and the compiled form of its code, which would cost each window most of its start. What a window keeps is removed.
import { isDeepStrictEqual } from 'node:util';
import { launchProfile } from './chromium.mjs';
import { startServer } from './server.mjs';
import { makeTemporaryFolder, removeFolder } from './workspace.mjs';

/** All that Chromium keeps of a page, except what it has loaded and compiled. */
const kept = 'cookies,local_storage,indexeddb,file_systems,cache_storage,service_workers';

class WindowHost {
  #browser;
  #server;
  #port = 0;

  /** @param {import('./server.mjs').ServerOptions} options */
  async open(options) {
    const [server, browser] = await Promise.allSettled([this.#serverFor(options), this.#chromium()]);
    if (server.reason ?? browser.reason) throw server.reason ?? browser.reason;
    const close = () => this.#closeWindow(server.value, browser.value);
    return { server: server.value, context: browser.value.context, close };
  }

  /** Ends server and browser. */
  async end() {
    const ends = await Promise.allSettled([this.#endServer(), this.#endBrowser()]);
    const failed = ends.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
    return ends[0].value;
  }

  /** The running one where it can be used as it is, else another. */
  async #serverFor({ settings, machineSettings, ...started }) {
    const now = this.#server;
    if (now && isDeepStrictEqual(now.started, started) && now.server.isReusable()) {
      await now.server.reset({ settings, machineSettings });
      return now.server;
    }
    const left = await this.#endServer();
    if (left.length > 0) throw new Error(`Left running after a server ended:\n${left.join('\n')}`);
    const server = await this.#start({ settings, machineSettings, ...started });
    this.#server = { server, started };
    this.#port = server.port;
    return server;
  }

  /** On the port of the one before, because Chromium keeps what it has loaded by its address; on another when somebody has taken that. */
  async #start(options) {
    if (this.#port === 0) return startServer(options);
    return startServer({ ...options, port: this.#port }).catch(() => startServer(options));
  }

  async #chromium() {
    if (this.#browser) return this.#browser;
    const profile = await makeTemporaryFolder('browser');
    const context = await launchProfile(profile);
    // The first page stays: through it storage is cleared, and without any page the browser would end.
    const [page] = context.pages();
    this.#browser = { profile, context, page, session: await context.newCDPSession(page) };
    context.on('close', () => (this.#browser = undefined));
    return this.#browser;
  }

  /** @returns {Promise<string[]>} the command lines of processes that did not end by themselves and had to be killed */
  async #closeWindow(server, browser) {
    const pages = browser.context.pages().filter((page) => page !== browser.page);
    // Also when the browser has crashed the server's processes are looked after.
    await Promise.allSettled(pages.map((page) => page.close()));
    const left = server.isReusable() ? await server.awaitWindowEnd() : await this.#endServer();
    const origin = `http://localhost:${server.port}`;
    await browser.session.send('Storage.clearDataForOrigin', { origin, storageTypes: kept });
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

/** The one of this process: there are several copies of this module, one in each bundle of tests. */
const windowHost = () => (globalThis[key] ??= new WindowHost());

/**
 * Opens nothing yet: makes sure that a server with these options runs, and a browser. Close the last window first.
 * @param {import('./server.mjs').ServerOptions} options
 * @returns {Promise<import('./windowHost.mjs').WindowPlace>}
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
