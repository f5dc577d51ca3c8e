import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';

export type Json = Readonly<Record<string, unknown>>;

/** One message on the wire. `in` is from the agent to the client; `t` is milliseconds since the agent started. */
export interface WireEntry {
  readonly dir: 'in' | 'out';
  readonly t: number;
  readonly msg: Json;
}

/**
 * Returns the result for a request of the agent.
 * @throws RpcFailure for an error response.
 */
export type RequestHandler = (client: RawClient, method: string, params: Json) => Promise<unknown>;

/** How long an agent may take to exit after the end of its input, then after SIGTERM. */
const EXIT_LIMIT_MS = 10_000;

export class RpcFailure extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * An ACP client independent of Parley: NDJSON over pipes, all messages recorded. It shows what an agent really sends, without
 * Parley's own libraries in between.
 */
export class RawClient {
  readonly wire: WireEntry[] = [];
  /** Lines of stdout that are not JSON. */
  readonly noise: string[] = [];
  stderr = '';
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly pending = new Map<number, { resolve: (result: Json) => void; reject: (error: Error) => void }>();
  private readonly listeners = new Set<(entry: WireEntry) => void>();
  private readonly started = performance.now();
  private readonly handler: RequestHandler;
  private readonly exited: Promise<void>;
  private nextId = 0;
  private rest = '';

  /** `env` is the complete environment except for variables of the agent's definition. */
  constructor(
    agent: AgentDefinition,
    options: { cwd: string; env: Readonly<Record<string, string>>; onRequest: RequestHandler },
  ) {
    this.handler = options.onRequest;
    this.child = spawn(agent.command, agent.args, { cwd: options.cwd, env: { ...options.env, ...agent.env } });
    this.exited = this.untilExit();
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.receive(text);
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  async request(method: string, params: Json): Promise<Json> {
    const id = this.nextId++;
    const answer = new Promise<Json>((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
    });
    this.send({ jsonrpc: '2.0', id, method, params });
    return answer;
  }

  notify(method: string, params: Json): void {
    this.send({ jsonrpc: '2.0', method, params });
  }

  /** Resolves with the first matching message, past or future. */
  async heard(fits: (entry: WireEntry) => boolean): Promise<WireEntry> {
    const known = this.wire.find(fits);
    if (known !== undefined) return known;
    return new Promise((resolve) => {
      const look = (entry: WireEntry): void => {
        if (!fits(entry)) return;
        this.listeners.delete(look);
        resolve(entry);
      };
      this.listeners.add(look);
    });
  }

  /**
   * Closes stdin, which should end the agent, then terminates it.
   * @returns Whether the agent exited by itself.
   */
  async close(): Promise<boolean> {
    this.child.stdin.end();
    const clean = await this.endsInTime();
    if (!clean) {
      this.child.kill('SIGTERM');
      await this.endsInTime();
    }
    return clean;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  private async endsInTime(): Promise<boolean> {
    const abort = new AbortController();
    const late = delay(EXIT_LIMIT_MS, false, { signal: abort.signal }).catch(() => false);
    const ended = await Promise.race([this.exited.then(() => true), late]);
    abort.abort();
    return ended;
  }

  private send(msg: Json): void {
    this.note('out', msg);
    this.child.stdin.write(`${JSON.stringify(msg)}\n`);
  }

  private note(dir: WireEntry['dir'], msg: Json): void {
    const entry = { dir, t: Math.round(performance.now() - this.started), msg };
    this.wire.push(entry);
    for (const listener of this.listeners) listener(entry);
  }

  private receive(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      try {
        this.take(JSON.parse(line) as Json);
      } catch {
        this.noise.push(line);
      }
    }
  }

  private take(msg: Json): void {
    this.note('in', msg);
    if (typeof msg['method'] === 'string') {
      if ('id' in msg) void this.answer(msg['id'], msg['method'], (msg['params'] ?? {}) as Json);
      return;
    }
    const waiter = this.pending.get(msg['id'] as number);
    this.pending.delete(msg['id'] as number);
    if ('error' in msg) waiter?.reject(new Error(JSON.stringify(msg['error'])));
    else waiter?.resolve(msg['result'] as Json);
  }

  private async answer(id: unknown, method: string, params: Json): Promise<void> {
    try {
      this.send({ jsonrpc: '2.0', id, result: await this.handler(this, method, params) });
    } catch (error) {
      const code = error instanceof RpcFailure ? error.code : -32_603;
      this.send({ jsonrpc: '2.0', id, error: { code, message: String(error) } });
    }
  }

  private async untilExit(): Promise<void> {
    await once(this.child, 'exit');
    const { exitCode, signalCode } = this.child;
    this.failAll(new Error(`The agent ended (${exitCode ?? signalCode}). ${this.stderr.slice(-500)}`));
  }

  private failAll(error: Error): void {
    for (const waiter of this.pending.values()) waiter.reject(error);
    this.pending.clear();
  }
}
