import { asArray, asNumber, asObject, asString, isObject, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import { firstLine, truncate } from '../../base/text';
import type { Action } from '../../shared/state/sessionActions';
import type { ToolPatch } from '../../shared/state/toolCallState';
import type { Command } from '../../shared/state/sessionState';
import type { PermissionKind, PermissionOption, ToolStatus } from '../../shared/state/toolCallState';
import { toBlock, toLocations, toToolContent, toToolKind } from './translateContent';
import type { ContentContext } from './translateContent';
import type { ConfigOption } from '../../shared/state/configOptionState';
import type { PlanItem } from '../../shared/state/planState';
import type { ForeignTerminalContext } from './agentOwnedTerminal';
import { toConfigOptions, withMode } from './translateConfigOptions';
import type { MoreContext } from './translateSubagents';
import { translateSubagentUpdate } from './translateSubagents';
import { agentOwnedTerminal } from './agentOwnedTerminal';

export interface TranslateContext extends ContentContext, MoreContext, ForeignTerminalContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly selectors: readonly ConfigOption[];
  /** Logs what was skipped. */
  note(text: string): void;
  /** The entry of a known tool call. Ids may be reused in a later turn: `announced` searches this turn only. */
  toolEntry(toolCallId: string, announced: boolean): number | undefined;
}

/**
 * Translates one ACP v1 `session/update` into actions. Pure. Unknown updates become `rawReceived`: stored and shown (I4).
 * @param update the `update` object as on the wire
 */
export function translateUpdate(update: JsonObject, context: TranslateContext): Action[] {
  switch (update['sessionUpdate']) {
    case 'user_message_chunk':
      return chunk('user', update, context);
    case 'agent_message_chunk':
      return chunk('agent', update, context);
    case 'agent_thought_chunk':
      return chunk('thought', update, context);
    case 'tool_call':
    case 'tool_call_update':
      return translateToolCall(update, context, update['sessionUpdate'] === 'tool_call');
    case 'plan':
      return [{ type: 'planChanged', items: toPlanItems(asArray(update['entries'])) }];
    case 'available_commands_update':
      return [{ type: 'commandsChanged', commands: asArray(update['availableCommands']).flatMap(toCommand) }];
    case 'session_info_update':
      return sessionInfo(update);
    case 'usage_update':
      return usage(update);
    case 'notice':
      return notice(update, context.now);
    case 'current_mode_update':
    case 'config_option_update':
      return selectors(update, context);
    default:
      return translateSubagentUpdate(update, context, toPlanItems) ?? [raw(update, context.now)];
  }
}

function raw(update: JsonObject, at: number): Action {
  const { sessionUpdate, ...value } = update;
  return { type: 'rawReceived', label: asString(sessionUpdate) ?? t('update'), value, at };
}

function chunk(role: 'user' | 'agent' | 'thought', update: JsonObject, context: TranslateContext): Action[] {
  const block = toBlock(update['content']);
  const common = { role, ...omitUndefined({ messageId: asString(update['messageId']) }), at: context.now };
  if (block.type === 'text') return [{ type: 'textAppended', text: block.text, ...common }];
  return [{ type: 'blockAppended', block, ...common }];
}

/**
 * The actions for a tool call or its update, also from the `toolCall` of a permission request, which may be the first mention of the call.
 */
export function translateToolCall(update: JsonObject, context: TranslateContext, announced: boolean): Action[] {
  const toolCallId = asString(update['toolCallId']);
  if (toolCallId === undefined) return [raw(update, context.now)];
  const patch = toolPatch(update, context);
  const ended = patch.status === 'done' || patch.status === 'failed';
  const terminals = agentOwnedTerminal(update, context, ended);
  const entry = context.toolEntry(toolCallId, announced);
  if (entry === undefined) return [...terminals, { type: 'toolStarted', toolCallId, patch, at: context.now }];
  if (Object.keys(patch).length === 0) return terminals;
  return [...terminals, { type: 'toolChanged', entry, patch, at: context.now }];
}

