import type { AgentDefinition } from '../agent/config/agentDefinition';
import type { Event } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import type { PlainSettingsReader, SettingProblem } from '../base/settings';
import type { Session } from '../session/session';
import type { Sessions } from '../session/sessions';
import type { SessionMessage } from '../shared/protocol/chatPageProtocol';
import type { Notice } from '../workbench/notice';
import type { SideMessage } from './messages/sideMessages';
import type { Attachment } from '../shared/state/attachments';
import type { ScopedSettingsReader } from '../session/settings/scopedSettings';

type SessionMembers =
  | 'id'
  | 'cwd'
  | 'folders'
  | 'state'
  | 'seq'
  | 'onDidDispatch'
  | 'dispatch'
  | 'send'
  | 'stopSubagent'
  | 'retry'
  | 'restart'
  | 'chooseAgent'
  | 'setAgent'
  | 'needsAgent'
  | 'setFolder'
  | 'diff';

/** A `Session` as `ui` uses it, without private members, so that tests can pass a stub. */
export type UiSession = Pick<Session, SessionMembers> & {
  readonly turn: Pick<Session['turn'], 'stop'>;
  readonly restarter: Pick<Session['restarter'], 'forceStop'>;
  readonly configOptions: Pick<Session['configOptions'], 'choose'>;
  readonly userRequests: Pick<Session['userRequests'], 'answer' | 'answeredRequest'> & {
    readonly alwaysRules: Pick<Session['userRequests']['alwaysRules'], 'saveRule'>;
    readonly elicitations: Pick<Session['userRequests']['elicitations'], 'urlOf' | 'answer'>;
  };
  readonly queue: Pick<Session['queue'], 'change' | 'move' | 'remove' | 'sendNow' | 'hold' | 'resume' | 'answerBudget'>;
  readonly limitRetry: Pick<Session['limitRetry'], 'schedule' | 'cancel'>;
  readonly warmStart: Pick<Session['warmStart'], 'start'>;
  readonly auth: Pick<Session['auth'], 'offer' | 'signIn' | 'cancel' | 'signOut'>;
};

/** The page of the user's action: the chat view's or a tab's. */
export interface IntentPage {
  /**
   * Sends a message to the page, after the current state. Lost when the page is unloaded, unless it contains the user's
   * own text.
   */
  post(message: SideMessage): void;
  /** Shows the result of an action in the session, in this page or wherever the session is visible. */
  showNotice(notice: Notice, session: UiSession): void;
  /** Reveals the page with the focus in it. */
  reveal(): Promise<void>;
  /** The page's Tools panel was opened or closed. */
  watchTools(isOpen: boolean): void;
  /** Opens a new chat in the page's location: the view, or a new tab. */
  newChat(agentName?: string): void;
  /**
   * Shows a session in the page's location.
   * @returns the page that shows it
   */
  showChat(session: UiSession): Promise<IntentPage>;
}

/** Attaches to the draft of a page. `remarks` say what could not be attached, and why. */
export type Attach = (attachments: readonly Attachment[], remarks: readonly string[]) => Promise<void>;

/** User actions, without the messages about the page itself. */
export type Intent = Exclude<SessionMessage, { type: 'draft' | 'pressNotice' | 'dismissNotice' }>;

/** The session in which the user acted, and the page that gets the answer. */
export interface IntentSource {
  readonly session: UiSession;
  readonly page: IntentPage;
}

type SessionsMembers = 'isUnread' | 'setViewVisible' | 'takeOver' | 'onDidClose' | 'onDidLoseSession';

/** `Sessions` as `ui` uses them, with their sessions as {@link UiSession}. */
export interface UiSessions extends Pick<Sessions, SessionsMembers> {
  readonly active: UiSession;
  readonly viewSession: UiSession;
  readonly open: Pick<Sessions['open'], 'isElsewhere'> & {
    load(id: string): Promise<UiSession | undefined>;
    create(id: string): UiSession;
  };
  allOpen(): readonly UiSession[];
  newChat(agentName?: string): UiSession;
  newSession(): UiSession;
  activate(session: UiSession): void;
  setActive(session: UiSession): void;
  retain(session: UiSession): Disposable;
  markVisible(session: UiSession): Disposable;
  readonly onDidChangeActive: Event<UiSession>;
  readonly onDidChangeInView: Event<UiSession>;
  readonly onDidAsk: Event<{ readonly session: UiSession; readonly entry: number }>;
  readonly onDidChange: Event<UiSession>;
}

/** Title and body of a system notification, each on one line. */
export interface SystemNotificationText {
  readonly title: string;
  readonly body: string;
}

/** A notification for a page, which reports a click on it by its id. */
export interface PageNotification extends SystemNotificationText {
  readonly id: string;
}

/** Implemented by `Configuration`. */
export interface UiSettings extends PlainSettingsReader {
  agents(): readonly AgentDefinition[];
  readonly problems: readonly SettingProblem[];
}

export type WorktreeSettings = Pick<ScopedSettingsReader<'worktrees.setup' | 'worktrees.include'>, 'scoped'>;
