import { randomUUID } from 'node:crypto';
import type { Part } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import type { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import { AgentEvent } from '@a2a-js/sdk/server';
import type { Clock } from '../../base/clock';
import type { JsonObject } from '../../base/json';
import { asString, omitUndefined } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { truncate } from '../../base/text';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { AuditLog } from '../../permissions/auditLog';
import { A2A_CALLER } from '../../session/sessionTools';
import type { McpError } from './callErrors';
import { isRefusedCall, toMcpError } from './callErrors';
import type { CallAnswer, CallTargets } from './callTargets';
import type { McpCommand, RequestId } from './mcpCommand';
import { parseMcpCommand } from './mcpCommand';

/** Maximum number of commands that run at the same time. */
const MAX_RUNNING = 32;

/** A running task. */
interface Running {
  readonly context: RequestContext;
  readonly bus: ExecutionEventBus;
  readonly abort: AbortController;
}

/** The only skill of the gateway: sends a command as an MCP request and returns the answer as the task's artifact. */
export class McpCommandExecutor implements AgentExecutor {
  readonly #running = new Map<string, Running>();

  constructor(
    private readonly targets: CallTargets,
    private readonly audit: AuditLog,
    private readonly log: Logger,
    private readonly clock: Clock,
  ) {}

  /** Never rejects: an error ends the task as FAILED. */
  readonly execute = async (context: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const { taskId, contextId, userMessage } = context;
    const task: Running = { context, bus, abort: new AbortController() };
    const status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: this.#time() };
    bus.publish(
      AgentEvent.task({ id: taskId, contextId, status, artifacts: [], history: [userMessage], metadata: undefined }),
    );
    const isFull = this.#running.size >= MAX_RUNNING;
    this.#running.set(taskId, task);
    try {
      // Malformed commands were answered with invalid-params before they became a task.
      const command = parseMcpCommand(userMessage.parts);
      if (typeof command === 'string') this.#fail(task, undefined, { code: -32602, message: command });
      else if (isFull) this.#fail(task, command, tooMany);
      else await this.#run(task, command);
    } finally {
      this.#running.delete(taskId);
    }
  };

  readonly cancelTask = async (taskId: string, bus: ExecutionEventBus): Promise<void> => {
    const running = this.#running.get(taskId);
    if (!running) return;
    this.#publishStatus({ ...running, bus }, TaskState.TASK_STATE_CANCELED, 'Canceled by the caller');
    running.abort.abort();
  };

  /** Called when the gateway stops. */
  abortAll(): void {
    for (const { abort } of this.#running.values()) abort.abort();
  }

  async #run(task: Running, command: McpCommand): Promise<void> {
    const { signal } = task.abort;
    // All callers share one token; the conversation distinguishes them.
    const { contextId } = task.context;
    const startedAt = this.clock.now();
    this.#publishStatus(task, TaskState.TASK_STATE_WORKING);
    const progress = new ProgressMerger(this.clock, (params) => {
      if (!signal.aborted) this.#publishStatus(task, TaskState.TASK_STATE_WORKING, asString(params['message']), params);
    });
    try {
      const report = (params: JsonObject): void => progress.report(params);
      const answer = await this.targets.call(command, { client: contextId, signal, progress: report });
      progress.flush();
      if (!signal.aborted) this.#answer(task, command, answer);
      this.#record(command, startedAt, 'error' in answer.outcome ? 'error' : 'done');
    } catch (error) {
      const failure = toMcpError(error);
      if (!signal.aborted) this.#fail(task, command, failure);
      const isRefused = !signal.aborted && isRefusedCall(failure);
      this.#record(command, startedAt, signal.aborted ? 'canceled' : failure.message, isRefused);
    } finally {
      progress.dispose();
    }
  }

  #answer(task: Running, command: McpCommand, { id, outcome }: CallAnswer): void {
    if ('error' in outcome) {
      this.#artifact(task, command.requestId, id, { mcp_error: outcome.error });
      this.#publishStatus(
        task,
        TaskState.TASK_STATE_FAILED,
        `The MCP server answered with an error: ${outcome.error.message}`,
      );
      return;
    }
    this.#artifact(task, command.requestId, id, { mcp_result: outcome.result });
    this.#publishStatus(task, TaskState.TASK_STATE_COMPLETED);
  }

  #fail(task: Running, command: McpCommand | undefined, error: McpError): void {
    this.#artifact(task, command?.requestId ?? null, null, { mcp_error: error });
    this.#publishStatus(task, TaskState.TASK_STATE_FAILED, error.message);
  }

  #artifact(
    { context, bus }: Running,
    requestId: RequestId | null,
    responseId: RequestId | null,
    answer: JsonObject,
  ): void {
    const { taskId, contextId } = context;
    const value = { mcp_request_id_echo: requestId, mcp_response_id: responseId, ...answer };
    const artifact = {
      artifactId: randomUUID(),
      name: 'mcp_response',
      description: 'The answer to the MCP request',
      parts: [part({ $case: 'data', value }, 'application/json')],
      metadata: undefined,
      extensions: [],
    };
    const event = { taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined };
    bus.publish(AgentEvent.artifactUpdate(event));
  }

  #publishStatus({ context, bus }: Running, state: TaskState, text?: string, progress?: JsonObject): void {
    const { taskId, contextId } = context;
    const message =
      text === undefined
        ? undefined
        : {
            messageId: randomUUID(),
            contextId,
            taskId,
            role: Role.ROLE_AGENT,
            parts: [part({ $case: 'text', value: text }, 'text/plain')],
            metadata: undefined,
            extensions: [],
            referenceTaskIds: [],
          };
    const metadata = progress && { mcp_progress: omitUndefined({ ...progress, progressToken: undefined }) };
    const status = { state, message, timestamp: this.#time() };
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata }));
  }

  /** Logs the outcome; the decision about a tool is in the audit log. Headers are omitted: they are secrets. */
  #record(command: McpCommand, startedAt: number, outcome: string, isRefused = false): void {
    const { target, path, method, params, requestId } = command;
    const ms = Math.max(0, this.clock.now() - startedAt);
    const title = `${method} at ${escapeInvisibleInline(truncate(target, MAX_URL_CHARS))}`;
    this.log.info('a2a', `${A2A_CALLER}: ${title}: ${outcome} (${ms} ms)`);
    this.audit.append({
      time: new Date(startedAt).toISOString(),
      session: sessionOf(target),
      agent: A2A_CALLER,
      kind: 'other',
      title,
      arguments: { ...omitUndefined({ path }), params, requestId },
      decision: isRefused ? 'denied' : 'allowed',
      by: isRefused ? 'protection' : 'builtIn',
      reason: isRefused ? outcome : 'the A2A gateway is on',
      ms: 0,
      transportMs: ms,
      ...(!isRefused && { outcome }),
    });
  }

  #time(): string {
    return new Date(this.clock.now()).toISOString();
  }
}

