import { assertNever } from '../../base/assert';
import type { Attachment } from './attachments';
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
  | BudgetPause
  /** A turn ended unsuccessfully; `stopReason` as in `turnEnded`. */
  | { readonly why: 'turn'; readonly stopReason: StopReason }
  /** The window was reloaded or closed with queued messages. */
  | { readonly why: 'reloaded' }
  /** The first message cannot be sent unchanged; `message` says why. */
  | { readonly why: 'notSent'; readonly message: string };

/** A budget is used up; the first message waits for the user. */
export interface BudgetPause {
  readonly why: 'budget';
  readonly scope: 'session' | 'day';
  readonly spent: number;
  readonly limit: number;
  readonly currency: string;
  /** The user selected "Stop". */
  readonly stopped?: true;
}

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

export type QueueAction =
  /** `first`: before all others. */
  | { readonly type: 'messageQueued'; readonly message: QueuedMessage; readonly first?: boolean }
  | {
      readonly type: 'queuedChanged';
      readonly id: string;
      readonly text: string;
      readonly attachments: readonly Attachment[];
    }
  /** `to`: the new position, from 0. */
  | { readonly type: 'queuedMoved'; readonly id: string; readonly to: number }
  /** The message was sent or removed by the user. */
  | { readonly type: 'queuedTaken'; readonly id: string }
  | { readonly type: 'queuePaused'; readonly pause: QueuePauseReason }
  | { readonly type: 'queueResumed' }
  /** Without an id: no message is being edited. */
  | { readonly type: 'queuedHeld'; readonly id?: string }
  | { readonly type: 'queuedNext'; readonly id?: string };

/** For transcripts: a queued message stays with its session. */
export const QUEUE_ACTIONS: ReadonlySet<string> = new Set<QueueAction['type']>([
  'messageQueued',
  'queuedChanged',
  'queuedMoved',
  'queuedTaken',
  'queuePaused',
  'queueResumed',
  'queuedHeld',
  'queuedNext',
]);

/** Pure; returns the same reference when nothing changed. */
export function reduceQueue<S extends { readonly queue: Queue }>(state: S, action: QueueAction): S {
  const queue = queueAfter(state.queue, action);
  return queue === state.queue ? state : { ...state, queue };
}

function queueAfter(queue: Queue, action: QueueAction): Queue {
  switch (action.type) {
    case 'messageQueued':
      return withMessage(queue, action.message, action.first === true);
    case 'queuedChanged':
      return changeMessage(queue, action);
    case 'queuedMoved':
      return withMessageMoved(queue, action.id, action.to);
    case 'queuedTaken':
      return takeMessage(queue, action.id);
    case 'queuePaused':
      return queue.messages.length === 0 ? queue : { ...queue, paused: action.pause };
    case 'queueResumed':
      return without(queue, 'paused');
    case 'queuedHeld':
      return markMessage(queue, 'held', action.id);
    case 'queuedNext':
      return markMessage(queue, 'next', action.id);
    default:
      return assertNever(action);
  }
}

function withMessage(queue: Queue, message: QueuedMessage, first: boolean): Queue {
  const { messages } = queue;
  if (has(queue, message.id)) return queue;
  return { ...queue, messages: first ? [message, ...messages] : [...messages, message] };
}

function changeMessage(
  queue: Queue,
  { id, text, attachments }: Extract<QueueAction, { type: 'queuedChanged' }>,
): Queue {
  if (!has(queue, id)) return queue;
  const messages = queue.messages.map((message) => (message.id === id ? { ...message, text, attachments } : message));
  return { ...queue, messages };
}

function withMessageMoved(queue: Queue, id: string, to: number): Queue {
  const from = queue.messages.findIndex((message) => message.id === id);
  const message = queue.messages[from];
  const position = Math.max(0, Math.min(to, queue.messages.length - 1));
  if (!message || position === from) return queue;
  return { ...queue, messages: queue.messages.toSpliced(from, 1).toSpliced(position, 0, message) };
}

function takeMessage(queue: Queue, id: string): Queue {
  if (!has(queue, id)) return queue;
  const messages = queue.messages.filter((message) => message.id !== id);
  // An empty queue is never paused.
  if (messages.length === 0) return emptyQueue;
  const unheld = queue.held === id ? without(queue, 'held') : queue;
  const rest = unheld.next === id ? without(unheld, 'next') : unheld;
  // This message was the reason of the pause.
  return { ...(rest.paused?.why === 'notSent' ? without(rest, 'paused') : rest), messages };
}

function markMessage(queue: Queue, mark: 'held' | 'next', id: string | undefined): Queue {
  if (id === undefined) return without(queue, mark);
  return !has(queue, id) || queue[mark] === id ? queue : { ...queue, [mark]: id };
}

function without(queue: Queue, field: 'paused' | 'held' | 'next'): Queue {
  if (queue[field] === undefined) return queue;
  const { [field]: _dropped, ...rest } = queue;
  return rest;
}

function has({ messages }: Queue, id: string): boolean {
  return messages.some((message) => message.id === id);
}
