import { createHash } from 'node:crypto';
import type { Deferred } from '../../base/async';
import { createDeferred, settlesWithin } from '../../base/async';
import type { Clock } from '../../base/clock';
import { errorMessage } from '../../base/errors';
import { asObject, canonicalJson } from '../../base/json';
import { t } from '../../base/l10n';
import type { Lazy } from '../../base/lazy';
import type { Logger } from '../../base/logger';
import { traceMetadata } from '../../base/traceMetadata';
import type { AuditEntry } from '../../permissions/auditLog';
import type { AuthorizationRequest } from '../../session/sessionHandle';
import type { ApprovalRequest, ToolContext, ToolResult } from '../../session/toolServer';
import { toolId } from '../availability/toolFilter';
import type { Described } from '../contract/toolServerTypes';
import { ToolError, UNKNOWN_EFFECT } from '../contract/toolServerTypes';
import type { ToolCall } from './callGate';
import { DEFAULT_TIMEOUT_MS } from './callLimits';
import type { PriorApprovals } from './priorApprovals';

/** One call through approval and tool. Waiting for the user does not count as running time. */
export class ToolCallRun {
  readonly #id: string;
  readonly #abort = new AbortController();
  #waited = 0;
  #waitingSince: number | undefined;
  #ran = 0;
  #waits = 0;
  /** Running time at the last progress of the tool. */
  #progressAt = 0;
  /** Settles when no request waits for the call. */
  #answered: Deferred<void> | undefined;
  by: AuditEntry['by'] = 'builtIn';
  reason = t('this tool requires no approval');
  isDenied = false;

  constructor(
    private readonly call: ToolCall,
    private readonly clock: Clock,
    private readonly priorApprovals: Lazy<PriorApprovals>,
  ) {
    this.#id = toolId(call.registered.name, call.tool.name);
  }

  get waited(): number {
    return this.#waited + (this.#waitingSince === undefined ? 0 : this.clock.elapsed() - this.#waitingSince);
  }

  /** Milliseconds; known at the end. */
  get ran(): number {
    return this.#ran;
  }

  get isWaiting(): boolean {
    return this.#waitingSince !== undefined;
  }

  /** @throws ToolError when the call was denied or took too long; also the tool's own errors */
  async run(): Promise<ToolResult> {
    const { tool, input, session, meta, signal } = this.call;
    const clock = this.clock;
    const abort = (): void => this.#abort.abort();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const startedAt = clock.elapsed();
    const approve = (request: ApprovalRequest): Promise<void> => this.#approve(request);
    try {
      refuseOutsideWorktree(this.call);
      if (tool.approval === 'free' || tool.asksItself === true) await this.#applyRules();
      const identity = this.call.registered.server.identity;
      if (tool.approval !== 'free' && tool.asksItself !== true) await approve({ title: tool.title });
      refuseChanged(this.call, identity);
      const waitForUser = <T>(given: Promise<T>): Promise<T> => this.#waitFor(given);
      const trace = meta && { meta: traceMetadata(meta) };
      const progress: ToolContext['progress'] = (message, part) => this.#noteProgress(message, part);
      const context = { session, signal: this.#abort.signal, progress, approve, waitForUser, ...trace };
      this.#progressAt = this.#runningTime;
      const result = await this.#within(tool.timeout ?? DEFAULT_TIMEOUT_MS, tool.call(input, context));
      return withWorktreeNote(this.call, result);
    } finally {
      this.#ran = clock.elapsed() - startedAt - this.waited;
      signal.removeEventListener('abort', abort);
    }
  }

  /** Milliseconds without the time spent waiting for the user. */
  get #runningTime(): number {
    return this.clock.elapsed() - this.waited;
  }

