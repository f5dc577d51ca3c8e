import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientFeature, RequestHandler } from '../../../src/agent/clientFeature';
import { AgentConnection } from '../../../src/agent/connection/agentConnection';
import type { AgentState, ConnectionOptions } from '../../../src/agent/connection/agentLaunch';
import { createDeferred } from '../../../src/base/async';
import type { JsonObject } from '../../../src/base/json';
import type { Logger } from '../../../src/base/logger';
import { fakeAgent } from '../../fakeAgent/definition';

/** A log that tests can inspect. */
export class RecordingLog implements Logger {
  readonly lines: string[] = [];
  trace(tag: string, message: string): void {
    this.lines.push(`trace ${tag} ${message}`);
  }
  info(tag: string, message: string): void {
    this.lines.push(`info ${tag} ${message}`);
  }
  warn(tag: string, message: string): void {
    this.lines.push(`warn ${tag} ${message}`);
  }
  error(tag: string, message: string): void {
    this.lines.push(`error ${tag} ${message}`);
  }
}

export interface BenchOptions {
  readonly env?: Record<string, string>;
  readonly features?: readonly ClientFeature[];
  readonly deadlines?: ConnectionOptions['deadlines'];
  readonly definition?: ConnectionOptions['definition'];
}

/** A connection to a real fake agent process; records all events in the order in which they took effect. */
export class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'parley-agent-'));
  readonly log = new RecordingLog();
  readonly updates: JsonObject[] = [];
  readonly states: AgentState[] = [];
  readonly events: string[] = [];
  readonly connection: AgentConnection;
  readonly #logFile = join(this.folder, 'received.jsonl');
  sessionId = '';

  constructor(options: BenchOptions = {}) {
    this.connection = new AgentConnection({
      definition: options.definition ?? fakeAgent({ FAKE_LOG: this.#logFile, ...options.env }),
      cwd: this.folder,
      clientInfo: { name: 'parley', title: 'Parley', version: '0.0.0' },
      features: options.features ?? [],
      log: this.log,
      ...(options.deadlines ? { deadlines: options.deadlines } : {}),
      onUpdate: (_, update) => this.#onUpdate(update),
    });
    this.connection.onDidChangeState((state) => this.states.push(state));
  }

  async open(): Promise<this> {
    await this.connection.start();
    const params = { cwd: this.folder, mcpServers: [] };
    const result = (await this.connection.request('session/new', params)) as { sessionId: string };
    this.sessionId = result.sessionId;
    return this;
  }

  /** Runs a script as one prompt turn. */
  prompt(...script: string[]): Promise<unknown> {
    const params = { sessionId: this.sessionId, prompt: [{ type: 'text', text: script.join('\n') }] };
    return this.connection.request('session/prompt', params, {
      onSettled: (outcome) => this.events.push('error' in outcome ? `error: ${outcome.error.message}` : 'response'),
    });
  }

  /** All answer text so far. */
  get text(): string {
    return this.updates.map((update) => (update['content'] as { text?: string } | undefined)?.text ?? '').join('');
  }

  /** The messages that the agent received, as it reports them. */
  received(): JsonObject[] {
    const lines = readFileSync(this.#logFile, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as JsonObject);
  }

  /** Resolves when the connection is in this state. */
  reaches(status: AgentState['status']): Promise<AgentState> {
    if (this.connection.state.status === status) return Promise.resolve(this.connection.state);
    const reached = createDeferred<AgentState>();
    const listener = this.connection.onDidChangeState((state) => {
      if (state.status !== status) return;
      listener.dispose();
      reached.resolve(state);
    });
    return reached.promise;
  }

  async close(): Promise<void> {
    await this.connection.stop();
    this.connection.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #onUpdate(update: JsonObject): void {
    this.updates.push(update);
    const text = (update['content'] as { text?: string } | undefined)?.text;
    this.events.push(`update ${(text ?? String(update['sessionUpdate'])).trim()}`);
  }
}

/** A feature with one handler. */
export function feature(
  method: string,
  handle: RequestHandler['handle'],
  parse: RequestHandler['parse'] = (params) => params,
): ClientFeature {
  return { capabilities: {}, handlers: [{ method, parse, handle }] };
}

/** Whether a process is running; a zombie is not. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
