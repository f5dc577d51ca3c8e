import type { AnyMessage, Stream } from '@agentclientprotocol/sdk/unstable';
import { delay } from '../../base/async';
import { CanceledError, ParleyError, errorMessage, isCancellation } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { RpcError } from '../../base/jsonRpc';
import { t } from '../../base/l10n';
import { firstLine } from '../../base/text';
import { DENSE_LINE_BYTES, LINE_LIMIT, MAX_VALUES } from '../../node/process/lineLimits';
import { TOO_DEEP, limitDepth, parseBatch } from '../../node/process/ndjson';
import { ValueCounter } from '../../node/process/valueCounter';
import type { RemoteEndpoint } from '../config/agentDefinition';
import { resolveSecrets } from '../config/resolveSecrets';
import type { TrafficRecorder } from '../traffic/trafficRecorder';
import type { ConnectionOptions, RequestOptions, RunningAgent, AgentLaunchEvents } from './agentLaunch';
import type { AgentInfo } from './initialize';
import { LAUNCH_DEADLINES, initializeParams, readInitializeResult } from './initialize';
import { RpcConnection, loadSdk } from './rpcConnection';

/** One open connection. */
interface Line {
  readonly wire: RpcConnection;
  readonly info: AgentInfo;
  /** Settles with the reason when the connection closes. */
  readonly closed: Promise<string>;
  close(): void;
}

/** A remote agent. It survives the end of a connection; a lost connection is restored (I5). */
export class RemoteAgent implements RunningAgent {
  readonly #stopped = new AbortController();
  #headers: Readonly<Record<string, string>> = {};
  #line: Line | undefined;

  constructor(
    private readonly options: ConnectionOptions,
    private readonly remote: RemoteEndpoint,
    private readonly traffic: TrafficRecorder,
    private readonly events: AgentLaunchEvents,
  ) {}

  /**
   * Connects and performs the handshake.
   * @throws ParleyError
   */
  async start(): Promise<AgentInfo> {
    const { definition, secrets } = this.options;
    this.#throwIfStopped();
    this.#headers = await resolveSecrets(definition, this.remote.headers, secrets);
    this.traffic.addSecrets(this.#headers);
    const line = await this.#connect();
    void this.#reconnectUntilStopped(line);
    return line.info;
  }

  request(method: string, params: object, options: RequestOptions): Promise<unknown> {
    return this.#line?.wire.request(method, params, options) ?? Promise.reject(new CanceledError());
  }

  notify(method: string, params: object): void {
    this.#line?.wire.notify(method, params);
  }

  /** Closes the connection; the remote agent keeps running. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#line?.wire.close(new CanceledError(t('{0} was stopped', this.options.definition.title)));
    this.#line?.close();
    this.#line = undefined;
  }

  /**
   * Waits for the end of each connection and opens the next one, until the agent is stopped or all attempts have
   * failed.
   */
  async #reconnectUntilStopped(first: Line): Promise<void> {
    let line: Line | undefined = first;
    while (line) {
      const reason: string = await line.closed;
      if (this.#stopped.signal.aborted) return;
      // Messages received before the end take effect first.
      await line.wire.dispatcher.whenIdle();
      line.wire.close(this.#connectionLostError(reason, t('Parley reconnects automatically.')));
      line.close();
      this.#line = undefined;
      line = await this.#reconnect(reason);
      if (line) this.events.onDidReconnect(line.info);
    }
  }

  #reconnect(reason: string): Promise<Line | undefined> {
    return reconnectRemote(this.options, reason, {
      stopped: this.#stopped.signal,
      connect: () => this.#connect(),
      onWillAttempt: (attempt) => this.events.onDidLoseConnection(attempt),
      onDidGiveUp: (why) => this.events.onDidEnd({ status: 'failed', error: this.#connectionLostError(why) }),
    });
  }

  async #connect(): Promise<Line> {
    const sdk = await loadSdk();
    const stream = await openRemoteStream(this.remote, this.#headers);
    this.#throwIfStopped();
    const writer = stream.writable.getWriter();
    const reader = stream.readable.getReader();
    const wire = new RpcConnection(sdk, this.options, this.events, this.traffic.redactor, (message, line) =>
      this.#write(writer, message, line),
    );
    const close = (): void => {
      reader.cancel().catch(() => undefined);
      writer.abort().catch(() => undefined);
    };
    const closed = this.#read(reader, wire);
    const stop = (): void => close();
    this.#stopped.signal.addEventListener('abort', stop, { once: true });
    try {
      const info = await this.#initialize(wire, closed);
      this.#line = { wire, info, closed, close };
      return this.#line;
    } catch (error) {
      wire.close(new CanceledError());
      close();
      throw error;
    } finally {
      this.#stopped.signal.removeEventListener('abort', stop);
    }
  }

  /** Resolves with the reason of the end. */
  async #read(reader: ReadableStreamDefaultReader<AnyMessage>, wire: RpcConnection): Promise<string> {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return t('the connection was closed');
        if (limitDepth(value)) this.options.log.warn('wire', `Shortened a message from the agent: ${TOO_DEEP}`);
        this.traffic.message('in', value, JSON.stringify(value));
        wire.dispatcher.receive(value);
      }
    } catch (error) {
      return firstLine(errorMessage(error));
    }
  }

