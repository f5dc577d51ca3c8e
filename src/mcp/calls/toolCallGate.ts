// Protected by test/unit/mcp/calls/whoAsks.test.ts: each request names who asks, and its answer counts for that server only.
import { createDeferred } from '../../base/async';
import type { Clock } from '../../base/clock';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import { asString, isObject } from '../../base/json';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { AuditEntry, AuditLog } from '../../permissions/auditLog';
import type { SessionHandle } from '../../session/sessionHandle';
import type { ToolResult } from '../../session/toolServer';
import { serverUnavailable, toolId, toolUnavailable } from '../availability/toolFilter';
import type { ToolFilterSettings } from '../availability/toolFilterSettings';
import type { RegisteredServer, ToolServers } from '../contract/toolServerRegistry';
import type { Tool } from '../contract/toolServerTypes';
import { canWaitForApproval, ToolError } from '../contract/toolServerTypes';
import type { CallGate, CallTransport, FinishedCall, ToolCall } from './callGate';
import { CallRateLimit, MAX_PER_SECOND } from './callLimits';
import type { PendingCall } from './pendingCalls';
import { PendingCalls } from './pendingCalls';
import type { PriorApprovals } from './priorApprovals';
import { toErrorResult, ToolCallRun } from './toolCallRun';

/** Everything between a `tools/call` and its tool: availability, approval, limits, audit log. */
export class ToolCallGate implements CallGate, Disposable {
  readonly #onDidChange = new Emitter<void>();
  readonly #onDidEnd = new Emitter<FinishedCall>();
  readonly #store = new DisposableStore();
  /** A separate chunk, with the readers of tool calls. */
  readonly #priorApprovals: Lazy<PriorApprovals>;
  readonly #rate: CallRateLimit;
  readonly #pending: PendingCalls;

  readonly onDidChange: Event<void> = this.#onDidChange.event;
  readonly onDidEnd: Event<FinishedCall> = this.#onDidEnd.event;

  constructor(
    private readonly rules: ToolFilterSettings,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly servers: ToolServers,
  ) {
    this.#priorApprovals = new Lazy(async () => new (await import('./priorApprovals')).PriorApprovals(clock, servers));
    this.#rate = new CallRateLimit(clock);
    this.#pending = new PendingCalls(clock);
    for (const event of [rules.onDidChange, servers.onDidChange])
      this.#store.add(event(() => this.#onDidChange.fire()));
  }

  availableServers(session: SessionHandle): readonly RegisteredServer[] {
    return this.servers.list().filter((registered) => this.isServerAvailable(session, registered));
  }

  isServerAvailable(session: SessionHandle, registered: RegisteredServer): boolean {
    const { name, server } = registered;
    if (serverUnavailable(name, this.rules.rulesOf(session)) !== undefined) return false;
    if (server.unavailableReason?.(session) !== undefined) return false;
    return server.tools.length === 0 || server.tools.some((tool) => this.isToolAvailable(session, registered, tool));
  }

  isToolAvailable(session: SessionHandle, { name }: RegisteredServer, tool: Tool): boolean {
    return toolUnavailable(name, tool.name, this.rules.rulesOf(session)) === undefined;
  }

  async call(call: ToolCall): Promise<ToolResult> {
    const { session, registered, tool, progress, transport } = call;
    const id = toolId(registered.name, tool.name);
    const timer = transport && new TransportTimer(transport);
    try {
      if (!this.isToolAvailable(session, registered, tool)) throw new ToolError(`${id} is not offered here.`);
      if (!this.#rate.enter(session.id)) {
        const message = `A session may make ${MAX_PER_SECOND} tool calls a second.`;
        throw new ToolError(message, 'Wait a second, then call again.');
      }
      const { handle, input } = withoutHandle(call, (handle) => this.#pending.has(handle));
      const caller = { sessionId: session.id, caller: session.caller, id, input, progress };
      return await this.#pending.awaitResult(caller, handle, () => this.#start({ ...call, input }, id, timer));
    } catch (error) {
      return toErrorResult(error, this.log, id);
    } finally {
      timer?.noteLeave();
    }
  }

  invalidate(): void {
    this.#onDidChange.fire();
  }

  closeSession(sessionId: string): void {
    this.#rate.closeSession(sessionId);
    this.#pending.closeSession(sessionId);
  }

  dispose(): void {
    this.#store.dispose();
    this.#onDidChange.dispose();
    this.#onDidEnd.dispose();
    this.#priorApprovals.dispose();
  }

  #start(call: ToolCall, id: string, timer: TransportTimer | undefined): PendingCall {
    const run = new ToolCallRun(call, this.clock, this.#priorApprovals);
    const at = this.clock.now();
    const result = run
      .run()
      .catch((error: unknown) => toErrorResult(error, this.log, id))
      .then((ended) => {
        const entry = this.#ending(call, id, run, ended, at);
        if (entry && timer) void timer.spent.then((transportMs) => this.audit.append({ ...entry, transportMs }));
        else if (entry) this.audit.append(entry);
        return ended;
      });
    return { result, isWaiting: () => run.isWaiting };
  }

  /** The audit record of the outcome; the decision was recorded where it was made. Undefined for a denied call. */
  #ending(
    { session, input }: ToolCall,
    id: string,
    run: ToolCallRun,
    result: ToolResult,
    at: number,
  ): AuditEntry | undefined {
    const isError = result.isError === true;
    const toolMs = Math.round(run.ran);
    this.#onDidEnd.fire({ session: session.id, id, at, toolMs, isError });
    if (run.isDenied) return undefined;
    return {
      time: new Date(at).toISOString(),
      session: session.id,
      agent: session.caller ?? session.state.agent?.name ?? '',
      kind: 'other',
      title: id,
      tool: id,
      arguments: input,
      decision: 'allowed',
      by: run.by,
      reason: run.reason,
      ms: Math.round(run.waited),
      toolMs,
      bytes: Buffer.byteLength(JSON.stringify(result.structured ?? result.content ?? result.text)),
      outcome: isError ? 'error' : 'done',
    };
  }
}

/** Transport time of a call before and after the gate, in milliseconds. */
class TransportTimer {
  readonly #enteredAt = performance.now();
  readonly #leftAt = createDeferred<number>();

  constructor(private readonly transport: CallTransport) {}

  noteLeave(): void {
    this.#leftAt.resolve(performance.now());
  }

  /** To a tenth of a millisecond. */
  get spent(): Promise<number> {
    const { arrivedAt, answeredAt: answered } = this.transport;
    const back = Promise.all([answered, this.#leftAt.promise]).then(([at, leftAt]) => Math.max(0, at - leftAt));
    return back.then((ms) => Math.round((this.#enteredAt - arrivedAt + ms) * 10) / 10);
  }
}

/** Removes the handle of a pending call, which is not an argument of the tool. */
function withoutHandle(
  { tool, input, registered }: ToolCall,
  isOurs: (handle: string) => boolean,
): { readonly handle?: string; readonly input: unknown } {
  if (!canWaitForApproval(tool) || !isObject(input)) return { input };
  const { handle: value, ...rest } = input;
  const handle = asString(value);
  // A third-party tool may have its own argument of that name.
  if (registered.origin !== 'builtIn' && (handle === undefined || !isOurs(handle))) return { input };
  return { input: rest, ...(handle !== undefined && { handle }) };
}
