// Protected by test/unit/session/askedCall.test.ts: a call is shown and judged as in its request.
import { randomUUID } from 'node:crypto';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { agentIdentityOf } from '../../agent/config/agentIdentity';
import { asObject, omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Git } from '../../node/gitCommand';
import { AlwaysRules, expiredAnswer } from '../../permissions/alwaysRules';
import type { DecidedRequest } from '../../permissions/auditRecords';
import { auditAnswer, decisionSource, auditSilent } from '../../permissions/auditRecords';
import type { PermissionPolicy } from '../../permissions/permissionPolicy';
import { decideByPolicy, effectiveRules, loadedEngine } from '../../permissions/permissionPolicy';
import type { RuleEngine } from '../../permissions/ruleEngine';
import { answerOf, isAllowedBy, NO_RULE, toPermissionOutcome } from '../../permissions/rules/decisionOutcome';
import type { Decision, RuleRequest } from '../../permissions/rules/ruleRequest';
import type { SessionApprovals } from '../../permissions/sessionApprovals';
import { CallerApprovals } from '../../permissions/sessionApprovals';
import { toRuleRequest, toolArguments } from '../../permissions/toolCallRequest';
import type { RequestingSession } from '../../permissions/toolCallRequest';
import { entriesFrom, entryAt } from '../../shared/state/entryPages';
import type { SessionState } from '../../shared/state/sessionState';
import type { PermissionEntry, PermissionOutcome, ToolEntry } from '../../shared/state/toolCallState';
import { isStopping } from '../agents/idleAgents';
import type { SessionRequests } from '../session';
import type {
  AgreedCall,
  PendingElicitation,
  AuthorizationResult,
  ElicitationRequest,
  AuthorizationRequest,
  PermissionRequest,
} from '../sessionHandle';
import type { SessionModel } from '../sessionModel';
import { toPermissionOptions } from '../translate/translateToolCall';
import type { NewRequest } from './checkedRequests';
import { CheckedRequests } from './checkedRequests';
import {
  AUTHORIZATION_OPTIONS,
  decideAuthorization,
  authorizationOptions,
  authorizationRuleRequest,
  authorizationToolCall,
} from './clientAuthorization';
import { Elicitations } from './elicitations';
import { PendingPermissions, WITHDRAWN, hasOption, rejection, waitingPermission } from './pendingPermissions';

/** The agent that asks. */
export interface RequestingAgent {
  /** That of its process, which settings may not contain any more; undefined if unknown. */
  readonly definition: AgentDefinition | undefined;
  /** Whether the workspace is trusted. */
  readonly isTrusted: boolean;
}

/** Permission requests, forms and URLs of a session's agent. */
export class UserRequests implements SessionRequests {
  readonly #pending: PendingPermissions;
  readonly #approvals: CallerApprovals;
  /** Requests whose answer is not in the audit log yet, by entry. */
  readonly #unrecordedDecisions = new Map<number, DecidedRequest>();
  readonly #checked = new CheckedRequests();
  #agreed: readonly (AgreedCall & { readonly turn: number | undefined })[] = [];
  readonly #answered = new Map<string, RuleRequest>();
  readonly elicitations: Elicitations;
  readonly alwaysRules: AlwaysRules;

  /** @param onAsk called with the entry of a new request of the agent */
  constructor(
    private readonly model: SessionModel,
    private readonly agent: RequestingAgent,
    private readonly policy: PermissionPolicy,
    private readonly onAsk: (entry: number) => void,
  ) {
    this.#approvals = new CallerApprovals(() => loadedEngine(policy));
    this.alwaysRules = new AlwaysRules(policy, model.state.id, (entry, remembered) =>
      model.dispatch({ type: 'permissionRemembered', entry, remembered }),
    );
    this.#pending = new PendingPermissions((entry, outcome) => this.#onAnswered(entry, outcome));
    this.elicitations = new Elicitations(model, onAsk);
  }

  /** See `RequestsToUser.agreed`. */
  get agreed(): readonly AgreedCall[] {
    return this.#agreed.filter(({ turn }) => turn === this.#turn);
  }

