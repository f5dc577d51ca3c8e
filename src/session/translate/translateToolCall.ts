import { asArray, asString, isObject, omitUndefined, asNumber, asObject } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import { normalizeText, truncate } from '../../base/text';
import { entryAt } from '../../shared/state/entryPages';
import type { Action } from '../../shared/state/sessionActions';
import type { Terminal } from '../../shared/state/terminalState';
import { terminalOf } from '../../shared/state/terminalState';
import { onlyText } from '../../shared/state/toolCallReducer';
import type {
  PermissionKind,
  PermissionOption,
  ToolEntry,
  ToolPatch,
  ToolStatus,
} from '../../shared/state/toolCallState';
import { findToolCall } from './findToolCall';
import type { ToolCallSource } from './findToolCall';
import { toLocations, toToolContent, toToolKind, translateUnknown } from './translateContent';
import type { IndexedEntries, TranslateContext } from './translateContent';

/**
 * The actions for a tool call or its update, also from the `toolCall` of a permission request, which may be the first mention of the call.
 */
export function translateToolCall(update: JsonObject, context: TranslateContext, source: ToolCallSource): Action[] {
  const toolCallId = toToolCallId(update);
  const patch = toolPatch(update, context);
  const isEnded = patch.status === 'done' || patch.status === 'failed';
  const terminals = agentOwnedTerminal(update, context, isEnded);
  const entry = toolCallEntry(update, context, source);
  if (entry === undefined) return [...terminals, ...startActions(update, toolCallId, patch, context, source)];
  const tool = entryAt(context.entries, entry);
  const text = tool?.kind === 'tool' ? continuation(tool, patch) : undefined;
  if (tool?.kind !== 'tool' || text === undefined) {
    return Object.keys(patch).length === 0 ? terminals : [...terminals, toChangeAction(entry, patch, context)];
  }
  const rest = withoutOutput(patch, tool);
  const output: Action[] = text === '' ? [] : [{ type: 'toolOutputAppended', entry, text }];
  return [...terminals, ...output, ...(Object.keys(rest).length === 0 ? [] : [toChangeAction(entry, rest, context)])];
}

/** The entry that `translateToolCall` changes; undefined if it starts one. */
export function toolCallEntry(update: JsonObject, context: IndexedEntries, source: ToolCallSource): number | undefined {
  const { title, status, rawInput, rawOutput, content } = update;
  const texts = asArray(content).map((item) => asString(asObject(asObject(item)?.['content'])?.['text']));
  const subject = {
    title: asString(title),
    status: toStatus(status),
    rawInput: rawInput ?? undefined,
    rawOutput: rawOutput ?? undefined,
    text: texts.length === 1 ? texts[0] : undefined,
  };
  return findToolCall(toToolCallId(update), omitUndefined(subject), source, context);
}

/** Calls without an id share the empty one; some agents send numbers. */
export function toToolCallId({ toolCallId }: JsonObject): string {
  return asString(toolCallId) ?? (typeof toolCallId === 'number' ? String(toolCallId) : '');
}

function startActions(
  update: JsonObject,
  toolCallId: string,
  patch: ToolPatch,
  context: TranslateContext,
  source: ToolCallSource,
): Action[] {
  const isBare = patch.title === undefined && patch.rawInput === undefined;
  // Without an id nothing is left that says what an update is about.
  if (source !== 'question' && toolCallId === '' && isBare) return [translateUnknown(update, context)];
  const named = source === 'question' ? { ...subjectOf(toolCallId, patch, context), ...patch } : patch;
  return [{ type: 'toolStarted', toolCallId, patch: named, at: context.now }];
}

/** The subject of the latest call with this id: a question that names only the id, or its title as well, is about the same again. */
function subjectOf(toolCallId: string, patch: ToolPatch, { index, entries }: TranslateContext): ToolPatch {
  if (patch.rawInput !== undefined) return {};
  const latest = index.toolCalls(toolCallId).entries.at(-1);
  const tool = latest && toolCallId !== '' ? entryAt(entries, latest.entry) : undefined;
  if (tool?.kind !== 'tool') return { title: t('Permission') };
  if (patch.title !== undefined && patch.title !== tool.title) return {};
  return subjectPatch(tool);
}

/** What a call is about, for another entry about the same. */
export function subjectPatch({ title, tool, locations, name, rawInput }: ToolEntry): ToolPatch {
  return { title, tool, locations, ...omitUndefined({ name, rawInput }) };
}

function toChangeAction(entry: number, patch: ToolPatch, { now }: TranslateContext): Action {
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
  // A copy: a part of a string keeps all of it in memory, here until it is posted and stored.
  return ` ${after.slice(before.length)}`.slice(1);
}

/** Removes the content, and other fields that the agent only repeats: they would separate two parts of the output. */
function withoutOutput({ content: _content, ...rest }: ToolPatch, tool: ToolEntry): ToolPatch {
  const isNew = ([field, value]: [string, unknown]): boolean => tool[field as keyof ToolPatch] !== value;
  return Object.fromEntries(Object.entries(rest).filter(isNew));
}

function toolPatch(update: JsonObject, context: TranslateContext): ToolPatch {
  const content = update['content'];
  const locations = update['locations'];
  return omitUndefined({
    title: cutTitle(asString(update['title'])),
    name: asString(update['name']),
    tool: toToolKind(update['kind']),
    status: toStatus(update['status']),
    content: Array.isArray(content) ? content.map((item, at) => toToolContent(item, at, context)) : undefined,
    locations: Array.isArray(locations) ? toLocations(locations, context) : undefined,
    rawInput: update['rawInput'] ?? undefined,
    rawOutput: update['rawOutput'] ?? undefined,
  });
}

