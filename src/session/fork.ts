import { randomUUID } from 'node:crypto';
import { ParleyError } from '../base/errors';
import { asObject, asString } from '../base/json';
import type { AgentSession } from '../shared/state';
import { abilitiesOf } from './abilities';
import type { AgentLink } from './agents';
import { sessionParams } from './opening';
import type { Session } from './session';
import type { Sessions } from './sessions';
import { listTitle } from './summary';

/** Notes whether the session can be forked also when the agent does not run: then it must be brought back for that. */
export function withAbilities(
  { canFork: _before, ...session }: AgentSession,
  link: AgentLink | undefined,
): AgentSession {
  const { fork, load, resume } = abilitiesOf(link);
  return { ...session, ...(fork && (load || resume) && { canFork: true }) };
}

/**
 * A copy of a session that goes on by itself, by `session/fork`. Its transcript is a copy of ours; what an agent replays under the
 * new id (OpenCode does, before the id is known) is swallowed.
 * @throws ParleyError when the agent does not offer it or the session is at work, RpcError when it refuses
 */
export async function forkSession(source: Session, sessions: Sessions): Promise<Session> {
  const bound = source.bound;
  const agent = source.state.agent?.title ?? 'The agent';
  if (!bound)
    throw new ParleyError('agentRefused', `${agent} could not bring this session back, so it cannot be forked.`);
  const { link, agentSessionId } = bound;
  if (!abilitiesOf(link).fork) throw new ParleyError('agentRefused', `${agent} does not offer to fork a session.`);
  if (source.state.turn.status === 'running') {
    throw new ParleyError('conflict', 'A session cannot be forked while the agent works in it.', {
      nextStep: 'Wait for the end of the turn, or stop it.',
    });
  }
  await source.flush();
  const cwd = source.state.agentSession?.cwd ?? sessions.cwd;
  const transcript = await sessions.shelf.read(source.id);
  const fork = sessions.create(randomUUID());
  const title = `${listTitle(source.state.title)} (fork)`;
  let isAdopted = false;
  try {
    const params = { sessionId: agentSessionId, ...(await sessionParams(link, cwd, fork)) };
    await link.connection.request('session/fork', params, {
      onSettled: (outcome) => {
        const result = 'result' in outcome ? (asObject(outcome.result) ?? {}) : {};
        const id = asString(result['sessionId']);
        if (id === undefined) return;
        if (transcript) fork.copy(transcript);
        isAdopted = true;
        fork.dispatch({ type: 'sessionRenamed', title });
        fork.adopt(link, { id, cwd }, result);
      },
    });
    if (!isAdopted) throw new ParleyError('agentProtocol', `${agent} forked the session without telling the new id.`);
    return fork;
  } catch (error) {
    await sessions.close(fork);
    throw error;
  }
}
