import type { Event } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import type { SessionAvailability } from '../history/retentionLimits';
import type { SessionStore } from '../history/sessionStore';
import type { Session } from './session';
import type { TakenOverSession } from './sessionTakeover';

/**
 * The open sessions of this window, and the transcripts of the others. One is in the chat view, others may be in editor tabs; commands
 * apply to the active one, which the user used last. `WindowSessions` implements it.
 */
export interface Sessions {
  /** The session that the user used last. */
  readonly active: Session;
  /** The session in the chat view. */
  readonly viewSession: Session;
  /** The transcripts and their summaries. */
  readonly store: SessionStore;
  readonly open: OpenSessions;

  readonly onDidChangeActive: Event<Session>;
  readonly onDidChangeInView: Event<Session>;
  /** Fires for a new request to the user, with its entry. */
  readonly onDidAsk: Event<{ readonly session: Session; readonly entry: number }>;
  /** Fires after each action of an open session. */
  readonly onDidChange: Event<Session>;
  /** Fires when no visible page shows the session any more. */
  readonly onDidHide: Event<Session>;
  /** Fires the id. The transcript may still exist. */
  readonly onDidClose: Event<string>;
  /** Fires after another window has taken a session. */
  readonly onDidLoseSession: Event<TakenOverSession>;

  /** Least recently used first. */
  allOpen(): readonly Session[];
  getOpen(id: string): Session | undefined;
  /** Whether a turn ended since the user last saw the session, also in an earlier window. */
  isUnread(id: string): boolean;
  /**
   * Takes a session from another window without loss. It is reserved for this window until the result is disposed.
   * @throws SessionLockedError
   */
  takeOver(id: string): Promise<Disposable>;
  /** Loads changes of other windows that share the folder, and what could not be read before. */
  refresh(): Promise<void>;
  /**
   * Shows an empty session in the chat view.
   * @param agentName by default chosen at the first prompt
   */
  newChat(agentName?: string): Session;
  /** An empty session for a page that is about to open. */
  newSession(): Session;
  /** Shows a session in the chat view, and makes it the active one. */
  activate(session: Session): void;
  /** Makes a session active, wherever it is shown. */
  setActive(session: Session): void;
  /** Keeps a session open for a page other than the chat view. Dispose with the page. */
  retain(session: Session): Disposable;
  /** A page other than the chat view shows this session, so it is read. Dispose when that ends. */
  markVisible(session: Session): Disposable;
  /** Whether the chat view is visible; assumed until the first call. */
  setViewVisible(isVisible: boolean): void;
  /** Writes what is pending of all transcripts and summaries. */
  flush(): Promise<void>;
}

/** The sessions in memory. Each is loaded once, and in one window at a time. */
export interface OpenSessions extends SessionAvailability {
  /** Whether another window has the session open. */
  isElsewhere(id: string): boolean;
  /**
   * The session with this id, read from disk if needed; undefined when there is none. Does not become active.
   * @throws SessionLockedError
   * @throws ParleyError `badInput` when a newer version wrote it
   */
  load(id: string): Promise<Session | undefined>;
  /**
   * @param presetName of an earlier window; its agent starts with the first message
   * @throws SessionLockedError
   */
  create(id: string, presetName?: string): Session;
}
