import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { DisposableStore } from '../../base/lifecycle';
import { escapeIconSyntax, escapeInvisibleInline, plainLabel } from '../../base/untrustedText';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import type { ToolContent } from '../../shared/state/contentBlocks';
import { entriesFrom, entryAt } from '../../shared/state/entryPages';
import type { PermissionKind, PermissionOption } from '../../shared/state/toolCallState';
import { showInformationMessage, showInputBox } from '../../workbench/windowMessages';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import {
  ALREADY_ANSWERED,
  answerRequest,
  canExplain,
  formText,
  optionsOfKind,
  rejectAndExplain,
  reasonTexts,
  requestText,
  pendingRequestAt,
  pendingForms,
  pendingRequests,
} from '../pendingRequests';
import type { PendingForm, PendingPermissionRequest } from '../pendingRequests';
import { sessionIdOf } from '../sessions/sessionTarget';
import type { Chat } from '../window';
import { displayWidth, nameBeside } from './notificationText';
import { GUARD_MS, SelectionGuard } from './selectionGuard';

interface RequestPickItem<T> extends vscode.QuickPickItem {
  readonly value: T;
  /** Distinguishes items with equal texts. */
  readonly key: string;
}

/** Answers requests of all sessions by quick picks and commands. */
export class PendingRequestPicker {
  constructor(
    private readonly sessions: Sessions,
    private readonly chat: Chat,
    private readonly worktreeOf: WorktreeOf = () => undefined,
  ) {}

  /** "Show Waiting": goes to the only request; else select a request, then one of the agent's options. */
  async show(): Promise<void> {
    const listWaiting = (): (PendingPermissionRequest | PendingForm)[] => [
      ...pendingRequests(this.sessions),
      ...pendingForms(this.sessions),
    ];
    const [only, ...others] = listWaiting();
    if (!only) {
      void showInformationMessage(NOTHING);
      return;
    }
    const request = others.length > 0 ? await this.#pickRequest(listWaiting) : undefined;
    if (others.length === 0) await this.chat.reveal(only);
    if (!request) return;
    if ('form' in request) await this.chat.reveal(request);
    else await this.#decide(request, request.permission.options);
  }

  /**
   * Answers with the first option of the first available kind; shows a list when several options or requests match.
   * @param target a session id or tree node limits it to that session
   */
  async answerBy(kinds: readonly PermissionKind[], target?: unknown): Promise<void> {
    const sessionId = sessionIdOf(target);
    const candidates = this.#candidatesOf(sessionId);
    const [first, ...others] = candidates();
    const request = others.length > 0 ? await this.#pickRequest(candidates) : first;
    if (!request) {
      if (!first) void showInformationMessage(NOTHING);
      return;
    }
    const options = optionsOfKind(request.permission, kinds);
    const [only] = options;
    // A click on a row that has just changed was meant for the previous row.
    const isNew = isRecent(request.permission.at) && (sessionId !== undefined || replacesAnother(request));
    // A row of the sessions does not show the request, and a row of the list cuts long ones off.
    const isSeen = others.length === 0 ? this.#isInSight(request) : isShownByList(request);
    if (options.length === 1 && only && !isNew && (isSeen || isRejecting(only)))
      reportIfLate(answerRequest(request, only));
    else await this.#decide(request, options.length > 0 ? options : request.permission.options);
  }

  /**
   * Rejects a request with a reason for the agent.
   * @param target as in {@link answerBy}
   */
  async rejectAndExplain(target?: unknown): Promise<void> {
    const candidates = this.#candidatesOf(sessionIdOf(target));
    const [first, ...others] = candidates();
    const request = others.length > 0 ? await this.#pickRequest(candidates) : first;
    if (request) await this.#explain(request);
    else if (!first) void showInformationMessage(NOTHING);
  }

