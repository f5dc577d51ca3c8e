import { asArray, asObject, asString, isObject } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { Action } from '../../shared/state/sessionActions';
import type { Block } from '../../shared/state/contentBlocks';
import type { CompactionPatch } from '../../shared/state/compactionState';
import type { NamedPlan, PlanItem } from '../../shared/state/planState';
import type { SessionMessagePatch } from '../../shared/state/sessionMessageState';
import type { SubagentPatch } from '../../shared/state/subagentState';
import type { TextPatch } from '../../shared/state/contentBlocks';
import { toBlock } from './translateContent';

/** The `session/update` kinds about plans by id, compaction, and child sessions. */

/** Entries that later updates name, by kind and the agent's id. */
export type EntryKind = 'compaction' | 'relay' | 'subagent';

export interface MoreContext {
  readonly now: number;
  entryOf(kind: EntryKind, id: string): number | undefined;
  /** Display name: the title of a child session, undefined if unknown. */
  sessionName(sessionId: string): string | undefined;
}

/** Undefined for an unknown kind or shape. */
export function translateSubagentUpdate(
  update: JsonObject,
  context: MoreContext,
  toItems: (entries: readonly unknown[]) => PlanItem[],
): Action[] | undefined {
  switch (update['sessionUpdate']) {
    case 'plan_update': {
      const plan = toPlan(asObject(update['plan']) ?? {}, toItems);
      return plan && [{ type: 'planUpdated', plan }];
    }
    case 'plan_removed': {
      const planId = asString(update['planId']);
      return planId === undefined ? undefined : [{ type: 'planRemoved', planId }];
    }
    case 'compaction_update':
    case 'compaction_summary_chunk':
      return compaction(update, context);
    case 'session_message':
    case 'session_message_chunk':
      return relay(update, context);
    case 'subagent_update':
      return subagent(update, context);
    default:
      return undefined;
  }
}

function toPlan(plan: JsonObject, toItems: (entries: readonly unknown[]) => PlanItem[]): NamedPlan | undefined {
  const planId = asString(plan['planId']);
  const uri = asString(plan['uri']);
  const text = asString(plan['content']);
  if (planId === undefined) return undefined;
  if (plan['type'] === 'items') return { planId, kind: 'items', items: toItems(asArray(plan['entries'])) };
  if (plan['type'] === 'file' && uri !== undefined) return { planId, kind: 'file', uri };
  if (plan['type'] === 'markdown' && text !== undefined) return { planId, kind: 'markdown', text };
  return undefined;
}

function compaction(update: JsonObject, context: MoreContext): Action[] | undefined {
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
        ...replaced(update['summary']),
      };
  const entry = context.entryOf('compaction', compactionId);
  if (entry !== undefined) return [{ type: 'compactionChanged', entry, patch }];
  return [{ type: 'compactionStarted', compactionId, patch, at: context.now }];
}

function errorText(error: unknown): string | undefined {
  return asString(error) ?? asString(asObject(error)?.['message']);
}

function relay(update: JsonObject, context: MoreContext): Action[] | undefined {
  const messageId = asString(update['messageId']);
  if (messageId === undefined) return undefined;
  const isChunk = update['sessionUpdate'] === 'session_message_chunk';
  const patch: SessionMessagePatch = isChunk ? { more: toBlock(update['content']) } : relayPatch(update, context);
  const entry = context.entryOf('relay', messageId);
  if (entry !== undefined) return [{ type: 'relayChanged', entry, patch }];
  return [{ type: 'relayStarted', messageId, patch, at: context.now }];
}

function relayPatch(update: JsonObject, context: MoreContext): SessionMessagePatch {
  const name = (field: string): { value?: string | null } => {
    const id = update[field];
    if (id === null) return { value: null };
    return typeof id === 'string' ? { value: context.sessionName(id) ?? 'Agent' } : {};
  };
  const { value: from } = name('senderSessionId');
  const { value: to } = name('recipientSessionId');
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...replaced(update['content']) };
}

/** Blocks that replace the earlier ones: null clears, undefined keeps. */
function replaced(value: unknown): TextPatch {
  if (value === null) return { text: '', blocks: [] };
  const blocks: Block[] = (Array.isArray(value) ? value : isObject(value) ? [value] : []).map(toBlock);
  if (value === undefined) return {};
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return { text: texts.join(''), blocks: blocks.filter((block) => block.type !== 'text') };
}

function subagent(update: JsonObject, context: MoreContext): Action[] | undefined {
  const sessionId = asString(update['sessionId']);
  if (sessionId === undefined) return undefined;
  const patch = subagentPatch(update);
  const entry = context.entryOf('subagent', sessionId);
  if (entry !== undefined) return [{ type: 'subagentChanged', entry, patch, at: context.now }];
  return [{ type: 'subagentStarted', sessionId, patch, at: context.now }];
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
