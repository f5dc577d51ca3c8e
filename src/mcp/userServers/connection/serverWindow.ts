import type { Clock } from '../../../base/clock';
import type { Event } from '../../../base/event';
import type { JsonObject } from '../../../base/json';
import type { Logger } from '../../../base/logger';
import type { McpTraffic } from '../../contract/recordedMcpConnection';
import type { Account } from '../auth/serverAccount';
import type { ServerLaunch } from '../config/serverDefinition';

/** This window, as servers see it. */
export interface ServerWindow {
  /** Absolute paths, sent to servers as roots. */
  folders(): readonly string[];
  readonly onDidChangeFolders: Event<unknown>;
  /** Of Parley. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly traffic?: McpTraffic;
}

/** A server whose consent, inputs and command are known. */
export interface PreparedServer {
  /** With all inputs substituted. */
  readonly start: ServerLaunch;
  /** Absolute; where a process without a `cwd` runs. */
  readonly folder: string;
  /** For HTTP servers. */
  readonly account: Account | undefined;
}

/** Follows one connection. */
export interface ConnectionListener {
  /** Aborts when the connection is no longer needed; ends what was started for it. */
  readonly signal: AbortSignal;
  onNotification(method: string, params: JsonObject): void;
  /**
   * The connection broke.
   * @param why the cause, if known
   */
  onClosed(why: string | undefined): void;
  /** The server has not answered the first message yet, and may never do so. */
  onSilent(): void;
  /** Opening failed. The promise never rejects and settles when everything that was started has ended. */
  onEnding(ending: Promise<void>): void;
}
