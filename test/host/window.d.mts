import type { Browser } from 'playwright-core';
import type { Server, ServerOptions } from './server.mjs';

export interface Host {
  readonly server: Server;
  readonly browser: Browser;
  /**
   * Closes the window and ends the server.
   * @returns Command lines of processes that had to be killed.
   */
  readonly close: () => Promise<string[]>;
}

export function startHost(options: ServerOptions): Promise<Host>;
