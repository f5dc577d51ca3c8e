import { randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recoverMessageIds } from '../../agent/connection/recoverMessageIds';
import { CanceledError, isCancellation, errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asObject } from '../../base/json';
import { RpcError } from '../../base/jsonRpc';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { readRpcMessage } from '../../base/rpcMessage';
import { UnverifiedConnections } from '../../node/http/unverifiedConnections';
import type { OversizedLine } from '../../node/process/ndjson';
import { NdjsonDecoder } from '../../node/process/ndjson';
import type { McpConnection, HostedServer } from '../host/hostedServer';
import { MAX_REQUEST, tooLong } from '../host/hostedServer';

/** Bytes before the end of the token's line. */
const MAX_TOKEN_BYTES = 1024;
const NEWLINE = 0x0a;
/**
 * Bytes of a socket's path: macOS takes 103, Linux 107. Node cuts a longer one, and the socket would lie in a folder of others, under
 * a name that is in use.
 */
const MAX_SOCKET_PATH = 103;
/** Milliseconds, for a slow machine to start the relay. */
const TOKEN_TIMEOUT_MS = 10_000;

/** ACP's stdio `McpServer` without a name: how an agent starts the relay. */
interface RelayLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The socket for relays of agents without HTTP: in a folder of this user only, or a named pipe with a random name. */
export class RelaySocket implements Disposable {
  readonly #served = new Map<string, HostedServer>();
  readonly #sockets = new Set<Socket>();
  readonly #unverified = new UnverifiedConnections();
  #server: Server | undefined;
  #folder: string | undefined;
  readonly #path = new Lazy(() => this.#open());
  #isDisposed = false;

  /**
   * @param relay absolute path of the bundled relay
   * @param deadline milliseconds until the token must have arrived
   */
  constructor(
    private readonly log: Logger,
    private readonly relay: string,
    private readonly deadline = TOKEN_TIMEOUT_MS,
  ) {}

  /**
   * Serves a server; its relay can connect once this settles.
   * @throws Error when no socket can be opened
   */
  async add(served: HostedServer): Promise<RelayLaunch> {
    this.#served.set(served.identity.token, served);
    const env = {
      // The extension host's executable is VS Code, which acts as Node with this variable.
      ELECTRON_RUN_AS_NODE: '1',
      PARLEY_SOCKET: await this.#path.load(),
      PARLEY_TOKEN: served.identity.token,
    };
    return { command: process.execPath, args: [this.relay], env };
  }

  remove(served: HostedServer): void {
    const { token } = served.identity;
    if (this.#served.get(token) === served) this.#served.delete(token);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#served.clear();
    for (const socket of this.#sockets) socket.destroy();
    this.#server?.close();
    void this.#removeFolder();
  }

  async #removeFolder(): Promise<void> {
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true }).catch(() => undefined);
  }

  async #open(): Promise<string> {
    const path = await this.#newPath();
    if (this.#isDisposed) {
      await this.#removeFolder();
      throw new CanceledError();
    }
    const server = createServer((socket) => this.#accept(socket));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      // Stays: also accepting a connection can fail (EMFILE).
      server.on('error', reject);
      server.listen(path, resolve);
    });
    server.unref();
    return path;
  }

  async #newPath(): Promise<string> {
    const name = `parley-${randomBytes(12).toString('hex')}`;
    if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
    const [start, end] = ['parley-', join('XXXXXX', 's')];
    const fits = (place: string): boolean => Buffer.byteLength(join(place, start + end)) <= MAX_SOCKET_PATH;
    // mkdtemp creates the folder with 0700.
    this.#folder = await mkdtemp(join(fits(tmpdir()) ? tmpdir() : '/tmp', start));
    return join(this.#folder, 's');
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    this.#unverified.add(socket);
    const deadline = setTimeout(() => socket.destroy(), this.deadline);
    let conversation: RelayConversation | undefined;
    const onLine = (line: string): void => {
      clearTimeout(deadline);
      // Data after a wrong token is not another attempt.
      if (socket.destroyed) return;
      if (conversation) conversation.receive(line);
      else conversation = this.#startConversation(socket, line);
    };
    const lines = new NdjsonDecoder(onLine, (line) => conversation?.refuse(line), MAX_REQUEST);
    socket.on('data', (chunk: Buffer) => {
      lines.push(chunk);
      // A complete line that is not the token.
      if (!conversation && (chunk.includes(NEWLINE) || socket.bytesRead > MAX_TOKEN_BYTES)) socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(deadline);
      this.#sockets.delete(socket);
      conversation?.dispose();
    });
  }

  #startConversation(socket: Socket, token: string): RelayConversation | undefined {
    const served = [...this.#served.values()].find(({ identity }) => isEqual(identity.token, token));
    if (!served) {
      socket.destroy();
      return undefined;
    }
    this.#unverified.verify(socket);
    try {
      return new RelayConversation(served, socket, this.log);
    } catch (error) {
      this.log.warn('mcp', errorMessage(error));
      socket.destroy();
      return undefined;
    }
  }
}

function isEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given.trim())];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** One relay process: MCP over stdio, one JSON-RPC message per line. */
class RelayConversation implements Disposable {
  readonly #connection: McpConnection;
  readonly #subscription: Disposable;

  constructor(
    private readonly served: HostedServer,
    private readonly socket: Socket,
    private readonly log: Logger,
  ) {
    this.#connection = served.connect();
    this.#connection.channel.onNotification = this.#send;
    // The relay ends with its connection, which tells the agent that the server is closed.
    this.#subscription = served.onDidClose(() => socket.end());
  }

  receive(line: string): void {
    if (line.trim() === '') return;
    const message = readRpcMessage(line);
    if (message instanceof RpcError) {
      this.#write({ id: null, error: { code: message.code, message: message.message } });
      return;
    }
    const { method, id } = message;
    if (typeof method !== 'string') return;
    const params = asObject(message['params']);
    if (typeof id === 'string' || typeof id === 'number') void this.#run(id, method, params);
    else this.#connection.channel.notify(method, params);
  }

  /** Answers the request in a line that exceeds the limit. */
  refuse(line: OversizedLine): void {
    const { id, method } = recoverMessageIds(line) ?? {};
    if (id === undefined || method === undefined) return;
    const { code, message } = tooLong();
    this.#write({ id, error: { code, message } });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.served.disconnect(this.#connection.id);
  }

  readonly #send = (method: string, params: JsonObject | undefined): void =>
    this.#write({ method, ...(params && { params }) });

  async #run(id: string | number, method: string, params: JsonObject | undefined): Promise<void> {
    try {
      const outcome = await this.served.handleRequest(this.#connection.channel, {
        id,
        method,
        params,
        notify: this.#send,
      });
      this.#write({ id, ...outcome });
    } catch (error) {
      if (isCancellation(error)) return;
      this.log.warn('mcp', `Failed to answer a request to ${this.served.name}: ${errorMessage(error)}`);
      const code = error instanceof RpcError ? error.code : -32603;
      this.#write({ id, error: { code, message: errorMessage(error) } });
    }
  }

  #write(message: JsonObject): void {
    if (!this.socket.destroyed) this.socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
