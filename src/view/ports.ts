import type { Event } from '../base/event';
import type { Block } from '../shared/content';
import type { RememberScope, SignInMethod } from '../shared/state';
import type { ElicitationAnswer } from '../shared/elicitation';
import type { SyncSource } from './sync';

/** What this room needs of a session; `Session` has it. */
export interface ViewSession extends SyncSource {
  readonly id: string;
  /** Absolute paths of the workspace folders, the session's own first. */
  readonly folders: readonly string[];
  /** @param blocks what goes with the text */
  send(text: string, blocks?: readonly Block[]): Promise<void>;
  /** Forms and addresses of the agent that wait for the person. */
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

/** What this room needs of the sessions of the window; `Sessions` has it. */
export interface ViewSessions {
  readonly active: ViewSession;
  all(): readonly ViewSession[];
  newChat(agentName?: string): ViewSession;
  activate(session: ViewSession): void;
  readonly onDidChangeActive: Event<ViewSession>;
  /** A question was put to the person: its entry. */
  readonly onDidAsk: Event<{ readonly session: ViewSession; readonly entry: number }>;
  /** Something happened in a session. */
  readonly onDidChange: Event<ViewSession>;
}
