import type { Action } from './actions';
import type { Attachment, AttachmentSource, Mention } from './attachments';
import type { ElicitationAnswer } from './elicitation';
import type { Command, RememberScope, SessionState } from './state';
import type { ToolsShown } from './tools';

/** One typed union per direction between host and page (architecture.md, section 4, rule 14). */

/** An agent the person can choose. */
export interface AgentChoice {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/** Whether the editor shows where the agent is at work; `paused`: the person took the editor over. */
export type FollowStatus = 'off' | 'following' | 'paused';

/** What the page needs to know besides the session. */
export interface Surroundings {
  readonly agents: readonly AgentChoice[];
  /** Agents that lie on this machine and are not in the list yet. */
  readonly found?: readonly AgentChoice[];
  readonly trusted: boolean;
  /** The person's prompt files, as commands. */
  readonly prompts?: readonly Command[];
  /** Absent where there is no editor to follow in. */
  readonly follow?: FollowStatus;
  /** What the person looks at in the editor; absent when that is no file on disk. */
  readonly editor?: Attachment;
  /** Of the operating system the person sits at: decides key names. */
  readonly mac: boolean;
}

/** Something begins to wait for the person; a turn has ended. */
export type Sound = 'waiting' | 'finished';

export type HostMessage =
  /** The whole state. Sent on load, reveal or a gap; `seq` is the number of the last action in it. */
  | {
      readonly type: 'snapshot';
      readonly seq: number;
      readonly state: SessionState;
      readonly surroundings: Surroundings;
    }
  /** Actions that follow each other without a gap; `seq` is the number of the first. */
  | { readonly type: 'actions'; readonly seq: number; readonly last: number; readonly actions: readonly Action[] }
  | { readonly type: 'surroundings'; readonly surroundings: Surroundings }
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
  /** Open the Tools panel. */
  | { readonly type: 'showTools' }
  /** What the Tools panel shows, while it is open. */
  | { readonly type: 'tools'; readonly tools: ToolsShown }
  /** Bring this entry into view. */
  | { readonly type: 'reveal'; readonly entry: number };

/** What the person does in the page about changed files and checkpoints of the session. */
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
  | { readonly type: 'undoRestore'; readonly undoId: string };

/** What the person does in the page. The page never edits session state. */
export type PageMessage =
  /** The page is loaded and wants a snapshot; also sent after a gap in `seq`. */
  | { readonly type: 'ready' }
  /** Actions up to `seq` are shown; the host sends more only when few are unacknowledged. */
  | { readonly type: 'ack'; readonly seq: number }
  | { readonly type: 'send'; readonly text: string; readonly attachments?: readonly Attachment[] }
  /** What goes with `query`, typed after `@`? Answered by `mentions` with the same number, more than once while more is found. */
  | { readonly type: 'findMentions'; readonly id: number; readonly query: string }
  /** Let the person pick files to attach, or attach what they selected in the terminal. */
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
  /** One of those found on this machine; the person is asked before it is taken into the list. */
  | { readonly type: 'addAgent'; readonly name: string }
  | { readonly type: 'installAgent' }
  | { readonly type: 'newChat' }
  | { readonly type: 'restartAgent' }
  | { readonly type: 'retry' }
  /** With the method that was chosen, else the person is asked for one. */
  | { readonly type: 'signIn'; readonly methodId?: string }
  | { readonly type: 'cancelSignIn' }
  | { readonly type: 'answerElicitation'; readonly elicitationId: string; readonly answer: ElicitationAnswer }
  /** Open the address that an agent wants to have opened. */
  | { readonly type: 'openElicitation'; readonly elicitationId: string }
  | { readonly type: 'showLog' }
  | { readonly type: 'openSettings' }
  /** Where the person says whether they trust the workspace. */
  | { readonly type: 'manageTrust' }
  /** A link in text; the host checks it and asks before it leaves the editor. */
  | { readonly type: 'openLink'; readonly href: string }
  | { readonly type: 'openFile'; readonly path: string; readonly line?: number }
  | { readonly type: 'openDiff'; readonly diffId: string }
  | { readonly type: 'stopCommand'; readonly terminalId: string }
  | { readonly type: 'showTerminal'; readonly terminalId: string }
  | { readonly type: 'toggleFollow' }
  /** The Tools panel was opened or closed. */
  | { readonly type: 'watchTools'; readonly open: boolean }
  /** Offer a tool server in this workspace, or do not. */
  | { readonly type: 'switchTools'; readonly server: string; readonly on: boolean }
  | { readonly type: 'refreshTools' }
  | ReviewIntent
  | { readonly type: 'copy'; readonly text: string }
  /** Something in the page went wrong; logged. */
  | { readonly type: 'pageError'; readonly message: string };
