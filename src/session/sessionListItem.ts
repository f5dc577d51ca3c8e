import type { SessionListItem, SessionStatus, SessionSummary } from '../history/sessionSummary';
import { listTitle } from '../history/sessionSummary';
import type { AgentRef, SessionState } from '../shared/state/sessionState';
import type { SessionCapabilities } from './agents/sessionCapabilities';
import type { ListedSession } from './agents/storedSessionLists';
import type { ChangedLines } from './sessionCatalog';

/** Data of our session beside its summary. */
interface OwnSessionFacts {
  /** State of an open session; undefined for other sessions. */
  readonly state: SessionState | undefined;
  readonly isActive: boolean;
  readonly lines: ChangedLines | undefined;
  readonly capabilities: SessionCapabilities;
  readonly isAgentRunning: boolean;
  /** From the agent's list. */
  readonly listed: ListedSession | undefined;
}

export function ownSessionItem(summary: SessionSummary, facts: OwnSessionFacts): SessionListItem {
  const { state, isActive, lines, capabilities, isAgentRunning, listed } = facts;
  const { agentSession, unread = false } = summary;
  const title = !summary.renamed && !state && listed?.title ? listTitle(listed.title) : summary.title;
  const fork = agentSession !== undefined && (isAgentRunning ? capabilities.fork : agentSession.canFork === true);
  return {
    ...summary,
    ...lines,
    // The session may have been continued elsewhere, such as in the agent's terminal program.
    updatedAt: Math.max(summary.updatedAt, agentSession?.updatedAt ?? 0, listed?.updatedAt ?? 0),
    title,
    status: state ? sessionStatus({ state }, unread) : unread ? 'unread' : 'idle',
    isActive,
    isOurs: true,
    can: { rename: true, archive: true, delete: true, fork },
  };
}

export function agentSessionItem(
  { agentName, id, cwd, title, updatedAt = 0, archived }: ListedSession,
  agent: AgentRef | undefined,
  capabilities: SessionCapabilities,
): SessionListItem {
  return {
    id: agentSessionKey(agentName, id),
    title: listTitle(title),
    renamed: false,
    ...(agent && { agent }),
    agentSession: { id, cwd, ...(capabilities.program !== undefined && { program: capabilities.program }) },
    updatedAt,
    archived,
    status: 'idle',
    isActive: false,
    isOurs: false,
    can: {
      rename: capabilities.title,
      archive: capabilities.archive,
      delete: capabilities.delete,
      fork: capabilities.fork,
    },
  };
}

/** Identifies an agent's session, whether we have it or not. */
export function agentSessionKey(agentName: string | undefined, agentSessionId: string | undefined): string {
  return `agent ${JSON.stringify([agentName, agentSessionId])}`;
}

export function summaryFrom(item: SessionListItem): SessionSummary {
  const { status: _s, isActive: _a, isOurs: _o, can: _c, added: _added, removed: _removed, ...summary } = item;
  return summary;
}

/** The status in lists and tab titles. */
export function sessionStatus({ state }: { readonly state: SessionState }, isUnread: boolean): SessionStatus {
  if (state.waiting.length > 0) return 'waiting';
  if (state.turn.status === 'running') return 'running';
  return isUnread ? 'unread' : 'idle';
}
