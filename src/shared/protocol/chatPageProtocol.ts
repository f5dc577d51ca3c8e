import type { Budget, SendKey, ThoughtDisplay } from '../../base/settings';
import type { Attachment, AttachmentSource, Mention } from '../state/attachments';
import type { ElicitationAnswer } from '../state/elicitationState';
import type { Action } from '../state/sessionActions';
import type { Command, SessionState } from '../state/sessionState';
import type { RememberScope } from '../state/toolCallState';
import type { WorkspaceRoot } from '../text/folderLabel';
import type { RaceIntent, RaceMessage } from './racePageProtocol';
import type { ToolsIntent, ToolsPanelState } from './toolsPanelState';
import type { BranchIntent, QueueIntent, ResendResult, SendTarget } from './turnIntents';

/** The messages between host and page: one union per direction. */

/** Where the chat is shown: a view has a title bar of VS Code above it. */
export type ChatPageLocation = 'view' | 'editor';

/** An agent that the user can select. */
export interface AgentSummary {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scripted agent that comes with Parley. */
  readonly builtIn?: true;
  /** The known agent that it is, by its id in the ACP Registry. */
  readonly known?: string;
}

/** A preset that the user can select. */
export interface PresetSummary {
  readonly name: string;
  /** Name of its agent. */
  readonly agent: string;
}

/** Presets on the start page. */
export const MAX_LISTED_PRESETS = 5;

/** A session of the list on the start page. */
export interface RecentSession {
  readonly id: string;
  readonly title: string;
  /** Name of its agent. */
  readonly agent?: string;
  /** Such as "Claude · 5 min · +12 −3". */
  readonly description: string;
}

/** What the workspace has that a prompt could be about. */
export interface WorkspaceFacts {
  readonly hasProblems: boolean;
  /** Uncommitted, in a git repository. */
  readonly hasChanges: boolean;
}

/** Whether the editor follows the agent's work; `paused`: the user navigated elsewhere. */
export type FollowStatus = 'off' | 'following' | 'paused';

/** The workspace folders, and the folder of a new chat. */
export interface PageFolders {
  readonly roots: readonly WorkspaceRoot[];
  /** Absolute. */
  readonly initial: string;
}

/** `demo`: nothing is configured, and a message goes to the demo agent. Otherwise the agent of the settings cannot be used. */
export type NoAgent = 'demo' | { readonly reason: string };

/** The data that the page needs besides the session state. */
export interface PageEnvironment {
  readonly agents: readonly AgentSummary[];
  /** At most {@link MAX_LISTED_PRESETS} and one more, if there are more. */
  readonly presets?: readonly PresetSummary[];
  /** Agents found on this machine that the user has not added. */
  readonly found?: readonly AgentSummary[];
  /** The newest sessions; absent when there is none. */
  readonly recent?: readonly RecentSession[];
  readonly facts?: WorkspaceFacts;
  readonly trusted: boolean;
  /** Why a chat without an agent has none; absent where the user only has to select one. */
  readonly noAgent?: NoAgent;
  /** A new version with release notes, such as `0.2`; absent when there is none to announce. */
  readonly whatsNew?: string;
  /** The user's prompt files, as commands. */
  readonly prompts?: readonly Command[];
  /** Absent where there is no editor to follow in. */
  readonly follow?: FollowStatus;
  /** The active file of the editor; absent when it is not on disk. */
  readonly editor?: Attachment;
  /** Absent without a folder on disk. */
  readonly folders?: PageFolders;
  /** When thoughts are expanded; absent: while they stream. */
  readonly thoughts?: ThoughtDisplay;
  /** Absent: Enter sends. */
  readonly sendKey?: SendKey;
  /** False hides the messages that agents suggest. */
  readonly suggestions?: boolean;
  /** `parley.budget` */
  readonly budget?: Budget;
  /** Syntax colors of the user's theme by token type; absent when unknown. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** VS Code's Markdown preview draws Mermaid diagrams. */
  readonly diagrams?: true;
  /** Whether the user's operating system is macOS; decides key names. */
  readonly mac: boolean;
}

/** `waiting`: a request waits for the user. `finished`: a turn has ended. */
export type Sound = 'waiting' | 'finished';

