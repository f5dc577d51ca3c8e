import type { ThoughtDisplay } from '../../base/settings';
import type { Action } from '../state/sessionActions';
import type { Attachment, AttachmentSource, Mention } from './attachments';
import type { ElicitationAnswer } from '../state/elicitationState';
import type { Command, RememberScope, SessionState } from '../state/sessionState';
import type { ToolsIntent, ToolsPanelState } from './toolsPanelState';
import type { BranchIntent, QueueIntent, ResendResult } from './turnIntents';

/** One typed union per direction between host and page. */

/** An agent the user can choose. */
export interface AgentSummary {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Comes with Parley and follows a script. */
  readonly builtIn?: true;
}

/** Whether the editor shows where the agent is at work; `paused`: the user took the editor over. */
export type FollowStatus = 'off' | 'following' | 'paused';

/** What the page needs to know besides the session. */
export interface PageEnvironment {
  readonly agents: readonly AgentSummary[];
  /** Agents that lie on this machine and are not in the list yet. */
  readonly found?: readonly AgentSummary[];
  readonly trusted: boolean;
  /** The new version to tell about, such as `0.2`; absent when there is nothing to tell. */
  readonly news?: string;
  /** The user's prompt files, as commands. */
  readonly prompts?: readonly Command[];
  /** Absent where there is no editor to follow in. */
  readonly follow?: FollowStatus;
  /** What the user looks at in the editor; absent when that is no file on disk. */
  readonly editor?: Attachment;
  /** When thoughts are open; absent: while they stream. */
  readonly thoughts?: ThoughtDisplay;
  /** Colours of syntax in the user's theme, by kind of token; absent where they are not known. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** Of the operating system the user sits at: decides key names. */
  readonly mac: boolean;
}

/** Something begins to wait for the user; a turn has ended. */
export type Sound = 'waiting' | 'finished';

export type HostMessage =
  /** The whole state. Sent on load, reveal or a gap; `seq` is the number of the last action in it. */
  | {
      readonly type: 'snapshot';
      readonly seq: number;
      readonly state: SessionState;
      readonly surroundings: PageEnvironment;
    }
  /** Actions that follow each other without a gap; `seq` is the number of the first. */
  | { readonly type: 'actions'; readonly seq: number; readonly last: number; readonly actions: readonly Action[] }
  | { readonly type: 'surroundings'; readonly surroundings: PageEnvironment }
  | { readonly type: 'focusComposer' }
  /** A link was opened: its text goes into the message box of this session, with sentences about what of it could not be done. */
  | {
      readonly type: 'fillComposer';
      readonly session: string;
      readonly text: string;
      readonly remarks: readonly string[];
    }
  | { readonly type: 'playSound'; readonly sound: Sound }
  /** Add a text to what is being written. */
  | { readonly type: 'insertText'; readonly text: string }
  /** Begin a message with these. With `send` it is sent at once where nothing else is being written and no turn runs. */
  | {
      readonly type: 'compose';
      readonly text: string;
      readonly attachments: readonly Attachment[];
      readonly send: boolean;
    }
  /** What goes with the query of this number. */
  | { readonly type: 'mentions'; readonly id: number; readonly mentions: readonly Mention[] }
  /** Attach these to what is being written; `remarks` say what could not be attached and why. */
  | { readonly type: 'attach'; readonly attachments: readonly Attachment[]; readonly remarks: readonly string[] }
  /** A message was not sent: back into the box of its session with it. */
  | {
      readonly type: 'sendRefused';
      readonly session: string;
      readonly text: string;
      readonly attachments: readonly Attachment[];
      readonly reason: string;
    }
  /** What was last written in the message box of this session, in whatever page; `at` of that page's clock, in milliseconds since 1970. */
  | ({ readonly type: 'draft'; readonly session: string } & DraftState)
  /** Open the Tools panel. */
  | { readonly type: 'showTools' }
  /** What the Tools panel shows, while it is open. */
  | { readonly type: 'tools'; readonly tools: ToolsPanelState }
  /** Which of the places asked for by `findPlaces` are files or folders of the workspace. */
  | { readonly type: 'places'; readonly asked: readonly string[]; readonly found: readonly ResolvedFileReference[] }
  | ResendResult
  /** Bring this entry into view; `words`, folded, are marked in it. */
  | { readonly type: 'reveal'; readonly entry: number; readonly words?: readonly string[] };

/** A path as it stands in a text, and where it leads: absolute. */
export interface ResolvedFileReference {
  readonly text: string;
  readonly path: string;
}

/** What the user does with the content of an entry. */
export type ContentIntent =
  /** Which of these paths, as they stand in texts, are there? Answered by `places`. */
  | { readonly type: 'findPlaces'; readonly texts: readonly string[] }
  /** Code of a block: put in at the cursor of the editor. */
  | { readonly type: 'insertCode'; readonly code: string }
  /** Code of a block, as an edit that can be reviewed. `info`: what stands behind its fence; may name the file. */
  | { readonly type: 'applyCode'; readonly code: string; readonly info: string }
  /** Code of a block, in an editor of its own. */
  | { readonly type: 'openCode'; readonly code: string; readonly info: string }
  /** A picture or the like, in base64. */
  | { readonly type: 'openData'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'saveData'; readonly data: string; readonly mimeType: string };

