import type { Browser } from 'playwright-core';
import type { Server, ServerOptions } from './server.mjs';

export interface Host {
  readonly server: Server;
  readonly browser: Browser;
  /** Closes the window, ends the server; tells which processes did not end by themselves. */
  readonly close: () => Promise<string[]>;
}

export function startHost(options: ServerOptions): Promise<Host>;
