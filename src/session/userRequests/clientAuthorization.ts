import { randomUUID } from 'node:crypto';
import { omitUndefined, canonicalJson } from '../../base/json';
import { t } from '../../base/l10n';
import { withRealPaths } from '../../permissions/permissionPolicy';
import type { RuleEngine } from '../../permissions/ruleEngine';
import type { Decision, RuleRequest } from '../../permissions/rules/ruleRequest';
import type { SessionApprovals, Write } from '../../permissions/sessionApprovals';
import type { Confinement, RequestingSession } from '../../permissions/toolCallRequest';
import type { DiffContent, Location, ToolContent } from '../../shared/state/contentBlocks';
import { entriesFrom } from '../../shared/state/entryPages';
import type { SessionState } from '../../shared/state/sessionState';
import { isOpen } from '../../shared/state/toolCallReducer';
import type { PermissionOption, ToolEntry } from '../../shared/state/toolCallState';
import type { AuthorizationRequest } from '../sessionHandle';
import type { SessionModel } from '../sessionModel';

/** @param args what the arguments of a tool may name and run */
export function authorizationRuleRequest(
  request: AuthorizationRequest,
  session: RequestingSession,
  args: Partial<ReturnType<RuleEngine['argumentFacts']>> = {},
): RuleRequest {
  const { kind, title, tool, command, caller, toolIdentity, called } = request;
  const { agent, agentIdentity, cwd, confined } = session;
  const { folders = session.folders, isOwnRead } = request;
  // What a text of such a tool may name is no file that it reads.
  const paths = request.paths ?? (isOwnRead ? [] : (args.paths ?? []));
  return withRealPaths({
    kind,
    title,
    agent,
    ...(request.paths ? { possibleCommands: args.possibleCommands ?? [] } : args),
    ...(toolIdentity !== undefined && { subject: `${args.subject} ${toolIdentity}` }),
    ...(args.hasMoreCommands && { hasMoreCommands: true }),
    paths,
    folders,
    ...omitUndefined({ agentIdentity, tool, toolIdentity, called, command, caller, cwd, isOwnRead }),
    ...omitUndefined({ argsHash: args.subject }),
    ...(confined === 'untrusted' && { isUntrusted: true }),
  });
}

/**
 * Decides Parley's own request. A protection or a rule that asks overrides every earlier answer except the one to the agent's own request
 * about the same action; else the caller's approvals count, then the request's default.
 * @param write what would be written, where an approval may cover it
 */
export function decideAuthorization(
  request: AuthorizationRequest,
  ruleRequest: RuleRequest,
  ruled: Decision,
  { confined, isBuiltIn }: RequestingSession,
  approvals: SessionApprovals,
  write?: Write,
): Decision {
  const { always, isAgreed = false, paths, input } = request;
  if (ruled.decision === 'deny') return ruled;
  const askDecision: Decision | undefined =
    always === undefined
      ? (restrictingDecision(ruled) ?? (isBuiltIn ? undefined : unreadableCommandDecision(request, ruled)))
      : { ...ruled, decision: 'ask', by: 'protection', reason: always };
  const granted = askDecision
    ? approvals.overridingApprovalReason(ruleRequest, isAgreed, write)
    : approvals.approvalReason(ruleRequest, input);
  const agreed = isAgreed && paths === undefined ? t('you approved this call just now') : granted;
  if (agreed !== undefined) return { ...ruled, decision: 'allow', by: 'session', reason: agreed };
  if (askDecision) return askDecision;
  if (ruled.by !== 'agent' || request.otherwise === 'ask') return ruled;
  if (confined && ruleRequest.command) return { ...ruled, reason: CONFINED[confined] };
  if (ruled.outsideEffect !== undefined) return { ...ruled, reason: ruled.outsideEffect };
  return { ...ruled, decision: 'allow', by: 'builtIn', reason: t('it stays inside the workspace') };
}

/** Undefined when no protection or rule asks. */
function restrictingDecision(ruled: Decision): Decision | undefined {
  return ruled.decision === 'ask' && ruled.by !== 'agent' ? ruled : undefined;
}

