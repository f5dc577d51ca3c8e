import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Message, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import { A2A_VERSION_HEADER, AgentCard, AGENT_CARD_PATH, formatSSEEvent } from '@a2a-js/sdk';
import { isLegacyJsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { AgentExecutor } from '@a2a-js/sdk/server';
import { DefaultRequestHandler, JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server';
import { systemClock } from '../../base/clock';
import { errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { RpcError } from '../../base/jsonRpc';
import type { Logger } from '../../base/logger';
import { parseRpcMessage } from '../../base/rpcMessage';
import type { LoopbackServer } from '../../node/http/localHttpServer';
import {
  CLOSING,
  createLocalServer,
  readBody,
  sendError,
  sendJson,
  suspiciousRequestReason,
} from '../../node/http/localHttpServer';
import { BoundedTaskStore } from './boundedTaskStore';
import type { CallTargets } from './callTargets';
import { asLegacyCard, gatewayCard } from './gatewayCard';
import { isFirstMethod, LegacyRequests } from './legacyRequests';
import { parseMcpCommand } from './mcpCommand';
import { TargetSkills } from './targetSkills';

const VERSION_HEADER = A2A_VERSION_HEADER.toLowerCase();
/** The second is that of A2A before 0.3. */
const CARD_PATHS: ReadonlySet<string> = new Set([`/${AGENT_CARD_PATH}`, '/.well-known/agent.json']);

/** In bytes, for one request. */
export const MAX_BODY = 1024 * 1024;

/**
 * The A2A agent on 127.0.0.1 and a random port. Every route, including the card, requires the bearer token. Browsers
 * are refused by their Origin, DNS names that resolve to this host by their Host header (docs/security.md, row 10).
 */
export class GatewayServer {
  readonly #loopback: LoopbackServer;
  #handlers: Handlers | undefined;
  readonly #skills: TargetSkills;

  constructor(
    private readonly executor: AgentExecutor,
    private readonly targets: CallTargets,
    private readonly token: string,
    private readonly log: Logger,
  ) {
    this.#skills = new TargetSkills(targets, systemClock);
    this.#loopback = createLocalServer();
    this.#loopback.server.on('request', (request, response) => void this.#answer(request, response));
  }

  /**
   * Resolves with the agent's URL.
   * @throws Error when no port can be opened
   */
  listen(): Promise<string> {
    const { server } = this.#loopback;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        server.unref();
        resolve(this.#url);
      });
    });
  }

  close(): void {
    this.#loopback.server.close();
    this.#loopback.server.closeAllConnections();
  }

  get #url(): string {
    return `http://127.0.0.1:${(this.#loopback.server.address() as AddressInfo).port}/`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const refused = this.#refusal(request);
      if (refused) sendError(response, refused.status, refused.message, { headers: CLOSING });
      else if (CARD_PATHS.has(request.url ?? '')) await this.#card(request, response);
      else if (request.url !== '/') sendError(response, 404, 'There is nothing here');
      else if (request.method !== 'POST')
        sendError(response, 405, 'Only POST is served here', { headers: { Allow: 'POST' } });
      else await this.#rpc(request, response);
    } catch (error) {
      this.log.warn('a2a', `Failed to answer an A2A request: ${errorMessage(error)}`);
      sendError(response, 500, 'Something unexpected happened');
    }
  }

  /** Why a request is refused before it is read. */
  #refusal(request: IncomingMessage): { readonly status: number; readonly message: string } | undefined {
    const strange = suspiciousRequestReason(request);
    if (strange !== undefined) return { status: 403, message: strange };
    const isVerified = this.#loopback.hasToken(request, this.token);
    return isVerified ? undefined : { status: 401, message: 'A bearer token is needed' };
  }

  async #card({ method, url, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (method !== 'GET') {
      sendError(response, 405, 'Only GET is served here', { headers: { Allow: 'GET' } });
      return;
    }
    const card = this.#agentCard(await this.#skills.list());
    const json = AgentCard.toJSON(card) as JsonObject;
    const isCurrent = url === `/${AGENT_CARD_PATH}` && String(headers[VERSION_HEADER] ?? '').startsWith('1');
    sendJson(response, 200, isCurrent ? json : asLegacyCard(json, this.#url));
  }

  async #rpc(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readMessage(request, response);
    if (!body) return;
    try {
      const answer = await this.#handle(body, request);
      if (Symbol.asyncIterator in answer) await this.#stream(body, answer, response);
      else sendJson(response, 200, { ...answer });
    } catch (error) {
      sendJson(response, 200, this.#errorFor(body, error));
    }
  }

  #handle(body: JsonObject, request: IncomingMessage): Promise<object | AsyncGenerator> {
    const { current, legacy } = this.#openHandlers();
    // Before 1.0, no request named its version, but all methods had other names.
    if (isLegacyJsonRpcMethod(body['method']) || isFirstMethod(body['method']))
      return legacy.handle(body, new ServerCallContext({ requestedVersion: '0.3' }));
    const context = callContext(request);
    validateVersion(context.requestedVersion, this.#agentCard(), 'JSONRPC');
    return current.handle({ ...body }, context);
  }

  /** The first event decides about streaming: an immediate refusal is plain JSON. */
  async #stream(body: JsonObject, events: AsyncGenerator, response: ServerResponse): Promise<void> {
    const first = await events.next();
    if (response.destroyed) return;
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    try {
      if (first.done !== true) response.write(formatSSEEvent(first.value));
      // The task continues after a disconnect: the caller can subscribe again.
      for await (const event of events) if (!response.destroyed) response.write(formatSSEEvent(event));
    } catch (error) {
      if (!response.destroyed) response.write(formatSSEEvent(this.#errorFor(body, error)));
    } finally {
      response.end();
    }
  }

  #errorFor({ id }: JsonObject, error: unknown): JsonObject {
    return { jsonrpc: '2.0', id: id ?? null, error: JsonRpcTransportHandler.mapToJSONRPCError(error) };
  }

  #agentCard(skills: Parameters<typeof gatewayCard>[2] = []): AgentCard {
    return gatewayCard(this.#url, this.targets.names(), skills);
  }

  /** Created once, because they hold the running tasks. */
  #openHandlers(): Handlers {
    if (this.#handlers) return this.#handlers;
    const tasks = new BoundedTaskStore(systemClock);
    const requests = new CommandRequestHandler(this.#agentCard(), tasks, this.executor);
    this.#handlers = { current: new JsonRpcTransportHandler(requests), legacy: new LegacyRequests(requests, tasks) };
    return this.#handlers;
  }
}

interface Handlers {
  readonly current: JsonRpcTransportHandler;
  /** For clients of A2A before 1.0. */
  readonly legacy: LegacyRequests;
}

/** All callers with the token are one tenant. A request without a version means the only supported one. */
function callContext({ headers }: IncomingMessage): ServerCallContext {
  const version = headers[VERSION_HEADER];
  return new ServerCallContext({ requestedVersion: typeof version === 'string' ? version : '1.0' });
}

async function readMessage(request: IncomingMessage, response: ServerResponse): Promise<JsonObject | undefined> {
  if (!/^application\/(a2a\+)?json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    sendError(response, 415, 'Content-Type must be application/json');
    return undefined;
  }
  const text = await readBody(request, MAX_BODY);
  if (text === undefined) {
    sendError(response, 413, `A request may have ${MAX_BODY} bytes`, { headers: CLOSING });
    return undefined;
  }
  const message = parseRpcMessage(text);
  if (!(message instanceof RpcError)) return message;
  sendError(response, 400, message.message, { code: message.code });
  return undefined;
}

/** Refuses a malformed command as invalid-params before it becomes a task. */
class CommandRequestHandler extends DefaultRequestHandler {
  override async sendMessage(params: SendMessageRequest, context: ServerCallContext): Promise<Message | Task> {
    requireCommand(params);
    return super.sendMessage(params, context);
  }

  override async *sendMessageStream(
    params: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    requireCommand(params);
    yield* super.sendMessageStream(params, context);
  }
}

/** @throws RequestMalformedError */
function requireCommand({ message }: SendMessageRequest): void {
  const command = parseMcpCommand(message?.parts ?? []);
  if (typeof command === 'string') throw new RequestMalformedError(command);
  // A second command of the same task would replace the first, which could then not be canceled.
  if (message?.taskId) throw new RequestMalformedError('Each command is a task of its own: leave out taskId');
}
