import { asArray, asObject, asString, omitUndefined, isObject } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import { firstLine, truncate } from '../../base/text';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { CompactionPatch } from '../../shared/state/compactionState';
import type { Block, TextPatch } from '../../shared/state/contentBlocks';
import type { NamedPlan, PlanAction, PlanItem } from '../../shared/state/planState';
import type { Action } from '../../shared/state/sessionActions';
import type { SessionMessagePatch } from '../../shared/state/sessionMessageState';
import type { Command } from '../../shared/state/sessionState';
import type { BackgroundTask, BackgroundTaskAction, SubagentPatch } from '../../shared/state/subagentState';
import { translateConfigOptions } from './translateConfigOptions';
import { toBlock, translateUnknown } from './translateContent';
import type { TranslateContext } from './translateContent';
import { translateToolCall } from './translateToolCall';
import { translateUsage } from './translateUsage';

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
      return [...todoPlan(update), ...translateToolCall(update, context, 'announcement')];
    case 'tool_call_update':
      return [...todoPlan(update), ...translateToolCall(update, context, 'update')];
    case 'available_commands_update':
      return [{ type: 'commandsChanged', commands: toCommands(update['availableCommands']) }];
    case 'session_info_update':
      return sessionInfo(update);
    case 'usage_update':
      return translateUsage(update, context.now);
    case 'background_tasks_update':
      return [translateBackgroundTasks(update)];
    case 'notice':
      return notice(update, context);
    case 'current_mode_update':
    case 'config_option_update':
      return translateConfigOptions(update, context);
    case 'plan':
    case 'plan_update':
    case 'plan_removed':
      return translatePlan(update, context) ?? [translateUnknown(update, context)];
    default:
      return [translateEntry(update, context) ?? translateUnknown(update, context)];
  }
}

/** Undefined for an unknown kind or shape. */
function translateEntry(update: JsonObject, context: TranslateContext): Action | undefined {
  switch (update['sessionUpdate']) {
    case 'compaction_update':
    case 'compaction_summary_chunk':
      return translateCompaction(update, context);
    case 'session_message':
    case 'session_message_chunk':
      return translateSessionMessage(update, context);
    case 'subagent_update':
      return translateSubagent(update, context);
    default:
      return undefined;
  }
}

function chunk(role: 'user' | 'agent' | 'thought', update: JsonObject, context: TranslateContext): Action[] {
  const block = toBlock(update['content']);
  const common = { role, ...omitUndefined({ messageId: asString(update['messageId']) }), at: context.now };
  if (block.type === 'text') return [{ type: 'textAppended', text: block.text, ...common }];
  return [{ type: 'blockAppended', block, ...common }];
}

/** Each is an element of the page. */
const MAX_COMMANDS = 1_000;
const MAX_STEPS = 1_000;