/** An unreadable command might leave the workspace or write protected files. */
function unreadableCommandDecision(
  { otherwise, command }: AuthorizationRequest,
  ruled: Decision,
): Decision | undefined {
  if (ruled.by !== 'agent' || otherwise === 'ask' || !command || ruled.unclear === undefined) return undefined;
  return { ...ruled, decision: 'ask', by: 'protection', reason: ruled.unclear };
}

const CONFINED: Readonly<Record<Confinement, string>> = {
  untrusted: t('the workspace is not trusted, so every command requires approval'),
  remote: t('the agent runs on another machine, so every command requires approval'),
};

/** Option ids of Parley's own requests. */
export const AUTHORIZATION_OPTIONS = { once: 'allowOnce', session: 'allowSession', reject: 'reject' } as const;

/** The options. "For this session" has no effect where a protection or a rule asks; rules exist only for the agent. */
export function authorizationOptions(
  decision: Decision,
  { caller, tool, input, isPassing }: AuthorizationRequest,
  { namesCommand }: RuleEngine,
): readonly PermissionOption[] {
  // No rule can name the command that a tool of another server runs.
  const isForRules = caller === undefined && !isPassing && (tool === undefined || !namesCommand(input));
  const session: PermissionOption = {
    optionId: AUTHORIZATION_OPTIONS.session,
    name: t('Allow for this session'),
    kind: isForRules ? 'allow_always' : 'other',
  };
  return [
    { optionId: AUTHORIZATION_OPTIONS.once, name: t('Allow once'), kind: 'allow_once' },
    ...(restrictingDecision(decision) ? [] : [session]),
    { optionId: AUTHORIZATION_OPTIONS.reject, name: t('Reject'), kind: 'reject_once' },
  ];
}

/** The tool call of Parley's own request: an open one of the agent about the same file, else a new one. */
export async function authorizationToolCall(
  model: SessionModel,
  engine: RuleEngine,
  request: AuthorizationRequest,
  now: number,
): Promise<{ readonly entry: number; readonly isOwn: boolean }> {
  const change = await request.change?.().catch(() => undefined);
  const diff = change && model.addDiff(change);
  const open = findOpenCall(model.state, engine, request, diff);
  if (open !== undefined) return { entry: open, isOwn: false };
  const entry = model.state.entries.count;
  const { kind, title, input, paths = [], command } = request;
  const raw = input ?? command;
  const locations = paths.map((path) => ({ path, label: model.displayPath(path) }));
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

function findOpenCall(
  { entries, turn }: SessionState,
  engine: RuleEngine,
  request: AuthorizationRequest,
  diff?: DiffContent,
): number | undefined {
  if (turn.status !== 'running' || !request.paths) return undefined;
  const calls = Array.from(entriesFrom(entries, turn.firstEntry)).toReversed();
  return calls.find(
    ([, entry]) => entry.kind === 'tool' && isOpen(entry.status) && isSameAction(entry, engine, request, diff),
  )?.[0];
}

/** Whether the agent's tool call shows exactly the files, change and arguments of Parley's request, and nothing else. */
function isSameAction(
  call: ToolEntry,
  { needsInput, toolSubject, wholeReads }: RuleEngine,
  { paths = [], change, input, tool }: AuthorizationRequest,
  diff?: DiffContent,
): boolean {
  const { title, name, locations, content, rawInput } = call;
  // What the agent says besides the change, or of a tool that will change something, is not known to be true.
  if (content.some((item) => item.type !== 'diff' || item.diffId !== diff?.diffId)) return false;
  if (content.length !== (change ? 1 : 0)) return false;
  const shown = tool === undefined && !change ? wholeReads(call) : [...locations, ...content].flatMap(pathIn);
  if (shown.length === 0 || !shown.every((path) => paths.includes(path))) return false;
  if (tool === undefined) return !needsInput(call);
  const subject = toolSubject({ title, rawInput, ...(name !== undefined && { name }) });
  const args = subject.type === 'tool' ? subject.args : {};
  return paths.every((path) => shown.includes(path)) && canonicalJson(args) === canonicalJson(input ?? {});
}

function pathIn(shown: ToolContent | Location): readonly string[] {
  return 'path' in shown ? [shown.path] : [];
}