/** Milliseconds in which progress is merged. */
const MERGE_WINDOW_MS = 250;

/** Publishes the first progress at once, and then the latest of each window: a server may report it without end. */
class ProgressMerger implements Disposable {
  #latest: JsonObject | undefined;
  #window: Disposable | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly publish: (params: JsonObject) => void,
  ) {}

  report(params: JsonObject): void {
    this.#latest = params;
    if (this.#window) return;
    this.flush();
    this.#window = this.clock.after(MERGE_WINDOW_MS, () => {
      this.#window = undefined;
      if (this.#latest) this.report(this.#latest);
    });
  }

  flush(): void {
    const latest = this.#latest;
    this.#latest = undefined;
    if (latest) this.publish(latest);
  }

  dispose(): void {
    this.#window?.dispose();
  }
}

/** UTF-16 units of a displayed URL. */
const MAX_URL_CHARS = 200;

const tooMany: McpError = {
  code: -32000,
  message: `${MAX_RUNNING} commands are running, which is the limit. Wait for one to end.`,
  data: { cause: 'refused' },
};

function part(content: NonNullable<Part['content']>, mediaType: string): Part {
  return { content, mediaType, filename: '', metadata: undefined };
}

function sessionOf(target: string): string {
  return /^mcp\+session:\/\/([^/]+)/i.exec(target)?.[1] ?? '';
}