function toCommands(commands: unknown): Command[] {
  return asArray(commands).slice(0, MAX_COMMANDS).flatMap(toCommand);
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
/** UTF-16 units of a suggested message. */
const MAX_SUGGESTION = 300;

function sessionInfo(update: JsonObject): Action[] {
  const { title, updatedAt } = update;
  const actions: Action[] = [];
  if (title === null) actions.push({ type: 'titleChanged', title: null });
  // Some agents send the whole prompt as the title.
  if (typeof title === 'string') actions.push({ type: 'titleChanged', title: truncate(firstLine(title), MAX_TITLE) });
  const at = Date.parse(asString(updatedAt) ?? '');
  if (updatedAt === null) actions.push({ type: 'agentSessionDated', updatedAt: null });
  else if (!Number.isNaN(at)) actions.push({ type: 'agentSessionDated', updatedAt: at });
  const suggestions = asObject(asObject(update['_meta'])?.['promptSuggestions'])?.['suggestions'];
  if (Array.isArray(suggestions)) actions.push(suggestion(suggestions));
  return actions;
}

/** An extension of Claude's adapter: an empty list withdraws the suggestion. The first visible line, as the box shows one. */
function suggestion(suggestions: readonly unknown[]): Action {
  const texts = suggestions.map((one) => firstLine((asString(asObject(one)?.['text']) ?? '').trim()));
  const text = texts.find((one) => one !== '');
  return {
    type: 'promptSuggested',
    ...(text !== undefined && { text: truncate(escapeInvisibleInline(text), MAX_SUGGESTION) }),
  };
}

function notice(update: JsonObject, context: TranslateContext): Action[] {
  const title = asString(update['title']);
  if (title === undefined) return [translateUnknown(update, context)];
  const severity = update['severity'];
  const validSeverity = severity === 'warning' || severity === 'error' ? severity : 'info';
  return [
    {
      type: 'noticeShown',
      severity: validSeverity,
      title,
      ...omitUndefined({ text: asString(update['description']) }),
      at: context.now,
    },
  ];
}

/** Plans with an id, each a bar of the page: the oldest goes. */
const MAX_PLANS = 20;

/** Undefined for an unknown kind of plan. */
function translatePlan(update: JsonObject, { plans }: TranslateContext): PlanAction[] | undefined {
  if (update['sessionUpdate'] === 'plan') return [{ type: 'planChanged', items: toPlanItems(update['entries']) }];
  if (update['sessionUpdate'] === 'plan_removed') {
    const planId = asString(update['planId']);
    return planId === undefined ? undefined : [{ type: 'planRemoved', planId }];
  }
  const plan = toPlan(asObject(update['plan']) ?? {});
  if (!plan) return undefined;
  const isNew = plans.every(({ planId }) => planId !== plan.planId);
  const oldest = isNew ? plans.slice(0, 1 - MAX_PLANS) : [];
  return [...oldest.map(({ planId }): PlanAction => ({ type: 'planRemoved', planId })), { type: 'planUpdated', plan }];
}

function toPlan(plan: JsonObject): NamedPlan | undefined {
  const planId = asString(plan['planId']);
  const uri = asString(plan['uri']);
  const text = asString(plan['content']);
  if (planId === undefined) return undefined;
  if (plan['type'] === 'items') return { planId, kind: 'items', items: toPlanItems(plan['entries']) };
  if (plan['type'] === 'file' && uri !== undefined) return { planId, kind: 'file', uri };
  if (plan['type'] === 'markdown' && text !== undefined) return { planId, kind: 'markdown', text };
  return undefined;
}

/** The last item stands for those that are left out. */
/** Agents without plans keep a list of todos with a tool: `rawInput.todos` (OpenCode, Qwen). */
function todoPlan({ rawInput, status }: JsonObject): PlanAction[] {
  const todos = status === 'failed' ? undefined : asObject(rawInput)?.['todos'];
  const items = Array.isArray(todos) ? toPlanItems(todos) : [];
  return items.length === 0 ? [] : [{ type: 'planChanged', items }];
}

export function toPlanItems(entries: unknown): PlanItem[] {
  const items = asArray(entries).flatMap(toPlanItem);
  const rest = items.splice(MAX_STEPS);
  if (rest.length === 0) return items;
  const status = rest.every((item) => item.status === 'completed') ? 'completed' : 'pending';
  return [...items, { content: t('{0} more steps', rest.length), priority: 'medium', status }];
}

function toPlanItem(value: unknown): PlanItem[] {
  const item = asObject(value);
  const content = asString(item?.['content']);
  if (!item || content === undefined) return [];
  // Cursor’s to-dos have names of a protocol buffer.
  const status = asString(item['status'])
    ?.replace(/^TODO_STATUS_/, '')
    .toLowerCase();
  const validStatus = status === 'in_progress' || status === 'completed' ? status : 'pending';
  return [{ content, priority: asString(item['priority']) ?? 'medium', status: validStatus }];
}

/** Tasks of one session; more are not listed. */
const MAX_TASKS = 100;

/** The complete list of background tasks, as quirks send it: ACP has none. */
function translateBackgroundTasks(update: JsonObject): BackgroundTaskAction {
  const tasks = new Map<string, BackgroundTask>();
  for (const value of asArray(update['tasks'])) {
    const task = asObject(value);
    const taskId = asString(task?.['taskId']);
    if (!task || taskId === undefined || tasks.size >= MAX_TASKS) continue;
    const { kind } = task;
    const title = truncate(firstLine(asString(task['title']) ?? ''), MAX_TITLE);
    tasks.set(taskId, { taskId, kind: kind === 'command' || kind === 'subagent' ? kind : 'task', title });
  }
  return { type: 'backgroundTasksChanged', tasks: Array.from(tasks.values()) };
}

/** Undefined for an invalid update, as in the other functions here. */
function translateCompaction(update: JsonObject, context: TranslateContext): Action | undefined {
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

function translateSessionMessage(update: JsonObject, context: TranslateContext): Action | undefined {
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

function translateSubagent(update: JsonObject, context: TranslateContext): Action | undefined {
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
