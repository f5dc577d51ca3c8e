import { patchFields } from '../../base/json';
import type { Block, TextPatch } from './contentBlocks';
import { patchText } from './contentBlocks';

/** A message from one session to another. */
export interface SessionMessageEntry {
  readonly kind: 'relay';
  readonly messageId: string;
  /** The names of both sessions, where known. */
  readonly from?: string;
  readonly to?: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly at: number;
}

export interface SessionMessagePatch extends TextPatch {
  readonly from?: string | null;
  readonly to?: string | null;
}

export type SessionMessageAction =
  | {
      readonly type: 'relayStarted';
      readonly messageId: string;
      readonly patch: SessionMessagePatch;
      readonly at: number;
    }
  | { readonly type: 'relayChanged'; readonly entry: number; readonly patch: SessionMessagePatch };

export function startSessionMessage({
  messageId,
  patch,
  at,
}: Extract<SessionMessageAction, { type: 'relayStarted' }>): SessionMessageEntry {
  return patchSessionMessage({ kind: 'relay', messageId, text: '', blocks: [], at }, patch);
}

export function patchSessionMessage(entry: SessionMessageEntry, patch: SessionMessagePatch): SessionMessageEntry {
  const { from, to } = patch;
  return patchFields(patchText(entry, patch), { from, to });
}
