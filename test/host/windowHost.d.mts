import type { BrowserContext } from 'playwright-core';
import type { Server, ServerOptions } from './server.mjs';

/** Where a window can be opened. */
export interface WindowPlace {
  readonly server: Server;
  readonly context: BrowserContext;
  /** Closes the window and removes what it kept; tells which processes did not end by themselves. */
  readonly close: () => Promise<string[]>;
}

export function openWindowPlace(options: ServerOptions): Promise<WindowPlace>;

/** For mocha's --require: ends the browser and the last server. */
export const mochaHooks: { afterAll(this: { timeout(ms: number): unknown }): Promise<void> };
