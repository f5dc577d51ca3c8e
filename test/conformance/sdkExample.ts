import { entriesFrom } from '../../src/shared/state/entryPages';
import type { SessionState } from '../../src/shared/state/sessionState';
import type { PermissionAnswer } from '../agents/scenarios';
import { sdkExampleAgent } from '../agents/sdkExample';
import type { AgentRun, Extension } from './agentRun';
import { agentText, withAgent } from './agentRun';
import { answersQuestions, until } from './realAgents';

const OPTIONS = { allow_once: ['allow', 'Allow this change'], reject_once: ['reject', 'Skip this change'] } as const;

/**
 * Three turns whose tool calls reuse the same ids: allowed, rejected, canceled.
 * @returns Complaints.
 */
export async function playSdkExample(extension: Extension): Promise<readonly string[]> {
  return withAgent(extension, 'sdkexample', sdkExampleAgent, async (run) => [
    ...(await turn(run, 'allow_once', /successfully updated the configuration/, ['done', 'done'])),
    ...(await turn(run, 'reject_once', /skip the configuration update/, ['done', 'rejected'])),
    ...(await stoppedTurn(run)),
    ...(await run.rules()),
  ]);
}

async function turn(
  run: AgentRun,
  permission: PermissionAnswer,
  says: RegExp,
  statuses: readonly string[],
): Promise<string[]> {
  const isOver = answersQuestions(run.session, OPTIONS, permission);
  await run.send('Hello.');
  isOver();
  const { state } = run.session;
  return [
    ...ended(state, 'end_turn'),
    !says.test(agentText(state)) && `${permission}: it said ${agentText(state)}`,
    toolStatuses(state).join() !== statuses.join() && `${permission}: its tools are ${toolStatuses(state).join()}`,
  ].filter((problem) => problem !== false);
}

async function stoppedTurn(run: AgentRun): Promise<string[]> {
  const { session } = run;
  const before = agentText(session.state);
  const turnEnd = run.send('Hello.');
  await until(session, (state) => agentText(state) !== before && agentText(state) !== '');
  session.turn.stop();
  await turnEnd;
  return ended(session.state, 'cancelled');
}

function ended({ turn: now }: SessionState, stopReason: string): string[] {
  const found = now.status === 'idle' ? now.stopReason : now.status;
  return found === stopReason ? [] : [`stopReason is ${found}, not ${stopReason}`];
}

/** Tool calls since the last prompt. */
function toolStatuses(state: SessionState): string[] {
  let statuses: string[] = [];
  for (const [, entry] of entriesFrom(state.entries)) {
    if (entry.kind === 'user') statuses = [];
    if (entry.kind === 'tool') statuses.push(entry.status);
  }
  return statuses;
}
