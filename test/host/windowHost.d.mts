import type { BrowserContext } from 'playwright-core';
import type { Server, ServerOptions } from './server.mjs';

/** Where a window can be opened. */
export interface WindowPlace {
  readonly server: Server;
  readonly context: BrowserContext;
  /**
   * Closes the window and removes its data.
   * @returns Command lines of processes that had to be killed.
   */
  readonly close: () => Promise<string[]>;
}

export function openWindowPlace(options: ServerOptions): Promise<WindowPlace>;

/** For mocha's --require: ends the browser and the last server. */
export const mochaHooks: { afterAll(this: { timeout(ms: number): unknown }): Promise<void> };
