import { t } from '../../base/l10n';
import type { PermissionKind, PermissionOption, PermissionOutcome } from '../../shared/state/toolCallState';
import type { Decision } from './ruleRequest';

export const NO_RULE = t('no rule applies');
export const TOO_MUCH = t('the command names too many files and folders to check');

/**
 * Maps a decision to one of the options; undefined when the user is asked. Denied: `reject_once`, else `reject_always`, else canceled.
 * Allowed: once, never more than requested.
 */
export function toPermissionOutcome(
  { decision, reason }: Decision,
  options: readonly PermissionOption[],
): PermissionOutcome | undefined {
  if (decision === 'ask') return undefined;
  const option = optionOf(options, decision === 'allow' ? ['allow_once'] : ['reject_once', 'reject_always']);
  if (option) return { type: 'selected', optionId: option.optionId, by: 'rule', reason };
  return decision === 'deny' ? { type: 'canceled', reason } : undefined;
}

function optionOf(
  options: readonly PermissionOption[],
  kinds: readonly PermissionKind[],
): PermissionOption | undefined {
  const kind = kinds.find((kind) => options.some((option) => option.kind === kind));
  return options.find((option) => option.kind === kind);
}

/** Whether an answer allows, and for how long. */
export type Answer = 'allowed' | 'allowedAlways' | 'denied' | 'deniedAlways' | 'canceled';

export function answerOf(outcome: PermissionOutcome, options: readonly PermissionOption[]): Answer {
  if (outcome.type === 'canceled') return 'canceled';
  const kind = options.find(({ optionId }) => optionId === outcome.optionId)?.kind;
  if (kind === 'allow_always') return 'allowedAlways';
  if (kind === 'reject_always') return 'deniedAlways';
  // Custom option kinds of agents are approvals unless they are rejections.
  return kind === 'reject_once' ? 'denied' : 'allowed';
}

/** Only options of a known kind: an unknown one may be a refusal. */
export function isAllowedBy(outcome: PermissionOutcome, options: readonly PermissionOption[]): boolean {
  if (outcome.type !== 'selected') return false;
  const kind = options.find(({ optionId }) => optionId === outcome.optionId)?.kind;
  return kind === 'allow_once' || kind === 'allow_always';
}
