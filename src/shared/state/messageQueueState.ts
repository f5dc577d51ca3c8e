import type { Attachment } from '../protocol/attachments';
import type { StopReason } from './turnSummary';

/** Messages queued until the running turn ends. */

export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  /** Read when the message is sent, so that the agent gets the files' current content. */
  readonly attachments: readonly Attachment[];
  /** When the user sent the message; milliseconds since 1970. */
  readonly at: number;
}

/** Why no queued message is sent automatically. */
export type QueuePauseReason =
  /** A turn ended unsuccessfully; `stopReason` as in `turnEnded`. */
  | { readonly why: 'turn'; readonly stopReason: StopReason }
  /** The window was reloaded or closed with queued messages. */
  | { readonly why: 'reloaded' }
  /** The first message cannot be sent unchanged; `message` says why. */
  | { readonly why: 'notSent'; readonly message: string };

export interface Queue {
  /** In sending order. */
  readonly messages: readonly QueuedMessage[];
  readonly paused?: QueuePauseReason;
  /** The message that the user is editing: it is not sent meanwhile. */
  readonly held?: string;
  /** The message to send as soon as the agent accepts it, or the running turn has stopped. */
  readonly next?: string;
}

export const emptyQueue: Queue = { messages: [] };
