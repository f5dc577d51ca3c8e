import type { Stream } from '@agentclientprotocol/sdk/unstable';
import type { RemoteAddress } from '../config/agentDefinition';

/** In bytes, for a message of a remote agent. */
const MAX_MESSAGE = 64 * 1024 * 1024;
const HANDSHAKE_TIMEOUT_MS = 30_000;

/** Opens a connection by the SDK's transports, which are loaded with the first remote agent. */
export async function openRemoteStream(
  { type, url }: RemoteAddress,
  headers: Readonly<Record<string, string>>,
): Promise<Stream> {
  if (type === 'ws') return openSocket(url, headers);
  const { createHttpStream } = await import('@agentclientprotocol/sdk/experimental/http-client');
  // A redirect would send the headers, and the secrets in them, to another host.
  const noRedirect: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });
  return createHttpStream(url, { headers: { ...headers }, fetch: noRedirect, maxMessageBytes: MAX_MESSAGE });
}

/** Uses the package `ws`: Node's own WebSocket takes no headers, and Node 20 has none. */
async function openSocket(url: string, headers: Readonly<Record<string, string>>): Promise<Stream> {
  const [{ createWebSocketStream }, { WebSocket }] = await Promise.all([
    import('@agentclientprotocol/sdk/experimental/ws-client'),
    import('ws'),
  ]);
  class LimitedSocket extends WebSocket {
    constructor(address: string, protocols?: string | string[], options?: { headers?: Record<string, string> }) {
      super(address, protocols, { ...options, maxPayload: MAX_MESSAGE, handshakeTimeout: HANDSHAKE_TIMEOUT_MS });
    }
  }
  return createWebSocketStream(url, {
    headers: { ...headers },
    WebSocket: LimitedSocket as unknown as NonNullable<Parameters<typeof createWebSocketStream>[1]>['WebSocket'] & {},
  });
}