  async #write(
    writer: WritableStreamDefaultWriter<AnyMessage>,
    message: JsonObject,
    line: string,
  ): Promise<Error | undefined> {
    this.traffic.message('out', message, line);
    try {
      await writer.write(message as unknown as AnyMessage);
      return undefined;
    } catch (error) {
      return this.#connectionLostError(errorMessage(error));
    }
  }

  async #initialize(wire: RpcConnection, closed: Promise<string>): Promise<AgentInfo> {
    const { definition, clientInfo, features, deadlines } = this.options;
    const { initialize } = { ...LAUNCH_DEADLINES, ...deadlines };
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), initialize);
    const ended = closed.then((reason) => {
      throw this.#unreachable(reason);
    });
    try {
      const answer = wire.request('initialize', initializeParams(clientInfo, features), { signal: deadline.signal });
      return readInitializeResult(definition, await Promise.race([answer, ended]));
    } catch (error) {
      if (this.#stopped.signal.aborted) throw new CanceledError();
      if (deadline.signal.aborted)
        throw this.#unreachable(t('no response within {0} seconds', Math.round(initialize / 1000)));
      if (error instanceof RpcError) throw this.#unreachable(error.message);
      throw error;
    } finally {
      clearTimeout(timer);
      ended.catch(() => undefined);
    }
  }

  #unreachable(reason: string): ParleyError {
    const { title, name } = this.options.definition;
    return new ParleyError(
      'agentNotFound',
      t('Could not connect to {0} at {1}: {2}', title, this.remote.url, firstLine(reason)),
      {
        nextStep: t(
          'Check that the agent is running and that "url" and "headers" of "{0}" in the setting parley.agents are correct.',
          name,
        ),
      },
    );
  }

  #connectionLostError(reason: string, nextStep = t('Restart the agent.')): ParleyError {
    const sentence = t('The connection to {0} was lost', this.options.definition.title);
    return new ParleyError('agentExited', sentence, { nextStep, detail: firstLine(reason) });
  }

  #throwIfStopped(): void {
    if (this.#stopped.signal.aborted) throw new CanceledError();
  }
}

const HANDSHAKE_TIMEOUT_MS = 30_000;

/** Opens a connection by the SDK's transports, which are loaded with the first remote agent. */
async function openRemoteStream(
  { type, url }: RemoteEndpoint,
  headers: Readonly<Record<string, string>>,
): Promise<Stream> {
  if (type === 'ws') return openSocket(url, headers);
  const { createHttpStream } = await import('@agentclientprotocol/sdk/experimental/http-client');
  // A redirect would send the headers, and the secrets in them, to another host.
  const noRedirect: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' }).then(withSplitBatches);
  return createHttpStream(url, { headers: { ...headers }, fetch: noRedirect, maxMessageBytes: LINE_LIMIT });
}

/** Uses the package `ws`: Node's own WebSocket takes no headers, and Node 20 has none. */
async function openSocket(url: string, headers: Readonly<Record<string, string>>): Promise<Stream> {
  const [{ createWebSocketStream }, { WebSocket }] = await Promise.all([
    import('@agentclientprotocol/sdk/experimental/ws-client'),
    import('ws'),
  ]);
  class LimitedSocket extends WebSocket {
    constructor(url: string, protocols?: string | string[], options?: { headers?: Record<string, string> }) {
      super(url, protocols, { ...options, maxPayload: LINE_LIMIT, handshakeTimeout: HANDSHAKE_TIMEOUT_MS });
    }

    override emit(event: string | symbol, ...args: unknown[]): boolean {
      const [data] = args;
      if (event !== 'message' || !Buffer.isBuffer(data)) return super.emit(event, ...args);
      if (hasManyValues(data)) {
        this.terminate();
        return super.emit('error', tooManyValues());
      }
      const isBatch = data.toString('latin1', 0, 64).trimStart().startsWith('[');
      const messages = isBatch ? splitBatch(data.toString()) : undefined;
      if (!messages) return super.emit(event, ...args);
      for (const message of messages) super.emit('message', Buffer.from(message), false);
      return true;
    }
  }
  return createWebSocketStream(url, {
    headers: { ...headers },
    WebSocket: LimitedSocket as unknown as NonNullable<Parameters<typeof createWebSocketStream>[1]>['WebSocket'] & {},
  });
}

