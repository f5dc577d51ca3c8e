// Protected by test/unit/mcp/calls/whoAsks.test.ts: each request names who asks, and its answer counts for that server only.
import { createDeferred } from '../../base/async';
import type { Clock } from '../../base/clock';
import type { Emitter } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { asString, isObject } from '../../base/json';
import { invalidParams, RpcError } from '../../base/jsonRpc';
import { t } from '../../base/l10n';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { AuditEntry, AuditLog } from '../../permissions/auditLog';
import type { SessionHandle } from '../../session/sessionHandle';
import type { ToolResult } from '../../session/toolServer';
import { toolId } from '../availability/toolFilter';
import type { ToolServers } from '../contract/toolServerRegistry';
import { canWaitForApproval, ToolError } from '../contract/toolServerTypes';
import type { AccessRequest, CallGate, CallTransport, FinishedCall, ToolCall } from './callGate';
import { CallRateLimit, MAX_PER_SECOND } from './callLimits';
import type { PendingCall } from './pendingCalls';
import { PendingCalls } from './pendingCalls';
import type { PriorApprovals } from './priorApprovals';
import { subjectIdentity, toErrorResult, ToolCallRun } from './toolCallRun';

/** What happens between a request and its server: approval, limits, audit log. A separate chunk, loaded with the first request. */
export class GatedCalls implements Disposable {
  /** A separate chunk, with the readers of tool calls. */
  readonly #priorApprovals: Lazy<PriorApprovals>;
  readonly #rate: CallRateLimit;
  readonly #pending: PendingCalls;

  constructor(
    private readonly gate: CallGate,
    private readonly onDidEnd: Emitter<FinishedCall>,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly log: Logger,
    servers: ToolServers,
  ) {
    this.#priorApprovals = new Lazy(async () => new (await import('./priorApprovals')).PriorApprovals(clock, servers));
    this.#rate = new CallRateLimit(clock);
    this.#pending = new PendingCalls(clock);
  }

  async call(call: ToolCall): Promise<ToolResult> {
    const { session, registered, tool, progress, transport } = call;
    const id = toolId(registered.name, tool.name);
    const timer = transport && new TransportTimer(transport);
    try {
      if (!this.gate.isToolAvailable(session, registered, tool)) throw new ToolError(`${id} is not offered here.`);
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

  async access<T extends JsonObject>(request: AccessRequest, run: () => Promise<T>): Promise<T> {
    const { session, registered, subject, input, isOfUser } = request;
    const { clock } = this;
    const id = toolId(registered.name, subject);
    if (!isOfUser && !this.gate.isServerAvailable(session, registered))
      throw invalidParams(`${id} was not found: it is not offered here`);
    if (!isOfUser && !this.#rate.enter(session.id))
      throw new RpcError(ACCESS_ERROR, `A session may make ${MAX_PER_SECOND} requests a second. Wait a second.`);
    const at = clock.now();
    const startedAt = clock.elapsed();
    const allowed = await authorizeAccess(request, id);
    const waited = clock.elapsed() - startedAt;
    let result: T | undefined;
    try {
      result = await run();
      return result;
    } finally {
      const toolMs = Math.round(clock.elapsed() - startedAt - waited);
      const isError = result === undefined;
      this.onDidEnd.fire({ session: session.id, id, at, toolMs, isError });
      const bytes = Buffer.byteLength(JSON.stringify(result ?? {}));
      const ended = { ms: Math.round(waited), toolMs, bytes, outcome: isError ? 'error' : 'done' };
      this.audit.append(auditEntry(session, id, at, { kind: 'read', arguments: input, ...allowed, ...ended }));
    }
  }

  closeSession(sessionId: string): void {
    this.#rate.closeSession(sessionId);
    this.#pending.closeSession(sessionId);
  }

  dispose(): void {
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
    this.onDidEnd.fire({ session: session.id, id, at, toolMs, isError });
    if (run.isDenied) return undefined;
    return auditEntry(session, id, at, {
      kind: 'other',
      arguments: input,
      decision: 'allowed',
      by: run.by,
      reason: run.reason,
      ms: Math.round(run.waited),
      toolMs,
      bytes: Buffer.byteLength(JSON.stringify(result.structured ?? result.content ?? result.text)),
      outcome: isError ? 'error' : 'done',
    });
  }
}

/** JSON-RPC's code for errors of a server. */
const ACCESS_ERROR = -32_000;

interface Allowed {
  readonly decision: 'allowed';
  readonly by: AuditEntry['by'];
  readonly reason: string;
}

/**
 * Reading is allowed where no rule or protection asks or denies, as for a tool that only reads.
 * @throws RpcError when it was not allowed; that is recorded
 */
async function authorizeAccess(
  { session, registered, subject, input, signal, isOfUser }: AccessRequest,
  id: string,
): Promise<Allowed> {
  const request = {
    kind: 'read' as const,
    title: t('Read {0}', id),
    otherwise: 'allow' as const,
    tool: id,
    input,
    ...subjectIdentity(registered, { name: subject, title: '', description: '' }),
    ...(registered.origin === 'builtIn' && { isOwnRead: true as const }),
  };
  const { decision, by, reason } = await session.userRequests.judge(request);
  if (decision !== 'deny' && isOfUser) return { decision: 'allowed', by: 'person', reason: t('you requested it') };
  if (decision === 'allow') return { decision: 'allowed', by, reason };
  const answer = await session.userRequests.authorize(request, signal);
  if (answer.allowed) return { decision: 'allowed', by: answer.by, reason: answer.reason };
  const next = 'Go on without it, or ask the user.';
  throw new RpcError(ACCESS_ERROR, `${id} was not allowed: ${answer.reason}. ${next}`);
}

function auditEntry(
  session: SessionHandle,
  id: string,
  at: number,
  rest: Omit<AuditEntry, 'time' | 'session' | 'agent' | 'title'>,
): AuditEntry {
  const agent = session.caller ?? session.state.agent?.name ?? '';
  return { time: new Date(at).toISOString(), session: session.id, agent, title: id, tool: id, ...rest };
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
