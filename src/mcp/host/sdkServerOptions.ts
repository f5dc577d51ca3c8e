import type { SessionHandle } from '../../session/sessionHandle';
import type { ToolCallGate } from '../calls/toolCallGate';
import type { CallTransport } from '../calls/toolCallRun';
import type { RegisteredServer } from '../toolServerRegistry';
import type * as Library from './mcpServerSdk';

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
  readonly transport?: (requestId: string | number) => CallTransport | undefined;
}
