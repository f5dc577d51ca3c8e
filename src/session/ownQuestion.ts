import { randomUUID } from 'node:crypto';
import { t } from '../base/l10n';
import { entriesFrom } from '../shared/entries';
import type { PermissionOption, SessionState, ToolEntry } from '../shared/state';
import { isOpen } from '../shared/toolReducer';
import type { Grants } from './grants';
import type { SessionModel } from './model';
import { withNames } from './policy';
import type { OwnQuestion } from './port';
import type { Decision, RuleRequest } from './rules/request';

/** What an {@link OwnQuestion} comes to, for the rules. */
export function ownRequest(question: OwnQuestion, agent: string, folders: readonly string[]): RuleRequest {
  const { kind, title, tool, command, paths = [] } = question;
  return withNames({
    kind,
    title,
    agent,
    paths,
    folders,
    ...(tool !== undefined && { tool }),
    ...(command && { command }),
  });
}

/**
 * What happens with a question of Parley's own: as the rules say, unless the person has allowed the same already; where nothing speaks about it, as
 * the question itself says.
 */
export function ownDecision(question: OwnQuestion, request: RuleRequest, ruled: Decision, grants: Grants): Decision {
  if (ruled.decision === 'deny') return ruled;
  const granted = grants.reasonFor(request, question.input);
  if (granted !== undefined) return { ...ruled, decision: 'allow', by: 'session', reason: granted };
  if (question.always !== undefined) return { ...ruled, decision: 'ask', by: 'protection', reason: question.always };
  if (ruled.by !== 'agent' || question.otherwise === 'ask') return ruled;
  return { ...ruled, decision: 'allow', by: 'builtIn', reason: t('it stays inside the workspace') };
}

/** Ids of the answers to a question of Parley's own. */
export const OWN_OPTIONS = { once: 'allowOnce', session: 'allowSession', reject: 'reject' } as const;

/** What can be answered. A rule could never hold where a protection asks, so "for this session" is no kind that rules are made of. */
export function ownOptions({ by }: Decision, { always }: OwnQuestion): readonly PermissionOption[] {
  const session: PermissionOption = {
    optionId: OWN_OPTIONS.session,
    name: t('Allow for this session'),
    kind: by === 'protection' ? 'other' : 'allow_always',
  };
  return [
    { optionId: OWN_OPTIONS.once, name: t('Allow once'), kind: 'allow_once' },
    ...(always === undefined ? [session] : []),
    { optionId: OWN_OPTIONS.reject, name: t('Reject'), kind: 'reject_once' },
  ];
}

/** The tool call that a question of Parley's own belongs to: one of the agent's that is open and about the same file, else one of its own. */
export async function ownTool(
  model: SessionModel,
  question: OwnQuestion,
  now: number,
): Promise<{ readonly entry: number; readonly isOwn: boolean }> {
  const open = openCall(model.state, question);
  if (open !== undefined) return { entry: open, isOwn: false };
  const change = await question.change?.().catch(() => undefined);
  const entry = model.state.entries.count;
  const { kind, title, input, paths = [], command } = question;
  const raw = input ?? command;
  const locations = paths.map((path) => ({ path, label: model.label(path) }));
  const patch = {
    title,
    tool: kind,
    locations,
    ...(raw !== undefined && { rawInput: raw }),
    ...(change && { content: [model.showDiff(change)] }),
  };
  model.dispatch({ type: 'toolStarted', toolCallId: `parley-${randomUUID()}`, patch, at: now });
  return { entry, isOwn: true };
}

function openCall({ entries, turn }: SessionState, { paths }: OwnQuestion): number | undefined {
  if (turn.status !== 'running' || !paths) return undefined;
  const calls = Array.from(entriesFrom(entries, turn.firstEntry)).toReversed();
  return calls.find(([, entry]) => entry.kind === 'tool' && isOpen(entry.status) && touches(entry, paths))?.[0];
}

function touches({ locations, content }: ToolEntry, paths: readonly string[]): boolean {
  const touched = [...locations, ...content.filter((item) => item.type === 'diff')];
  return touched.some(({ path }) => paths.includes(path));
}
