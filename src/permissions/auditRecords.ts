import { asString, omitUndefined } from '../base/json';
import type { PermissionEntry, PermissionOutcome, ToolEntry } from '../shared/state/toolCallState';
import { commandText } from '../shared/text/toolInput';
import type { AuditEntry } from './auditLog';
import type { Answer } from './rules/decisionOutcome';
import { answerOf } from './rules/decisionOutcome';
import type { DecisionSource, Decision, RuleRequest } from './rules/ruleRequest';

/** A request with its decision, kept for the audit log and for "always" answers. */
export interface DecidedRequest {
  readonly request: RuleRequest;
  readonly decision: Decision;
  /** Arguments of the tool call. */
  readonly input: unknown;
  /** The agent's call, as displayed. */
  readonly call?: ToolEntry;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Parley's own request, right before the action: its answer covers that action only. */
  readonly isOwn?: true;
}

const DECISIONS: Readonly<Record<Answer, AuditEntry['decision']>> = {
  allowed: 'allowed',
  allowedAlways: 'allowed',
  denied: 'denied',
  deniedAlways: 'denied',
  canceled: 'canceled',
};

/** @param now milliseconds since 1970 */
export function auditAnswer(
  sessionId: string,
  decided: DecidedRequest,
  { options }: PermissionEntry,
  outcome: PermissionOutcome,
  now: number,
): AuditEntry {
  const isDecidedByRule = isByRule(outcome, decided.decision);
  const answer = answerOf(outcome, options);
  // Answered "cancelled" because there was no option to reject with.
  const decision = isDecidedByRule && answer === 'canceled' ? 'denied' : DECISIONS[answer];
  const option = outcome.type === 'selected' && options.find(({ optionId }) => optionId === outcome.optionId);
  return {
    ...toRecord(sessionId, decided, now),
    decision,
    by: decisionSource(outcome, decided.decision),
    ...omitUndefined({
      reason: outcome.reason ?? (decided.decision.by === 'agent' ? decided.request.unclear : decided.decision.reason),
    }),
    ...(option && { option: option.name }),
  };
}

function isByRule(outcome: PermissionOutcome, { decision }: Decision): boolean {
  return outcome.type === 'selected' ? outcome.by === 'rule' : decision === 'deny';
}

/** Who decided. A canceled request counts as `builtIn`: Parley canceled it at the end of its turn or request. */
export function decisionSource(outcome: PermissionOutcome, decision: Decision): DecisionSource {
  if (isByRule(outcome, decision)) return decision.by;
  return outcome.type === 'selected' ? 'person' : 'builtIn';
}

/** The audit record of a request that needed no answer. */
export function auditSilent(
  sessionId: string,
  decided: DecidedRequest,
  by: AuditEntry['by'],
  reason: string,
  now: number,
): AuditEntry {
  return { ...toRecord(sessionId, decided, now), decision: 'allowed', by, reason };
}

function toRecord(
  sessionId: string,
  { request, input, at }: DecidedRequest,
  now: number,
): Omit<AuditEntry, 'decision' | 'by'> {
  const { agent, caller = agent, kind, title, tool, paths, subject } = request;
  // A command that is only a part of the request would look like the whole of it.
  const isPart = request.unclear !== undefined || request.isToolCall || request.hasMore;
  const command = isPart ? undefined : request.command;
  const text = command?.line ?? (command?.argv && commandText({ argv: command.argv }));
  return {
    time: new Date(now).toISOString(),
    session: sessionId,
    agent: caller,
    kind,
    title,
    ...omitUndefined({ tool, command: asString(text), arguments: input ?? undefined, subject }),
    ...(paths.length > 0 && { paths }),
    ms: now - at,
  };
}
