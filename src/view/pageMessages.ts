import { isObject } from '../base/json';
import type { JsonObject } from '../base/json';
import type { PageMessage } from '../shared/messages';

type Check = (value: unknown) => boolean;

const string: Check = (value) => typeof value === 'string';
const filled: Check = (value) => typeof value === 'string' && value !== '';
const stringOrBoolean: Check = (value) => typeof value === 'string' || typeof value === 'boolean';
const count: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const optional: Check = (value) => value === undefined || typeof value === 'string';
/** What is filled in is checked against the question by the session, which knows it. */
const elicitationAnswer: Check = (value) =>
  isObject(value) &&
  ['accept', 'decline', 'cancel'].includes(String(value['action'])) &&
  (value['content'] === undefined || isObject(value['content']));
const scope: Check = (value) => ['session', 'workspace', 'everywhere'].includes(String(value));
const lineNumber: Check = (value) => value === undefined || (count(value) && value !== 0);

/** The fields of each message besides `type`. A type that is missing here does not compile. */
const FIELDS: {
  readonly [T in PageMessage['type']]: {
    readonly [K in Exclude<keyof Extract<PageMessage, { type: T }>, 'type'>]-?: Check;
  };
} = {
  ready: {},
  ack: { seq: count },
  send: { text: string },
  stop: {},
  forceStop: {},
  answerPermission: { permissionId: filled, optionId: string },
  rememberPermission: { permissionId: filled, scope },
  chooseAgent: { name: filled },
  chooseOption: { id: string, value: stringOrBoolean },
  stopSubagent: { sessionId: filled },
  addAgent: { name: filled },
  installAgent: {},
  newChat: {},
  restartAgent: {},
  retry: {},
  signIn: { methodId: optional },
  cancelSignIn: {},
  answerElicitation: { elicitationId: filled, answer: elicitationAnswer },
  openElicitation: { elicitationId: filled },
  showLog: {},
  openSettings: {},
  manageTrust: {},
  openLink: { href: filled },
  openFile: { path: filled, line: lineNumber },
  openDiff: { diffId: filled },
  stopCommand: { terminalId: filled },
  showTerminal: { terminalId: filled },
  toggleFollow: {},
  reviewChanges: {},
  keepAll: {},
  undoAll: {},
  keepFile: { path: filled },
  undoFile: { path: filled },
  openChange: { path: filled },
  keepDiff: { diffId: filled },
  undoDiff: { diffId: filled },
  restoreCheckpoint: { entry: count },
  undoRestore: { undoId: filled },
  copy: { text: string },
  pageError: { message: string },
};

/**
 * A message of the page, checked field by field: the page shows what agents wrote, so what comes from it is not trusted (security:
 * webview). Only known fields are taken over. Otherwise a sentence that says what is wrong.
 */
export function parsePageMessage(value: unknown): { readonly message: PageMessage } | { readonly problem: string } {
  if (!isObject(value)) return { problem: 'a message that is not an object' };
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(FIELDS, type))
    return { problem: `unknown type ${JSON.stringify(type)}` };
  const checks: Readonly<Record<string, Check>> = FIELDS[type as PageMessage['type']];
  const wrong = Object.entries(checks).find(([field, check]) => !check(value[field]));
  if (wrong) return { problem: `"${type}" with a wrong field "${wrong[0]}"` };
  return { message: picked(value, ['type', ...Object.keys(checks)]) as unknown as PageMessage };
}

function picked(value: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.filter((field) => value[field] !== undefined).map((field) => [field, value[field]]));
}
