import type { JsonObject } from '../../../base/json';
import { isObject } from '../../../base/json';
import { truncate } from '../../../base/text';
import type { Attachment, AttachmentKind } from '../../../shared/protocol/attachments';
import { MAX_ATTACHMENTS } from '../../../shared/protocol/attachments';
import type { AuditPageMessage } from '../../../shared/protocol/auditPageProtocol';
import type { PageMessage } from '../../../shared/protocol/chatPageProtocol';
import type { TrafficPageMessage } from '../../../shared/protocol/trafficPageProtocol';

/**
 * Validates messages of a page. A page shows agents' texts, so its messages are not trusted (docs/security.md, row 14): every message is
 * checked field by field against a table.
 */

type FieldCheck = (value: unknown) => boolean;

/** The fields of each message besides `type`. The compiler checks that none is missing. */
type MessageSchema<M extends { readonly type: string }> = {
  readonly [T in M['type']]: { readonly [K in Exclude<keyof Extract<M, { type: T }>, 'type'>]-?: FieldCheck };
};

const isString: FieldCheck = (value) => typeof value === 'string';
const isFilled: FieldCheck = (value) => typeof value === 'string' && value !== '';
const isStringOrBoolean: FieldCheck = (value) => typeof value === 'string' || typeof value === 'boolean';
const isBoolean: FieldCheck = (value) => typeof value === 'boolean';
/** An integer of at least 0. */
const isCount: FieldCheck = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

function isOneOf(...words: readonly string[]): FieldCheck {
  return (value) => typeof value === 'string' && words.includes(value);
}

function optional(check: FieldCheck): FieldCheck {
  return (value) => value === undefined || check(value);
}

/** The message reduced to known fields, or a sentence that says what is wrong; never throws. */
function parseWithSchema<M extends { readonly type: string }>(
  table: MessageSchema<M>,
  value: unknown,
): { readonly message: M } | { readonly problem: string } {
  if (!isObject(value)) return { problem: 'a message that is not an object' };
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(table, type)) return { problem: `unknown type ${shown(type)}` };
  const checks: Readonly<Record<string, FieldCheck>> = table[type as M['type']];
  const wrong = Object.entries(checks).find(([field, check]) => !check(value[field]));
  if (wrong) return { problem: `"${type}" with a wrong field "${wrong[0]}"` };
  return { message: picked(value, ['type', ...Object.keys(checks)]) as unknown as M };
}

/** Truncated: a page may send megabytes as its type. */
function shown(type: unknown): string {
  return typeof type === 'string' ? JSON.stringify(truncate(type, 60)) : `(${typeof type})`;
}

function picked(value: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.filter((field) => value[field] !== undefined).map((field) => [field, value[field]]));
}

/** The fields of each kind besides `kind`. The compiler checks that none is missing. */
const ATTACHMENT_FIELDS: {
  readonly [K in AttachmentKind]: {
    readonly [F in Exclude<keyof Extract<Attachment, { kind: K }>, 'kind'>]-?: FieldCheck;
  };
} = {
  file: { uri: isFilled, label: isString },
  folder: { uri: isFilled, label: isString },
  active: { uri: isFilled, label: isString },
  lines: { uri: isFilled, label: isString, lines: isLines },
  problems: { label: isString },
  changes: { label: isString },
  session: { id: isFilled, label: isString },
  text: { label: isString, text: isString },
  data: { label: isString, mimeType: isFilled, data: isBase64 },
};

/** Validates attachments and their maximum number. */
export const isAttachments: FieldCheck = (value) =>
  Array.isArray(value) && value.length <= MAX_ATTACHMENTS && value.every((one) => isObject(one) && isAttachment(one));

/** A list of strings, limited to the number of attachments. */
const isStrings: FieldCheck = (value) =>
  Array.isArray(value) && value.length <= MAX_ATTACHMENTS && value.every((one) => typeof one === 'string');

function isAttachment(value: JsonObject): boolean {
  const { kind } = value;
  if (typeof kind !== 'string' || !Object.hasOwn(ATTACHMENT_FIELDS, kind)) return false;
  return Object.entries<FieldCheck>(ATTACHMENT_FIELDS[kind as AttachmentKind]).every(([field, check]) =>
    check(value[field]),
  );
}

function isLines(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { first, last } = value;
  return (
    Number.isSafeInteger(first) && Number.isSafeInteger(last) && Number(first) >= 1 && Number(last) >= Number(first)
  );
}

