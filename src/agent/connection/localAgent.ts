import { createDeferred, settlesWithin } from '../../base/async';
import { CanceledError, ParleyError, errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asString } from '../../base/json';
import { RpcError } from '../../base/jsonRpc';
import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import { DENSE_LINE_BYTES, LINE_LIMIT, MAX_VALUES } from '../../node/process/lineLimits';
import {
  TOO_DEEP,
  limitDepth,
  NdjsonDecoder,
  messageAfterUnfinished,
  parseBatch,
  parseMessage,
} from '../../node/process/ndjson';
import type { OversizedLine } from '../../node/process/ndjson';
import { StderrBuffer } from '../../node/process/stderrBuffer';
import type { AgentDefinition } from '../config/agentDefinition';
import { resolveSecrets } from '../config/resolveSecrets';
import type { Exit } from '../process/agentProcess';
import { AgentProcess } from '../process/agentProcess';
import { explainExit, explainNoResponse } from '../process/launchDiagnostics';
import type { LaunchPlan } from '../process/launchPlan';
import { planLaunch } from '../process/launchPlan';
import { startFolder } from '../process/startFolder';
import type { TrafficRecorder } from '../traffic/trafficRecorder';
import type { ConnectionOptions, RequestOptions, RunningAgent, AgentLaunchEvents } from './agentLaunch';
import type { AgentInfo, LaunchDeadlines } from './initialize';
import { LAUNCH_DEADLINES, initializeParams, readInitializeResult } from './initialize';
import { recoverMessageIds } from './recoverMessageIds';
import { RepeatedMessage } from './repeatedMessage';
import { RpcConnection, loadSdk } from './rpcConnection';

const MIB = 1024 * 1024;
const tooLong = t('is longer than {0} MiB', LINE_LIMIT / MIB);
const tooDense = t('is longer than {0} MiB with more than {1} values', DENSE_LINE_BYTES / MIB, MAX_VALUES);

/** One launch of a local agent, from the start of its process to its end. */
export class LocalAgent implements RunningAgent {
  readonly #deadlines: LaunchDeadlines;
  readonly #stderr: StderrBuffer;
  readonly #lines: NdjsonDecoder;
  readonly #repeated = new RepeatedMessage();
  readonly #stopped = new AbortController();
  #lastNoise = '';
  #hasSentBatch = false;
  /** Set after the answer to `initialize`: later failures are not installation problems. */
  #hasAnswered = false;
  readonly #over = createDeferred<void>();
  #launching: Promise<AgentProcess> | undefined;
  #wire: RpcConnection | undefined;