/** What the user does before the first message, beside choosing an agent. */
export type WelcomeIntent =
  /** Show the first steps with Parley. */
  | { readonly type: 'openWalkthrough' }
  /** What is new in this version; or the line about it goes. */
  | { readonly type: 'showNews' }
  | { readonly type: 'dismissNews' };

/** What the user does in the page about changed files and checkpoints of the session. */
export type ReviewIntent =
  /** All changed files in one diff editor. */
  | { readonly type: 'reviewChanges' }
  | { readonly type: 'keepAll' }
  | { readonly type: 'undoAll' }
  | { readonly type: 'keepFile'; readonly path: string }
  | { readonly type: 'undoFile'; readonly path: string }
  /** The changes of one file in a diff editor. */
  | { readonly type: 'openChange'; readonly path: string }
  /** What is left to review of the edit that a diff of the transcript shows. */
  | { readonly type: 'keepDiff'; readonly diffId: string }
  | { readonly type: 'undoDiff'; readonly diffId: string }
  /** `entry`: index of the prompt whose checkpoint it is. */
  | { readonly type: 'restoreCheckpoint'; readonly entry: number }
  | { readonly type: 'undoRestore'; readonly undoId: string }
  /** What one turn changed, as far as it is still to be reviewed. `entry`: index of its prompt. */
  | { readonly type: 'reviewTurn'; readonly entry: number };

/** What is written in a message box and not sent. */
export interface DraftState {
  readonly text: string;
  readonly attached: readonly Attachment[];
  /** Of the clock of the page it was written in, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * What the user does in the page. The page never edits session state. Each message goes with the id of the session that the page
 * showed when the user acted: the host may have turned to another one meanwhile.
 */
export type PageMessage =
  /** The page is loaded and wants a snapshot; also sent after a gap in `seq`. */
  | { readonly type: 'ready' }
  /** Actions up to `seq` are shown; the host sends more only when few are unacknowledged. */
  | { readonly type: 'ack'; readonly seq: number }
  /** The cursor came into the page. */
  | { readonly type: 'focused' }
  /** What is written in the message box and not sent; without `attached` nothing of that has changed. */
  | {
      readonly type: 'draft';
      readonly text: string;
      readonly attached?: readonly Attachment[];
      readonly at: number;
    }
  /** `now`: also while a turn runs, not after it. */
  | {
      readonly type: 'send';
      readonly text: string;
      readonly attachments?: readonly Attachment[];
      readonly now?: boolean;
    }
  /** What goes with `query`, typed after `@`? Answered by `mentions` with the same number, more than once while more is found. */
  | { readonly type: 'findMentions'; readonly id: number; readonly query: string }
  /** Let the user pick files to attach, or attach what they selected in the terminal. */
  | { readonly type: 'attachFrom'; readonly source: AttachmentSource }
  /** Attach what was dropped from the editor. */
  | { readonly type: 'attachUris'; readonly uris: readonly string[] }
  | { readonly type: 'stop' }
  | { readonly type: 'forceStop' }
  | { readonly type: 'answerPermission'; readonly permissionId: string; readonly optionId: string }
  /** How far the answer "always" that was given there reaches. */
  | { readonly type: 'rememberPermission'; readonly permissionId: string; readonly scope: RememberScope }
  | { readonly type: 'chooseAgent'; readonly name: string }
  /** A mode, a model or another option of the agent. */
  | { readonly type: 'chooseOption'; readonly id: string; readonly value: string | boolean }
  /** Ends a child session; `sessionId` is the agent's. */
  | { readonly type: 'stopSubagent'; readonly sessionId: string }
  /** One of those found on this machine; the user is asked before it is taken into the list. */
  | { readonly type: 'addAgent'; readonly name: string }
  | { readonly type: 'installAgent' }
  | { readonly type: 'restartAgent' }
  | { readonly type: 'retry' }
  /** With the method that was chosen, else the user is asked for one. */
  | { readonly type: 'signIn'; readonly methodId?: string }
  | { readonly type: 'cancelSignIn' }
  | { readonly type: 'answerElicitation'; readonly elicitationId: string; readonly answer: ElicitationAnswer }
  /** Open the address that an agent wants to have opened. */
  | { readonly type: 'openElicitation'; readonly elicitationId: string }
  | { readonly type: 'showLog' }
  | { readonly type: 'openSettings' }
  | WelcomeIntent
  /** Where the user says whether they trust the workspace. */
  | { readonly type: 'manageTrust' }
  /** A link in text; the host checks it and asks before it leaves the editor. */
  | { readonly type: 'openLink'; readonly href: string }
  | { readonly type: 'openFile'; readonly path: string; readonly line?: number; readonly lastLine?: number }
  | { readonly type: 'openDiff'; readonly diffId: string }
  | { readonly type: 'stopCommand'; readonly terminalId: string }
  | { readonly type: 'showTerminal'; readonly terminalId: string }
  | { readonly type: 'toggleFollow' }
  /** The Tools panel was opened or closed. */
  | { readonly type: 'watchTools'; readonly open: boolean }
  | ToolsIntent
  | { readonly type: 'refreshTools' }
  /** A new chat with this session attached: for one that is only for reading. */
  | { readonly type: 'continueInNewChat' }
  | ReviewIntent
  | ContentIntent
  | QueueIntent
  | BranchIntent
  | { readonly type: 'copy'; readonly text: string }
  /** Something in the page went wrong; logged. */
  | { readonly type: 'pageError'; readonly message: string };