function isBase64(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

const isAction = isOneOf('accept', 'decline', 'cancel');
/** The session validates the values against the form. */
const elicitationAnswer: FieldCheck = (value) =>
  isObject(value) && isAction(value['action']) && (value['content'] === undefined || isObject(value['content']));
const scope = isOneOf('session', 'workspace', 'everywhere');
/** Limits of number and length that match the page's requests. */
const isPlaceTexts: FieldCheck = (value) =>
  Array.isArray(value) && value.length <= 200 && value.every((text) => typeof text === 'string' && text.length <= 260);
const lineNumber: FieldCheck = (value) => isCount(value) && value !== 0;

/** The fields of each message besides `type`. The compiler checks that no type is missing. */
const FIELDS: MessageSchema<PageMessage> = {
  ready: {},
  ack: { seq: isCount },
  focused: {},
  draft: { text: isString, attached: optional(isAttachments), at: isCount },
  send: { text: isString, attachments: optional(isAttachments), now: optional(isBoolean) },
  changeQueued: { id: isFilled, text: isString, attachments: optional(isAttachments) },
  moveQueued: { id: isFilled, to: isCount },
  removeQueued: { id: isFilled },
  sendQueued: { id: isFilled },
  holdQueued: { id: optional(isFilled) },
  resumeQueue: {},
  resend: { entry: isCount, text: isString, attachments: optional(isAttachments) },
  forkFrom: { entry: isCount },
  reviewTurn: { entry: isCount },
  findMentions: { id: isCount, query: isString },
  attachFrom: { source: isOneOf('files', 'terminal') },
  attachUris: { uris: isStrings },
  stop: {},
  forceStop: {},
  answerPermission: { permissionId: isFilled, optionId: isString },
  rememberPermission: { permissionId: isFilled, scope },
  chooseAgent: { name: isFilled },
  chooseOption: { id: isString, value: isStringOrBoolean },
  stopSubagent: { sessionId: isFilled },
  addAgent: { name: isFilled },
  installAgent: {},
  restartAgent: {},
  retry: {},
  signIn: { methodId: optional(isString) },
  cancelSignIn: {},
  answerElicitation: { elicitationId: isFilled, answer: elicitationAnswer },
  openElicitation: { elicitationId: isFilled },
  showLog: {},
  openSettings: {},
  openWalkthrough: {},
  showNews: {},
  dismissNews: {},
  manageTrust: {},
  openLink: { href: isFilled },
  continueInNewChat: {},
  openFile: { path: isFilled, line: optional(lineNumber), lastLine: optional(lineNumber) },
  openDiff: { diffId: isFilled },
  stopCommand: { terminalId: isFilled },
  showTerminal: { terminalId: isFilled },
  toggleFollow: {},
  pressNotice: { id: isFilled },
  dismissNotice: { id: isFilled },
  watchTools: { open: isBoolean },
  switchTools: { server: isFilled, on: isBoolean },
  switchTool: { tool: isFilled, on: isBoolean },
  decideTool: { server: isFilled, tool: isFilled, hash: isFilled, accept: isBoolean },
  signInServer: { server: isFilled },
  signOutServer: { server: isFilled },
  refreshTools: {},
  reviewChanges: {},
  keepAll: {},
  undoAll: {},
  keepFile: { path: isFilled },
  undoFile: { path: isFilled },
  openChange: { path: isFilled },
  keepDiff: { diffId: isFilled },
  undoDiff: { diffId: isFilled },
  restoreCheckpoint: { entry: isCount },
  undoRestore: { undoId: isFilled },
  findPlaces: { texts: isPlaceTexts },
  insertCode: { code: isString },
  applyCode: { code: isString, info: isString },
  openCode: { code: isString, info: isString },
  openData: { data: isFilled, mimeType: isString },
  saveData: { data: isFilled, mimeType: isString },
  copy: { text: isString },
  pageError: { message: isString },
};

/** The validated message, or a sentence that says what is wrong. */
export function parsePageMessage(value: unknown): ReturnType<typeof parseWithSchema<PageMessage>> {
  return parseWithSchema(FIELDS, value);
}

const TRAFFIC_FIELDS: MessageSchema<TrafficPageMessage> = {
  ready: {},
  choose: { id: isCount },
  copy: { text: isString },
  save: {},
  pageError: { message: isString },
};

const AUDIT_FIELDS: MessageSchema<AuditPageMessage> = {
  ready: {},
  copy: { text: isString },
  export: {},
  manageRules: {},
  pageError: { message: isString },
};

export function parseAuditMessage(value: unknown): ReturnType<typeof parseWithSchema<AuditPageMessage>> {
  return parseWithSchema(AUDIT_FIELDS, value);
}

export function parseTrafficMessage(value: unknown): ReturnType<typeof parseWithSchema<TrafficPageMessage>> {
  return parseWithSchema(TRAFFIC_FIELDS, value);
}