/** The result of the user's last action, above the message box. */
export interface PageNotice {
  readonly id: string;
  readonly text: string;
  /** What was skipped, with the reason; one line each. */
  readonly details: readonly string[];
  readonly isWarning: boolean;
  /** The label of its button. */
  readonly button?: string;
}

export type HostMessage =
  /** The whole state. Sent on load, on reveal and after a gap; `seq` is the number of the last included action. */
  | {
      readonly type: 'snapshot';
      readonly seq: number;
      readonly state: SessionState;
      readonly environment: PageEnvironment;
    }
  /** Consecutive actions; `seq` is the number of the first. */
  | { readonly type: 'actions'; readonly seq: number; readonly last: number; readonly actions: readonly Action[] }
  | { readonly type: 'environment'; readonly environment: PageEnvironment }
  | { readonly type: 'focusComposer' }
  /** Opens the find box, or moves the focus to it. */
  | { readonly type: 'find' }
  /** Fills the message box of this session from an opened link; `remarks` name what could not be applied. With `to`, its next message goes there. */
  | {
      readonly type: 'fillComposer';
      readonly session: string;
      readonly text: string;
      readonly remarks: readonly string[];
      readonly to?: SendTarget;
    }
  | { readonly type: 'playSound'; readonly sound: Sound }
  /** Shows a notification of the operating system. Answered by `notificationClicked` or `notificationFailed`. */
  | { readonly type: 'showNotification'; readonly id: string; readonly title: string; readonly body: string }
  /** Inserts text into the message box. */
  | { readonly type: 'insertText'; readonly text: string }
  /**
   * Starts a message with this text and these attachments. With `send`, it is sent immediately if the message box is
   * empty and no turn runs. A draft that is exactly `replaces` is replaced, also by an empty text.
   */
  | {
      readonly type: 'compose';
      readonly text: string;
      readonly attachments: readonly Attachment[];
      readonly send: boolean;
      readonly replaces?: string;
    }
  /** Sends the draft to this target instead of the session. */
  | { readonly type: 'sendDraft'; readonly to: SendTarget }
  /** Adds the text that is selected in the page to the message box, as a quote. */
  | { readonly type: 'quoteSelection' }
  /** The results for the query of this number. */
  | { readonly type: 'mentions'; readonly id: number; readonly mentions: readonly Mention[] }
  /** Adds attachments to the draft; `remarks` say what could not be attached and why. */
  | { readonly type: 'attach'; readonly attachments: readonly Attachment[]; readonly remarks: readonly string[] }
  /** A message was not sent: restores it to the message box of its session. */
  | {
      readonly type: 'sendRefused';
      readonly session: string;
      readonly text: string;
      readonly attachments: readonly Attachment[];
      readonly reason: string;
    }
  /** The latest draft of this session, from any page; `at` by that page's clock, in milliseconds since 1970. */
  | ({ readonly type: 'draft'; readonly session: string } & DraftState)
  /** The result of the last action in the visible session; without `notice` the page removes the previous result. */
  | { readonly type: 'notice'; readonly notice?: PageNotice }
  /** Opens or closes the Tools panel. */
  | { readonly type: 'showTools'; readonly shown: boolean }
  /** The content of the Tools panel, while it is open. */
  | { readonly type: 'tools'; readonly tools: ToolsPanelState }
  | RaceMessage
  /** Which paths requested by `findPlaces` are files or folders of the workspace. */
  | { readonly type: 'places'; readonly asked: readonly string[]; readonly found: readonly ResolvedFileReference[] }
  | ResendResult
  /** Scrolls to this entry; `words`, case-folded, are highlighted in it. */
  | { readonly type: 'reveal'; readonly entry: number; readonly words?: readonly string[] };

/** A path as written in a text, and the absolute path it resolves to. */
export interface ResolvedFileReference {
  readonly text: string;
  readonly path: string;
}

