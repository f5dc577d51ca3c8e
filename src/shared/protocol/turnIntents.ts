import type { Attachment } from './attachments';

/** What the user does about messages that wait, and about earlier messages of the conversation. */

export type QueueIntent =
  | {
      readonly type: 'changeQueued';
      readonly id: string;
      readonly text: string;
      readonly attachments?: readonly Attachment[];
    }
  /** `to`: its place afterwards, from 0. */
  | { readonly type: 'moveQueued'; readonly id: string; readonly to: number }
  | { readonly type: 'removeQueued'; readonly id: string }
  | { readonly type: 'sendQueued'; readonly id: string }
  /** It is being changed: it does not go out meanwhile. Without an id: none is. */
  | { readonly type: 'holdQueued'; readonly id?: string }
  | { readonly type: 'resumeQueue' };

export type BranchIntent =
  /** An earlier message of the user, changed: the conversation goes on from there. `entry`: its index. Answered by `resendEnded`. */
  | {
      readonly type: 'resend';
      readonly entry: number;
      readonly text: string;
      readonly attachments?: readonly Attachment[];
    }
  /** A new session with what was said up to this entry; before it, when it is the user's. */
  | { readonly type: 'forkFrom'; readonly entry: number };

/** The answer to `resend`. */
export interface ResendResult {
  readonly type: 'resendEnded';
  readonly session: string;
  readonly entry: number;
  /** Another session goes on with it; else nothing was sent: see `problem`, without which the user changed their mind. */
  readonly sent?: true;
  readonly problem?: string;
}
