import { isObject } from '../../base/json';
import type { Fields, Schema } from '../../base/schema';
import {
  boolean,
  count,
  enumOf,
  list,
  object,
  optional,
  SchemaError,
  string,
  stringOrBoolean,
  tryParse,
  union,
} from '../../base/schema';
import { truncate } from '../../base/text';
import type { AuditPageMessage } from '../../shared/protocol/auditPageProtocol';
import type { PageMessage } from '../../shared/protocol/chatPageProtocol';
import type { RacePageMessage } from '../../shared/protocol/racePageProtocol';
import { ATTEMPT_ACTIONS } from '../../shared/protocol/racePageProtocol';
import type { TrafficPageMessage } from '../../shared/protocol/trafficPageProtocol';
import { MAX_ATTACHMENTS } from '../../shared/state/attachments';
import type { ElicitationAnswer, FieldValue } from '../../shared/state/elicitationState';
import { attachments, attachmentSource, nonEmptyString, lineNumber } from './attachmentSchema';

/**
 * Validates messages of a page. A page shows agents' texts, so its messages are not trusted (docs/security.md, row 14): every message is
 * checked field by field against a table.
 */

/** The fields of each message besides `type`. The compiler checks that none is missing. */
type MessageSchemas<M extends { readonly type: string }> = {
  readonly [T in M['type']]: Fields<Omit<Extract<M, { type: T }>, 'type'>>;
};

/** The message reduced to known fields, or a sentence that says what is wrong; never throws. */
function parseMessage<M extends { readonly type: string }>(
  schemas: MessageSchemas<M>,
  value: unknown,
): { readonly message: M } | { readonly problem: string } {
  if (!isObject(value)) return { problem: 'not an object' };
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(schemas, type))
    return { problem: `unknown type ${describeType(type)}` };
  const result = tryParse(object<object>(schemas[type as M['type']]), value);
  if ('error' in result) return { problem: `"${type}" with a wrong field "${result.error.path}"` };
  return { message: { type, ...result.value } as unknown as M };
}

/** Truncated: a page may send megabytes as its type. */
function describeType(type: unknown): string {
  return typeof type === 'string' ? JSON.stringify(truncate(type, 60)) : `(${typeof type})`;
}

/** The session validates the values against the form. */
const formValues: Schema<Readonly<Record<string, FieldValue>>> = (value, path) => {
  if (isObject(value)) return value as Readonly<Record<string, FieldValue>>;
  throw new SchemaError(path, 'an object', value);
};
type Answer<A extends ElicitationAnswer['action']> = Extract<ElicitationAnswer, { readonly action: A }>;
const elicitationAnswer = union<ElicitationAnswer>('action', {
  accept: object<Answer<'accept'>>({ action: enumOf('accept'), content: optional(formValues) }),
  decline: object<Answer<'decline'>>({ action: enumOf('decline') }),
  cancel: object<Answer<'cancel'>>({ action: enumOf('cancel') }),
});

/** Limits of number and length that match the page's requests. */
const placeText: Schema<string> = (value, path) => {
  if (typeof value === 'string' && value.length <= 260) return value;
  throw new SchemaError(path, 'a short string', value);
};