function toolPatch(update: JsonObject, context: TranslateContext): ToolPatch {
  const content = update['content'];
  const locations = update['locations'];
  return omitUndefined({
    title: asString(update['title']),
    name: asString(update['name']),
    tool: toToolKind(update['kind']),
    status: toStatus(update['status']),
    content: Array.isArray(content) ? content.map((item) => toToolContent(item, context)) : undefined,
    locations: Array.isArray(locations) ? toLocations(locations, context) : undefined,
    rawInput: update['rawInput'] ?? undefined,
    rawOutput: update['rawOutput'] ?? undefined,
  });
}

const statuses: Readonly<Record<string, ToolStatus>> = {
  pending: 'pending',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
  cancelled: 'canceled',
};

function toStatus(value: unknown): ToolStatus | undefined {
  return typeof value === 'string' && Object.hasOwn(statuses, value) ? statuses[value] : undefined;
}

function toPlanItems(entries: readonly unknown[]): PlanItem[] {
  return entries.flatMap(toPlanItem);
}

function toPlanItem(value: unknown): PlanItem[] {
  const item = asObject(value);
  const content = asString(item?.['content']);
  if (!item || content === undefined) return [];
  const status = item['status'];
  const known = status === 'in_progress' || status === 'completed' ? status : 'pending';
  return [{ content, priority: asString(item['priority']) ?? 'medium', status: known }];
}

function toCommand(value: unknown): Command[] {
  const command = asObject(value);
  const name = asString(command?.['name']);
  if (!command || name === undefined) return [];
  const hint = asString(asObject(command['input'])?.['hint']);
  return [{ name, description: asString(command['description']) ?? '', ...omitUndefined({ hint }) }];
}

/** UTF-16 units. */
const MAX_TITLE = 200;

function sessionInfo(update: JsonObject): Action[] {
  const { title, updatedAt } = update;
  const actions: Action[] = [];
  if (title === null) actions.push({ type: 'titleChanged', title: null });
  // Some agents send the whole prompt as the title.
  if (typeof title === 'string') actions.push({ type: 'titleChanged', title: truncate(firstLine(title), MAX_TITLE) });
  const at = Date.parse(asString(updatedAt) ?? '');
  if (updatedAt === null) actions.push({ type: 'agentSessionDated', updatedAt: null });
  else if (!Number.isNaN(at)) actions.push({ type: 'agentSessionDated', updatedAt: at });
  return actions;
}

function selectors(update: JsonObject, context: TranslateContext): Action[] {
  const options = update['configOptions'];
  const modeId = asString(update['currentModeId']);
  if (Array.isArray(options)) {
    return [{ type: 'selectorsChanged', selectors: toConfigOptions(options, (text) => context.note(text)) }];
  }
  if (modeId === undefined) return [raw(update, context.now)];
  const next = withMode(context.selectors, modeId);
  return next === context.selectors ? [] : [{ type: 'selectorsChanged', selectors: next }];
}

/** An invalid size (0, null, negative) is shown as unknown. */
function usage(update: JsonObject): Action[] {
  const used = asNumber(update['used']);
  if (used === undefined || used < 0) return [];
  const size = Math.max(0, asNumber(update['size']) ?? 0);
  const cost = asObject(update['cost']);
  const amount = asNumber(cost?.['amount']);
  const currency = asString(cost?.['currency']);
  const known = amount !== undefined && currency !== undefined ? { cost: { amount, currency } } : {};
  return [{ type: 'usageChanged', usage: { used, size, ...known } }];
}

function notice(update: JsonObject, at: number): Action[] {
  const title = asString(update['title']);
  if (title === undefined) return [raw(update, at)];
  const severity = update['severity'];
  const known = severity === 'warning' || severity === 'error' ? severity : 'info';
  return [
    { type: 'noticeShown', severity: known, title, ...omitUndefined({ text: asString(update['description']) }), at },
  ];
}

const permissionKinds: ReadonlySet<string> = new Set(['allow_once', 'allow_always', 'reject_once', 'reject_always']);

/** The options of a permission request, in the agent's order; an unknown kind is shown like any other option. */
export function toPermissionOptions(options: readonly unknown[]): PermissionOption[] {
  return options.filter(isObject).flatMap((option) => {
    const optionId = asString(option['optionId']);
    if (optionId === undefined) return [];
    const kind = asString(option['kind']) ?? 'other';
    return [
      {
        optionId,
        name: asString(option['name']) ?? optionId,
        kind: permissionKinds.has(kind) ? (kind as PermissionKind) : 'other',
      },
    ];
  });
}
