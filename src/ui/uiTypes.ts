import type { Event } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import type { SessionAuth } from '../session/agents/sessionAuth';
import type { Session } from '../session/session';
import type { Sessions } from '../session/sessions';
import type { MessageQueue } from '../session/turn/messageQueue';
import type { Elicitations } from '../session/userRequests/elicitations';
import type { SideMessage } from './chat/stateSync';

type SessionMembers =
  | 'id'
  | 'folders'
  | 'state'
  | 'seq'
  | 'onDidDispatch'
  | 'send'
  | 'choose'
  | 'stopSubagent'
  | 'stop'
  | 'forceStop'
  | 'retry'
  | 'restart'
  | 'chooseAgent'
  | 'nameAgent'
  | 'answer'
  | 'remember'
  | 'diff';

/** A `Session` as `ui` uses it, without private members, so that tests can play one. */
export type UiSession = Pick<Session, SessionMembers> & {
  readonly queue: Pick<MessageQueue, 'change' | 'move' | 'remove' | 'sendNow' | 'hold' | 'resume'>;
  readonly elicitations: Pick<Elicitations, 'address' | 'answer'>;
  readonly auth: Pick<SessionAuth, 'offer' | 'signIn' | 'cancel' | 'signOut'>;
};

/** The page of the user's action: the chat view's or a tab's. */
export interface IntentPage {
  /**
   * Sends a message to the page, after the current state. Lost when the page is unloaded, unless it contains the user's
   * own text.
   */
  tell(message: SideMessage): void;
  /** Reveals the page with the focus in it. */
  show(): Promise<void>;
  /** The page's Tools panel was opened or closed. */
  watchTools(open: boolean): void;
  /** Opens a new chat in the page's location: the view, or a new tab. */
  newChat(agentName?: string): void;
  /**
   * Shows a session in the page's location.
   * @returns the page that shows it
   */
  showChat(session: UiSession): Promise<IntentPage>;
}

type SessionsMembers = 'isElsewhere' | 'isUnread' | 'setViewVisible' | 'takeOver' | 'onDidClose' | 'onDidGoElsewhere';

/** `Sessions` as `ui` uses them, with their sessions as {@link UiSession}. */
export interface UiSessions extends Pick<Sessions, SessionsMembers> {
  readonly active: UiSession;
  readonly inView: UiSession;
  all(): readonly UiSession[];
  load(id: string): Promise<UiSession | undefined>;
  create(id: string): UiSession;
  newChat(agentName?: string): UiSession;
  newSession(): UiSession;
  activate(session: UiSession): void;
  enter(session: UiSession): void;
  hold(session: UiSession): Disposable;
  look(session: UiSession): Disposable;
  readonly onDidChangeActive: Event<UiSession>;
  readonly onDidChangeInView: Event<UiSession>;
  readonly onDidAsk: Event<{ readonly session: UiSession; readonly entry: number }>;
  readonly onDidChange: Event<UiSession>;
}
