import { asString, isObject, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { Action } from '../../shared/state/sessionActions';
import { entryAt } from '../../shared/state/entryPages';
import { onlyText } from '../../shared/state/toolCallReducer';
import type {
  PermissionKind,
  PermissionOption,
  ToolEntry,
  ToolPatch,
  ToolStatus,
} from '../../shared/state/toolCallState';
import { agentOwnedTerminal } from './agentOwnedTerminal';
import { toLocations, toToolContent, toToolKind, translateUnknown } from './translateContent';
import type { TranslateContext } from './translateContent';

/**
 * The actions for a tool call or its update, also from the `toolCall` of a permission request, which may be the first mention of the call.
 */
export function translateToolCall(update: JsonObject, context: TranslateContext, announced: boolean): Action[] {
  const toolCallId = asString(update['toolCallId']);
  if (toolCallId === undefined) return [translateUnknown(update, context)];
  const patch = toolPatch(update, context);
  const ended = patch.status === 'done' || patch.status === 'failed';
  const terminals = agentOwnedTerminal(update, context, ended);
  const entry = context.index.toolEntry(toolCallId, announced);
  if (entry === undefined) return [...terminals, { type: 'toolStarted', toolCallId, patch, at: context.now }];
  const tool = entryAt(context.entries, entry);
  const text = tool?.kind === 'tool' ? continuation(tool, patch) : undefined;
  if (tool?.kind !== 'tool' || text === undefined) {
    return Object.keys(patch).length === 0 ? terminals : [...terminals, changed(entry, patch, context)];
  }
  const rest = withoutOutput(patch, tool);
  const output: Action[] = text === '' ? [] : [{ type: 'toolOutputAppended', entry, text }];
  return [...terminals, ...output, ...(Object.keys(rest).length === 0 ? [] : [changed(entry, rest, context)])];
}

function changed(entry: number, patch: ToolPatch, { now }: TranslateContext): Action {
  return { type: 'toolChanged', entry, patch, at: now };
}

/**
 * What an update adds to the output of a call. Agents send the whole output with each update: to store, post and show all of it each
 * time would cost more with every update (I8).
 * @returns undefined if the update has no output, or another one
 */
function continuation(tool: ToolEntry, patch: ToolPatch): string | undefined {
  const after = patch.content && onlyText(patch.content);
  const before = onlyText(tool.content);
  if (after === undefined || before === undefined || !after.startsWith(before)) return undefined;
  return after.slice(before.length);
}

/** Removes the content, and other fields that the agent only repeats: they would separate two parts of the output. */
function withoutOutput({ content: _output, ...rest }: ToolPatch, tool: ToolEntry): ToolPatch {
  const isNew = ([field, value]: [string, unknown]): boolean => tool[field as keyof ToolPatch] !== value;
  return Object.fromEntries(Object.entries(rest).filter(isNew));
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
