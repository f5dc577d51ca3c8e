import { isObject } from '../../../base/json';
import type { AuditPageMessage } from '../../../shared/protocol/auditPageProtocol';
import type { PageMessage } from '../../../shared/protocol/chatPageProtocol';
import type { TrafficPageMessage } from '../../../shared/protocol/trafficPageProtocol';
import type { FieldCheck, MessageSchema } from './messageSchema';
import { isAttachments, isStrings } from './attachmentSchema';
import {
  isBoolean,
  isCount,
  isFilled,
  isOneOf,
  isString,
  isStringOrBoolean,
  optional,
  parseWithSchema,
} from './messageSchema';

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
