import type { WebSocket } from 'ws';
import type { Clock } from '../../../base/clock';
import { asObject, parseJson } from '../../../base/json';
import { t } from '../../../base/l10n';
import { parseBatch } from '../../../node/process/ndjson';
import type { RemoteStart } from '../config/serverDefinition';
import { InboundLimits, LIMITS } from './inboundLimits';

const HANDSHAKE_TIMEOUT_MS = 30_000;

/**
 * An MCP server over WebSocket, a message in each frame. By the package `ws`: the SDK's transport sends no headers and has no limits. Not a
 * standard transport; the subprotocol is that of the SDK.
 */
export class WebSocketTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: never) => void;
  #socket: WebSocket | undefined;
  #isClosed = false;

  /** @param onCutOff called with the reason when a message exceeds a limit */
  constructor(
    private readonly server: RemoteStart,
    private readonly clock: Clock,
    private readonly onCutOff: (problem: string) => void,
  ) {}

  async start(): Promise<void> {
    const { WebSocket } = await import('ws');
    if (this.#isClosed) throw new Error(t('the connection ended'));
    const { url, headers } = this.server;
    const options = { headers, maxPayload: LIMITS.message, handshakeTimeout: HANDSHAKE_TIMEOUT_MS };
    const socket = new WebSocket(url, 'mcp', options);
    this.#socket = socket;
    const guard = new InboundLimits('body', this.clock);
    socket.on('message', (data: Buffer) => {
      const problem = guard.check(data);
      guard.endMessage();
      if (problem === undefined) this.#receive(data.toString());
      else this.onCutOff(problem);
    });
    socket.on('error', (error) => this.onerror?.(error));
    socket.once('close', () => this.onclose?.());
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error(t('the connection ended'))));
    });
  }

  async send(message: unknown): Promise<void> {
    const socket = this.#socket;
    await new Promise<void>((resolve, reject) => {
      if (!socket) reject(new Error(t('The server is not running')));
      else socket.send(JSON.stringify(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#socket?.close();
  }

  #receive(text: string): void {
    const message = asObject(parseJson(text));
    for (const each of message ? [message] : (parseBatch(text) ?? [])) this.onmessage?.(each as never);
  }
}
