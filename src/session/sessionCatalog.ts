import type { Event } from '../base/event';
import type { SessionListItem } from '../history/sessionSummary';
import type { AgentRef, SessionState } from '../shared/state/sessionState';
import type { Session } from './session';

/** Changes of agents that are neither kept nor undone. */
export interface OpenChanges {
  /** Fires soon after changes. */
  readonly onDidChange: Event<void>;
  /** Lines, by session id. */
  lineCounts(): ReadonlyMap<string, ChangedLines>;
}

export interface ChangedLines {
  readonly added: number;
  readonly removed: number;
}

/** All sessions, each once: ours, open or not, and those that agents list. `MergedCatalog` implements it. */
export interface SessionCatalog {
  /** Fires when the list may have changed; not for new content. */
  readonly onDidChange: Event<void>;

  /** Newest first. */
  items(): readonly SessionListItem[];
  item(id: string): SessionListItem | undefined;
  /** The transcript of our session, open or not; undefined when there is none. */
  transcript(id: string): Promise<SessionState | undefined>;
  /** Lists the sessions of running agents again; starts none. */
  refresh(): Promise<void>;
  /** The agents that do not run and may have more sessions. */
  listNotRunning(): readonly AgentRef[];
  /** Starts an agent to list its sessions. */
  loadSessionsOf(agentName: string): Promise<void>;
  /** Whether the agent has the session open, where supported. */
  statusAtAgent(id: string): Promise<'open' | 'saved' | undefined>;

  /**
   * Opens and shows a session, and resumes the agent's session.
   * @param show shows it at once, before the agent has answered; by default in the chat view
   * @throws ParleyError `notFound`
   * @throws SessionLockedError
   */
  open(id: string, show?: (session: Session) => void): Promise<Session>;
  /** @throws ParleyError when the agent does not support it */
  fork(id: string): Promise<Session>;
  /** Sets the title here, and at the agent where supported. */
  rename(id: string, title: string): Promise<void>;
  setArchived(id: string, isArchived: boolean): Promise<void>;
  /** Hides a session from all lists; it is kept on disk and at the agent until {@link remove}. */
  hide(id: string): Promise<void>;
  unhide(id: string): void;
  /** Deletes a session permanently, also a hidden one, and at the agent where supported. */
  remove(id: string): Promise<void>;
  /** Permanently deletes sessions hidden by earlier windows, except those that a window can still restore. */
  purge(now: number): Promise<void>;
}
