import type { SessionHandle } from '../../session/sessionHandle';
import type { CallTransport, ToolGate } from '../calls/toolGate';
import type { RegisteredServer } from '../toolServerRegistry';
import type { Mcp } from './mcpSdkTypes';

export interface BuildOptions {
  readonly library: Mcp;
  readonly registered: RegisteredServer;
  readonly session: SessionHandle;
  readonly gate: ToolGate;
  readonly version: string;
  readonly transport?: (requestId: string | number) => CallTransport | undefined;
}
