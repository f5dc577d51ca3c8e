import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assertNever } from '../../src/base/assert';
import { auxiliaryAnswer } from './auxiliary';
import { anthropicMessages } from './forms/anthropicMessages';
import type { AnswerPiece, Encoder, Route, WireForm } from './forms/form';
import { BadRequest } from './forms/form';
import { gemini } from './forms/gemini';
import { openaiChat } from './forms/openaiChat';
import { openaiResponses } from './forms/openaiResponses';
import { Gates } from './gates';
import type { ModelRequest, Piece } from './player';
import { play } from './player';

/** One received request, for assertions about what reached the model. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  /** The parsed JSON body; undefined without a body. */
  readonly body: unknown;
  /** The request as the wire format parsed it; undefined for model lists and unknown paths. */
  readonly model: ModelRequest | undefined;
  /** HTTP status of the response; 0 while pending. */
  status: number;
  /** How the response ended; `open` while pending. */
  outcome: 'open' | 'complete' | 'closedByClient' | 'cut';
}

/** A model that does what the last user prompt says (see script.ts). Listens on 127.0.0.1 only. */
export interface ModelServer {
  /** For example http://127.0.0.1:40000, without a trailing slash. The OpenAI base URL is `${url}/v1`. */
  readonly url: string;
  /** All requests so far, in the order in which their bodies were received completely. */
  readonly requests: readonly LoggedRequest[];
  /** Resolves with the first matching request, past or future. Rejects when the server closes first. */
  readonly waitForRequest: (fits: (request: LoggedRequest) => boolean) => Promise<LoggedRequest>;
  /** Resolves when a model turn has reached `pause <name>`. Rejects when the server closes first. */
  readonly reached: (name: string) => Promise<void>;
  /** Releases `pause <name>`, including later pauses of that name. */
  readonly release: (name: string) => void;
  /** Closes all connections and stops the server. */
  readonly close: () => Promise<void>;
}

const FORMS: readonly WireForm[] = [anthropicMessages, gemini, openaiResponses, openaiChat];

export async function startModelServer(): Promise<ModelServer> {
  const state = new ServerState();
  const server = createServer((request, response) => {
    answer(state, request, response).catch((error: unknown) => {
      // Only an error of this server can get here; the client must see it instead of waiting forever.
      if (!response.headersSent) sendJson(response, 500, { error: { message: String(error) } });
      else response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: state.requests,
    waitForRequest: (fits) => state.waitForRequest(fits),
    reached: (name) => state.gates.reached(name),
    release: (name) => {
      state.gates.release(name);
    },
    close: () => closeServer(server, state),
  };
}

class ServerState {
  readonly requests: LoggedRequest[] = [];
  readonly gates = new Gates();
  private readonly waiting = new Set<{ look: (request: LoggedRequest) => void; fail: (error: Error) => void }>();

  log(request: LoggedRequest): void {
    this.requests.push(request);
    for (const waiter of this.waiting) waiter.look(request);
  }

  async waitForRequest(fits: (request: LoggedRequest) => boolean): Promise<LoggedRequest> {
    const found = this.requests.find(fits);
    if (found !== undefined) return found;
    return new Promise((resolve, reject) => {
      const waiter = {
        look: (request: LoggedRequest): void => {
          if (!fits(request)) return;
          this.waiting.delete(waiter);
          resolve(request);
        },
        fail: reject,
      };
      this.waiting.add(waiter);
    });
  }

  close(): void {
    const error = new Error(
      `The model server was closed after ${this.requests.length} requests, while a test was waiting for it.`,
    );
    for (const waiter of this.waiting) waiter.fail(error);
    this.waiting.clear();
    this.gates.close(error);
  }
}

async function closeServer(server: Server, state: ServerState): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  state.close();
  await closed;
}

async function answer(state: ServerState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const method = request.method ?? 'GET';
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const route = FORMS.map((form) => form.route(method, path)).find((found) => found !== undefined);
  const raw = await readBody(request);
  const read = readRequest(route, raw);
  const entry: LoggedRequest = { method, path, body: read.body, model: read.model, status: 0, outcome: 'open' };
  response.once('close', () => {
    entry.status = response.statusCode;
    if (entry.outcome === 'open') entry.outcome = response.writableFinished ? 'complete' : 'closedByClient';
  });
  state.log(entry);
  if (route === undefined)
    sendJson(response, 404, { error: { message: `The scripted model server has nothing at ${method} ${path}.` } });
  else if (route.kind === 'fixed') sendJson(response, 200, route.body);
  else if (read.model === undefined) sendJson(response, 400, { error: { message: read.problem } });
  else await playAnswer({ state, entry, response, encoder: route.encode(read.model), request: read.model });
}

interface ReadRequest {
  readonly body: unknown;
  readonly model?: ModelRequest;
  readonly problem?: string;
}

function readRequest(route: Route | undefined, raw: string): ReadRequest {
  let body: unknown;
  try {
    body = raw === '' ? undefined : JSON.parse(raw);
    return route?.kind === 'model' ? { body, model: route.read(body) } : { body };
  } catch (error) {
    if (!(error instanceof BadRequest || error instanceof SyntaxError)) throw error;
    return { body: body ?? raw, problem: error.message };
  }
}

interface Answer {
  readonly state: ServerState;
  readonly entry: LoggedRequest;
  readonly response: ServerResponse;
  readonly encoder: Encoder;
  readonly request: ModelRequest;
}

async function playAnswer(answer: Answer): Promise<void> {
  const { request, response, encoder } = answer;
  const pieces: readonly Piece[] =
    request.auxiliary === undefined
      ? play(request)
      : [{ kind: 'text', text: auxiliaryAnswer(request.auxiliary.schema) }];
  const start = pieces[0];
  if (start?.kind === 'fail') {
    sendJson(response, start.status, encoder.error(start.status, `The script asked for status ${start.status}.`));
    return;
  }
  if (request.stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    await send(response, encoder.begin());
  }
  const spoken: AnswerPiece[] = [];
  for (const piece of pieces) {
    if (!(await playPiece(answer, piece, spoken))) return;
  }
  if (request.stream) response.end(encoder.end());
  else sendJson(response, 200, encoder.whole(spoken));
}

/** Returns false when the response ends here: cut, left hanging, or closed by the client. */
async function playPiece(answer: Answer, piece: Piece, spoken: AnswerPiece[]): Promise<boolean> {
  const { state, entry, response, encoder, request } = answer;
  switch (piece.kind) {
    case 'text':
    case 'thought':
    case 'tool':
      spoken.push(piece);
      return request.stream ? send(response, encoder.piece(piece)) : true;
    case 'pause':
      await Promise.race([state.gates.pass(piece.name), first(response, 'close')]);
      return !response.destroyed;
    case 'drop':
      entry.outcome = 'cut';
      // Data written before must arrive: destroy() discards unsent data.
      await Promise.race([new Promise((resolve) => response.write(': cut\n\n', resolve)), first(response, 'close')]);
      response.destroy();
      return false;
    case 'hang':
    case 'fail':
      return false;
    default:
      return assertNever(piece);
  }
}

/** Resolves at the first of these events, or immediately if the client has disconnected. Removes its listeners. */
async function first(response: ServerResponse, ...events: readonly string[]): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of events) response.off(event, done);
      resolve();
    };
    for (const event of events) response.on(event, done);
  });
}

/** Waits while the client reads more slowly than the server writes. Returns false when the client has disconnected. */
async function send(response: ServerResponse, text: string): Promise<boolean> {
  if (response.destroyed) return false;
  if (!response.write(text)) await first(response, 'drain', 'close');
  return !response.destroyed;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
