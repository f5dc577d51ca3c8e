import type { Attachment } from '../protocol/attachments';
import type { StopReason } from './turnSummary';

/** Messages that wait for the end of the running turn. */

export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  /** What goes with it; read when it is sent, so that the agent gets files as they are then. */
  readonly attachments: readonly Attachment[];
  /** When the user sent it; milliseconds since 1970. */
  readonly at: number;
}

/** Why nothing goes out by itself. */
export type QueuePauseReason =
  /** A turn ended in another way than well; `stopReason` as in `turnEnded`. */
  | { readonly why: 'turn'; readonly stopReason: StopReason }
  /** The window was reloaded or closed while messages waited. */
  | { readonly why: 'reloaded' }
  /** The first message cannot be sent as it is; `message` says why. */
  | { readonly why: 'notSent'; readonly message: string };

export interface Queue {
  /** In the order in which they go out. */
  readonly messages: readonly QueuedMessage[];
  readonly paused?: QueuePauseReason;
  /** The user changes this one at the moment: it does not go out meanwhile. */
  readonly held?: string;
  /** This one goes out as soon as the agent takes it, or the running turn has stopped. */
  readonly next?: string;
}

/** Nothing waits. */
export const emptyQueue: Queue = { messages: [] };
