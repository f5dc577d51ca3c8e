import type * as vscode from 'vscode';
import type { AgentDefinition } from '../agent/config/agentDefinition';
import type { AgentInstalls } from '../agent/registry/agentInstalls';
import type { Event } from '../base/event';
import type { Lazy } from '../base/lazy';
import type { Logger } from '../base/logger';
import type { Memento } from '../base/memento';
import type { Redactor } from '../base/redactor';
import type { PlainSettingsReader, SettingProblem } from '../base/settings';
import type { Git } from '../node/gitCommand';
import type { AuditLog } from '../permissions/auditLog';
import type { EditApprovalMemory } from '../permissions/editApprovalMemory';
import type { PermissionPolicy } from '../permissions/permissionPolicy';
import type { RuleStore } from '../permissions/rememberedRules';
import type { AgentPool } from '../session/agents/agentPool';
import type { LastUsedAgent } from '../session/agents/lastUsedAgent';
import type { EditAndResend } from '../session/commands/editAndResend';
import type { PromptFileStore } from '../session/promptFiles/promptFileStore';
import type { Session } from '../session/session';
import type { SessionCatalog } from '../session/sessionCatalog';
import type { Sessions } from '../session/sessions';
import type { ScopedSettingsReader } from '../session/settings/scopedSettings';
import type {
  FollowStatus,
  NotificationMessage,
  PageEnvironment,
  ReviewIntent,
  SessionMessage,
  Sound,
} from '../shared/protocol/chatPageProtocol';
import type { ToolsIntent, ToolsPanelState } from '../shared/protocol/toolsPanelState';
import type { SendTarget } from '../shared/protocol/turnIntents';
import type { Attachment, AttachmentSource } from '../shared/state/attachments';
import type { Block } from '../shared/state/contentBlocks';
import type { Preset } from '../shared/state/preset';
import type { NoteText } from '../workbench/editNotes';
import type { Notice, ShowNotice } from '../workbench/notice';
import type { Worktrees } from '../worktrees/worktrees';
import type { SideMessage } from './messages/sideMessages';
import type { DraftMemory } from './messages/unsentMessages';
import type { RegistryUrl } from './registryUrl';
import type { WorkspaceApprovals } from './trust/workspaceApprovals';

/**
 * The services of one window, built once in `app.ts`. Only functions that register something with VS Code take it, and
 * they destructure what they use: a class takes the few services that it needs.
 */
export interface Window {
  readonly extension: ExtensionInfo;
  readonly log: ShownLog;
  readonly redactor: Redactor;
  readonly settings: UiSettings & WorktreeSettings;
  readonly git: Git;
  /** Stored per workspace. */
  readonly memory: DraftMemory;
  readonly agents: Agents;
  readonly prompts: PromptFileStore;
  readonly sessions: Sessions;
  readonly catalog: SessionCatalog;
  /** Continues from an earlier message. */
  readonly branches: Lazy<EditAndResend>;
  readonly permissions: Permissions;
  /** The user's decisions about content of the workspace. */
  readonly approvals: WorkspaceApprovals;
  readonly review: Review;
  readonly follow: FollowToggle;
  readonly tools: ToolsPanelSource;
  readonly terminals: Terminals;
  readonly worktrees: Worktrees;
  readonly chat: Chat;
  readonly attachments: MessageAttachments;
  readonly notices: Notices;
}

export interface ShownLog extends Logger {
  /** Shows the log to the user. */
  show(): void;
}

export interface ExtensionInfo {
  readonly uri: vscode.Uri;
  /** Parley's version. */
  readonly version: string;
  /** Shared by all windows. */
  readonly memory: Memento;
}

/** Implemented by `Configuration`. */
export interface UiSettings extends PlainSettingsReader, ScopedSettingsReader<'presets'> {
  agents(): readonly AgentDefinition[];
  /**
   * Adds an entry to the user's `parley.presets`, or replaces the one of this name.
   * @throws ParleyError when the setting is no object
   */
  savePreset(preset: Preset): Promise<void>;
  readonly problems: readonly SettingProblem[];
}

export type WorktreeSettings = ScopedSettingsReader<'worktrees.setup' | 'worktrees.include' | 'worktrees.link'>;

export interface Agents {
  /** The processes of the agents. */
  readonly pool: AgentPool;
  readonly installs: AgentInstalls;
  readonly registry: RegistryUrl;
  readonly lastUsed: LastUsedAgent;
}

/** The sources and the log of permission decisions. */
export interface Permissions {
  readonly audit: AuditLog;
  readonly editApprovals: EditApprovalMemory;
  readonly remembered: RuleStore;
  readonly rules: PermissionPolicy['rules'];
}

/** The changes of sessions in the workspace. */
export interface Review {
  /** Executes user actions on changed files and checkpoints of a session. */
  handle(session: Session, intent: ReviewIntent): Promise<void>;
  /**
   * Runs a change of workspace files for a session after a checkpoint.
   * @returns for the intent `undoRestore`; undefined where checkpoints are off, or nothing changed
   */
  withCheckpoint(sessionId: string, change: () => Promise<void>): Promise<string | undefined>;
  /**
   * Writes a file so that the change is under review in the session.
   * @param path absolute
   */
  edit<T>(sessionId: string, path: string, write: (note?: NoteText) => Promise<T>): Promise<T>;
  /** Absolute paths of the files with changes of a session that are not reviewed yet. */
  changedFiles(sessionId: string): readonly string[];
  /** Fires soon after changes of {@link changedFiles}. */
  readonly onDidChange: Event<void>;
}

