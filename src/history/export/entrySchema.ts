import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Fields, Schema } from '../../base/schema';
import { boolean, count, list, object, optional, string, union, enumOf, SchemaError } from '../../base/schema';
import { isValidTimestamp } from '../../base/timestamps';
import type { CompactionEntry } from '../../shared/state/compactionState';
import type { ElicitationEntry } from '../../shared/state/elicitationState';
import { reduceImport } from '../../shared/state/importedSession';
import type { SessionMessageEntry } from '../../shared/state/sessionMessageState';
import { emptySession } from '../../shared/state/sessionState';
import type {
  Entry,
  ErrorEntry,
  MessageEntry,
  NoticeEntry,
  SessionState,
  SubagentEntry,
  UnknownEntry,
  UserEntry,
} from '../../shared/state/sessionState';
import type { PermissionEntry, ToolEntry } from '../../shared/state/toolCallState';
import {
  block,
  elicitationOutcome,
  expansion,
  location,
  namedPlan,
  permissionOption,
  permissionOutcome,
  planItem,
  elicitationQuestion,
  remembered,
  terminal,
  toolContent,
  toolKind,
  toolStatus,
} from './entryPartSchemas';
import { json, record, time } from './fileSchemas';

/** Nesting depth of child sessions. */
const MAX_SUBAGENT_DEPTH = 8;

/** The exported part of a child session. */
type ChildFile = Pick<SessionState, 'title' | 'terminals' | 'plan' | 'plans'> & {
  readonly entries: readonly Entry[];
};

const message: Omit<Fields<MessageEntry>, 'kind'> = {
  text: string,
  blocks: list(block),
  messageId: optional(string),
  at: time,
  endedAt: optional(time),
};

/** Unknown entries are kept unchanged (I4). */
const unknown: Schema<Entry> = (value, path) => {
  const kind = isObject(value) ? String(value['kind']) : '';
  const at = isObject(value) && isValidTimestamp(value['at']) ? value['at'] : 0;
  return { kind: 'raw', label: kind, value: json(value, path), at };
};

/** Entries of a session or child session; `tool` of a permission must be the index of one. */
export const entries: Schema<readonly Entry[]> = (value, path) => entriesAt(0)(value, path);

function entriesAt(depth: number): Schema<readonly Entry[]> {
  const entry = union<Entry>('kind', createShapes(depth), unknown);
  return (value, path) => {
    const read = list(entry)(value, path);
    for (const [at, one] of read.entries()) {
      if (one.kind !== 'permission' || one.tool < read.length) continue;
      throw new SchemaError(`${path}[${at}].tool`, t('the index of an entry'), one.tool);
    }
    return read;
  };
}

// oxlint-disable-next-line max-lines-per-function -- one shape per kind, nothing else
function createShapes(depth: number): Readonly<Record<Entry['kind'], Schema<Entry>>> {
  return {
    user: object<UserEntry>({
      kind: enumOf('user'),
      text: string,
      expansion: optional(expansion),
      blocks: list(block),
      at: time,
      messageId: optional(string),
    }),
    agent: object<MessageEntry>({ ...message, kind: enumOf('agent') }),
    thought: object<MessageEntry>({ ...message, kind: enumOf('thought') }),
    tool: object<ToolEntry>({
      kind: enumOf('tool'),
      toolCallId: string,
      title: string,
      name: optional(string),
      tool: toolKind,
      status: toolStatus,
      waiting: count,
      content: list(toolContent),
      locations: list(location),
      rawInput: optional(json),
      rawOutput: optional(json),
      unasked: optional(boolean),
      interrupted: optional(boolean),
      at: time,
      endedAt: optional(time),
    }),
    permission: object<Omit<PermissionEntry, 'about'>>({
      kind: enumOf('permission'),
      permissionId: string,
      tool: count,
      title: string,
      options: list(permissionOption),
      isOwn: optional(boolean),
      titleNamesCaller: optional(boolean),
      showsInput: optional(boolean),
      isCommand: optional(boolean),
      why: optional(string),
      destructive: optional(string),
      at: time,
      outcome: optional(permissionOutcome),
      answeredAt: optional(time),
      remembered: optional(remembered),
    }),
    notice: object<Omit<NoticeEntry, 'session'>>({
      kind: enumOf('notice'),
      severity: enumOf('info', 'warning', 'error'),
      title: string,
      text: optional(string),
      at: time,
    }),
    error: object<ErrorEntry>({
      kind: enumOf('error'),
      message: string,
      detail: optional(string),
      remedies: list(enumOf('retry', 'restart', 'signIn', 'showLog', 'openSettings', 'chooseFolder')),
      retryAt: optional(time),
      at: time,
    }),
    raw: object<UnknownEntry>({ kind: enumOf('raw'), label: string, value: json, at: time }),
    elicitation: object<ElicitationEntry>({
      kind: enumOf('elicitation'),
      elicitationId: string,
      agent: string,
      message: string,
      question: elicitationQuestion,
      at: time,
      outcome: optional(elicitationOutcome),
      completed: optional(boolean),
    }),
    compaction: object<CompactionEntry>({
      kind: enumOf('compaction'),
      compactionId: string,
      status: string,
      text: string,
      blocks: list(block),
      error: optional(string),
      at: time,
    }),
    subagent: withId(
      object<SubagentEntry>({
        kind: enumOf('subagent'),
        sessionId: string,
        title: optional(string),
        description: optional(string),
        canStop: boolean,
        activity: optional(string),
        stopReason: optional(string),
        child: (value, path) => readChild(value, path, depth + 1),
        at: time,
      }),
    ),
    relay: object<SessionMessageEntry>({
      kind: enumOf('relay'),
      messageId: string,
      from: optional(string),
      to: optional(string),
      text: string,
      blocks: list(block),
      at: time,
    }),
  };
}

/** A child session is identified by the agent's id. */
function withId(shape: Schema<SubagentEntry>): Schema<SubagentEntry> {
  return (value, path) => {
    const entry = shape(value, path);
    return { ...entry, child: { ...entry.child, id: entry.sessionId } };
  };
}

function readChild(value: unknown, path: string, depth: number): SessionState {
  if (depth > MAX_SUBAGENT_DEPTH) throw new SchemaError(path, t('no deeper nested session'), t('a nested session'));
  const read = object<ChildFile>({
    title: optional(string),
    entries: entriesAt(depth),
    terminals: record(terminal),
    plan: list(planItem),
    plans: list(namedPlan),
  })(value, path);
  const { entries: imported, ...rest } = read;
  return reduceImport({ ...emptySession(''), ...rest }, { type: 'entriesImported', entries: imported });
}
