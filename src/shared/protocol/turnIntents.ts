import type { Attachment } from '../state/attachments';

/** User actions on queued messages and on earlier messages of the conversation. */

export type QueueIntent =
  | {
      readonly type: 'changeQueued';
      readonly id: string;
      readonly text: string;
      readonly attachments?: readonly Attachment[];
    }
  /** `to`: the new position, from 0. */
  | { readonly type: 'moveQueued'; readonly id: string; readonly to: number }
  | { readonly type: 'removeQueued'; readonly id: string }
  | { readonly type: 'sendQueued'; readonly id: string }
  /** The user is editing this message: it is not sent meanwhile. Without an id, no message is being edited. */
  | { readonly type: 'holdQueued'; readonly id?: string }
  | { readonly type: 'resumeQueue' }
  /** The answer to a used-up budget: send the queue, or keep it paused. */
  | { readonly type: 'answerBudget'; readonly continues: boolean };

export type BranchIntent =
  /**
   * Resends an edited earlier message; the conversation continues from it. `entry`: its index. Answered by
   * `resendEnded`.
   */
  | {
      readonly type: 'resend';
      readonly entry: number;
      readonly text: string;
      readonly attachments?: readonly Attachment[];
    }
  /** Starts a new session with the conversation up to this entry. A user message itself is left out. */
  | { readonly type: 'forkFrom'; readonly entry: number };

/** The answer to `resend`. */
export interface ResendResult {
  readonly type: 'resendEnded';
  readonly session: string;
  readonly entry: number;
  /**
   * The message was sent in another session. When absent, nothing was sent: `problem` says why; without it the user
   * canceled.
   */
  readonly sent?: true;
  readonly problem?: string;
}

/** Where a draft is sent instead of to its own session: to its agent in a new worktree, or to several agents. */
export type SendTarget = 'worktree' | 'race';
