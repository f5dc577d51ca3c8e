import type { AgentDefinition } from '../../../agent/config/agentDefinition';
import { AgentProcess } from '../../../agent/process/agentProcess';
import { planLaunch } from '../../../agent/process/launchPlan';
import type { TrafficRecorder } from '../../../agent/traffic/trafficRecorder';
import type { Clock } from '../../../base/clock';
import { errorMessage } from '../../../base/errors';
import { asObject, parseJson } from '../../../base/json';
import { t } from '../../../base/l10n';
import type { Disposable } from '../../../base/lifecycle';
import type { Logger } from '../../../base/logger';
import { END_DEADLINES } from '../../../node/process/endProcess';
import { NdjsonDecoder, parseBatch } from '../../../node/process/ndjson';
import { StderrBuffer } from '../../../node/process/stderrBuffer';
import type { StdioStart } from '../config/serverDefinition';
import { InboundLimits, LIMITS } from './inboundLimits';

/** The header of each message in the Language Server Protocol, and what a server says on stderr that misses it. */
const FRAMED = /^content-length:\s*\d+\s*$/i;
const UNFRAMED = /(?:missing|provide|expected|no) (?:an? |the )?["'`]?content-length/i;

/** Milliseconds without an answer to the first message before the user is told what may be wrong. */
const SILENT_AFTER_MS = 5_000;

/**
 * An MCP server as a child process, one JSON message per line. Its process tree is started and ended like an agent's; input is limited
 * before it is parsed.
 */
export class StdioTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: never) => void;
  readonly #stderr: StderrBuffer;
  #process: AgentProcess | undefined;
  /** The server does not speak MCP as it is: starting it again changes nothing. */
  isUnusable = false;
  #isClosed = false;
  #hasMessage = false;
  /** Runs from the first message to its answer. */
  #silence: Disposable | undefined;

  /** @param folder absolute; where it runs without a `cwd` */
  constructor(
    private readonly name: string,
    private readonly launch: StdioStart,
    private readonly folder: string,
    private readonly log: Logger,
    private readonly clock: Clock,
    private readonly onSilent: () => void,
    private readonly traffic?: TrafficRecorder,
  ) {
    this.#stderr = new StderrBuffer((line) => {
      log.trace('mcp', `${name}: ${line}`);
      traffic?.stderr(line);
      if (!this.#hasMessage && !this.#isClosed && UNFRAMED.test(line)) this.#refuseFraming();
    });
  }

  /** The last lines of stderr. */
  get tail(): string {
    this.#stderr.end();
    return this.#stderr.tail();
  }

  /** @throws ParleyError `agentNotFound` when it cannot be started */
  async start(): Promise<void> {
    const { log } = this;
    const definition = this.#definition();
    const process = await AgentProcess.start(
      await planLaunch(definition, definition.cwd ?? this.folder, log),
      definition,
      log,
    );
    this.#process = process;
    const guard = new InboundLimits('line', this.clock);
    const lines = new NdjsonDecoder(
      (line) => this.#line(line),
      () => undefined,
      LIMITS.message,
    );
    process.onStdout((chunk) => {
      if (this.#isClosed) return;
      const problem = guard.check(chunk);
      if (problem === undefined) lines.push(chunk);
      else this.#refuse(problem);
    });
    process.onStderr((chunk) => this.#stderr.push(chunk));
    void process.drained.then(({ code, signal }) => this.#handleEnd(signal ?? exitWord(code)));
    if (this.#isClosed) await process.end(END_DEADLINES);
  }

  async send(message: unknown): Promise<void> {
    if (!this.#process || this.#isClosed) throw new Error(t('The server is not running'));
    this.#silence ??= this.clock.after(SILENT_AFTER_MS, this.onSilent);
    const error = await this.#process.write(JSON.stringify(message));
    if (error) throw error;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#silence?.dispose();
    await this.#process?.end(END_DEADLINES);
    this.#notifyClosed();
  }

  #definition(): AgentDefinition {
    const { name } = this;
    const { command, args, env, cwd } = this.launch;
    return {
      name,
      title: t('the MCP server “{0}”', name),
      description: '',
      command,
      args,
      env,
      ...(cwd !== undefined && { cwd }),
    };
  }

  /** Servers also print other text to stdout; lines that are not JSON-RPC messages are logged. */
  #line(line: string): void {
    const message = asObject(parseJson(line));
    const messages = message ? [message] : parseBatch(line);
    if (!messages) this.traffic?.invalidLine(line);
    for (const each of messages ?? []) this.onmessage?.(each as never);
    this.#hasMessage ||= messages !== undefined;
    if (this.#hasMessage) this.#silence?.dispose();
    if (!this.#hasMessage && FRAMED.test(line)) this.#refuseFraming();
    else if (!messages) this.log.trace('mcp', `${this.name} wrote a line that is not a message: ${line.slice(0, 200)}`);
  }

  #refuseFraming(): void {
    this.isUnusable = true;
    this.#refuse(t('the server frames its messages by Content-Length; MCP over stdio has one message in each line'));
  }

  #refuse(problem: string): void {
    const { log, name } = this;
    log.warn('mcp', `${name} was ended: ${problem}`);
    this.onerror?.(new Error(problem));
    this.close().catch((error: unknown) => log.warn('mcp', `Failed to close ${name}: ${errorMessage(error)}`));
  }

  #handleEnd(how: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#silence?.dispose();
    this.onerror?.(new Error(t('the server exited ({0})', how)));
    // Ends the process tree.
    void this.#process?.end(END_DEADLINES);
    this.#notifyClosed();
  }

  #notifyClosed(): void {
    const { onclose } = this;
    delete this.onclose;
    onclose?.();
  }
}

function exitWord(code: number | null | undefined): string {
  return code === null || code === undefined ? t('code unknown') : t('code {0}', code);
}
