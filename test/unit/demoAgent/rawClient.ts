import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { JsonObject } from '../../../src/base/json';
import { asNumber, asObject, asString } from '../../../src/base/json';
import type { RpcError } from '../../../src/base/jsonRpc';
import { RpcError as RpcFailure } from '../../../src/base/jsonRpc';
import { checkParams, checkResult } from './schema';
import type { LogEntry } from './transcript';

/** One message of the agent. */
export interface Received {
  readonly id?: unknown;
  readonly method?: string;
  readonly params: JsonObject;
  readonly result?: unknown;
}

/** Returns the result for a request of the agent; `undefined` delays the response. */
export type Answer = (params: JsonObject, request: Received) => unknown;

export const everything = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {} },
};

/** A pending wait for a message that passes a test. */
interface Waiter {
  readonly wanted: (message: Received) => boolean;
  readonly found: (message: Received) => void;
  readonly lost: (error: Error) => void;
}

/** A raw NDJSON client: records all messages of the agent in order, and validates them against the schema. */
export class RawClient {
  readonly received: Received[] = [];
  /** What the client noted, and what the agent sent since its first session was opened. */
  readonly log: LogEntry[] = [];
  readonly answers: Record<string, Answer> = {};
  readonly problems: Error[] = [];
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  stderr = '';
  #nextId = 0;
  #waiters: Waiter[] = [];
  readonly #requests = new Map<number, { method: string; resolve(value: unknown): void; reject(error: Error): void }>();

  constructor(bundle: string, env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [bundle], {
      // Node may print lines about options to stderr, which tests read.
      env: { ...process.env, NODE_OPTIONS: '', ELECTRON_RUN_AS_NODE: '1', PARLEY_DEMO_PACE: '0', ...env },
    });
    this.child.stderr.on('data', (data: Buffer) => (this.stderr += data.toString()));
    this.child.stdin.on('error', () => undefined);
    createInterface({ input: this.child.stdout }).on('line', (line) => this.#receive(line));
    this.exited = once(this.child, 'close').then(([code, signal]) => {
      const error = new Error(`the agent ended with ${String(code ?? signal)}\n${this.stderr}`);
      for (const waiter of this.#waiters) waiter.lost(error);
      for (const request of this.#requests.values()) request.reject(error);
      return { code: code as number | null, signal: signal as string | null };
    });
  }

  async initialize(clientCapabilities: object = everything): Promise<JsonObject> {
    return asObject(await this.request('initialize', { protocolVersion: 1, clientCapabilities }))!;
  }

  async newSession(cwd: string, mcpServers: readonly object[] = []): Promise<string> {
    const answer = asObject(await this.request('session/new', { cwd, mcpServers }));
    const id = asString(answer?.['sessionId'])!;
    await this.untilUpdate('available_commands_update', id);
    return id;
  }

  async prompt(sessionId: string, text: string): Promise<unknown> {
    const answer = await this.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
    return asObject(answer)?.['stopReason'];
  }

  /** Sends a prompt, with notes of it and of the end of its turn. */
  async play(sessionId: string, text: string): Promise<void> {
    this.note(`> ${text.replaceAll('\n', '⏎')}`);
    await this.prompt(sessionId, text).catch(() => undefined);
  }

  note(text: string): void {
    this.log.push(text);
  }

  cancel(sessionId: string): void {
    this.note('> (cancel)');
    this.write({ method: 'session/cancel', params: { sessionId } });
  }

  request(method: string, params: object): Promise<unknown> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#requests.set(id, { method, resolve, reject });
      this.write({ id, method, params });
    });
  }

  respond(request: Received, result: unknown): void {
    this.write({ id: request.id, result });
  }

  write(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** The first message that passes, already received or future. */
  until(wanted: (message: Received) => boolean): Promise<Received> {
    const here = this.received.find(wanted);
    if (here) return Promise.resolve(here);
    return new Promise((found, lost) => this.#waiters.push({ wanted, found, lost }));
  }

  untilMethod(method: string): Promise<Received> {
    return this.until((message) => message.method === method);
  }

  /** @param sessionId default: of any session */
  untilUpdate(kind: string, sessionId?: string): Promise<Received> {
    return this.until(
      ({ params }) =>
        asObject(params['update'])?.['sessionUpdate'] === kind &&
        (sessionId === undefined || params['sessionId'] === sessionId),
    );
  }

  /** The updates of a kind in a session, in order. */
  updates(sessionId: string, kind: string): JsonObject[] {
    return this.received
      .filter(({ method, params }) => method === 'session/update' && params['sessionId'] === sessionId)
      .map(({ params }) => asObject(params['update'])!)
      .filter((update) => update['sessionUpdate'] === kind);
  }

  /** The agent's message text in a session, all turns together. */
  text(sessionId: string): string {
    return this.updates(sessionId, 'agent_message_chunk')
      .map((update) => asString(asObject(update['content'])?.['text']))
      .join('');
  }

  /** Closes stdin and waits for the end of the process. */
  async end(): Promise<{ code: number | null; signal: string | null }> {
    this.child.stdin.end();
    return this.exited;
  }

  #receive(line: string): void {
    const raw = asObject(JSON.parse(line))!;
    const message: Received = { ...raw, params: asObject(raw['params']) ?? {} };
    this.received.push(message);
    this.log.push(message);
    try {
      if (message.method === undefined) this.#settle(raw);
      else checkParams(message.method, raw['params']);
    } catch (error) {
      this.problems.push(error as Error);
    }
    if (message.method !== undefined && 'id' in raw) void this.#answer(message);
    const ready = this.#waiters.filter(({ wanted }) => wanted(message));
    this.#waiters = this.#waiters.filter((waiter) => !ready.includes(waiter));
    for (const { found } of ready) found(message);
  }

  #settle(raw: JsonObject): void {
    const id = asNumber(raw['id'])!;
    const request = this.#requests.get(id)!;
    this.#requests.delete(id);
    const error = asObject(raw['error']);
    if (request.method === 'session/prompt')
      this.note(`= ${error ? JSON.stringify(error) : String(asObject(raw['result'])?.['stopReason'])}`);
    if (error) {
      request.reject(new RpcFailure(asNumber(error['code'])!, asString(error['message'])!, error['data']));
      return;
    }
    request.resolve(raw['result']);
    checkResult(request.method, raw['result']);
  }

  async #answer(request: Received): Promise<void> {
    try {
      const result = await this.answers[request.method!]?.(request.params, request);
      if (result !== undefined) this.respond(request, result);
    } catch (error) {
      const { code, message } = error as RpcError;
      this.write({ id: request.id, error: { code, message } });
    }
  }
}
