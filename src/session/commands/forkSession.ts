import { randomUUID } from 'node:crypto';
import { ParleyError } from '../../base/errors';
import { asObject, asString } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import { listTitle } from '../../history/sessionSummary';
import type { TranscriptContent } from '../../history/transcriptFile';
import { QUEUE_ACTIONS } from '../../shared/state/messageQueueState';
import { sessionParams } from '../agents/openAgentSession';
import { capabilitiesOf } from '../agents/sessionCapabilities';
import type { LiveSession } from '../liveSession';
import type { WindowSessions } from '../windowSessions';

/**
 * Forks a session by `session/fork`. The transcript is a copy of Parley's; a history replay under the new id (OpenCode sends one before the id
 * is known) is discarded.
 * @throws ParleyError when the agent does not support it or the session is busy
 * @throws RpcError when the agent refuses
 */
export async function forkSession(source: LiveSession, sessions: WindowSessions): Promise<LiveSession> {
  const bound = source.binding.current;
  const agent = source.state.agent?.title ?? t('The agent');
  if (!bound)
    throw new ParleyError(
      'agentRefused',
      t('{0} could not reopen this session, so the session cannot be forked.', agent),
    );
  if (!capabilitiesOf(bound.link).fork)
    throw new ParleyError('agentRefused', t('{0} does not support forking sessions.', agent));
  if (source.state.turn.status === 'running') {
    throw new ParleyError('conflict', t('A session cannot be forked while a turn is running.'), {
      nextStep: t('Wait for the turn to end, or stop it.'),
    });
  }
  await source.history.flush();
  const transcript = await sessions.store.readTranscript(source.id);
  const title = t('{0} (fork)', listTitle(source.state.title));
  return forkAgentSession(source, sessions, title, transcript && withoutQueue(transcript));
}

/** Queued messages must not be sent twice. */
function withoutQueue(transcript: TranscriptContent): TranscriptContent {
  return { ...transcript, actions: transcript.actions.filter((action) => !QUEUE_ACTIONS.has(action.type)) };
}

/**
 * @param transcript the fork's; empty if undefined
 * @param meta `_meta` of the request
 * @throws ParleyError or RpcError
 */
export async function forkAgentSession(
  source: LiveSession,
  sessions: WindowSessions,
  title: string,
  transcript?: TranscriptContent,
  meta?: JsonObject,
): Promise<LiveSession> {
  const bound = source.binding.current;
  const agent = source.state.agent?.title ?? t('The agent');
  if (!bound) throw new ParleyError('agentRefused', t('{0} does not support forking sessions.', agent));
  const { link, agentSessionId } = bound;
  const { cwd } = source;
  const fork = sessions.open.create(randomUUID());
  fork.setFolder(cwd);
  // Its instructions and tools are part of the request.
  if (source.state.preset) fork.dispatch({ type: 'presetChosen', preset: source.state.preset });
  let isAdopted = false;
  try {
    const own = await sessionParams(link, cwd, fork);
    const extended = meta && { _meta: { ...asObject(own['_meta']), ...meta } };
    const params = { sessionId: agentSessionId, ...own, ...extended };
    await link.connection.request('session/fork', params, {
      onSettled: (outcome) => {
        const result = 'result' in outcome ? (asObject(outcome.result) ?? {}) : {};
        const id = asString(result['sessionId']);
        if (id === undefined || link.isTaken(id)) return;
        if (transcript) fork.copyFrom(transcript);
        isAdopted = true;
        fork.dispatch({ type: 'sessionRenamed', title });
        fork.binding.bindTo(link, { id, cwd }, result);
      },
    });
    if (!isAdopted)
      throw new ParleyError('agentProtocol', t('{0} forked the session but did not return the new session ID.', agent));
    return fork;
  } catch (error) {
    await sessions.close(fork);
    throw error;
  }
}