/** Actions on the content of an entry. */
export type ContentIntent =
  /** Requests which of these paths, as written in texts, exist. Answered by `places`. */
  | { readonly type: 'findPlaces'; readonly texts: readonly string[] }
  /** Inserts code at the cursor of the editor. */
  | { readonly type: 'insertCode'; readonly code: string }
  /** Applies code as a reviewable edit. `info`: the info string of its fence; may name the file. */
  /** `links`: paths of files that the message links to. */
  | {
      readonly type: 'applyCode';
      readonly code: string;
      readonly info: string;
      readonly links: readonly string[];
    }
  /** Opens code in an untitled editor. */
  | { readonly type: 'openCode'; readonly code: string; readonly info: string }
  /** Draws a Mermaid diagram in VS Code's Markdown preview. */
  | { readonly type: 'showDiagram'; readonly code: string }
  /** Opens an image or similar data, in base64. */
  | { readonly type: 'openData'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'saveData'; readonly data: string; readonly mimeType: string };

/** Actions before the first message, besides selecting an agent. */
export type WelcomeIntent =
  | { readonly type: 'openWalkthrough' }
  /** Opens the release notes, or hides the line about them. */
  | { readonly type: 'showNews' }
  | { readonly type: 'dismissNews' };

/** Actions on changed files and checkpoints of the session. */
export type ReviewIntent =
  /** Opens all changed files in one diff editor. */
  | { readonly type: 'reviewChanges' }
  | { readonly type: 'keepAll' }
  | { readonly type: 'undoAll' }
  | { readonly type: 'keepFile'; readonly path: string }
  | { readonly type: 'undoFile'; readonly path: string }
  /** Opens the changes of one file in a diff editor. */
  | { readonly type: 'openChange'; readonly path: string }
  /** Keeps the remaining changes of the edit that a diff of the transcript shows. */
  | { readonly type: 'keepDiff'; readonly diffId: string }
  | { readonly type: 'undoDiff'; readonly diffId: string }
  /** `entry`: index of the checkpoint's prompt. */
  | { readonly type: 'restoreCheckpoint'; readonly entry: number }
  | { readonly type: 'undoRestore'; readonly undoId: string }
  /** Opens the unreviewed changes of one turn. `entry`: index of its prompt. */
  | { readonly type: 'reviewTurn'; readonly entry: number };

