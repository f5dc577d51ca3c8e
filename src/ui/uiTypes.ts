import type { AgentDefinition } from '../agent/config/agentDefinition';
import type { PlainSettingsReader, SettingProblem } from '../base/settings';
import type { Session } from '../session/session';
import type { ScopedSettingsReader } from '../session/settings/scopedSettings';
import type { SessionMessage } from '../shared/protocol/chatPageProtocol';
import type { Attachment } from '../shared/state/attachments';
import type { Notice } from '../workbench/notice';
import type { SideMessage } from './messages/sideMessages';

/** The page of the user's action: the chat view's or a tab's. */
export interface IntentPage {
  /**
   * Sends a message to the page, after the current state. Lost when the page is unloaded, unless it contains the user's
   * own text.
   */
  post(message: SideMessage): void;
  /** Shows the result of an action in the session, in this page or wherever the session is visible. */
  showNotice(notice: Notice, session: Session): void;
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
  showChat(session: Session): Promise<IntentPage>;
}

/** Attaches to the draft of a page. `remarks` say what could not be attached, and why. */
export type Attach = (attachments: readonly Attachment[], remarks: readonly string[]) => Promise<void>;

/** User actions, without the messages about the page itself. */
export type Intent = Exclude<SessionMessage, { type: 'draft' | 'pressNotice' | 'dismissNotice' }>;

/** The session in which the user acted, and the page that gets the answer. */
export interface IntentSource {
  readonly session: Session;
  readonly page: IntentPage;
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