  async #explain({ session, permission }: PendingPermissionRequest): Promise<void> {
    const reason = await showInputBox({
      title: escapeInvisibleInline(permission.title),
      prompt: t('Rejects the request and sends this to the agent.'),
      placeHolder: t('Reason'),
      ignoreFocusOut: true,
    });
    if (reason !== undefined) reportIfLate(await rejectAndExplain(session, permission.permissionId, reason));
  }

  /** Lists the waiting requests: of this session, else of the active one, else of all. */
  #candidatesOf(sessionId: string | undefined): () => PendingPermissionRequest[] {
    return () => {
      const all = pendingRequests(this.sessions);
      if (sessionId !== undefined) return all.filter(({ session }) => session.id === sessionId);
      const shown = all.filter((request) => request.session === this.sessions.active);
      return shown.length > 0 ? shown : all;
    };
  }

  /** In the chat; a short request of a hidden chat is in a notification and the status bar's list. */
  #isInSight(request: PendingPermissionRequest): boolean {
    const { session } = request;
    return session === this.sessions.active && (this.chat.isShown(session) || isShownByList(request));
  }

  async #decide(request: PendingPermissionRequest, offered: readonly PermissionOption[]): Promise<void> {
    const { title } = requestText(request.session, request.permission);
    const lines = isShownByList(request) ? [] : linesOf(request);
    const options = lines ? offered : offered.filter(isRejecting);
    // A list to approve does not reject.
    const explains = offered === request.permission.options && canExplain(request.permission);
    const row = (option: PermissionOption, requests: Answer['requests']): RequestPickItem<Answer> => ({
      label: plainLabel(nameBeside(SHOW_ROW.label, option)),
      ...(requests.length > 1 && { description: t('{0} requests', requests.length) }),
      value: { option, requests },
      key: [option.optionId, ...requests.map(({ session, entry }) => `${session.id} ${entry}`)].join(' '),
    });
    // A selected line shows the request in the chat.
    const textRows = (lines ?? []).map((line, at) => ({
      label: escapeIconSyntax(line),
      value: undefined,
      key: `line ${at}`,
    }));
    const text = textRows.length > 0 ? '' : detailText(request);
    const placeholder = text === '' ? t('Select an answer') : text;
    const same = (): Answer['requests'] => sameRequests(request, pendingRequests(this.sessions), this.worktreeOf);
    const items = (): RequestPickItem<Answer | typeof EXPLAIN | undefined>[] => {
      if (!pendingRequestAt(request.session, request.entry)) return [];
      const all = same();
      // The first row has the focus: never an answer.
      const answers = options.map((option) => row(option, [request]));
      const single = [...textRows, SHOW_ROW, ...answers, ...(explains ? [EXPLAIN_ROW] : [])];
      if (all.length === 0) return single;
      const label = t('Same answer for all attempts');
      const title = { label, kind: vscode.QuickPickItemKind.Separator, value: undefined, key: label };
      return [...single, title, ...options.map((option) => row(option, all))];
    };
    const chosen = await this.#pick(items, title, placeholder);
    if (!chosen) return;
    if (chosen.value === EXPLAIN) await this.#explain(request);
    else if (chosen.value) reportIfLate(answerSame(request, chosen.value.requests, chosen.value.option));
    else await this.chat.reveal(request);
  }

  async #pickRequest<T extends PendingPermissionRequest | PendingForm>(
    listWaiting: () => readonly T[],
  ): Promise<T | undefined> {
    const items = (): RequestPickItem<T>[] =>
      listWaiting().map((request) => {
        const key = `${request.session.id} ${request.entry}`;
        return Object.assign(itemOf(request), { value: request, key });
      });
    return (await this.#pick(items, t('Waiting Requests'), t('Select a request to answer')))?.value;
  }

  /**
   * A list that ignores selections at first and updates itself: resolved requests are removed, and the last one closes
   * the list.
   * @param items the current items; an empty list closes the picker
   */
  #pick<T>(
    items: () => readonly RequestPickItem<T>[],
    title: string,
    placeholder: string,
  ): Promise<RequestPickItem<T> | undefined> {
    const store = new DisposableStore();
    const list = store.add(vscode.window.createQuickPick<RequestPickItem<T>>());
    Object.assign(list, { title, placeholder, matchOnDescription: true, matchOnDetail: true });
    const guard = store.add(new SelectionGuard((isGuarded) => (list.busy = isGuarded)));
    let shown: readonly RequestPickItem<T>[] = [];
    const fill = (): void => {
      const next = items();
      if (isSameList(next, shown)) return;
      shown = next;
      list.items = next;
      guard.restart();
      if (next.length === 0) list.hide();
    };
    return new Promise((resolve) => {
      const finish = (chosen: RequestPickItem<T> | undefined): void => {
        store.dispose();
        resolve(chosen);
      };
      store.add(list.onDidAccept(() => void (!guard.isGuarded && finish(list.selectedItems[0]))));
      store.add(list.onDidHide(() => finish(undefined)));
      store.add(this.sessions.onDidChange(fill));
      fill();
      list.show();
    });
  }
}

