import { assertNever } from '../base/assert';
import type { AgentRef, Connection, ToolEntry } from './state';
import type { CompactionEntry, SubagentEntry } from './updates';

/** Words that page, status bar and notifications have in common; fixed in English (experience.md, section 4). */

export type StatusWord = 'Pending' | 'Waiting for you' | 'Running' | 'Done' | 'Failed' | 'Rejected' | 'Canceled';

export function statusWord(tool: Pick<ToolEntry, 'status' | 'waiting'>): StatusWord {
  if (tool.waiting > 0) return 'Waiting for you';
  switch (tool.status) {
    case 'pending':
      return 'Pending';
    case 'running':
      return 'Running';
    case 'done':
      return 'Done';
    case 'failed':
      return 'Failed';
    case 'rejected':
      return 'Rejected';
    case 'canceled':
      return 'Canceled';
    default:
      return assertNever(tool.status);
  }
}

/** The state of a child session in the words of a tool call. */
export function subagentWord({ activity, stopReason, child }: SubagentEntry): StatusWord {
  if (activity === 'requires_action') return 'Waiting for you';
  if (child.turn.status === 'running') return 'Running';
  if (stopReason === 'cancelled' || stopReason === 'interrupted') return 'Canceled';
  return stopReason === 'error' || stopReason === 'refusal' ? 'Failed' : 'Done';
}

export function compactionText({ status, error }: Pick<CompactionEntry, 'status' | 'error'>): string {
  const words: Readonly<Record<string, string>> = {
    in_progress: 'Compacting the conversation…',
    completed: 'Conversation compacted',
    failed: 'Compacting failed',
    cancelled: 'Compacting canceled',
  };
  const word = words[status] ?? `Compaction: ${status}`;
  return error === undefined ? word : `${word}: ${error}`;
}

/** "Demo agent: ready", "Starting Claude…", "Gemini: exited (code 1)". */
export function connectionText(agent: AgentRef | undefined, connection: Connection): string {
  if (!agent) return 'No agent chosen';
  switch (connection.status) {
    case 'idle':
      return `${agent.title}: not started`;
    case 'starting':
      return `Starting ${agent.title}…`;
    case 'ready':
      return `${agent.title}: ready`;
    case 'reconnecting':
      return `${agent.title}: reconnecting (attempt ${connection.attempt})…`;
    case 'signIn':
      return `${agent.title}: needs sign-in`;
    case 'failed':
      return `${agent.title}: failed`;
    case 'exited':
      return `${agent.title}: exited (${exitText(connection)})`;
    default:
      return assertNever(connection);
  }
}

/** "code 1", "SIGKILL". */
export function exitText(exit: { readonly code?: number; readonly signal?: string }): string {
  return exit.signal ?? `code ${exit.code ?? 'unknown'}`;
}

/** What a stop reason that is not `end_turn` tells the person, with a next step. */
export function stopNotice(stopReason: string): { title: string; text?: string } | undefined {
  switch (stopReason) {
    case 'end_turn':
      return undefined;
    case 'cancelled':
      return { title: 'Canceled' };
    case 'interrupted':
      return {
        title: 'Interrupted',
        text: 'The window was closed or reloaded during this turn. Send a message to go on.',
      };
    case 'agentRestarted':
      return { title: 'Interrupted', text: 'The agent was restarted during this turn. Send a message to go on.' };
    case 'max_tokens':
      return {
        title: 'Token limit reached',
        text: 'The answer was cut off. Send “continue” to go on, or start a new chat.',
      };
    case 'max_turn_requests':
      return {
        title: 'Request limit reached',
        text: 'The agent used up its requests for this turn. Send “continue” to go on.',
      };
    case 'refusal':
      return { title: 'Refused', text: 'The agent declined to go on. Rephrase the request or start a new chat.' };
    default:
      return { title: `Stopped: ${stopReason}` };
  }
}