/** The unsent content of a message box. */
export interface DraftState {
  readonly text: string;
  readonly attached: readonly Attachment[];
  /** By the clock of the page of the draft, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * User actions in the page, which never edits session state itself. Each message carries the id of the session that was visible at the
 * time of the action, because the host may show another session meanwhile.
 */
export type PageMessage =
  /** The page is loaded and requests a snapshot; also sent after a gap in `seq`. */
  | { readonly type: 'ready' }
  /** Actions up to `seq` are rendered; the host limits the number of unacknowledged actions. */
  | { readonly type: 'ack'; readonly seq: number }
  /** The page got the focus. */
  | { readonly type: 'focused' }
  /** The user has begun a message in an idle chat without messages: not a link or a command that filled the box. */
  | { readonly type: 'composing' }
  /** The user types during a turn; sent at most twice a second. */
  | { readonly type: 'typing' }
  /** Whether the page may show notifications of the operating system; not sent while unknown. */
  | { readonly type: 'notificationPermission'; readonly granted: boolean }
  | NotificationMessage
  /** The unsent content of the message box; `attached` is omitted when the attachments have not changed. */
  | { readonly type: 'draft'; readonly text: string; readonly attached?: readonly Attachment[]; readonly at: number }
  /** `now`: send during the running turn instead of after it. `to`: send to this target instead of the session. */
  | {
      readonly type: 'send';
      readonly text: string;
      readonly attachments?: readonly Attachment[];
      readonly now?: boolean;
      readonly to?: SendTarget;
    }
  /** Requests results for `query`, typed after `@`. Answered by one or more `mentions` with the same number. */
  | { readonly type: 'findMentions'; readonly id: number; readonly query: string }
  /** The user typed `/`: servers whose prompts nobody has listed are listed. Answered by `environment`. */
  | { readonly type: 'findCommands' }
  /** Lets the user pick files to attach, or attaches the terminal selection. */
  | { readonly type: 'attachFrom'; readonly source: AttachmentSource }
  /** Attaches files or editors dropped from VS Code. `left`: number of those beyond the limit of a message. */
  | { readonly type: 'attachUris'; readonly uris: readonly string[]; readonly left: number }
  | { readonly type: 'stop' }
  | { readonly type: 'forceStop' }
  | { readonly type: 'answerPermission'; readonly permissionId: string; readonly optionId: string }
  /** Opens the plan of a pending request as a document. */
  /** Rejects, and sends the reason to the agent. */
  | { readonly type: 'rejectAndExplain'; readonly permissionId: string; readonly reason: string }
  | { readonly type: 'editPlan'; readonly permissionId: string }
  /** The scope of an "always" answer. */
  | { readonly type: 'rememberPermission'; readonly permissionId: string; readonly scope: RememberScope }
  /** Builds a rule from an answered request. */
  | { readonly type: 'rememberRule'; readonly permissionId: string }
  | { readonly type: 'chooseAgent'; readonly name: string }
  /** Starts a preset in this chat; without a name the user selects one. */
  | { readonly type: 'choosePreset'; readonly name?: string }
  /** Sets the folder of the session: a workspace folder; without a path the user selects one of its folders. */
  | { readonly type: 'chooseFolder'; readonly folder?: string }
  /** Sets a mode, a model or another config option. */
  | { readonly type: 'chooseOption'; readonly id: string; readonly value: string | boolean }
  /** Cancels a child session; `sessionId` is the agent's. */
  | { readonly type: 'stopSubagent'; readonly sessionId: string }
  /** Adds an agent found on this machine, after the user has confirmed. */
  | { readonly type: 'addAgent'; readonly name: string }
  | { readonly type: 'installAgent' }
  | { readonly type: 'restartAgent' }
  | { readonly type: 'retry' }
  /** Sends the last message again when a usage limit is reset. `entry`: index of the error that reported the limit. */
  | { readonly type: 'retryLater'; readonly entry: number }
  | { readonly type: 'cancelRetry' }
  /** Signs in with this method; without it the user selects one. */
  | { readonly type: 'signIn'; readonly methodId?: string }
  | { readonly type: 'cancelSignIn' }
  | { readonly type: 'answerElicitation'; readonly elicitationId: string; readonly answer: ElicitationAnswer }
  /** Opens the URL of an elicitation. */
  | { readonly type: 'openElicitation'; readonly elicitationId: string }
  | { readonly type: 'showLog' }
  | { readonly type: 'openSettings' }
  | WelcomeIntent
  /** Opens the workspace trust editor. */
  | { readonly type: 'manageTrust' }
  /** Opens a link of a text; the host checks it and asks before it opens an external one. */
  | { readonly type: 'openLink'; readonly href: string }
  | { readonly type: 'openFile'; readonly path: string; readonly line?: number; readonly lastLine?: number }
  | { readonly type: 'openDiff'; readonly diffId: string }
  | { readonly type: 'stopCommand'; readonly terminalId: string }
  | { readonly type: 'showTerminal'; readonly terminalId: string }
  | { readonly type: 'toggleFollow' }
  /** The button of the notice with this id was clicked, or the notice closed. */
  | { readonly type: 'pressNotice'; readonly id: string }
  | { readonly type: 'dismissNotice'; readonly id: string }
  | { readonly type: 'watchTools'; readonly open: boolean }
  | RaceIntent
  | ToolsIntent
  | { readonly type: 'refreshTools' }
  /** Starts a new chat with this read-only session attached. */
  | { readonly type: 'continueInNewChat' }
  /** Opens another session, by Parley's id; without it the user selects one. */
  | { readonly type: 'openSession'; readonly id?: string }
  | ReviewIntent
  | ContentIntent
  | QueueIntent
  | BranchIntent
  | { readonly type: 'copy'; readonly text: string }
  /** Reports an error in the page; logged. */
  | { readonly type: 'pageError'; readonly message: string };

/** The result of a notification of the operating system; `id` as in `showNotification`. */
export type NotificationMessage =
  | { readonly type: 'notificationClicked'; readonly id: string }
  | { readonly type: 'notificationFailed'; readonly id: string };

/** A message about the session that the page showed. */
export type SessionMessage = Exclude<
  PageMessage,
  NotificationMessage | { type: 'ready' | 'ack' | 'focused' | 'notificationPermission' }
>;
