import { assertNever } from '../../base/assert';
import { locale, t } from '../../base/l10n';
import type { CompactionEntry } from '../state/compactionState';
import type { BudgetPause, QueuePauseReason } from '../state/messageQueueState';
import type { AgentRef, Connection, SubagentEntry } from '../state/sessionState';
import type { ToolEntry, ToolStatus } from '../state/toolCallState';
import type { StopReason } from '../state/turnSummary';
import { formatCost } from './formatCost';

/** Why the queue is paused, as one sentence for the user. */
export function pauseText(pause: QueuePauseReason): string {
  switch (pause.why) {
    case 'reloaded':
      return t('Paused: the window was reloaded');
    case 'notSent':
      return t('Paused: the first message was not sent. {0}', pause.message);
    case 'turn':
      return turnText(pause.stopReason);
    case 'budget':
      return budgetText(pause);
    default:
      return assertNever(pause);
  }
}

function budgetText({ scope, spent, limit, currency }: BudgetPause): string {
  const used = formatCost({ amount: spent, currency }, locale());
  const all = formatCost({ amount: limit, currency }, locale());
  return scope === 'session'
    ? t('The session budget is used up: {0} of {1}', used, all)
    : t('Today’s budget is used up: {0} of {1}', used, all);
}

function turnText(stopReason: StopReason): string {
  if (stopReason === 'cancelled') return t('Paused: you stopped the turn');
  if (stopReason === 'error') return t('Paused: the turn failed');
  return t('Paused: the turn did not complete ({0})', stopReasonNotice(stopReason)?.title ?? stopReason);
}

/** Labels shared by page, status bar and notifications; fixed in English, and translated. */

/** The displayed status of a tool call or a child session. */
export type DisplayStatus = ToolStatus | 'waiting' | 'interrupted';

/** A pending permission request has priority over the agent's status. */
export function displayStatus({ status, waiting, interrupted }: ToolEntry): DisplayStatus {
  if (waiting > 0) return 'waiting';
  // The history that an agent replays may have the end of the call.
  return interrupted && status !== 'done' ? 'interrupted' : status;
}

/** The status of a child session in the labels of a tool call. */
export function subagentStatus({ activity, stopReason, child }: SubagentEntry): DisplayStatus {
  if (activity === 'requires_action') return 'waiting';
  if (child.turn.status === 'running') return 'running';
  if (stopReason === 'cancelled' || stopReason === 'interrupted') return 'canceled';
  return stopReason === 'error' || stopReason === 'refusal' ? 'failed' : 'done';
}

export const STATUS_LABELS: Readonly<Record<DisplayStatus, string>> = {
  pending: t('Pending'),
  waiting: t('Waiting for you'),
  running: t('Running'),
  done: t('Done'),
  failed: t('Failed'),
  rejected: t('Rejected'),
  canceled: t('Canceled'),
  interrupted: t('Interrupted'),
};

export function compactionLabel({ status, error }: CompactionEntry): string {
  const labels: Readonly<Record<string, string>> = {
    in_progress: t('Compacting the conversation…'),
    completed: t('Conversation compacted'),
    failed: t('Compaction failed'),
    cancelled: t('Compaction canceled'),
  };
  const label = labels[status] ?? t('Compaction: {0}', status);
  return error === undefined ? label : `${label}: ${error}`;
}

/** "Demo agent: ready", "Starting Claude…", "Gemini: exited (code 1)". */
export function connectionText(agent: AgentRef | undefined, connection: Connection): string {
  if (!agent) return t('No agent selected');
  switch (connection.status) {
    case 'idle':
      return t('{0}: not started', agent.title);
    case 'starting':
      return t('Starting {0}…', agent.title);
    case 'ready':
      return t('{0}: ready', agent.title);
    case 'reconnecting':
      return t('{0}: reconnecting (attempt {1})…', agent.title, connection.attempt);
    case 'signIn':
      return t('{0}: needs sign-in', agent.title);
    case 'failed':
      return t('{0}: failed', agent.title);
    case 'exited':
      return t('{0}: exited ({1})', agent.title, exitText(connection));
    default:
      return assertNever(connection);
  }
}

/** "code 1", "SIGKILL". */
export function exitText(exit: { readonly code?: number; readonly signal?: string }): string {
  if (exit.signal !== undefined) return exit.signal;
  return exit.code === undefined ? t('code unknown') : t('code {0}', exit.code);
}

/** The notice for a stop reason other than `end_turn`, with a next step. */
export function stopReasonNotice(stopReason: string): { title: string; text?: string } | undefined {
  switch (stopReason) {
    case 'end_turn':
      return undefined;
    case 'cancelled':
      return { title: t('Canceled') };
    case 'interrupted':
      return {
        title: t('Interrupted'),
        text: t('The window was closed or reloaded during this turn. Send a message to continue.'),
      };
    case 'agentRestarted':
      return {
        title: t('Interrupted'),
        text: t('The agent was restarted during this turn. Send a message to continue.'),
      };
    case 'max_tokens':
      return {
        title: t('Token limit reached'),
        text: t('The answer was cut off. Send “continue” to get the rest, or start a new chat.'),
      };
    case 'max_turn_requests':
      return {
        title: t('Request limit reached'),
        text: t('The agent reached its request limit for this turn. Send “continue” to resume.'),
      };
    case 'refusal':
      return {
        title: t('Refused'),
        text: t('The agent refused this request. Rephrase your message, or start a new chat.'),
      };
    default:
      return { title: t('Stopped: {0}', stopReason) };
  }
}
