// Protected by test/unit/session/toolCallIds.test.ts: an id that is used again names another call.
import { canonicalJson, isObject } from '../../base/json';
import { entryAt } from '../../shared/state/entryPages';
import { isOpen, onlyText } from '../../shared/state/toolCallReducer';
import type { ToolEntry, ToolPatch } from '../../shared/state/toolCallState';
import type { IndexedEntries } from './translateContent';

/** What mentions a tool call: its `tool_call`, a `tool_call_update`, or a permission request. */
export type ToolCallSource = 'announcement' | 'update' | 'question';

/** What of a mention tells calls with the same id apart. */
interface ToolSubject extends Pick<ToolPatch, 'title' | 'status' | 'rawInput' | 'rawOutput'> {
  /** Its content, if that is one text. */
  readonly text?: string;
}

interface KnownCall {
  readonly entry: number;
  readonly tool: ToolEntry;
  readonly isAnnounced: boolean;
  readonly isAsked: boolean;
}

/**
 * The entry that a mention of a tool call is about. Agents use one id for several calls and questions (docs/conformance.md, “What real
 * agents do”, rows 4 and 16): a mention that cannot be about a known call is a new one.
 * @returns undefined for a new call
 */
export function findToolCall(
  toolCallId: string,
  subject: ToolSubject,
  source: ToolCallSource,
  context: IndexedEntries,
): number | undefined {
  const { entries, turnStart } = context.index.toolCalls(toolCallId);
  const known = entries.flatMap(({ entry, ...marks }): KnownCall[] => {
    const tool = entryAt(context.entries, entry);
    return tool?.kind === 'tool' ? [{ entry, tool, ...marks }] : [];
  });
  const ofTurn = known.filter(({ entry }) => entry >= turnStart);
  if (source === 'announcement') return announcedCall(ofTurn, subject)?.entry;
  if (source === 'question') return askedCall(ofTurn, subject)?.entry;
  return (ofTurn.length > 0 ? updatedCall(ofTurn, subject) : earlierCall(known, subject))?.entry;
}

/** A repeated announcement updates its call, unless it names another subject or outcome, or would start a call that has ended. */
function announcedCall(calls: readonly KnownCall[], subject: ToolSubject): KnownCall | undefined {
  const newestFirst = calls.toReversed();
  const hasEnded = subject.status !== undefined && !isOpen(subject.status);
  const fits = ({ tool, isAnnounced }: KnownCall): boolean =>
    !hasOtherInput(tool, subject) && !(isAnnounced && hasOtherTitle(tool, subject));
  return (
    newestFirst.find((call) => isOpen(call.tool.status) && fits(call)) ??
    newestFirst.find((call) => (!call.isAnnounced || (hasEnded && !hasOtherOutcome(call.tool, subject))) && fits(call))
  );
}

/** A question about a call that ended, or that was asked about already, is about another call, unless it names an announced one again. */
function askedCall(calls: readonly KnownCall[], subject: ToolSubject): KnownCall | undefined {
  return calls.findLast(({ tool, isAsked, isAnnounced }) => {
    if (!isOpen(tool.status) || hasOtherInput(tool, subject)) return false;
    return !isAsked || isNextStage(tool, subject) || (isAnnounced && isOnlyNamed(tool, subject));
  });
}

function isOnlyNamed(tool: ToolEntry, subject: ToolSubject): boolean {
  return subject.rawInput === undefined && !hasOtherTitle(tool, subject);
}

/** Some agents ask about one call in stages, first about its folder and then about its command. */
function isNextStage(tool: ToolEntry, subject: ToolSubject): boolean {
  if (hasOtherTitle(tool, subject) || subject.rawInput === undefined) return false;
  return canonicalJson(tool.rawInput) !== canonicalJson(subject.rawInput);
}

/** The open call that the update names, else the newest call, or an open one where the newest has ended. */
function updatedCall(calls: readonly KnownCall[], subject: ToolSubject): KnownCall | undefined {
  const fitting = calls.filter(({ tool }) => !hasOtherInput(tool, subject));
  const candidates = fitting.length > 0 ? fitting : calls;
  const named = candidates.findLast(
    ({ tool }) => isOpen(tool.status) && tool.title !== '' && tool.title === subject.title,
  );
  const newest = named ?? candidates.at(-1);
  if (!newest || subject.status === undefined || isOpen(newest.tool.status)) return newest;
  // Agents report a call that the user rejected as failed.
  const isRefusal = newest.tool.status === 'rejected' || newest.tool.status === 'canceled';
  if (isRefusal && subject.status === 'failed') return newest;
  return candidates.findLast(({ tool }) => isOpen(tool.status)) ?? newest;
}

/** A late update of an earlier turn's call, unless it starts a call with another subject. */
function earlierCall(calls: readonly KnownCall[], subject: ToolSubject): KnownCall | undefined {
  const newest = calls.at(-1);
  if (!newest || isOpen(newest.tool.status)) return newest;
  const starts = subject.status !== undefined && isOpen(subject.status);
  return starts && (hasOtherInput(newest.tool, subject) || hasOtherTitle(newest.tool, subject)) ? undefined : newest;
}

/** Whether both name their input and the inputs contradict each other. Input that is still being written only grows. */
function hasOtherInput({ rawInput: before }: ToolEntry, { rawInput: after }: ToolSubject): boolean {
  if (before === undefined || after === undefined) return false;
  if (!isObject(before) || !isObject(after)) return isOther(before, after);
  return Object.entries(after).some(([key, value]) => Object.hasOwn(before, key) && isOther(before[key], value));
}

/** Whether both ended in different ways. What the user decided is no outcome of the call. */
function hasOtherOutcome(tool: ToolEntry, subject: ToolSubject): boolean {
  if (tool.status !== 'done' && tool.status !== 'failed') return false;
  const text = onlyText(tool.content);
  const isOtherText = text !== undefined && subject.text !== undefined && isOther(text, subject.text);
  const { rawOutput } = subject;
  const isOtherOutput = tool.rawOutput !== undefined && rawOutput !== undefined && isOther(tool.rawOutput, rawOutput);
  return tool.status !== subject.status || isOtherText || isOtherOutput;
}

/** Titles count only where an input is missing: with it, a title is only a label. */
function hasOtherTitle(tool: ToolEntry, { title, rawInput }: ToolSubject): boolean {
  if (tool.rawInput !== undefined && rawInput !== undefined) return false;
  return title !== undefined && title !== '' && tool.title !== '' && isOther(tool.title, title);
}

function isOther(before: unknown, after: unknown): boolean {
  if (typeof before === 'string' && typeof after === 'string') return !after.startsWith(before);
  return canonicalJson(before) !== canonicalJson(after);
}