/** Stands for a rejection with a reason. */
const EXPLAIN = 'explain';
const EXPLAIN_ROW: RequestPickItem<typeof EXPLAIN> = {
  label: t('$(comment) Reject and Explain…'),
  value: EXPLAIN,
  key: EXPLAIN,
};
const SHOW_ROW: RequestPickItem<undefined> = { label: t('$(eye) Show in Chat'), value: undefined, key: '' };

/** An option, and the requests that get it. */
interface Answer {
  readonly option: PermissionOption;
  readonly requests: readonly PendingPermissionRequest[];
}

function isSameList<T>(one: readonly RequestPickItem<T>[], other: readonly RequestPickItem<T>[]): boolean {
  const text = (list: readonly RequestPickItem<T>[]): string =>
    JSON.stringify(list.map(({ key, label, description, detail }) => [key, label, description, detail]));
  return text(one) === text(other);
}

function itemOf(request: PendingPermissionRequest | PendingForm): vscode.QuickPickItem {
  if ('form' in request) return { label: escapeIconSyntax(formText(request)), detail: t('Show in Chat') };
  const { agent, title } = requestText(request.session, request.permission);
  const text = detailText(request);
  return {
    label: escapeIconSyntax(title),
    description: escapeIconSyntax(whoAsks(request, agent)),
    ...(text !== '' && { detail: escapeIconSyntax(text) }),
  };
}

/** What the request does besides its title, what makes it destructive, and why the user is asked. */
function detailText({ session, permission }: PendingPermissionRequest): string {
  const { detail } = requestText(session, permission);
  return [detail, ...reasonTexts(permission)].filter((part) => part !== undefined).join('. ');
}

/** Whether the two lines of a list show all of a request: VS Code cuts longer ones off. */
function isShownByList(request: PendingPermissionRequest): boolean {
  const { title, isPartial } = requestText(request.session, request.permission);
  return !isPartial && [title, detailText(request)].every((line) => lineWidth(line) <= MAX_LINE);
}

/** All of a request that needs more than two lines; undefined if it does not fit in a list. */
function linesOf({ session, permission }: PendingPermissionRequest): readonly string[] | undefined {
  const { lines, isPartial } = requestText(session, permission);
  const text = [...lines, ...reasonTexts(permission)];
  if (isPartial || text.join('').length > MAX_LINES * MAX_LINE) return undefined;
  const rows = text.flatMap(wrapLine);
  return rows.length > MAX_LINES ? undefined : rows;
}

/** Breaks a line behind blanks, and a longer word anywhere. Nothing is left out. */
function wrapLine(text: string): readonly string[] {
  const rows = [''];
  const add = (part: string): boolean => {
    const row = `${rows.at(-1) ?? ''}${part}`;
    if (lineWidth(row.trimEnd()) > MAX_LINE) return false;
    rows[rows.length - 1] = row;
    return true;
  };
  for (const word of text.match(/\s*\S+\s*|\s+/gu) ?? []) {
    if (add(word)) continue;
    const isLong = lineWidth(word.trimEnd()) > MAX_LINE;
    for (const part of isLong ? word : [word]) if (!add(part)) rows.push(part);
  }
  return rows;
}

function lineWidth(line: string): number {
  return displayWidth(line.replace(WIDE, '$&$&'));
}

/** Columns of a line, in which wide letters take two. */
const MAX_LINE = 80;
/** With a row for each answer they fit in the list of a small window. */
const MAX_LINES = 6;
const WIDE = /[mw@%&\p{Lu}]/gu;

