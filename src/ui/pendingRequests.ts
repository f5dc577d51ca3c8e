import { isObject } from '../base/json';
import { t } from '../base/l10n';
import { capitalize } from '../base/text';
import { escapeInvisibleInline } from '../base/untrustedText';
import type { Session } from '../session/session';
import type { Sessions } from '../session/sessions';
import type { ToolContent } from '../shared/state/contentBlocks';
import type { ElicitationEntry } from '../shared/state/elicitationState';
import { entryAt } from '../shared/state/entryPages';
import type { PermissionEntry, PermissionKind, PermissionOption, ToolEntry } from '../shared/state/toolCallState';
import { commandText, toolCommand, toolCwd } from '../shared/text/toolInput';

/** Pending permission requests, and their texts outside the page. */

export const ALREADY_ANSWERED = t('This request was already answered or withdrawn. Nothing was changed.');

export interface PendingPermissionRequest {
  readonly session: Session;
  /** Index of the permission in the session's transcript. */
  readonly entry: number;
  readonly permission: PermissionEntry;
}

/** Pending requests of all sessions: the active session's first, then oldest first. */
export function pendingRequests(sessions: Sessions): PendingPermissionRequest[] {
  return waitingEntries(sessions, pendingRequestAt);
}

function waitingEntries<T>(sessions: Sessions, find: (session: Session, entry: number) => T | undefined): T[] {
  const others = sessions.allOpen().filter((session) => session !== sessions.active);
  return [sessions.active, ...others].flatMap((session) =>
    session.state.waiting.flatMap((entry) => find(session, entry) ?? []),
  );
}

/** The request at `entry`; undefined unless it is pending. */
export function pendingRequestAt(session: Session, entry: number): PendingPermissionRequest | undefined {
  const permission = entryAt(session.state.entries, entry);
  if (permission?.kind !== 'permission' || permission.outcome) return undefined;
  return { session, entry, permission };
}

/** A pending form or URL: answered only in the page, which shows all of it. */
export interface PendingForm {
  readonly session: Session;
  readonly entry: number;
  readonly form: ElicitationEntry;
}

/** The active session's forms first. */
export function pendingForms(sessions: Sessions): PendingForm[] {
  return waitingEntries(sessions, pendingFormAt);
}

export function pendingFormAt(session: Session, entry: number): PendingForm | undefined {
  const form = entryAt(session.state.entries, entry);
  return form?.kind === 'elicitation' && !form.outcome ? { session, entry, form } : undefined;
}

/** Agent and subject of a form, in one line. */
export function formText({ form }: PendingForm): string {
  return t('{0} asks: {1}', form.agent, escapeInvisibleInline(form.message));
}

/**
 * Answers with one of the request's options. False when the request is no longer pending: it was answered or withdrawn.
 */
export function answerRequest(request: PendingPermissionRequest, option: PermissionOption): boolean {
  if (!pendingRequestAt(request.session, request.entry)) return false;
  request.session.userRequests.answer(request.permission.permissionId, option.optionId);
  return true;
}

/** Whether the user can tell the agent why: another program may ask, too, which the agent's next message does not reach. */
export function canExplain({ titleNamesCaller }: PermissionEntry): boolean {
  return titleNamesCaller !== true;
}

/**
 * Rejects a request. The agent gets the reason as the user's next words: in this turn where it supports that, else after it, before all
 * queued messages.
 * @returns false when the request is no longer pending
 */
export async function rejectAndExplain(session: Session, permissionId: string, reason: string): Promise<boolean> {
  const permission = session.state.waiting.map((entry) => pendingRequestAt(session, entry)?.permission);
  const asked = permission.find((each) => each?.permissionId === permissionId);
  if (!asked) return false;
  const words = canExplain(asked) ? reason.trim() : '';
  const { connection } = session.state;
  const steers = connection.status === 'ready' && connection.steers === true;
  // Before the answer, which may end the turn, for some agents as canceled: the queue then sends the message.
  const queued = words === '' || steers ? undefined : session.send(words, [], { next: true });
  session.userRequests.reject(permissionId);
  await (queued ?? (words === '' ? undefined : session.send(words, [], { now: true })));
  return true;
}

/** The options of the first kind in `kinds` that the agent provides, in the agent's order. */
export function optionsOfKind(
  permission: PermissionEntry,
  kinds: readonly PermissionKind[],
): readonly PermissionOption[] {
  const kind = kinds.find((candidate) => permission.options.some((option) => option.kind === candidate));
  return permission.options.filter((option) => option.kind === kind);
}

/** The text of a request, one line per field, with hidden characters made visible. */
interface RequestText {
  /** Undefined when the title names who asks. */
  readonly agent: string | undefined;
  readonly title: string;
  /** The command line, the changes or the raw input; undefined when the title is sufficient. */
  readonly detail: string | undefined;
  /** {@link detail} with the numbers of changed lines, such as "+5 −0", instead of the lines. */
  readonly summary: string | undefined;
  /** The lines of title and detail, to be shown one below the other. */
  readonly lines: readonly string[];
  /** Only the card shows all that an answer approves. */
  readonly isPartial: boolean;
}

