import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CanceledError } from '../../base/errors';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { ArrivalTimes, LoopbackServer } from '../../node/http/localHttpServer';
import { CLOSING, createLocalServer, sendError, suspiciousRequestReason } from '../../node/http/localHttpServer';
import type { HostedServer } from '../host/hostedServer';
import type { Mcp } from '../host/sessionServer';
import { serveGet, servePost } from './streamableHttp';

/**
 * Streamable HTTP on 127.0.0.1 and a random port, for agents without MCP over ACP. Every server of a session has its own route and bearer
 * token. Requests with an Origin or a foreign Host are refused, so browsers cannot use it (docs/security.md, row 10).
 */
export class McpOverHttp implements Disposable {
  readonly #served = new Map<string, HostedServer>();
  #loopback: LoopbackServer | undefined;
  readonly #port = new Lazy(() => this.#open());
  #isDisposed = false;

  constructor(
    private readonly log: Logger,
    private readonly library: Mcp,
    private readonly times?: ArrivalTimes,
  ) {}

  /**
   * Serves a server; its URL works once this settles.
   * @throws Error when no port can be opened
   */
  async add(served: HostedServer): Promise<{ readonly url: string; readonly token: string }> {
    const { route, token } = served.identity;
    this.#served.set(route, served);
    if (this.#isDisposed) throw new CanceledError();
    const port = await this.#port.load();
    return { url: `http://127.0.0.1:${port}/${route}`, token };
  }

  remove(served: HostedServer): void {
    const { route } = served.identity;
    if (this.#served.get(route) === served) this.#served.delete(route);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#served.clear();
    this.#loopback?.server.close();
    this.#loopback?.server.closeAllConnections();
  }

  #open(): Promise<number> {
    const loopback = createLocalServer(this.times);
    this.#loopback = loopback;
    const { server } = loopback;
    server.on('request', (request, response) => this.#answer(request, response, loopback));
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        // The server must not keep the process alive while an agent holds a connection.
        server.unref();
        const { port } = server.address() as AddressInfo;
        if (this.#isDisposed) server.close();
        resolve(port);
      });
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse, loopback: LoopbackServer): void {
    const strange = suspiciousRequestReason(request);
    if (strange !== undefined) {
      sendError(response, 403, strange, { headers: CLOSING });
      return;
    }
    const served = this.#served.get(request.url?.slice(1) ?? '');
    if (!served || served.isDisposed) {
      sendError(response, 404, 'There is no MCP server here', { headers: CLOSING });
      return;
    }
    if (!loopback.hasToken(request, served.identity.token)) {
      sendError(response, 401, 'A bearer token is needed', { headers: CLOSING });
      return;
    }
    const [log, library] = [this.log, this.library];
    const exchange = { served, request, response, arrivedAt: performance.now(), log, library };
    if (request.method === 'POST') void servePost(exchange);
    else if (request.method === 'GET') serveGet(exchange);
    else if (request.method === 'DELETE') closeConversation(exchange.served, request, response);
    else sendError(response, 405, 'Only POST, GET and DELETE are served', { headers: { Allow: 'POST, GET, DELETE' } });
  }
}

/** The client closes its session (Streamable HTTP until 2025-11-25). */
function closeConversation(served: HostedServer, { headers }: IncomingMessage, response: ServerResponse): void {
  const id = headers['mcp-session-id'];
  const open = typeof id === 'string' ? served.connection(id) : served.lastConnection;
  if (!open || !served.disconnect(open.id)) {
    sendError(response, 404, 'There is no such MCP session');
    return;
  }
  response.writeHead(200).end();
}
