import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { DiffContent } from '../../shared/state/contentBlocks';
import { entriesFrom } from '../../shared/state/entryPages';
import { toolCommand, toolPaths } from '../../shared/text/toolInput';
import type { PermissionOption, SessionState, ToolEntry } from '../../shared/state/sessionState';
import { isOpen } from '../../shared/state/toolCallReducer';
import { canonicalJson } from '../../permissions/auditLog';
import type { SessionApprovals } from '../../permissions/sessionApprovals';
import type { SessionModel } from '../sessionModel';
import { withRealPaths } from '../../permissions/permissionPolicy';
import type { AuthorizationRequest } from '../sessionHandle';
import type { Confinement, RequestingSession } from '../../permissions/toolCallRequest';
import type { Decision, RuleRequest } from '../../permissions/rules/ruleRequest';
import { inputTool } from '../../permissions/rules/toolNames';

/** What an {@link AuthorizationRequest} comes to, for the rules. */
export function authorizationRuleRequest(question: AuthorizationRequest, session: RequestingSession): RuleRequest {
  const { kind, title, tool, command, caller } = question;
  const { agent, folders, confined } = session;
  return withRealPaths({
    kind,
    title,
    agent,
    paths: question.paths ?? (tool === undefined ? [] : toolPaths(question.input).map(from(folders))),
    folders,
    ...omitUndefined({ tool, command, caller }),
    ...(confined === 'untrusted' && { isUntrusted: true }),
  });
}

/**
 * What happens with a question of Parley's own. A protection or a rule that asks outlives every earlier answer but the one to the agent's
 * own question about the same; else what the user has allowed this caller counts, and where nothing speaks about it the question itself.
 */
export function decideAuthorization(
  question: AuthorizationRequest,
  request: RuleRequest,
  ruled: Decision,
  past: Pick<RequestingSession, 'confined' | 'isBuiltIn'> & {
    readonly grants: Pick<SessionApprovals, 'approvedReason' | 'reasonFor'>;
  },
): Decision {
  const { always, isAgreed = false, paths, input } = question;
  if (ruled.decision === 'deny') return ruled;
  const asked: Decision | undefined =
    always === undefined
      ? (restricted(ruled) ?? (past.isBuiltIn ? undefined : unread(question, ruled)))
      : { ...ruled, decision: 'ask', by: 'protection', reason: always };
  const granted = asked ? past.grants.approvedReason(request, isAgreed) : past.grants.reasonFor(request, input);
  const agreed = isAgreed && paths === undefined ? t('you approved this call just now') : granted;
  if (agreed !== undefined) return { ...ruled, decision: 'allow', by: 'session', reason: agreed };
  if (asked) return asked;
  if (ruled.by !== 'agent' || question.otherwise === 'ask') return ruled;
  if (past.confined && request.command) return { ...ruled, reason: CONFINED[past.confined] };
  if (ruled.beyond !== undefined) return { ...ruled, reason: ruled.beyond };
  return { ...ruled, decision: 'allow', by: 'builtIn', reason: t('it stays inside the workspace') };
}

/** Undefined where neither a protection nor a rule asks. */
function restricted(ruled: Decision): Decision | undefined {
  return ruled.decision === 'ask' && ruled.by !== 'agent' ? ruled : undefined;
}

/** What cannot be read might leave the workspace, or write what is protected. */
function unread({ otherwise, command }: AuthorizationRequest, ruled: Decision): Decision | undefined {
  if (ruled.by !== 'agent' || otherwise === 'ask' || !command || ruled.unclear === undefined) return undefined;
  return { ...ruled, decision: 'ask', by: 'protection', reason: ruled.unclear };
}

const CONFINED: Readonly<Record<Confinement, string>> = {
  untrusted: t('the workspace is not trusted, so every command is asked about'),
  remote: t('the agent runs elsewhere, so each of its commands is asked about'),
};

/** What can be read as a path in the arguments of a tool is meant from the first folder. */
function from(folders: readonly string[]): (path: string) => string {
  return (path) => resolve(folders[0] ?? '/', path);
}

/** Ids of the answers to a question of Parley's own. */
export const AUTHORIZATION_OPTIONS = { once: 'allowOnce', session: 'allowSession', reject: 'reject' } as const;

/** What can be answered. "For this session" would hold nothing where a protection or a rule asks; rules are made for the agent only. */
export function authorizationOptions(
  decision: Decision,
  { caller, tool, input }: AuthorizationRequest,
): readonly PermissionOption[] {
  // No rule can name the command that a tool of another server runs.
  const isForRules = caller === undefined && (tool === undefined || toolCommand(input) === undefined);
  const session: PermissionOption = {
    optionId: AUTHORIZATION_OPTIONS.session,
    name: t('Allow for this session'),
    kind: isForRules ? 'allow_always' : 'other',
  };
  return [
    { optionId: AUTHORIZATION_OPTIONS.once, name: t('Allow once'), kind: 'allow_once' },
    ...(restricted(decision) ? [] : [session]),
    { optionId: AUTHORIZATION_OPTIONS.reject, name: t('Reject'), kind: 'reject_once' },
  ];
}

/**
 * The tool call that a question of Parley's own belongs to: one of the agent's that is open and about the same file, else one of its own.
 */
export async function authorizationToolCall(
  model: SessionModel,
  question: AuthorizationRequest,
  now: number,
): Promise<{ readonly entry: number; readonly isOwn: boolean }> {
  const change = await question.change?.().catch(() => undefined);
  const diff = change && model.showDiff(change);
  const open = openCall(model.state, question, diff);
  if (open !== undefined) return { entry: open, isOwn: false };
  const entry = model.state.entries.count;
  const { kind, title, input, paths = [], command } = question;
  const raw = input ?? command;
  const locations = paths.map((path) => ({ path, label: model.label(path) }));
  const patch = {
    title,
    tool: kind,
    locations,
    ...(raw !== undefined && { rawInput: raw }),
    ...(diff && { content: [diff] }),
  };
  model.dispatch({ type: 'toolStarted', toolCallId: `parley-${randomUUID()}`, patch, at: now });
  return { entry, isOwn: true };
}

function openCall(
  { entries, turn }: SessionState,
  question: AuthorizationRequest,
  diff?: DiffContent,
): number | undefined {
  if (turn.status !== 'running' || !question.paths) return undefined;
  const calls = Array.from(entriesFrom(entries, turn.firstEntry)).toReversed();
  const stands = ([, entry]: (typeof calls)[number]): boolean =>
    entry.kind === 'tool' && isOpen(entry.status) && standsFor(entry, question, diff);
  return calls.find(stands)?.[0];
}

/** It is about the same file, and shows no other change and no other arguments than those that the user is asked about. */
function standsFor(
  { locations, content, rawInput }: ToolEntry,
  { paths = [], change, input }: AuthorizationRequest,
  diff?: DiffContent,
): boolean {
  const diffs = content.filter((item) => item.type === 'diff');
  if (change && (!diff || diffs.length !== 1 || diffs[0]?.diffId !== diff.diffId)) return false;
  if (input !== undefined && canonicalJson(inputTool(rawInput).args) !== canonicalJson(input)) return false;
  return [...locations, ...diffs].some(({ path }) => paths.includes(path));
}