/** Shows where the agent works. */
export interface FollowToggle {
  readonly status: FollowStatus;
  toggle(): Promise<void>;
  /** The user has pressed a key: opens no editor until they pause. */
  noteTyping(): void;
  /**
   * Whether a document is in an editor only because the agent worked there.
   * @param uri as text
   */
  isOnlyPreviewed(uri: string): boolean;
  readonly onDidChange: Event<unknown>;
}

/** Implemented by the Tools panel of `mcp`. */
export interface ToolsPanelSource {
  stateFor(session: Session): ToolsPanelState;
  /** Keeps the lists of servers that no agent uses known until disposed. */
  view(session: Session): vscode.Disposable;
  /** Rejects when the change cannot be made or stored. */
  handle(intent: ToolsIntent): Promise<void>;
  refresh(): void;
  /** Patterns of the tools that entries of servers allow without asking; only offered as rules. */
  trustedTools(): Promise<readonly string[]>;
  readonly onDidChange: Event<void>;
}

/** The commands that agents run. */
export interface Terminals {
  /** Ends a command. */
  stop(terminalId: string): void;
  /** Shows the output of a command in a terminal; false when the terminal is unknown. */
  show(session: Session, terminalId: string): Promise<boolean>;
}

/** Shows results of user actions. */
export interface Notices {
  readonly show: ShowNotice;
}

/** What all pages show besides their sessions. */
export interface EnvironmentSource {
  environment(session: Session): PageEnvironment;
  readonly onDidChange: Event<unknown>;
}

/** Where a chat is shown: the view, or a tab. */
export interface ChatLocation {
  readonly page: IntentPage;
  /** Whether the user can see the page. */
  readonly isVisible: boolean;
  /** Brings the page to the front, with the cursor in its message box. */
  show(): Promise<void>;
}

/** All pages that show chats, and the one used last, which receives input from other parts of the editor. */
export interface Chat {
  /** The location used last. */
  readonly current: ChatLocation;
  /** Fires a user action in a page that is not about the page itself. */
  readonly onDidAct: Event<UserAction>;
  /** Fires a click on a notification that {@link showNotification} has shown, or that its page could not show it. */
  readonly onDidUseNotification: Event<NotificationMessage>;

  /** The view and the tabs. */
  locations(): readonly ChatLocation[];
  isShown(session: Session): boolean;
  /** Shows a session in its location, else in the view. */
  open(session: Session): Promise<ChatLocation>;
  /** Shows a session in its tab, or a new one. */
  openTab(session: Session, column?: vscode.ViewColumn): Promise<ChatLocation>;
  newTab(): Promise<ChatLocation>;
  /** Shows the view with the cursor in its message box. */
  focus(): Promise<void>;
  /** Shows the page scrolled to an entry, in which the page marks the words. */
  reveal(at: { readonly session: Session; readonly entry: number; readonly words?: readonly string[] }): Promise<void>;
  /** Remembers the location of a session, to show it there again after closing; undefined when it is shown nowhere. */
  rememberLocation(id: string): ((session: Session) => Promise<void>) | undefined;
  /** Opens the find box of the page used last. */
  find(): Promise<void>;
  showTools(): Promise<void>;
  /** Closes the Tools panel of the page used last, where it covers the chat. */
  hideTools(): void;
  /** Starts a message in the page used last. */
  compose(text: string, attachments: readonly Attachment[]): Promise<void>;
  /** Quotes what is selected in the page used last in its message box. */
  quoteSelection(): void;
  /** Lets the page used last send its draft there. */
  sendDraft(to: SendTarget): void;
  readonly attach: Attach;
  /**
   * Shows a session with the text of a link in its message box.
   * @param to where the message is sent instead of to the session
   */
  fill(session: Session, text: string, remarks: readonly string[], to?: SendTarget): Promise<void>;
  /** In one visible page. */
  playSound(sound: Sound): void;
  /** Shows a notification of the operating system; false if no visible page can show it. */
  showNotification(notification: PageNotification): Promise<boolean>;
  /** @param standIn shows the badge until VS Code has created the view */
  setBadge(badge: vscode.ViewBadge | undefined, standIn: { badge: vscode.ViewBadge | undefined }): void;
}

/** The page of the user's action: the chat view's or a tab's. */
export interface IntentPage {
  /** The session that the page shows now. */
  readonly session: Session;
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

export interface UserAction {
  readonly intent: Intent;
  readonly from: IntentSource;
}

/** Searches, selects and reads attachments. */
export interface MessageAttachments {
  /**
   * Posts matches for a query after `@`.
   * @param id the page's number of the query
   */
  find(from: IntentSource, id: number, query: string): Promise<void>;
  /** Lists the servers whose prompts the user may want. */
  findCommands(from: IntentSource): Promise<void>;
  /** @throws ParleyError that names what cannot be read, or what the agent does not support */
  read(session: Session, attachments: readonly Attachment[]): Promise<readonly Block[]>;
  /** Sends a message; returns it to the page with a reason if that fails. */
  send(from: IntentSource, text: string, attachments: readonly Attachment[], isUrgent: boolean): Promise<void>;
  attachFrom(from: IntentSource, source: AttachmentSource): Promise<void>;
  /** @param left number of files that the page did not name, as no message can have as many */
  attachUris(from: IntentSource, uris: readonly string[], left: number): Promise<void>;
  /** The selection of the active editor, or its file. */
  addSelection(): Promise<void>;
  /** Attaches files and folders selected elsewhere in the editor. */
  attachChosen(uris: readonly vscode.Uri[]): Promise<void>;
  /** The terminal's selection, else its last command with output. */
  attachTerminal(): Promise<void>;
  /** Allows a message to attach a file that the user selected outside the page, so that it may be anywhere. */
  allow(uri: vscode.Uri): void;
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