/** The fields of each message besides `type`. The compiler checks that no type is missing. */
const FIELDS: MessageSchemas<PageMessage> = {
  ready: {},
  ack: { seq: count },
  focused: {},
  notificationPermission: { granted: boolean },
  notificationClicked: { id: nonEmptyString },
  notificationFailed: { id: nonEmptyString },
  draft: { text: string, attached: optional(attachments), at: count },
  send: {
    text: string,
    attachments: optional(attachments),
    now: optional(boolean),
    to: optional(enumOf('worktree', 'race')),
  },
  changeQueued: { id: nonEmptyString, text: string, attachments: optional(attachments) },
  moveQueued: { id: nonEmptyString, to: count },
  removeQueued: { id: nonEmptyString },
  sendQueued: { id: nonEmptyString },
  holdQueued: { id: optional(nonEmptyString) },
  resumeQueue: {},
  composing: {},
  answerBudget: { continues: boolean },
  resend: { entry: count, text: string, attachments: optional(attachments) },
  forkFrom: { entry: count },
  reviewTurn: { entry: count },
  findMentions: { id: count, query: string },
  attachFrom: { source: attachmentSource },
  findCommands: {},
  attachUris: { uris: list(string, MAX_ATTACHMENTS), left: count },
  stop: {},
  forceStop: {},
  answerPermission: { permissionId: nonEmptyString, optionId: string },
  rejectAndExplain: { permissionId: nonEmptyString, reason: string },
  editPlan: { permissionId: nonEmptyString },
  rememberPermission: { permissionId: nonEmptyString, scope: enumOf('session', 'workspace', 'everywhere') },
  rememberRule: { permissionId: nonEmptyString },
  chooseAgent: { name: nonEmptyString },
  choosePreset: { name: optional(nonEmptyString) },
  chooseFolder: { folder: optional(nonEmptyString) },
  chooseOption: { id: string, value: stringOrBoolean },
  stopSubagent: { sessionId: nonEmptyString },
  addAgent: { name: nonEmptyString },
  installAgent: {},
  restartAgent: {},
  retry: {},
  retryLater: { entry: count },
  cancelRetry: {},
  signIn: { methodId: optional(string) },
  cancelSignIn: {},
  answerElicitation: { elicitationId: nonEmptyString, answer: elicitationAnswer },
  openElicitation: { elicitationId: nonEmptyString },
  showLog: {},
  openSettings: {},
  openWalkthrough: {},
  showNews: {},
  dismissNews: {},
  manageTrust: {},
  openLink: { href: nonEmptyString },
  continueInNewChat: {},
  openSession: { id: optional(nonEmptyString) },
  openFile: { path: nonEmptyString, line: optional(lineNumber), lastLine: optional(lineNumber) },
  openDiff: { diffId: nonEmptyString },
  stopCommand: { terminalId: nonEmptyString },
  showTerminal: { terminalId: nonEmptyString },
  toggleFollow: {},
  typing: {},
  pressNotice: { id: nonEmptyString },
  dismissNotice: { id: nonEmptyString },
  watchTools: { open: boolean },
  watchRace: {},
  actOnAttempt: { action: enumOf(...ATTEMPT_ACTIONS), attempt: nonEmptyString },
  switchTools: { server: nonEmptyString, on: boolean },
  switchTool: { tool: nonEmptyString, on: boolean },
  decideTool: { server: nonEmptyString, tool: nonEmptyString, hash: nonEmptyString, accept: boolean },
  setUpServer: { server: nonEmptyString },
  signInServer: { server: nonEmptyString },
  signOutServer: { server: nonEmptyString },
  refreshTools: {},
  reviewChanges: {},
  keepAll: {},
  undoAll: {},
  keepFile: { path: nonEmptyString },
  undoFile: { path: nonEmptyString },
  openChange: { path: nonEmptyString },
  keepDiff: { diffId: nonEmptyString },
  undoDiff: { diffId: nonEmptyString },
  restoreCheckpoint: { entry: count },
  undoRestore: { undoId: nonEmptyString },
  findPlaces: { texts: list(placeText, 200) },
  insertCode: { code: string },
  applyCode: { code: string, info: string, links: list(string, 20) },
  openCode: { code: string, info: string },
  showDiagram: { code: string },
  openData: { data: nonEmptyString, mimeType: string },
  saveData: { data: nonEmptyString, mimeType: string },
  copy: { text: string },
  pageError: { message: string },
};

/** Messages that the page sends automatically, so that no user waits for a result. */
export const UNASKED: ReadonlySet<string> = new Set([
  'findCommands',
  'findMentions',
  'findPlaces',
  'holdQueued',
  'composing',
  'typing',
  'watchTools',
  'watchRace',
  'pageError',
]);

/** The validated message, or a sentence that says what is wrong. */
export function parsePageMessage(value: unknown): ReturnType<typeof parseMessage<PageMessage>> {
  return parseMessage(FIELDS, value);
}

const TRAFFIC_FIELDS: MessageSchemas<TrafficPageMessage> = {
  ready: {},
  choose: { id: count },
  copy: { text: string },
  save: {},
  pageError: { message: string },
};

const AUDIT_FIELDS: MessageSchemas<AuditPageMessage> = {
  ready: {},
  copy: { text: string },
  export: {},
  manageRules: {},
  pageError: { message: string },
};

const RACE_FIELDS: MessageSchemas<RacePageMessage> = {
  ready: {},
  act: { action: enumOf(...ATTEMPT_ACTIONS), attempt: nonEmptyString },
  answer: { attempt: nonEmptyString, permissionId: nonEmptyString, optionId: string },
  newRace: {},
  pageError: { message: string },
};

export function parseRaceMessage(value: unknown): ReturnType<typeof parseMessage<RacePageMessage>> {
  return parseMessage(RACE_FIELDS, value);
}

export function parseAuditMessage(value: unknown): ReturnType<typeof parseMessage<AuditPageMessage>> {
  return parseMessage(AUDIT_FIELDS, value);
}

export function parseTrafficMessage(value: unknown): ReturnType<typeof parseMessage<TrafficPageMessage>> {
  return parseMessage(TRAFFIC_FIELDS, value);
}