  /** Progress of a tool that is not Parley's own starts its time limit again: it may need hours. */
  #noteProgress(message: string, part: number | undefined): void {
    if (this.call.registered.origin !== 'builtIn') this.#progressAt = this.#runningTime;
    this.call.progress(message, part);
  }

  /** The result, unless the tool exceeds its limit. */
  async #within(limit: number, answer: Promise<ToolResult>): Promise<ToolResult> {
    for (;;) {
      const left = limit - (this.#runningTime - this.#progressAt);
      if (this.#answered) await Promise.race([answer, this.#answered.promise]);
      else if (left <= 0) break;
      else if (await settlesWithin(answer, left, this.clock)) return answer;
    }
    this.#abort.abort();
    answer.catch(() => undefined);
    const seconds = limit / 1000;
    if (this.call.registered.origin === 'builtIn')
      throw new ToolError(
        `${this.#id} took longer than ${seconds} seconds and was stopped.`,
        'Ask for less at a time.',
      );
    throw new ToolError(`${this.#id} reported nothing for ${seconds} seconds and was canceled.`, UNKNOWN_EFFECT);
  }

  /** Rules that ask or deny apply to every tool, by its name and by every string of its arguments. */
  async #applyRules(): Promise<void> {
    const { session, registered, tool, input } = this.call;
    const isOwnRead = registered.origin === 'builtIn' && { isOwnRead: true as const };
    const request = {
      kind: 'read' as const,
      title: nameShown(this.call, tool.title),
      otherwise: 'allow' as const,
      tool: this.#id,
      input,
      ...subjectIdentity(registered, tool),
      ...isOwnRead,
    };
    const { decision } = await session.userRequests.judge(request);
    // A tool that asks itself does so once, about all that it will do.
    if (decision === 'allow' || (decision === 'ask' && tool.asksItself === true)) return;
    // It also records what a rule denies.
    const answer = await this.#waitFor(session.userRequests.authorize(request, this.#abort.signal));
    [this.by, this.reason] = [answer.by, answer.reason];
    if (!answer.allowed) this.#refuse(answer.reason);
  }

  #refuse(reason: string): never {
    this.isDenied = true;
    throw new ToolError(`${this.#id} was not allowed: ${reason}.`, 'Go on without it, or ask the user.');
  }

  async #approve({ title, paths, always, runs, about }: ApprovalRequest): Promise<void> {
    const { session, registered, tool, input } = this.call;
    this.by = 'person';
    this.reason = t('you answered the agent’s own permission request');
    const priorApprovals = await this.priorApprovals.load();
    // Another server chooses the titles of its tools: an answer covers such a tool only by its name.
    const ownTitle = registered.origin === 'builtIn' ? tool.title : undefined;
    // The agent's own request has not shown what will run.
    const isAgreed =
      always !== true &&
      !runs &&
      priorApprovals.consume(session.userRequests.agreed ?? [], registered.name, tool.name, input, ownTitle);
    const isAlways = !isAgreed && (tool.approval === 'always' || always === true);
    const request = {
      kind: kindOf(registered, tool),
      title: nameShown(this.call, title),
      otherwise: isAgreed ? ('allow' as const) : ('ask' as const),
      tool: this.#id,
      input: runs ? { ...asObject(input), runs } : input,
      ...subjectIdentity(registered, tool),
      ...(about !== undefined && { toolIdentity: about, isPassing: true as const }),
      ...(paths && { paths }),
      ...(isAgreed && { isAgreed }),
      ...(isAlways && { always: `${this.#id} is asked about every time` }),
    };
    const { allowed, reason, by } = await this.#waitFor(session.userRequests.authorize(request, this.#abort.signal));
    if (!isAgreed || (by !== 'builtIn' && by !== 'session')) [this.reason, this.by] = [reason, by];
    if (!allowed) this.#refuse(reason);
  }

  async #waitFor<T>(answer: Promise<T>): Promise<T> {
    this.#waits += 1;
    if (this.#waits === 1) {
      this.#waitingSince = this.clock.elapsed();
      this.#answered = createDeferred();
    }
    try {
      return await answer;
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) this.#stopWaiting();
    }
  }

  #stopWaiting(): void {
    this.#waited = this.waited;
    this.#waitingSince = undefined;
    this.#answered?.resolve();
    this.#answered = undefined;
  }
}

/**
 * The user has approved the tool as it was when asked: not another definition, which may wait for a review, and not another server of that
 * name.
 */
function refuseChanged({ registered, tool }: ToolCall, identity: string | undefined): void {
  const { server, name, origin } = registered;
  // An equal definition is the same object.
  if (origin !== 'person' || (server.identity === identity && server.tools.includes(tool))) return;
  throw new ToolError(`${toolId(name, tool.name)} changed while the user was asked.`, 'Call it again.');
}

/** Parley's own servers never change. A rule that denies a tool also means it if another server has taken the server's name. */
export function subjectIdentity(
  { origin, server, clash }: ToolCall['registered'],
  { name, title, description }: Described,
): Partial<AuthorizationRequest> {
  if (origin === 'builtIn') return {};
  const behind = [origin, server.identity ?? server.title, title, description];
  return {
    toolIdentity: createHash('sha256').update(canonicalJson(behind)).digest('hex'),
    ...(clash !== undefined && { called: [toolId(clash, name)] }),
  };
}

/**
 * Parley ignores the annotations of third-party servers, so rules for reading do not apply (docs/security.md, row 4). A tool that runs
 * something is no edit, so rules for edits do not apply.
 */
function kindOf({ origin }: ToolCall['registered'], { annotations }: ToolCall['tool']): 'read' | 'edit' | 'other' {
  if (origin === 'person' || origin === 'a2a' || annotations.openWorldHint === true) return 'other';
  return annotations.readOnlyHint === true ? 'read' : 'edit';
}

/** Another server chooses the titles of its tools, so that the question names the tool itself. */
function nameShown({ registered: { name, origin }, tool }: ToolCall, title: string): string {
  const id = toolId(name, tool.name);
  return origin === 'builtIn' || title === id ? title : `${title} (${id})`;
}

/** The error text for the model; the stack goes to the log only. */
export function toErrorResult(error: unknown, log: Logger, id: string): ToolResult {
  if (error instanceof ToolError) return { text: error.message, isError: true };
  log.error('mcp', `${id} failed: ${error instanceof Error ? (error.stack ?? error.message) : errorMessage(error)}`);
  return { text: `${id} failed: ${errorMessage(error)} Try again, or go on without it.`, isError: true };
}

/** Servers that do not work on files of the window. */
const WITHOUT_FILES: ReadonlySet<string> = new Set(['user', 'ide']);

/** The branch of the session's worktree, for tools that work on the window's folders instead. */
function branchOf({ session, registered }: ToolCall): string | undefined {
  const isAboutFiles = registered.origin === 'builtIn' && !WITHOUT_FILES.has(registered.name);
  return isAboutFiles ? session.state.branch : undefined;
}

/** @throws ToolError for a tool that would change the main folder, which a session in a worktree must not change */
export function refuseOutsideWorktree(call: ToolCall): void {
  const branch = branchOf(call);
  if (branch === undefined || call.tool.annotations.readOnlyHint === true) return;
  throw new ToolError(
    `This session works in the git worktree ${branch}. ${call.tool.name} works in the main folder of the editor only.`,
    'Change the files of the worktree with your own tools.',
  );
}

/** Adds a note to the result: the tool has used the main folder, not the worktree. */
export function withWorktreeNote(call: ToolCall, result: ToolResult): ToolResult {
  const branch = branchOf(call);
  if (branch === undefined) return result;
  const note = `This is about the main folder of the editor, not about the git worktree ${branch} of this session.`;
  return { ...result, text: `${note}\n${result.text}` };
}
