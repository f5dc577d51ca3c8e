/** Messages between the extension host and the board of the races. */

/** View type of the board, which VS Code restores after a reload. */
export const RACE_PANEL = 'parley.races';

/** The oldest question of an attempt that waits, on its card. */
export interface AttemptRequest {
  readonly permissionId: string;
  /** All that an answer decides, or only the title where `options` is empty. */
  readonly lines: readonly string[];
  /** In the agent's order; empty where a card cannot show the whole request. */
  readonly options: readonly { readonly optionId: string; readonly name: string }[];
}

/** One worktree on the board. Its texts come from agents and users. */
export interface RaceAttempt {
  /** Of the worktree. */
  readonly id: string;
  readonly agent: string;
  readonly branch: string;
  /** `none`: no chat works in it. */
  readonly status: 'waiting' | 'running' | 'done' | 'stopped' | 'none';
  /** Why the last turn is `stopped`, in the user's language. */
  readonly outcome?: string;
  /** The last tool call, or the last line that the agent wrote. */
  readonly activity?: string;
  readonly request?: AttemptRequest;
  /** Start of the running turn in milliseconds since 1970. */
  readonly since?: number;
  /** Milliseconds of all finished turns. */
  readonly ms: number;
  /** Undefined until they are counted. */
  readonly files?: number;
  /** Why the files could not be counted, in the user's language. */
  readonly filesFailure?: string;
  /** Number of files of the workspace with changes that were taken from it and are not reviewed yet. */
  readonly taken?: number;
  readonly added: number;
  readonly removed: number;
  /** Number of new problems; undefined where the editor does not check the worktree. */
  readonly problems?: number;
  /** In the user's language, such as `$0.12`. */
  readonly cost?: string;
}

/** The attempts of one message; without an id the worktrees that are in no race. */
export interface Race {
  readonly id?: string;
  /** The first words of the message. */
  readonly title: string;
  readonly attempts: readonly RaceAttempt[];
}

export const ATTEMPT_ACTIONS = [
  'allow',
  'open',
  'compare',
  'takeAll',
  'reviewTaken',
  'openInNewWindow',
  'discard',
] as const;
export type AttemptAction = (typeof ATTEMPT_ACTIONS)[number];

export type RaceHostMessage = { readonly type: 'races'; readonly races: readonly Race[] };

export type RacePageMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'act'; readonly action: AttemptAction; readonly attempt: string }
  /** Only for an option that the card of the attempt shows. */
  | { readonly type: 'answer'; readonly attempt: string; readonly permissionId: string; readonly optionId: string }
  | { readonly type: 'newRace' }
  | { readonly type: 'pageError'; readonly message: string };

/** The race in which a session is an attempt, for its chat page: answers `watchRace`, and follows each change. */
export type RaceMessage = { readonly type: 'race'; readonly session: string; readonly race?: Race };

/** Of a chat page that shows a session in a worktree. */
export type RaceIntent =
  /** Requests the race of the session. */
  | { readonly type: 'watchRace' }
  /** `attempt`: id of its worktree. */
  | { readonly type: 'actOnAttempt'; readonly action: AttemptAction; readonly attempt: string };
