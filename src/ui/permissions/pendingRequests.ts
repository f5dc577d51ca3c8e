import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { entryAt } from '../../shared/state/entryPages';
import type { ElicitationEntry } from '../../shared/state/elicitationState';
import { commandText, toolCommand } from '../../shared/text/toolInput';
import type { PermissionEntry, PermissionKind, PermissionOption, ToolEntry } from '../../shared/state/toolCallState';
import type { SessionState } from '../../shared/state/sessionState';
import type { UiSession, UiSessions } from '../uiTypes';

/** Pending permission requests, and their texts outside the page. */

export const ALREADY_ANSWERED = t('This request was already answered or withdrawn. Nothing was changed.');

export interface PendingPermissionRequest {
  readonly session: UiSession;
  /** Index of the permission in the session's transcript. */
  readonly entry: number;
  readonly permission: PermissionEntry;
}

/** Pending requests of all sessions: the active session's first, then oldest first. */
export function pendingRequests(sessions: OpenUiSessions): PendingPermissionRequest[] {
  return waitingEntries(sessions, pendingRequestAt);
}

type OpenUiSessions = Pick<UiSessions, 'active' | 'allOpen'>;

function waitingEntries<T>(sessions: OpenUiSessions, find: (session: UiSession, entry: number) => T | undefined): T[] {
  const others = sessions.allOpen().filter((session) => session !== sessions.active);
  return [sessions.active, ...others].flatMap((session) =>
    session.state.waiting.flatMap((entry) => find(session, entry) ?? []),
  );
}

/** The request at `entry`; undefined unless it is pending. */
export function pendingRequestAt(session: UiSession, entry: number): PendingPermissionRequest | undefined {
  const permission = entryAt(session.state.entries, entry);
  if (permission?.kind !== 'permission' || permission.outcome) return undefined;
  return { session, entry, permission };
}

/** A pending form or URL: answered only in the page, which shows all of it. */
export interface PendingForm {
  readonly session: UiSession;
  readonly entry: number;
  readonly form: ElicitationEntry;
}

/** The active session's forms first. */
export function pendingForms(sessions: OpenUiSessions): PendingForm[] {
  return waitingEntries(sessions, pendingFormAt);
}

export function pendingFormAt(session: UiSession, entry: number): PendingForm | undefined {
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
  readonly agent: string;
  readonly title: string;
  /** The command line, the files or the raw input; undefined when the title is sufficient. */
  readonly detail: string | undefined;
}

export function requestText(state: SessionState, permission: PermissionEntry): RequestText {
  const tool = permission.about ?? entryAt(state.entries, permission.tool);
  const title = escapeInvisibleInline(permission.title);
  const detail = tool?.kind === 'tool' ? toolDetail(tool, permission.showsInput) : undefined;
  const shown = detail === undefined ? undefined : escapeInvisibleInline(detail);
  return { agent: state.agent?.title ?? t('The agent'), title, detail: shown === title ? undefined : shown };
}

/** What makes the action destructive; it may contain a file name of the agent. */
export function destructiveText({ destructive }: PermissionEntry): string | undefined {
  return destructive === undefined ? undefined : t('Destructive: {0}', escapeInvisibleInline(destructive));
}

function toolDetail({ rawInput, content, locations }: ToolEntry, showsInput = false): string | undefined {
  const values = isObject(rawInput) ? Object.values(rawInput) : [rawInput ?? []].flat();
  const input = values.length === 0 ? undefined : JSON.stringify(rawInput);
  if (showsInput && input !== undefined) return input;
  const command = toolCommand(rawInput);
  if (command) return commandText(command);
  const diffs = content.flatMap((item) => (item.type === 'diff' ? [item.label] : []));
  // The answer may cover all arguments.
  const isFilesOnly = values.every((value) => locations.some(({ path }) => path === value));
  const paths = diffs.length > 0 || !isFilesOnly ? diffs : locations.map(({ label }) => label);
  return paths.length > 0 ? [...new Set(paths)].join(', ') : input;
}
