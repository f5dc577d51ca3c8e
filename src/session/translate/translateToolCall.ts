import { asString, isObject, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { Action } from '../../shared/state/sessionActions';
import type { PermissionKind, PermissionOption, ToolPatch, ToolStatus } from '../../shared/state/toolCallState';
import { agentOwnedTerminal } from './agentOwnedTerminal';
import { toLocations, toToolContent, toToolKind } from './translateContent';
import type { TranslateContext } from './translateContext';
import { translateUnknown } from './translateContext';

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