  constructor(
    private readonly options: ConnectionOptions,
    private readonly traffic: TrafficRecorder,
    private readonly events: AgentLaunchEvents,
  ) {
    this.#deadlines = { ...LAUNCH_DEADLINES, ...options.deadlines };
    this.#stderr = new StderrBuffer((line) => this.#onStderrLine(line));
    this.#lines = new NdjsonDecoder(
      (line) => this.#onLine(line),
      (line) => this.#onCutLine(line),
      undefined,
      () => options.log.error('wire', `Skipped a line from ${options.definition.title}: it is too long`),
      (line) => this.#onBytes(line),
    );
  }

  /**
   * Starts the process and performs the handshake.
   * @throws ParleyError after ending the process, or while it ends
   */
  async start(): Promise<AgentInfo> {
    const { log } = this.options;
    this.#throwIfStopped();
    const definition = await this.#withSecrets();
    this.#throwIfStopped();
    const sdk = loadSdk();
    const [plan] = await Promise.all([this.#plan(definition), sdk]);
    this.#throwIfStopped();
    this.#launching = AgentProcess.start(plan, definition, log);
    const process = await this.#launching;
    this.#wire = new RpcConnection(await sdk, this.options, this.events, this.traffic.redactor, (message, line) =>
      this.#write(process, message, line),
    );
    this.#listen(process);
    this.#throwIfStopped();
    const info = this.#initialize(this.#wire);
    for (const feature of this.options.features) feature.onDidLaunch?.();
    return info;
  }

  async #plan(definition: AgentDefinition): Promise<LaunchPlan> {
    const { cwd, log, startFolders } = this.options;
    if (!startFolders) return planLaunch(definition, definition.cwd ?? cwd, log);
    const folder = await startFolder(definition, cwd, startFolders);
    const isExcluded = async (path: string): Promise<boolean> =>
      !startFolders.isTrusted() && (await startFolders.isInWorkspace(path));
    return planLaunch(definition, folder, log, isExcluded);
  }

  async #withSecrets(): Promise<AgentDefinition> {
    const { definition, secrets } = this.options;
    const env = await resolveSecrets(definition, definition.env, secrets);
    if (env !== definition.env) this.traffic.addSecrets(env);
    return { ...definition, env };
  }

  request(method: string, params: object, options: RequestOptions): Promise<unknown> {
    return this.#wire?.request(method, params, options) ?? Promise.reject(new CanceledError());
  }

  notify(method: string, params: object): void {
    this.#wire?.notify(method, params);
  }

  /** Ends the process and its child processes; pending requests reject with CanceledError. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#wire?.close(new CanceledError(t('{0} was stopped', this.options.definition.title)));
    const process = await this.#launching?.catch(() => undefined);
    await process?.end(this.#deadlines);
  }

  #listen(process: AgentProcess): void {
    process.onStdout((chunk) => this.#lines.push(chunk));
    process.onStderr((chunk) => this.#stderr.push(chunk));
    void process.drained.then((exit) => this.#onExit(process, exit));
    void this.#endWhenSilent(process);
  }

  /** An agent that has closed its stdout can send nothing more. */
  async #endWhenSilent(process: AgentProcess): Promise<void> {
    await process.outputEnded;
    if (await settlesWithin(process.drained, this.#deadlines.silentExit)) return;
    this.options.log.warn('agent', `${this.options.definition.title} closed its output but kept running; ended it`);
    await process.end(this.#deadlines);
  }

  async #initialize(wire: RpcConnection): Promise<AgentInfo> {
    const { definition, clientInfo, features } = this.options;
    const deadline = new AbortController();
    const timers = [
      setTimeout(() => this.#reportSlow(), this.#deadlines.slow),
      setTimeout(() => deadline.abort(), this.#deadlines.initialize),
    ];
    try {
      const result = await wire.request('initialize', initializeParams(clientInfo, features), deadline);
      this.#hasAnswered = true;
      return readInitializeResult(definition, result);
    } catch (error) {
      void this.stop();
      if (deadline.signal.aborted) throw this.#noAnswer();
      throw error instanceof RpcError ? this.#refusalError(error) : error;
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }

  #onCutLine(line: OversizedLine): void {
    const { title } = this.options.definition;
    this.traffic.recordOversized('in', line);
    const cut = recoverMessageIds(line);
    this.options.log.error('wire', `Skipped a line of ${line.bytes} bytes from ${title}`, cut);
    if (cut)
      this.#wire?.refuse(
        cut,
        `A message of ${line.bytes} bytes from ${title} ${line.isDense ? tooDense : tooLong} and was left out`,
      );
  }

  #onBytes(line: Uint8Array): boolean {
    const repeated = this.#repeated.read(line);
    if (!repeated) return false;
    this.traffic.repeated(repeated.before, repeated.message, line);
    this.#wire?.dispatcher.receive(repeated.message);
    return true;
  }

  #onLine(line: string): void {
    const whole = parseMessage(line);
    const message = whole ?? messageAfterUnfinished(line);
    if (message) {
      if (!whole) this.options.log.warn('wire', `Skipped an unfinished message: ${truncate(line, 1_000)}`);
      return this.#receive(message, line);
    }
    const batch = parseBatch(line);
    if (batch) {
      const log = this.#hasSentBatch ? undefined : this.options.log;
      log?.info('wire', `Received a batch of ${batch.length} messages, which ACP does not have`);
      this.#hasSentBatch = true;
      for (const each of batch) this.#receive(each);
      return;
    }
    if (line.trim() === '') return;
    this.#lastNoise = truncate(line, 200);
    this.traffic.invalidLine(line);
    this.options.log.warn('wire', `Received an invalid line: ${truncate(line, 1_000)}`);
  }

  #receive(message: JsonObject, line?: string): void {
    if (limitDepth(message))
      this.options.log.warn('wire', `Shortened a message from ${this.options.definition.title}: ${TOO_DEEP}`);
    // A message of a batch has no line of its own; one that is nested too deeply cannot be written as JSON.
    this.traffic.message('in', message, line ?? JSON.stringify(message));
    if (line !== undefined) this.#repeated.record(message);
    this.#wire?.dispatcher.receive(message);
  }

  /** The end of the agent's stderr, without secrets, for messages and transcripts. */
  #stderrTail(lines?: number): string {
    return this.traffic.redactor.redact(this.#stderr.tail(lines));
  }

  #onStderrLine(line: string): void {
    this.traffic.stderr(line);
    this.options.log.info('stderr', line);
  }

  async #write(process: AgentProcess, message: JsonObject, line: string): Promise<Error | undefined> {
    this.traffic.message('out', message, line);
    const error = await process.write(line);
    if (!error) return undefined;
    // The pipe usually breaks because the agent is exiting; its exit status explains more than EPIPE.
    await settlesWithin(this.#over.promise, this.#deadlines.silentExit);
    const method = asString(message['method']) ?? t('a response');
    return this.#endedError(
      t('{0} stopped reading input ({1}: {2})', this.options.definition.title, method, errorMessage(error)),
    );
  }

  async #onExit(process: AgentProcess, exit: Exit): Promise<void> {
    this.#lines.end();
    this.#stderr.end();
    await this.#wire?.dispatcher.whenIdle();
    // Also ends processes that the agent has left in its process group.
    void process.end(this.#deadlines);
    if (!this.#stopped.signal.aborted) this.#reportExit(exit);
    this.#over.resolve();
  }

  #reportExit(exit: Exit): void {
    const how = exit.signal ? t('signal {0}', exit.signal) : t('exit code {0}', exit.code ?? '?');
    const error = this.#endedError(t('{0} stopped unexpectedly ({1})', this.options.definition.title, how));
    this.options.log.error('agent', error.message);
    this.#wire?.close(error);
    this.events.onDidEnd({ status: 'exited', ...exit, stderr: this.#stderrTail() });
  }

  #endedError(message: string): ParleyError {
    const output = `${this.#stderrTail(60)}\n${this.#lastNoise}`;
    const advice = this.#hasAnswered ? undefined : explainExit(this.options.definition, output);
    const detail = this.#hasAnswered ? this.#stderrTail() : this.#recentOutput(20);
    return new ParleyError('agentExited', message, { nextStep: advice ?? t('Restart the agent.'), detail });
  }

  #reportSlow(): void {
    const seconds = Math.round(this.#deadlines.slow / 1000);
    const hint = t(
      '{0} has not responded for {1} seconds. {2}',
      this.options.definition.title,
      seconds,
      this.#recentOutput(),
    ).trim();
    this.options.log.warn('agent', hint);
    this.events.onSlow(hint);
  }

  #noAnswer(): ParleyError {
    const seconds = Math.round(this.#deadlines.initialize / 1000);
    const { definition } = this.options;
    return new ParleyError(
      'agentProtocol',
      t('{0} did not respond to "initialize" within {1} seconds', definition.title, seconds),
      {
        nextStep: explainNoResponse(definition, this.#lastNoise),
        detail: this.#recentOutput(),
      },
    );
  }

  #refusalError(cause: RpcError): ParleyError {
    const sentence = t('{0} could not be initialized: {1}', this.options.definition.title, cause.message);
    return new ParleyError('agentRefused', sentence, {
      nextStep: t('See the log for details.'),
      detail: this.#stderrTail(),
      cause,
    });
  }

  /** The output that came instead of an answer. */
  #recentOutput(lines = 5): string {
    const stderr = this.#stderrTail(lines);
    const parts = [
      this.#lastNoise && t('Output on stdout: {0}', this.#lastNoise),
      stderr && t('Output on stderr: {0}', stderr),
    ];
    return parts.filter(Boolean).join('\n');
  }

  #throwIfStopped(): void {
    if (this.#stopped.signal.aborted) throw new CanceledError();
  }
}