  /** Its first entry; undefined between turns. */
  get #turn(): number | undefined {
    const { turn } = this.#state;
    return turn.status === 'running' ? turn.firstEntry : undefined;
  }

  get #state(): SessionState {
    return this.model.state;
  }

  /**
   * Decides by the rules, or asks the user. The entry exists when this returns its promise, except for a command that a rule allows and
   * that prints files from a git repository. Never rejects (I7).
   */
  requestPermission(request: PermissionRequest): Promise<PermissionOutcome> {
    const model = this.model;
    const tool = model.applyToolCall(asObject(request.toolCall) ?? {}, request.sessionId);
    const called = entryAt(model.state.entries, tool);
    const title = (called?.kind === 'tool' && called.title) || t('Permission');
    const call = called?.kind === 'tool' ? called : BLANK;
    const engine = loadedEngine(this.policy);
    const subject = toRuleRequest(engine, call, title, this.requester());
    const decision = decideByPolicy(this.policy, model.state.id, subject);
    const { signal, refusal } = request;
    const shown = { title: engine.subjectTitle({ ...call, title }), options: toPermissionOptions(request.options) };
    const permission = { tool, ...shown, signal, refusal, call };
    const opened = { ...permission, request: subject, decision, input: call.rawInput, at: model.now() };
    const { git } = this.policy;
    const isChecked = git && decision.decision === 'allow' && engine.gitQueries(subject).length > 0;
    return isChecked ? this.#openChecked(opened, git) : this.#open(opened);
  }

  /** Decides again once git has told which files the command prints. */
  #openChecked(request: NewRequest, git: Git): Promise<PermissionOutcome> {
    const printing = loadedEngine(this.policy).withPrintedFiles(request.request, git);
    return this.#checked.wait(this.#state.entries.count, printing, (checked) => {
      if ('canceled' in checked) return this.#open({ ...request, ...checked });
      const { found } = checked;
      return this.#open({ ...request, request: found, decision: decideByPolicy(this.policy, this.#state.id, found) });
    });
  }

  /** See `RequestsToUser.authorize`. */
  async authorize(request: AuthorizationRequest, signal: AbortSignal): Promise<AuthorizationResult> {
    const model = this.model;
    if (isStopping(model.state)) return { allowed: false, reason: 'the user stopped the turn', by: 'person' };
    if (request.isOwnRead && !this.#hasRestrictions()) return { allowed: true, reason: '', by: 'builtIn' };
    const { ruleRequest, decision, approvals } = await this.#decide(request);
    const engine = loadedEngine(this.policy);
    const { title, input } = request;
    const decided: DecidedRequest = { request: ruleRequest, decision, input, at: model.now(), isOwn: true };
    const isQuiet = decision.by === 'session' || request.otherwise === 'allow';
    if (decision.decision === 'allow' && isQuiet) return this.#allowQuietly(decided);
    const { entry, isOwn } = await authorizationToolCall(model, engine, request, model.now());
    const outcome = await this.#open({
      ...decided,
      tool: entry,
      title,
      options: authorizationOptions(decision, request, engine),
      signal,
    });
    const isAllowed = outcome.type === 'selected' && outcome.optionId !== AUTHORIZATION_OPTIONS.reject;
    if (isAllowed && outcome.optionId === AUTHORIZATION_OPTIONS.session)
      approvals.approveForSession(ruleRequest, input);
    if (isOwn && isAllowed) model.dispatch({ type: 'toolChanged', entry, patch: { status: 'done' }, at: model.now() });
    return {
      allowed: isAllowed,
      by: decisionSource(outcome, decision),
      reason: outcome.reason ?? (isAllowed ? 'the user allowed it' : 'the user rejected it'),
    };
  }

  /** See `RequestsToUser.judge`. */
  async judge(request: AuthorizationRequest): Promise<Decision> {
    if (request.isOwnRead && !this.#hasRestrictions()) return { decision: 'allow', reason: '', by: 'builtIn' };
    return (await this.#decide(request)).decision;
  }

  #hasRestrictions(): boolean {
    return effectiveRules(this.policy, this.#state.id).some(({ rule }) => rule.decision !== 'allow');
  }

  async #decide(request: AuthorizationRequest): Promise<{
    readonly ruleRequest: RuleRequest;
    readonly decision: Decision;
    readonly approvals: SessionApprovals;
  }> {
    // Callers other than agents may come before any agent has started.
    if (!this.policy.engine.value) await this.policy.engine.load();
    const about = this.requester();
    const engine = loadedEngine(this.policy);
    const args = request.tool === undefined ? {} : toolArguments(engine, request.input, about);
    const ruleRequest = authorizationRuleRequest(request, about, args);
    const approvals = this.#approvals.of(request.caller);
    const write = approvals.hasChanges ? await request.change?.().catch(() => undefined) : undefined;
    const decide = (subject: RuleRequest): Decision => {
      const ruled = decideByPolicy(this.policy, this.#state.id, subject);
      return decideAuthorization(request, subject, ruled, about, approvals, write);
    };
    const decision = decide(ruleRequest);
    const { git } = this.policy;
    // Only for what would run: git takes its time.
    if (!git || decision.decision !== 'allow' || !ruleRequest.command) return { ruleRequest, decision, approvals };
    const printing = await engine.withPrintedFiles(ruleRequest, git);
    return { ruleRequest: printing, decision: printing === ruleRequest ? decision : decide(printing), approvals };
  }

  elicit(request: ElicitationRequest): PendingElicitation {
    return this.elicitations.create(request);
  }

  answer(permissionId: string, optionId: string): boolean {
    const entry = waitingPermission(this.#state, permissionId);
    if (!entry || !hasOption(entry, optionId)) return false;
    this.#pending.answer(permissionId, { type: 'selected', optionId, by: 'person' });
    return true;
  }

  reject(permissionId: string): boolean {
    const entry = waitingPermission(this.#state, permissionId);
    if (entry) this.#pending.answer(permissionId, rejection(entry));
    return entry !== undefined;
  }

  /** A request as it was shown when the user answered it in this window, if it is one of the latest. */
  answeredRequest(permissionId: string): RuleRequest | undefined {
    return this.#answered.get(permissionId);
  }

  /** Cancels pending requests from the entry `first` on, and ends this turn's approvals. */
  cancelAll(reason: string, first = 0): void {
    this.#approvals.of().endTurn();
    this.#agreed = [];
    this.#checked.cancelAll(reason, first);
    this.#pending.cancelAll(reason, first);
    this.elicitations.cancelAll(reason, first);
  }

  dispose(): void {
    this.cancelAll(t('the session was closed'));
    this.policy.remembered.endSession(this.#state.id);
  }

  /** The window closes but a remote agent continues: it gets no answer, and asks again after a resume. */
  detachAll(): void {
    this.#checked.detachAll();
    this.#pending.detachAll(WINDOW_RELOADED);
    this.elicitations.detachAll(WINDOW_RELOADED);
  }

  /** Cancels requests left open by a previous window; their agents no longer wait for an answer. */
  cancelStale(): void {
    const { waiting, entries } = this.#state;
    this.#pending.cancelStale(waiting.filter((index) => entryAt(entries, index)?.kind === 'permission'));
    for (const [entry, value] of entriesFrom(entries)) {
      const remembered = value.kind === 'permission' ? expiredAnswer(value.remembered) : undefined;
      if (remembered) this.model.dispatch({ type: 'permissionRemembered', entry, remembered });
    }
    this.elicitations.cancelStale();
  }

  requester(): RequestingSession {
    const { agent } = this.#state;
    const definition = agent && this.agent.definition;
    const confined = this.agent.isTrusted ? definition?.remote && 'remote' : 'untrusted';
    const { cwd, folders } = this.model;
    const agentIdentity = definition && agentIdentityOf(definition);
    const isBuiltIn = definition?.origin === 'builtIn';
    return { agent: agent?.name ?? '', cwd, folders, confined, isBuiltIn, ...omitUndefined({ agentIdentity }) };
  }

  #allowQuietly(decided: DecidedRequest): AuthorizationResult {
    const { kind } = decided.request;
    const { by, reason } = decided.decision;
    // Reading in the workspace is too frequent for the log.
    if (kind !== 'read') this.policy.audit?.append(auditSilent(this.#state.id, decided, by, reason, this.model.now()));
    return { allowed: true, reason, by };
  }

  #open(request: NewRequest): Promise<PermissionOutcome> {
    const model = this.model;
    const { tool, title, options, decision, refusal = t('the agent offered no options') } = request;
    const entry = model.state.entries.count;
    const permissionId = randomUUID();
    // A request that crossed session/cancel on the wire is canceled too, or the stopped turn would wait for the user.
    const stopped = request.signal.aborted ? WITHDRAWN : isStopping(model.state) ? STOPPED : undefined;
    const canceled = options.length === 0 ? refusal : (request.canceled ?? stopped);
    const outcome: PermissionOutcome | undefined =
      canceled === undefined ? toPermissionOutcome(decision, options) : { type: 'canceled', reason: canceled };
    this.#unrecordedDecisions.set(entry, request);
    const found = entryAt(model.state.entries, tool);
    const called = request.call ?? (found?.kind === 'tool' ? found : BLANK);
    model.dispatch({
      type: 'permissionAsked',
      permissionId,
      tool,
      title,
      options,
      ...this.#details(request, called),
      ...(request.call && request.call !== found && { about: request.call }),
      ...(outcome && { outcome }),
      // When it is shown, which may be some time after it came.
      at: model.now(),
    });
    if (outcome) {
      this.#recordAnswer(entry, outcome);
      return Promise.resolve(outcome);
    }
    const answered = this.#pending.wait(permissionId, entry, request.signal);
    if (this.#state.waiting.includes(entry)) this.onAsk(entry);
    return answered;
  }

  /** What the request shows besides its title and the call. */
  #details(
    request: NewRequest,
    called: Parameters<RuleEngine['needsInput']>[0] & Parameters<RuleEngine['replacedFile']>[0],
  ) {
    const why = this.#whyShown(request, called);
    const { needsInput, toolSubject } = loadedEngine(this.policy);
    const { destructive } = request.decision;
    return {
      ...(why !== undefined && { why }),
      ...(request.isOwn && { isOwn: true }),
      ...(request.request.caller !== undefined && { titleNamesCaller: true }),
      ...((request.request.tool !== undefined || needsInput(called)) && { showsInput: true }),
      ...(toolSubject(called).type === 'command' && { isCommand: true }),
      ...(destructive !== undefined && { destructive }),
    };
  }

  /** Why the user is asked, and what the request does not show. */
  #whyShown(request: NewRequest, called: Parameters<RuleEngine['replacedFile']>[0]): string | undefined {
    const { cwd, folders } = this.model;
    const replaced = loadedEngine(this.policy).replacedFile(called, cwd, folders);
    const reasons = [
      this.#reasonToAsk(request),
      replaced === undefined ? undefined : t('the whole file {0} is replaced, and its old text is not shown', replaced),
    ].filter((reason) => reason !== undefined);
    return reasons.length === 0 ? undefined : reasons.join('; ');
  }

  /** Why the user is asked, and why the request is not short. */
  #reasonToAsk({ decision: { decision, by, reason }, request: { unclear } }: NewRequest): string | undefined {
    if (decision === 'allow') return t('{0}, but the agent offers no option to allow only once', reason);
    if (unclear !== undefined) return reason === unclear || by === 'agent' ? unclear : `${reason}; ${unclear}`;
    if (by !== 'agent') return reason;
    const hasRules = effectiveRules(this.policy, this.#state.id).length > 0;
    return reason !== NO_RULE && hasRules ? reason : undefined;
  }

  #onAnswered(entry: number, outcome: PermissionOutcome): void {
    this.model.dispatch({ type: 'permissionAnswered', entry, outcome, at: this.model.now() });
    this.#recordAnswer(entry, outcome);
  }

  #recordAnswer(entry: number, outcome: PermissionOutcome): void {
    const decided = this.#unrecordedDecisions.get(entry);
    const permission = entryAt(this.#state.entries, entry);
    this.#unrecordedDecisions.delete(entry);
    if (!decided || permission?.kind !== 'permission') return;
    this.policy.audit?.append(auditAnswer(this.#state.id, decided, permission, outcome, this.model.now()));
    this.#applyAnswer(entry, decided, permission, outcome);
  }

  /** Stores what the answer means for later requests. */
  #applyAnswer(entry: number, decided: DecidedRequest, permission: PermissionEntry, outcome: PermissionOutcome): void {
    if (!decided.isOwn && isAllowedBy(outcome, permission.options)) {
      this.#recordApproval(decided, permission, outcome);
      this.model.endCopy(permission.tool);
    }
    if (outcome.type !== 'selected' || outcome.by === 'rule') return;
    this.#answered.set(permission.permissionId, decided.request);
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > MAX_ANSWERED && oldest !== undefined) this.#answered.delete(oldest);
    const answer = answerOf(outcome, permission.options);
    const always = answer === 'allowedAlways' ? 'allow' : answer === 'deniedAlways' ? 'deny' : undefined;
    if (always) this.alwaysRules.recordAnswer(permission.permissionId, entry, decided.request, always);
  }

  /** The agent's own request was approved as displayed, whatever the agent has named it since. */
  #recordApproval(
    { request, call }: DecidedRequest,
    { permissionId }: PermissionEntry,
    outcome: PermissionOutcome,
  ): void {
    const turn = this.#turn;
    if (turn !== undefined && call) {
      const model = this.model;
      const { shownFiles } = loadedEngine(this.policy);
      const { changes, reads } = shownFiles(call, request, model, (diffId) => model.diff(diffId));
      this.#approvals.of().approveForTurn(request, changes, reads);
    }
    // A rule that allowed the agent's request also decides about Parley's own.
    const isByUser = outcome.type === 'selected' && outcome.by !== 'rule';
    if (call && isByUser)
      this.#agreed = [...this.#agreed, { ...call, permissionId, turn, at: performance.now() }].slice(-MAX_AGREED);
  }
}

/** The latest approved calls of a turn. */
const MAX_AGREED = 200;
/** The latest answers of which the user can build rules. */
const MAX_ANSWERED = 200;
const WINDOW_RELOADED = t('window reloaded');
const STOPPED = t('you stopped the turn');
const UNKNOWN = { toolCallId: '', status: 'pending', waiting: 0, at: 0 } as const;
const BLANK: ToolEntry = { kind: 'tool', title: '', tool: 'other', content: [], locations: [], ...UNKNOWN };
