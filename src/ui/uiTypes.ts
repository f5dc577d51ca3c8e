import type { Event } from '../base/event';
import type { Attachment } from '../shared/protocol/attachments';
import type { Block } from '../shared/state/contentBlocks';
import type { RememberScope, SignInMethod } from '../shared/state/sessionState';
import type { ElicitationAnswer } from '../shared/state/elicitationState';
import type { Disposable } from '../base/lifecycle';
import type { TakenOverSession } from '../session/sessionTakeover';
import type { SideMessage, SyncedSession } from './chat/stateSync';

/** The parts of a session that `ui` needs; implemented by `Session`. */
export interface UiSession extends SyncedSession {
  readonly id: string;
  /** Absolute paths of the workspace folders, the session's own first. */
  readonly folders: readonly string[];
  /** @param blocks attachments of the text */
  send(text: string, blocks?: readonly Block[], how?: SendHow): Promise<void>;
  /** Messages queued until the end of the turn. */
  readonly queue: ViewQueue;
  /** Pending forms and URLs of the agent. */
  readonly elicitations: {
    address(elicitationId: string): string | undefined;
    answer(elicitationId: string, answer: ElicitationAnswer): boolean;
  };
  /** Signs in to the session's agent, and out of it. */
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
  /** Sets the scope of an "always" answer. Rejects when it cannot be stored. */
  remember(permissionId: string, scope: RememberScope): Promise<unknown>;
  diff(diffId: string): { readonly path: string; readonly oldText: string; readonly newText: string } | undefined;
}

/** Options of `Session.send`. */
interface SendHow {
  readonly attachments?: readonly Attachment[];
  readonly now?: boolean;
}

/** Implemented by `MessageQueue`. */
export interface ViewQueue {
  /** False when the message is no longer queued. */
  change(id: string, text: string, attachments: readonly Attachment[]): boolean;
  move(id: string, to: number): void;
  remove(id: string): void;
  sendNow(id: string): Promise<void>;
  /** @param by the page that pins the message, or releases it */
  hold(id: string | undefined, by: unknown): void;
  resume(): void;
}

export interface ViewAuth {
  /** The available sign-in; undefined when the agent cannot be started, which the transcript then reports. */
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

/** The parts of this window's sessions that `ui` needs; implemented by `Sessions`. */
export interface UiSessions {
  /** The last used session, to which commands apply. */
  readonly active: UiSession;
  /** The session in the chat view. */
  readonly inView: UiSession;
  all(): readonly UiSession[];
  /** Another window has the session open. */
  isElsewhere(id: string): boolean;
  /**
   * The open session with this id, else the stored one; undefined when there is none.
   * @throws SessionLockedError
   */
  load(id: string): Promise<UiSession | undefined>;
  /**
   * Creates an empty session with this unused id.
   * @throws SessionLockedError
   */
  create(id: string): UiSession;
  newChat(agentName?: string): UiSession;
  /** Creates an empty session that no page shows. */
  newSession(): UiSession;
  /** Shows the session in the chat view. */
  activate(session: UiSession): void;
  /** The user focused the session in a tab. */
  enter(session: UiSession): void;
  /** Keeps the session open for a tab. Dispose the result with the tab. */
  hold(session: UiSession): Disposable;
  /** Marks the session as visible in a tab. Dispose the result when it is hidden. */
  look(session: UiSession): Disposable;
  setViewVisible(visible: boolean): void;
  /** A turn has ended since the user last viewed the session. */
  isUnread(id: string): boolean;
  readonly onDidChangeActive: Event<UiSession>;
  readonly onDidChangeInView: Event<UiSession>;
  /** Fires with the id of a closed session. */
  readonly onDidClose: Event<string>;
  /**
   * Takes a session over from another window, to be opened here; retained until the result is disposed.
   * @throws SessionLockedError
   */
  takeOver(id: string): Promise<Disposable>;
  /** A session of this window was taken over by another one. */
  readonly onDidGoElsewhere: Event<TakenOverSession>;
  /** Fires with the entry of a new pending request. */
  readonly onDidAsk: Event<{ readonly session: UiSession; readonly entry: number }>;
  readonly onDidChange: Event<UiSession>;
}
