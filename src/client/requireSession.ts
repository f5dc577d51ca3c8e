import { invalidParams } from '../base/jsonRpc';
import type { SessionLookup, SessionHandle } from '../session/sessionHandle';

/** @throws RpcError -32602 that names the id */
export function requireSession(lookup: SessionLookup, sessionId: string): SessionHandle {
  const session = lookup.find(sessionId);
  if (session) return session;
  throw invalidParams(`There is no session with the sessionId "${sessionId}" on this connection`);
}
