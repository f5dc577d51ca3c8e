import type { Event } from '../base/event';
import type { Attachment } from '../shared/protocol/attachments';
import type { Block } from '../shared/state/contentBlocks';
import type { RememberScope, SignInMethod } from '../shared/state/sessionState';
import type { ElicitationAnswer } from '../shared/state/elicitationState';
import type { Disposable } from '../base/lifecycle';
import type { TakenOverSession } from '../session/sessionTakeover';
import type { SideMessage, SyncedSession } from './chat/stateSync';

/** What this room needs of a session; `Session` has it. */
export interface UiSession extends SyncedSession {
  readonly id: string;
  /** Absolute paths of the workspace folders, the session's own first. */
  readonly folders: readonly string[];
  /** @param blocks what goes with the text */
  send(text: string, blocks?: readonly Block[], how?: SendHow): Promise<void>;
  /** Messages that wait for the end of the turn. */
  readonly queue: ViewQueue;
  /** Forms and addresses of the agent that wait for the user. */
  readonly elicitations: {
    address(elicitationId: string): string | undefined;
    answer(elicitationId: string, answer: ElicitationAnswer): boolean;
  };
  /** Signing in to its agent, and out of it. */
  readonly auth: ViewAuth;
  choose(id: string, value: string | boolean): Promise<void>;
  stopSubagent(childId: string): void;
  stop(): void;
  forceStop(): Promise<void>;
  retry(): Promise<void>;
  restart(): Promise<void>;
  chooseAgent(name: string): Promise<void>;
  /** As `chooseAgent`, without starting it. */
  nameAgent(name: string): void;
  answer(permissionId: string, optionId: string): void;
  /** Lets an answer "always" reach this far. Rejects when that cannot be kept. */
  remember(permissionId: string, scope: RememberScope): Promise<unknown>;
  diff(diffId: string): { readonly path: string; readonly oldText: string; readonly newText: string } | undefined;
}

/** How a message is sent; `Session.send` has it. */
interface SendHow {
  readonly attachments?: readonly Attachment[];
  readonly now?: boolean;
}

/** `MessageQueue` has it. */
export interface ViewQueue {
  /** False when the message is not there any more. */
  change(id: string, text: string, attachments: readonly Attachment[]): boolean;
  move(id: string, to: number): void;
  remove(id: string): void;
  sendNow(id: string): Promise<void>;
  /** @param by the page that holds it, or lets go of what it held */
  hold(id: string | undefined, by: unknown): void;
  resume(): void;
}

export interface ViewAuth {
  /** What the agent offers; undefined when it cannot be started, which the transcript then tells. */
  offer(): Promise<
    | {
        readonly agent: string;
        readonly methods: readonly SignInMethod[];
        readonly account?: string;
        readonly canSignOut: boolean;
      }
    | undefined
  >;
  signIn(methodId: string): Promise<void>;
  cancel(): void;
  signOut(): Promise<void>;
}

/** The page that the user acted in: the chat view's or a tab's. */
export interface IntentPage {
  /** Sends it a message, after the state as it is now. Lost when the page is gone by then, unless it is the user's own text. */
  tell(message: SideMessage): void;
  /** Brings it to the front, with the cursor in it. */
  show(): Promise<void>;
  /** Its Tools panel was opened or closed. */
  watchTools(open: boolean): void;
  /** Opens a new chat where this page shows chats: in the view, or in a tab of its own. */
  newChat(agentName?: string): void;
  /**
   * Shows a session where this page shows chats.
   * @returns the page that shows it
   */
  showChat(session: UiSession): Promise<IntentPage>;
}

/** What this room needs of the sessions of the window; `Sessions` has it. */
export interface UiSessions {
  /** The one the user was in last, which is what commands mean. */
  readonly active: UiSession;
  /** The one the chat view shows. */
  readonly inView: UiSession;
  all(): readonly UiSession[];
  /** Another window has it open. */
  isElsewhere(id: string): boolean;
  /**
   * The open one with this id, else the one on disk; undefined when there is none.
   * @throws OpenElsewhereError
   */
  load(id: string): Promise<UiSession | undefined>;
  /**
   * An empty one of this id, which none has yet.
   * @throws OpenElsewhereError
   */
  create(id: string): UiSession;
  newChat(agentName?: string): UiSession;
  /** An empty one that no page shows. */
  newSession(): UiSession;
  /** Shows it in the chat view. */
  activate(session: UiSession): void;
  /** The user is in it, in a tab. */
  enter(session: UiSession): void;
  /** Keeps it open for a tab. Dispose it with the tab. */
  hold(session: UiSession): Disposable;
  /** The user sees it in a tab. Dispose it when not any more. */
  look(session: UiSession): Disposable;
  setViewVisible(visible: boolean): void;
  /** A turn has ended there since the user looked last. */
  isUnread(id: string): boolean;
  readonly onDidChangeActive: Event<UiSession>;
  readonly onDidChangeInView: Event<UiSession>;
  /** One was closed: its id. */
  readonly onDidClose: Event<string>;
  /**
   * Takes one from the window that has it, to be opened here; kept until what is returned is disposed.
   * @throws OpenElsewhereError
   */
  takeOver(id: string): Promise<Disposable>;
  /** Another window goes on with one that was open here. */
  readonly onDidGoElsewhere: Event<TakenOverSession>;
  /** A question was put to the user: its entry. */
  readonly onDidAsk: Event<{ readonly session: UiSession; readonly entry: number }>;
  /** Something happened in a session. */
  readonly onDidChange: Event<UiSession>;
}
