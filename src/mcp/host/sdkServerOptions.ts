import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import type { SessionHandle } from '../../session/sessionHandle';
import type { ToolCallGate } from '../calls/toolCallGate';
import type { CallTransport } from '../calls/toolCallRun';
import type * as Library from '../contract/mcpServerSdk';
import type { RegisteredServer } from '../contract/toolServerRegistry';

/** The loaded MCP server SDK. */
export type Mcp = typeof Library;

/** The gate as servers use it. */
export type CallGate = Pick<ToolCallGate, 'onDidChange' | 'isServerAvailable' | 'isToolAvailable' | 'call'>;

export interface BuildOptions {
  readonly library: Mcp;
  readonly registered: RegisteredServer;
  readonly session: SessionHandle;
  readonly gate: CallGate;
  readonly version: string;
  readonly log: Logger;
  readonly transport?: (requestId: string | number) => CallTransport | undefined;
}

/** Skipped definitions whose reason was logged. */
const reported = new WeakSet<object>();

/**
 * Undefined for a definition that the SDK rejects, which would end the connection: its name or URI is used twice, or the name is a member
 * of every object, such as `toString`.
 */
export function registerUsable<T>(
  { log, registered }: Pick<BuildOptions, 'log' | 'registered'>,
  what: string,
  definition: object,
  register: () => T,
): T | undefined {
  try {
    return register();
  } catch (error) {
    if (!reported.has(definition))
      log.warn('mcp', `Skipped the ${what} of “${registered.name}”: ${errorMessage(error)}`);
    reported.add(definition);
    return undefined;
  }
}
