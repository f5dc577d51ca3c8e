// Starts a server and a browser in parallel: what a window of VS Code needs.
import { launchChromium } from './chromium.mjs';
import { startServer } from './server.mjs';

/**
 * @param {import('./hostTypes').ServerOptions} options
 * @param {string[]} flags For Chromium.
 * @returns {Promise<import('./hostTypes').Host>}
 */
export async function startHost(options, flags) {
  const [server, browser] = await Promise.allSettled([startServer(options), launchChromium(flags)]);
  const close = async () => {
    await browser.value?.close();
    return (await server.value?.stop()) ?? [];
  };
  if (server.value && browser.value) return { server: server.value, browser: browser.value, close };
  await close();
  throw server.reason ?? browser.reason;
}