function isRecent(time: number): boolean {
  return Math.abs(Date.now() - time) < GUARD_MS;
}

/** Whether the request took the place of one that was just answered or withdrawn: the command may be meant for that. */
function replacesAnother({ session, entry }: PendingPermissionRequest): boolean {
  for (const [, value] of entriesFrom(session.state.entries, Math.max(0, entry - MAX_REPLACED)))
    if (value.kind === 'permission' && Math.abs(Date.now() - (value.answeredAt ?? 0)) < REPLACED_MS) return true;
  return false;
}

/** Entries before a request in which one that it replaces may be. */
const MAX_REPLACED = 2_000;
/** Milliseconds in which a key is pressed again, or held. */
const REPLACED_MS = 5_000;

function isRejecting({ kind }: PermissionOption): boolean {
  return kind === 'reject_once' || kind === 'reject_always';
}

const NOTHING = t('No requests are waiting.');

/** The agent, and the chat's title if it has one: several chats may use the same agent. */
function whoAsks({ session }: PendingPermissionRequest, agent: string | undefined): string {
  const { title } = session.state;
  return [agent, title && escapeInvisibleInline(title)].filter((part) => part !== undefined).join(', ');
}

function reportIfLate(isAnswered: boolean): void {
  if (!isAnswered) void showInformationMessage(ALREADY_ANSWERED);
}

/** The git worktree that a session works in. */
export type WorktreeOf = (session: Session) => Pick<WorktreeRecord, 'path' | 'race'> | undefined;

/**
 * The pending requests of the same race that ask exactly the same, each for its own worktree: title, input, diffs, reasons and options.
 * @returns with the request itself; empty when no other attempt asks the same
 */
export function sameRequests(
  request: PendingPermissionRequest,
  pending: readonly PendingPermissionRequest[],
  worktreeOf: WorktreeOf,
): readonly PendingPermissionRequest[] {
  const race = worktreeOf(request.session)?.race?.id;
  if (race === undefined) return [];
  // Random, so that an agent cannot write it itself to imitate its folder.
  const mark = randomUUID();
  const content = requestContent(request, worktreeOf, mark);
  const same = pending.filter(
    (other) =>
      worktreeOf(other.session)?.race?.id === race &&
      content !== undefined &&
      requestContent(other, worktreeOf, mark) === content,
  );
  return new Set(same.map(({ session }) => session)).size > 1 ? same : [];
}

/**
 * Answers requests with the option at the same place. False when none is pending any more.
 * @param option of `request`, whose options all `requests` have
 */
function answerSame(
  request: PendingPermissionRequest,
  requests: readonly PendingPermissionRequest[],
  option: PermissionOption,
): boolean {
  // Not by name and kind, which several options may share.
  const place = request.permission.options.findIndex(({ optionId }) => optionId === option.optionId);
  const answered = requests.map((each) => {
    const own = each.permission.options[place];
    return own !== undefined && answerRequest(each, own);
  });
  return answered.includes(true);
}

/** Everything that the user decides about. Undefined when a part is no longer known. */
function requestContent(
  { session, permission }: PendingPermissionRequest,
  worktreeOf: WorktreeOf,
  mark: string,
): string | undefined {
  const { title, options, isOwn, showsInput, why, destructive } = permission;
  const tool = permission.about ?? entryAt(session.state.entries, permission.tool);
  const path = worktreeOf(session)?.path;
  if (tool?.kind !== 'tool' || path === undefined) return undefined;
  const diffs = tool.content.map((part) => (part.type === 'diff' ? session.diff(part.diffId) : ''));
  if (diffs.includes(undefined)) return undefined;
  const all = {
    title,
    options: options.map(({ name, kind }) => [name, kind]),
    reasons: [isOwn, showsInput, why, destructive],
    tool: [tool.title, tool.name, tool.tool, tool.rawInput, tool.locations],
    content: tool.content.map(withoutId),
    diffs,
  };
  return JSON.stringify(all, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(path, mark) : value,
  );
}

/** Ids differ in each session. */
function withoutId(part: ToolContent): unknown {
  if (part.type === 'terminal') return part.type;
  return part.type === 'diff' ? [part.type, part.path, part.isNew] : part;
}
