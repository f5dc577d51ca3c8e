import { realpath } from 'node:fs/promises';
import type { Clock } from '../../base/clock';
import { CanceledError, ParleyError, errorMessage } from '../../base/errors';
import { asObject, asString, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import type { AgentSession } from '../../shared/state/sessionState';
import { ReplayFilter } from '../repeatedUpdates';
import { requireFolder } from '../sessionFolder';
import type { AttachedSession, SessionHandle } from '../sessionHandle';
import { capabilitiesOf } from './sessionCapabilities';
import type { SessionCapabilities } from './sessionCapabilities';
import type { SharedAgent } from './sharedAgent';
import { isAboutSignIn } from './signInFlow';

export interface BoundSession {
  readonly link: SharedAgent;
  readonly agentSessionId: string;
  /** New at the agent, which does not know the earlier conversation. */
  readonly isFresh: boolean;
}

export interface OpenSessionTarget {
  readonly session: AttachedSession;
  readonly clock: Clock;
  readonly log: Logger;
  isOn(link: SharedAgent): boolean;
  /** Closes a session that is no longer needed. */
  discard(link: SharedAgent, agentSessionId: string): void;
  /** The agent refuses to reopen the session; the caller opens another one. */
  onDidRefuse?(error: unknown): void;
  /** Called in wire order, before any later update (I3). `result` is the response. */
  onDidOpen(bound: BoundSession, session: AgentSession, result: JsonObject): void;
}

/**
 * Common parameters of `session/new`, `load`, `resume` and `fork`; the folder list is always complete
 * (https://agentclientprotocol.com/protocol/session-setup).
 * @throws ParleyError `folderNotFound`
 */
export async function sessionParams(link: SharedAgent, cwd: string, session: SessionHandle): Promise<JsonObject> {
  // A remote agent may know the folder when this computer does not.
  if (!link.definition.remote) await requireFolder(cwd);
  const mcpServers = await link.mcpServers(session);
  const others = session.folders.filter((folder) => folder !== cwd);
  const capabilities = capabilitiesOf(link);
  const text = capabilities.systemPrompt ? session.state.preset?.instructions : undefined;
  return omitUndefined({
    cwd,
    mcpServers,
    additionalDirectories: capabilities.additionalDirectories && others.length > 0 ? others : undefined,
    systemPrompt: text === undefined ? undefined : { mode: 'append', content: [{ type: 'text', text }] },
    _meta: link.connection.quirk?.sessionMeta,
  });
}

/**
 * Resumes the agent's session, without a replay where possible. Undefined when that is impossible or the agent no longer knows the session:
 * agents then answer -32002, -32602 or -32603, so every refusal except a required sign-in counts. Never an id of another open session: its
 * updates, requests and approvals would be taken over.
 */
export async function resumeAgentSession(
  link: SharedAgent,
  agentSession: AgentSession,
  target: OpenSessionTarget,
): Promise<BoundSession | undefined> {
  if (link.isTaken(agentSession.id, target.session)) {
    // Some agents number their sessions from the start again in each process: this is not the session that was stored.
    target.log.info('session', `${link.definition.title} has another open session ${agentSession.id}`);
    return undefined;
  }
  const isEmpty = target.session.state.entries.count === 0;
  const folders = await folderNames(agentSession.cwd);
  const attempts = restoreMethods(capabilitiesOf(link), isEmpty).flatMap((method) =>
    folders.map((cwd) => ({ method, cwd })),
  );
  for (const { method, cwd } of attempts) {
    try {
      return await restoreAgentSession(link, { method, cwd }, agentSession, target, isEmpty);
    } catch (error) {
      if (!target.isOn(link)) throw new CanceledError(t('Another agent was selected'));
      if (!link.isAlive || isAboutSignIn(error) || ParleyError.is(error, 'folderNotFound')) throw error;
      target.log.info('session', `${link.definition.title} refused ${method}: ${errorMessage(error)}`);
      target.onDidRefuse?.(error);
    }
  }
  return undefined;
}

/** @throws ParleyError or RpcError */
export async function newAgentSession(link: SharedAgent, target: OpenSessionTarget): Promise<BoundSession> {
  let bound: BoundSession | undefined;
  const { cwd } = target.session;
  const params = await sessionParams(link, cwd, target.session);
  await link.connection.request('session/new', params, {
    onSettled: (outcome) => {
      if (!('result' in outcome)) return;
      const result = asObject(outcome.result) ?? {};
      const agentSessionId = asString(result['sessionId']);
      if (!agentSessionId || link.isTaken(agentSessionId, target.session)) return;
      if (!target.isOn(link)) {
        // The request was canceled, but the agent has opened the session.
        target.discard(link, agentSessionId);
        return;
      }
      bound = { link, agentSessionId, isFresh: true };
      target.onDidOpen(bound, { id: agentSessionId, cwd }, result);
      link.attach(agentSessionId, target.session);
    },
  });
  if (bound) return bound;
  if (!target.isOn(link)) throw new CanceledError(t('Another agent was selected'));
  throw new ParleyError(
    'agentProtocol',
    t('{0} opened a session but did not return a new session ID.', link.definition.title),
    {
      nextStep: t('Update the agent, or report this to its authors.'),
    },
  );
}

/** Closes an agent session that will never be used, and deletes it where supported. */
export function discardAgentSession(link: SharedAgent, sessionId: string, log: Logger): void {
  const canDelete = link.isAlive && capabilitiesOf(link).delete;
  link.close(sessionId);
  if (!canDelete) return;
  link.connection.request('session/delete', { sessionId }).catch((error: unknown) => {
    log.info('session', `Failed to delete an unused session of ${link.definition.title}: ${errorMessage(error)}`);
  });
}

type RestoreMethod = 'session/resume' | 'session/load';

/** The folder as VS Code names it, and without links: agents store the second one, and some compare only texts. */
async function folderNames(cwd: string): Promise<readonly string[]> {
  return [...new Set([cwd, await realpath(cwd).catch(() => cwd)])];
}

/** Only an empty transcript needs the replay. */
function restoreMethods({ load, resume }: SessionCapabilities, isEmpty: boolean): RestoreMethod[] {
  const methods: RestoreMethod[] = [];
  if (resume) methods.push('session/resume');
  if (load) methods.push('session/load');
  return isEmpty ? methods.toReversed() : methods;
}

/** Loaded with the first transcript that is resumed. */
async function newReplayFilter(target: OpenSessionTarget, isReplaying: boolean): Promise<ReplayFilter> {
  const { session, clock } = target;
  const { ReplayMatcher } = await import('../replayMatcher');
  const matcher = new ReplayMatcher(session.state, isReplaying);
  return new ReplayFilter({ keeps: 'new', session, matcher, onBeyond: () => explainBeyond(target) }, clock);
}

function explainBeyond({ session, clock }: OpenSessionTarget): void {
  const title = t('The agent continued this conversation elsewhere');
  const text = t('What follows comes from its history.');
  session.dispatch({ type: 'noticeShown', severity: 'info', title, text, at: clock.now() });
}

async function restoreAgentSession(
  link: SharedAgent,
  { method, cwd }: { readonly method: RestoreMethod; readonly cwd: string },
  agentSession: AgentSession,
  target: OpenSessionTarget,
  isEmpty: boolean,
): Promise<BoundSession> {
  const { session } = target;
  const bound: BoundSession = { link, agentSessionId: agentSession.id, isFresh: false };
  const isReplaying = method === 'session/load';
  const replay = isEmpty
    ? new ReplayFilter({ keeps: 'all' }, target.clock)
    : await newReplayFilter(target, isReplaying);
  link.attach(agentSession.id, session, replay);
  try {
    const params = { sessionId: agentSession.id, ...(await sessionParams(link, cwd, session)) };
    await link.connection.request(method, params, {
      onSettled: (outcome) => {
        if ('result' in outcome && target.isOn(link))
          target.onDidOpen(bound, agentSession, asObject(outcome.result) ?? {});
      },
    });
    // An agent may replay on a resume, too, and then the next message must not come in between.
    await replay.waitUntilSettled();
    if (!target.isOn(link)) throw new CanceledError(t('Another agent was selected'));
    const isPartial = replay.hasAdded;
    const isWhole = isEmpty && (isReplaying || session.state.entries.count > 0);
    if (isWhole || isPartial)
      session.dispatch({ type: 'replayEnded', ...(isPartial && { isPartial }), at: target.clock.now() });
    return bound;
  } catch (error) {
    link.detach(agentSession.id);
    throw error;
  }
}