/** UTF-16 units. A title is drawn and logged whole. */
const MAX_TITLE = 10_000;

function cutTitle(title: string | undefined): string | undefined {
  return title === undefined ? undefined : truncate(title, MAX_TITLE);
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

/**
 * The options of a permission request, in the agent's order; an unknown kind is shown like any other option. So is one that allows under the
 * name of a refusal: who selects it approves nothing.
 */
export function toPermissionOptions(options: readonly unknown[]): PermissionOption[] {
  return options.filter(isObject).flatMap((option) => {
    const optionId = asString(option['optionId']);
    if (optionId === undefined) return [];
    const kind = asString(option['kind']) ?? 'other';
    const name = truncate(asString(option['name']) ?? optionId, MAX_TITLE);
    const isKnown = permissionKinds.has(kind) && !(kind.startsWith('allow') && isRefusal(name));
    return [{ optionId, name, kind: isKnown ? (kind as PermissionKind) : 'other' }];
  });
}

/** First words that say no. */
const REFUSALS = new Set(
  `no nope reject rejected deny denied decline refuse cancel abort disallow forbid nein ablehnen verbieten verweigern abbrechen non refuser
  rejeter annuler rechazar denegar cancelar rifiuta annulla recusar rejeitar нет отклонить отмена запретить`.split(
    /\s+/,
  ),
);
/** "Don't ask again" is no refusal. */
const NEGATION = /^(?:not|never|do not|don.?t|nicht|nie|niemals)(?! ask| \p{L}* ?frag)(?!\p{L})/u;
const CHINESE_JAPANESE_KOREAN = /^(?:拒|不(?!要?用?再)|否|取消|禁止|いいえ|キャンセル|취소|거부|아니)/;

/** UTF-16 units of an option's name whose first words count. */
const MAX_WORDS = 1_000;

function isRefusal(name: string): boolean {
  const letters = normalizeText(name.slice(0, MAX_WORDS), 'NFKC').replace(/\p{Cf}/gu, '');
  const text = letters
    .replace(/[^\p{L}\p{N}'’]+/gu, ' ')
    .trim()
    .toLowerCase();
  // Letters of another script may look like the Latin ones of a refusal.
  if (/\p{Script=Latin}/u.test(letters) && /\p{Script=Cyrillic}|\p{Script=Greek}/u.test(letters)) return true;
  return REFUSALS.has(text.split(' ')[0] ?? '') || NEGATION.test(text) || CHINESE_JAPANESE_KOREAN.test(text);
}

/**
 * The terminal of a command that the agent runs itself, an extension of ACP. The tool call has `terminal` content with an id that this
 * client did not create, and `_meta` of its updates carries `terminal_info`, then `terminal_output_delta` (codex) or `terminal_output`
 * (claude, for clients that request it), then `terminal_exit`. Invalid data is skipped.
 * @param isEnded the tool call has ended, so its command has too
 */
function agentOwnedTerminal(update: JsonObject, context: TranslateContext, isEnded: boolean): Action[] {
  const meta = asObject(update['_meta']);
  if (!meta) return [];
  const info = asObject(meta['terminal_info']);
  const delta = asObject(meta['terminal_output_delta']);
  const output = delta ?? asObject(meta['terminal_output']);
  const exit = asObject(meta['terminal_exit']);
  const terminalId = [info, output, exit].map((part) => asString(part?.['terminal_id'])).find((id) => id !== undefined);
  if (terminalId === undefined) return [];
  const terminal = terminalOf(context.terminals, terminalId);
  // Only agent-owned terminals: we report our own ones.
  if (terminal && !terminal.foreign) return [];
  if (!terminal && !info) return [];
  const isNew = !terminal || (info !== undefined && terminal.exit !== undefined);
  return [
    ...(isNew ? [toCreateAction(terminalId, update, info, context.now)] : []),
    ...toTerminalOutput(terminalId, asString(output?.['data']) ?? '', isNew || delta ? '' : terminal.output),
    ...(exit || isEnded ? toExitActions(terminalId, exit, isNew ? undefined : terminal, context.now) : []),
  ];
}

function toCreateAction(terminalId: string, update: JsonObject, info: JsonObject | undefined, at: number): Action {
  const input = asObject(update['rawInput']);
  const command = asString(input?.['command']) ?? asString(update['title']) ?? '';
  const cwd = asString(info?.['cwd']) ?? asString(input?.['cwd']);
  return { type: 'terminalCreated', terminalId, command, ...omitUndefined({ cwd }), foreign: true, at };
}

/** Some agents resend the complete output each time; then only the new part counts. A short repetition may be coincidence. */
function toTerminalOutput(terminalId: string, data: string, before: string): Action[] {
  const isCumulative = before.length >= 16 && data.length >= before.length && data.startsWith(before);
  const added = isCumulative ? data.slice(before.length) : data;
  return added === '' ? [] : [{ type: 'terminalOutput', terminalId, data: added }];
}

function toExitActions(
  terminalId: string,
  exit: JsonObject | undefined,
  terminal: Terminal | undefined,
  at: number,
): Action[] {
  if (terminal?.exit) return [];
  const code = asNumber(exit?.['exit_code']);
  const signal = asString(exit?.['signal']);
  return [{ type: 'terminalExited', terminalId, ...omitUndefined({ code, signal }), at }];
}
