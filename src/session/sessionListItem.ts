import type { AgentRef, SessionState } from '../shared/state/sessionState';
import type { SessionAbilities } from './agents/sessionCapabilities';
import type { ListedSession } from './agents/agentSessionLists';
import type { SessionListItem, SessionStatus, SessionSummary } from '../history/sessionSummary';
import { listTitle } from '../history/sessionSummary';

/** How sessions stand in lists. Pure. */

/** What is known of a session of ours beside its summary. */
export interface OwnFacts {
  /** Of an open one. */
  readonly state: SessionState | undefined;
  readonly isActive: boolean;
  readonly abilities: SessionAbilities;
  /** Its agent runs. */
  readonly runs: boolean;
  /** As the agent lists it. */
  readonly listed: ListedSession | undefined;
}

export function ownItem(summary: SessionSummary, facts: OwnFacts): SessionListItem {
  const { state, isActive, abilities, runs, listed } = facts;
  const { agentSession, unread = false } = summary;
  const title = !summary.renamed && !state && listed?.title ? listTitle(listed.title) : summary.title;
  const fork = agentSession !== undefined && (runs ? abilities.fork : agentSession.canFork === true);
  return {
    ...summary,
    // It may have gone on elsewhere, in the agent's own terminal program for instance.
    updatedAt: Math.max(summary.updatedAt, agentSession?.updatedAt ?? 0, listed?.updatedAt ?? 0),
    title,
    status: state ? statusOf({ state }, unread) : unread ? 'unread' : 'idle',
    isActive,
    isOurs: true,
    can: { rename: true, archive: true, delete: true, fork },
  };
}

export function listedItem(
  { agentName, id, cwd, title, updatedAt = 0, archived }: ListedSession,
  agent: AgentRef | undefined,
  abilities: SessionAbilities,
): SessionListItem {
  return {
    id: keyOf(agentName, id),
    title: listTitle(title),
    renamed: false,
    ...(agent && { agent }),
    agentSession: { id, cwd },
    updatedAt,
    archived,
    status: 'idle',
    isActive: false,
    isOurs: false,
    can: { rename: abilities.title, archive: abilities.archive, delete: abilities.delete, fork: abilities.fork },
  };
}

/** An agent's session, whether we have it too or not. */
export function keyOf(agentName: string | undefined, agentSessionId: string | undefined): string {
  return `agent ${JSON.stringify([agentName, agentSessionId])}`;
}

export function summaryFrom(item: SessionListItem): SessionSummary {
  const { status: _status, isActive: _isActive, isOurs: _isOurs, can: _can, ...summary } = item;
  return summary;
}

/** How a session stands in lists and in the title of its tab. */
export function statusOf({ state }: { readonly state: SessionState }, isUnread: boolean): SessionStatus {
  if (state.waiting.length > 0) return 'waiting';
  if (state.turn.status === 'running') return 'running';
  return isUnread ? 'unread' : 'idle';
}
