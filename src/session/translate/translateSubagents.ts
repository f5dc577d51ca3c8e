import { asObject, asString, isObject } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { Action } from '../../shared/state/sessionActions';
import type { Block, TextPatch } from '../../shared/state/contentBlocks';
import type { CompactionPatch } from '../../shared/state/compactionState';
import type { SessionMessagePatch } from '../../shared/state/sessionMessageState';
import type { SubagentPatch } from '../../shared/state/subagentState';
import { toBlock } from './translateContent';
import type { TranslateContext } from './translateContent';

/** Undefined for an invalid update, as in the other functions here. */
export function translateCompaction(update: JsonObject, context: TranslateContext): Action | undefined {
  const compactionId = asString(update['compactionId']);
  if (compactionId === undefined) return undefined;
  const isChunk = update['sessionUpdate'] === 'compaction_summary_chunk';
  const status = asString(update['status']);
  const error = errorText(update['error']);
  const patch: CompactionPatch = isChunk
    ? { more: toBlock(update['content']) }
    : {
        ...(status !== undefined && { status }),
        ...(error !== undefined && { error }),
        ...toReplacement(update['summary']),
      };
  const entry = context.index.entryOf('compaction', compactionId);
  if (entry !== undefined) return { type: 'compactionChanged', entry, patch };
  return { type: 'compactionStarted', compactionId, patch, at: context.now };
}

function errorText(error: unknown): string | undefined {
  return asString(error) ?? asString(asObject(error)?.['message']);
}

export function translateSessionMessage(update: JsonObject, context: TranslateContext): Action | undefined {
  const messageId = asString(update['messageId']);
  if (messageId === undefined) return undefined;
  const isChunk = update['sessionUpdate'] === 'session_message_chunk';
  const patch: SessionMessagePatch = isChunk
    ? { more: toBlock(update['content']) }
    : sessionMessagePatch(update, context);
  const entry = context.index.entryOf('relay', messageId);
  if (entry !== undefined) return { type: 'relayChanged', entry, patch };
  return { type: 'relayStarted', messageId, patch, at: context.now };
}

function sessionMessagePatch(update: JsonObject, context: TranslateContext): SessionMessagePatch {
  const name = (field: string): { value?: string | null } => {
    const id = update[field];
    if (id === null) return { value: null };
    return typeof id === 'string' ? { value: context.sessionName(id) ?? 'Agent' } : {};
  };
  const { value: from } = name('senderSessionId');
  const { value: to } = name('recipientSessionId');
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...toReplacement(update['content']) };
}

/** Blocks that replace the earlier ones: null clears, undefined keeps. */
function toReplacement(value: unknown): TextPatch {
  if (value === null) return { text: '', blocks: [] };
  const blocks: Block[] = (Array.isArray(value) ? value : isObject(value) ? [value] : []).map(toBlock);
  if (value === undefined) return {};
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return { text: texts.join(''), blocks: blocks.filter((block) => block.type !== 'text') };
}

export function translateSubagent(update: JsonObject, context: TranslateContext): Action | undefined {
  const sessionId = asString(update['sessionId']);
  if (sessionId === undefined) return undefined;
  const patch = subagentPatch(update);
  const entry = context.index.entryOf('subagent', sessionId);
  if (entry !== undefined) return { type: 'subagentChanged', entry, patch, at: context.now };
  return { type: 'subagentStarted', sessionId, patch, at: context.now };
}

function subagentPatch(update: JsonObject): SubagentPatch {
  const { title, description, capabilities, state } = update;
  const stopReason = asString(asObject(state)?.['stopReason']);
  const activity = state === null ? null : asString(asObject(state)?.['state']);
  return {
    ...(isText(title) && { title }),
    ...(isText(description) && { description }),
    ...(capabilities !== undefined && { canStop: isObject(asObject(capabilities)?.['cancel']) }),
    ...(activity !== undefined && { activity }),
    ...(stopReason !== undefined && { stopReason }),
  };
}

function isText(value: unknown): value is string | null {
  return typeof value === 'string' || value === null;
}