export function requestText({ state, cwd }: Session, permission: PermissionEntry): RequestText {
  const tool = permission.about ?? entryAt(state.entries, permission.tool);
  const title = escapeInvisibleInline(permission.title);
  const { parts, short, isPartial } = tool?.kind === 'tool' ? partsOf(tool, permission, cwd) : NOTHING;
  const isMore = (part: string): boolean => part !== '' && escapeInvisibleInline(part) !== title;
  const inLine = (texts: readonly string[]): string | undefined =>
    texts.some(isMore) ? texts.filter(isMore).map(escapeInvisibleInline).join('; ') : undefined;
  const lines = [permission.title, ...parts.filter(isMore)].flatMap((text) =>
    text.split('\n').map(escapeInvisibleInline),
  );
  const agent = permission.titleNamesCaller ? undefined : (state.agent?.title ?? t('The agent'));
  return { agent, title, detail: inLine(parts), summary: inLine(short), lines, isPartial };
}

/** What makes the action destructive, and why the user is asked; with names that the agent has chosen. */
export function reasonTexts({ destructive, why }: PermissionEntry): readonly string[] {
  const warning = destructive === undefined ? undefined : t('Destructive: {0}', destructive);
  return [warning, why && capitalize(why)].flatMap((text) => (text ? [escapeInvisibleInline(text)] : []));
}

interface CardDetails {
  readonly parts: readonly string[];
  /** As `parts`, with the numbers of changed lines instead of the lines. */
  readonly short: readonly string[];
  /** There is more, which does not fit in a line. */
  readonly isPartial: boolean;
}

const NOTHING: CardDetails = { parts: [], short: [], isPartial: false };

/**
 * What the card shows besides the title.
 * @param cwd folder of the session, where commands run
 */
function partsOf(tool: ToolEntry, { title, showsInput, isCommand }: PermissionEntry, cwd: string): CardDetails {
  const { rawInput, content, locations } = tool;
  const command = isCommand && !showsInput ? commandPart(rawInput, cwd) : undefined;
  // The card describes a plain command further, which changes nothing of what it does.
  if (command !== undefined) {
    const parts = firstChars([command]);
    return { parts, short: parts, isPartial: isLong([command]) };
  }
  const values = isObject(rawInput) ? Object.values(rawInput) : [rawInput ?? []].flat();
  const diffs = content.filter((item) => item.type === 'diff');
  const [value, ...others] = values;
  // Of several places, only the names of the arguments say which is which.
  const isPlace = others.length === 0 && locations.some(({ path }) => path === value);
  const isDescribed = diffs.length > 0 || isPlace;
  // The answer may cover all arguments.
  const input =
    values.length > 0 && (showsInput || !isDescribed) ? JSON.stringify(rawInput).slice(0, MAX_CHARS + 1) : '';
  const places = locations.filter(
    ({ path }) => !diffs.some((diff) => diff.path === path) && !input.includes(JSON.stringify(path)),
  );
  const labels = [...new Set(places.map(({ label }) => label))].join(', ');
  const all = (isShort: boolean): readonly string[] => [
    input,
    ...content.map((item) => contentPart(item, title, isShort || !isText(item))),
    labels,
  ];
  const parts = all(false);
  const isPartial = isLong(parts) || !content.every(isText);
  return { parts: firstChars(parts), short: firstChars(all(true)), isPartial };
}

/** UTF-16 units of all parts. A list or notification shows far less. */
const MAX_CHARS = 50_000;

function isLong(parts: readonly string[]): boolean {
  return parts.reduce((sum, part) => sum + part.length, 0) > MAX_CHARS;
}

function firstChars(parts: readonly string[]): readonly string[] {
  let left = MAX_CHARS;
  return parts.flatMap((part) => {
    const first = part.slice(0, Math.max(0, left));
    left -= part.length;
    return first === '' ? [] : [first];
  });
}

function commandPart(rawInput: unknown, cwd: string): string | undefined {
  const command = toolCommand(rawInput);
  const folder = toolCwd(rawInput);
  if (!command) return undefined;
  const text = commandText(command);
  return folder === undefined || folder === cwd ? text : t('{0} in {1}', text, folder);
}

/**
 * The text of a message, or the changed lines of a file, without its path where the title is just a few words and that path.
 * @param isShort gives the number of changed lines instead of the lines
 */
function contentPart(item: ToolContent, title: string, isShort: boolean): string {
  if (item.type === 'block' && item.block.type === 'text') return item.block.text.trim();
  if (item.type !== 'diff') return '';
  const { label, added, removed } = item;
  const lines = item.hunks.flatMap((hunk) => hunk.lines.filter(({ type }) => type !== 'same'));
  const texts = lines.map(({ type, text }) => `${type === 'added' ? '+' : '−'} ${text}`);
  const changes = isShort && added + removed > 0 ? `+${added} −${removed}` : texts.join('\n');
  const words = title.replaceAll('`', '');
  const isNamed = words.endsWith(label) && /^[\p{L}\s]*$/u.test(words.slice(0, -label.length));
  return [isNamed ? '' : label, changes].filter((text) => text !== '').join(': ');
}

/** Whether {@link contentPart} has all of it. */
function isText(item: ToolContent): boolean {
  if (item.type === 'diff') return item.coarse !== true && (item.omitted ?? 0) === 0;
  return item.type === 'terminal' || (item.type === 'block' && item.block.type === 'text');
}