/** Milliseconds before each attempt to reconnect; after the last attempt the agent counts as ended. */
const RECONNECT_DELAYS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];

/** What {@link reconnectRemote} needs of the remote agent. */
interface ReconnectTarget<Line> {
  readonly stopped: AbortSignal;
  connect(): Promise<Line>;
  /** Before each attempt; counts from 1. */
  onWillAttempt(attempt: number): void;
  /** All attempts have failed. */
  onDidGiveUp(reason: string): void;
}

/**
 * Opens the lost connection to a remote agent again (I5). Undefined when the agent was stopped or all attempts have failed.
 * @param reason why the connection was lost
 */
async function reconnectRemote<Line>(
  { definition, log, reconnectDelays = RECONNECT_DELAYS }: ConnectionOptions,
  reason: string,
  target: ReconnectTarget<Line>,
): Promise<Line | undefined> {
  let why = reason;
  for (const [index, ms] of reconnectDelays.entries()) {
    log.warn('agent', `Scheduled a reconnect to ${definition.title} in ${ms} ms: ${why}`);
    target.onWillAttempt(index + 1);
    try {
      await delay(ms, target.stopped);
      return await target.connect();
    } catch (error) {
      if (target.stopped.aborted || isCancellation(error)) return undefined;
      why = errorMessage(error);
    }
  }
  target.onDidGiveUp(why);
  return undefined;
}

/** The SDK's transports skip JSON-RPC batches, and an unread request would wait forever. */

/** The messages of a batch as JSON; undefined for any other text. */
function splitBatch(text: string): readonly string[] | undefined {
  return parseBatch(text)?.map((message) => {
    // A deeper one cannot be written as JSON.
    limitDepth(message);
    return JSON.stringify(message);
  });
}

/**
 * In an event stream, each message of a batch becomes an event of its own. A message of too many values ends the stream: reading it would
 * block the extension host.
 */
function withSplitBatches(response: Response): Response {
  if (!response.body) return response;
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const body = response.body
    .pipeThrough<string>(new TextDecoderStream())
    .pipeThrough(new TransformStream(isEvents ? new EventSplitter() : new BodyGuard()))
    .pipeThrough(new TextEncoderStream());
  return Object.defineProperty(response, 'body', { value: body });
}

function tooManyValues(): Error {
  return new Error(t('a message has more than {0} values', MAX_VALUES));
}

function hasManyValues(message: Uint8Array): boolean {
  if (message.length <= DENSE_LINE_BYTES) return false;
  const values = new ValueCounter();
  values.push(message);
  return values.count > MAX_VALUES;
}

/** @throws Error for too many values */
function count(values: ValueCounter, text: string): void {
  values.push(Buffer.from(text));
  if (values.count > MAX_VALUES) throw tooManyValues();
}

/** A body that is one message. */
class BodyGuard implements Transformer<string, string> {
  readonly #values = new ValueCounter();

  transform(chunk: string, controller: TransformStreamDefaultController<string>): void {
    count(this.#values, chunk);
    controller.enqueue(chunk);
  }
}

/** Holds back unfinished lines. */
class EventSplitter implements Transformer<string, string> {
  #line = '';
  /** Of the current event, whose data may stand on many lines. */
  #values = new ValueCounter();
  /** A line feed belongs to the return before it. */
  #isAfterReturn = false;

  transform(chunk: string, controller: TransformStreamDefaultController<string>): void {
    this.#line += chunk;
    const end = Math.max(chunk.lastIndexOf('\n'), chunk.lastIndexOf('\r'));
    if (end < 0 && this.#line.length < LINE_LIMIT) return;
    const next = this.#line.length - chunk.length + end + 1;
    controller.enqueue(this.#split(this.#line.slice(0, next)));
    this.#line = this.#line.slice(next);
  }

  flush(controller: TransformStreamDefaultController<string>): void {
    controller.enqueue(this.#split(this.#line));
  }

  #split(lines: string): string {
    const all = lines.slice(this.#isAfterReturn && lines.startsWith('\n') ? 1 : 0).split(/\r\n|\r|\n/);
    this.#isAfterReturn = lines.endsWith('\r');
    // The last line has ended.
    if (all.at(-1) === '') all.pop();
    for (const each of all) {
      // The SDK ignores a byte order mark at the start of each line.
      const line = each.replace(/^\uFEFF/, '');
      if (line === '') this.#values = new ValueCounter();
      else if (line.startsWith('data:')) count(this.#values, line.slice(5).trimStart());
    }
    return splitEvents(lines);
  }
}

/** @param lines of an event stream */
function splitEvents(lines: string): string {
  return lines.replaceAll(/(?<=^|[\r\n])data: ?(\[[^\r\n]*)/g, (line: string, text: string) => {
    const messages = splitBatch(text);
    return messages ? messages.map((message) => `data: ${message}`).join('\n\n') : line;
  });
}
