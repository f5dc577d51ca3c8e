import type { LinkedSession } from './agents';
import { listTitle } from './summary';

/**
 * Brings back the other sessions of a process that was ended from one of them, and names them there: the person may not have
 * known that they share it (experience.md, section 9).
 */
export async function reopenAll(
  from: LinkedSession,
  others: readonly LinkedSession[],
  now: () => number,
): Promise<void> {
  // A chat without a message has nothing to come back to.
  const begun = others.filter(({ state }) => state.entries.count > 0);
  if (begun.length === 0) return;
  const reopened = await Promise.all(begun.map((session) => session.reopen()));
  const agent = from.state.agent?.title ?? 'The agent';
  const lost = begun.filter((_, index) => !reopened[index]);
  const back = begun.filter((_, index) => reopened[index]);
  const sentences = [
    back.length > 0 && `These chats use the same process and were brought back: ${names(back)}.`,
    lost.length > 0 && `These chats use the same process; the agent no longer remembers them: ${names(lost)}.`,
  ];
  const text = sentences.filter(Boolean).join(' ');
  from.dispatch({ type: 'noticeShown', severity: 'info', title: `${agent} was restarted`, text, at: now() });
}

function names(sessions: readonly LinkedSession[]): string {
  return sessions.map(({ state }) => `“${listTitle(state.title)}”`).join(', ');
}
