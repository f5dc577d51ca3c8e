import type { Event } from '../base/event';
import type { DiffTexts } from '../history/diff/diffStore';
import type { AlwaysRuleResult } from '../permissions/alwaysRules';
import type { RuleRequest } from '../permissions/rules/ruleRequest';
import type { Attachment } from '../shared/state/attachments';
import type { Block } from '../shared/state/contentBlocks';
import type { ElicitationAnswer } from '../shared/state/elicitationState';
import type { Preset } from '../shared/state/preset';
import type { SignInMethod } from '../shared/state/sessionState';
import type { RememberScope } from '../shared/state/toolCallState';
import type { RequestsToUser, SessionHandle } from './sessionHandle';
import type { Dispatched } from './sessionModel';

/**
 * One conversation with one agent, as the rest of the window uses it. Its methods never reject: errors become entries of the transcript.
 * `LiveSession` implements it.
 */
export interface Session extends SessionHandle {
  /** Number of the last action in this window; see `Dispatched.seq`. */
  readonly seq: number;
  /** The user has to select an agent before a message can be sent. */
  readonly needsAgent: boolean;
  /** A remote agent outlives the window (I5). */
  readonly isRemote: boolean;
  /** It plays saved traffic: what happens meanwhile is not its work, and costs nothing. */
  readonly isReplay: boolean;
  /** Fires after each action. */
  readonly onDidDispatch: Event<Dispatched>;

  readonly userRequests: SessionRequests;
  readonly queue: SessionQueue;
  readonly auth: SignIn;
  readonly turn: {
    /** Cancels the running turn. */
    stop(): void;
  };
  readonly restarter: {
    /** Ends the agent's process, and opens the other sessions on it again. */
    forceStop(): Promise<void>;
  };
  readonly configOptions: {
    /** A refusal becomes a notice. An unknown value is ignored. */
    choose(id: string, value: string | boolean): Promise<void>;
  };
  readonly limitRetry: {
    /** @param entry index of the error, which must be about the last prompt */
    schedule(entry: number): void;
    cancel(): void;
  };
  readonly warmStart: {
    /** Starts the agent if that needs no question to the user. */
    start(): Promise<void>;
  };

  /** The texts of a diff in the transcript. */
  diff(diffId: string): DiffTexts | undefined;
  /**
   * Sends a prompt and waits for the end of its turn; queues it while a turn runs. Ignores an empty message.
   * @param blocks attached content; adapted once the agent's capabilities are known
   */
  send(text: string, blocks?: readonly Block[], how?: SendOptions): Promise<void>;
  /** Sends the last prompt again. */
  retry(): Promise<void>;
  /** Ends the agent's process and starts another one. */
  restart(): Promise<void>;
  /**
   * Asks the agent to end a child session, if supported.
   * @param childId the agent's id
   */
  stopSubagent(childId: string): void;
  /** Sets the agent of a session without messages, and starts it. */
  chooseAgent(name: string): Promise<void>;
  /** Sets the agent of a session without messages with what the preset adds, and starts the agent. */
  choosePreset(preset: Preset): Promise<void>;
  /** Sets the agent of a session without messages; the first prompt starts it. */
  setAgent(name: string): void;
  /** @param folder absolute; the one of a new chat if undefined */
  setFolder(folder: string | undefined, branch?: string): void;
}

export interface SendOptions {
  /** Their blocks have the content of the time when they were read. */
  readonly attachments?: readonly Attachment[];
  /** Send during a running turn, too: steer it where supported, else stop it first. */
  readonly now?: boolean;
  /** Send when the running turn ends, however it ends, before messages that are queued. */
  readonly next?: boolean;
}

/** The requests of a session to the user, and the user's answers. */
export interface SessionRequests extends RequestsToUser {
  readonly alwaysRules: {
    /** Stores the answer with this scope instead of the previous one. Rejects when the storage cannot be written. */
    saveRule(permissionId: string, scope: RememberScope): Promise<AlwaysRuleResult>;
  };
  readonly elicitations: {
    /** The URL of a pending request. */
    urlOf(elicitationId: string): string | undefined;
    /** False, and without effect, when the request is not pending or a value is invalid. */
    answer(elicitationId: string, answer: ElicitationAnswer): Promise<boolean>;
  };
  /** False, and without effect, when the request is not pending or has no such option (I7). */
  answer(permissionId: string, optionId: string): boolean;
  /** Rejects once, else always; a request without such options is canceled. False, and without effect, when it is not pending. */
  reject(permissionId: string): boolean;
  /** A request as it was shown when the user answered it in this window, if it is one of the latest. */
  answeredRequest(permissionId: string): RuleRequest | undefined;
}

/** Messages sent during a turn, which wait for its end. */
export interface SessionQueue {
  /** Changes a message and releases it. False when it no longer exists. */
  change(id: string, text: string, attachments: readonly Attachment[]): boolean;
  move(id: string, to: number): void;
  remove(id: string): void;
  /** Sends a message first: into the running turn where the agent supports steering, else after stopping the turn. */
  sendNow(id: string): Promise<void>;
  /**
   * Holds a message back while the user edits it; undefined releases it.
   * @param by the page, which only controls its own hold
   */
  hold(id: string | undefined, by?: unknown): void;
  /** Goes on after a pause. */
  resume(): void;
  /** The user's answer to a used-up budget. */
  answerBudget(shouldContinue: boolean): void;
}

/** Data to offer a sign-in. */
export interface AvailableSignIn {
  readonly agent: string;
  readonly methods: readonly SignInMethod[];
  /** The signed-in account, if known; only for the user. */
  readonly account?: string;
  readonly canSignOut: boolean;
}

/** Sign-in and sign-out of a session's agent. */
export interface SignIn {
  /** The available methods; starts the agent if needed. Undefined when it cannot be started (the transcript says why). */
  offer(): Promise<AvailableSignIn | undefined>;
  /** Signs in, then opens the session or sends the refused prompt again. */
  signIn(methodId: string): Promise<void>;
  /** Cancels a running sign-in. */
  cancel(): void;
  signOut(): Promise<void>;
}
