import type { ClientFeature, RequestContext, RequestHandler } from '../agent/clientFeature';
import type { JsonObject } from '../base/json';
import { asArray, asObject, asString, isObject, omitUndefined, requireObject } from '../base/json';
import { invalidParams } from '../base/jsonRpc';
import { t } from '../base/l10n';
import type { SessionHandle, SessionLookup } from '../session/sessionHandle';
import { requireSession } from '../session/sessionHandle';
import { toPlanItems } from '../session/translate/translateUpdate';
import { parseElicitationForm } from '../session/userRequests/elicitationForm';
import type { ElicitationQuestion } from '../shared/state/elicitationState';

/** The answer to a request of Cursor's: the outcome is nested. */
interface Answer {
  readonly outcome: { readonly outcome: string; readonly [field: string]: unknown };
}

/**
 * Questions, plans and to-dos of Cursor's CLI, by methods of its own (https://cursor.com/docs/cli/acp). It waits for the answers. Most of
 * its messages name no session.
 */
export function cursorFeature(lookup: SessionLookup): ClientFeature {
  const todos = new WeakMap<SessionHandle, readonly JsonObject[]>();
  const update = (params: JsonObject): void => {
    const session = sessionOf(lookup, params);
    const all = mergeTodos(todos.get(session) ?? [], params);
    todos.set(session, all);
    session.dispatch({ type: 'planChanged', items: toPlanItems(all) });
  };
  const handler = (method: string, handle: RequestHandler<JsonObject>['handle']): RequestHandler<JsonObject> => ({
    method,
    parse: requireObject,
    handle,
  });
  return {
    capabilities: {},
    handlers: [
      handler('cursor/ask_question', (params, context) => askQuestions(sessionOf(lookup, params), params, context)),
      handler('cursor/create_plan', (params, context) => {
        update({ todos: planTodos(params) });
        return approvePlan(sessionOf(lookup, params), params, context);
      }),
      handler('cursor/update_todos', async (params) => {
        update(params);
        return answerOf('accepted');
      }),
    ],
    notifications: [{ method: 'cursor/update_todos', handle: (params) => update(asObject(params) ?? {}) }],
  };
}

function sessionOf(lookup: SessionLookup, params: JsonObject): SessionHandle {
  const sessionId = asString(params['sessionId']);
  if (sessionId !== undefined) return requireSession(lookup, sessionId);
  const session = lookup.activeSession?.();
  if (!session) throw invalidParams('No session is open');
  return session;
}

async function askQuestions(session: SessionHandle, params: JsonObject, { signal }: RequestContext): Promise<Answer> {
  const reply = await session.userRequests.elicit({ ...questionForm(params), signal }).answer;
  if (reply.action === 'cancel') return answerOf('cancelled');
  if (reply.action === 'decline') return answerOf('skipped');
  const answers = Object.entries(reply.content ?? {}).map(([questionId, value]) => ({
    questionId,
    selectedOptionIds: Array.isArray(value) ? value : [value],
  }));
  return answerOf('answered', { answers });
}

/**
 * The questions of `cursor/ask_question` as a form.
 * @throws RpcError -32602 without questions
 */
export function questionForm({ title, questions }: JsonObject): {
  readonly message: string;
  readonly question: ElicitationQuestion;
} {
  const asked = asArray(questions)
    .filter(isObject)
    .flatMap((one) => {
      const id = asString(one['id']);
      return id === undefined ? [] : [[id, schemaOf(one)] as const];
    });
  if (asked.length === 0) throw invalidParams('"questions" must have a question with an "id"');
  const [first] = asked;
  return {
    message: asString(title) ?? first?.[1].title ?? '',
    question: parseElicitationForm({
      requestedSchema: {
        type: 'object',
        properties: Object.fromEntries(asked),
        required: asked.map(([id]) => id),
      },
    }),
  };
}

function schemaOf({ id, prompt, options, allowMultiple }: JsonObject): JsonObject & { readonly title: string } {
  const choices = asArray(options)
    .filter(isObject)
    .map((option) => ({ const: option['id'], title: option['label'] ?? option['id'] }));
  const title = asString(prompt) ?? String(id);
  return allowMultiple === true
    ? { type: 'array', title, items: { anyOf: choices } }
    : { type: 'string', title, oneOf: choices };
}

async function approvePlan(session: SessionHandle, params: JsonObject, { signal }: RequestContext): Promise<Answer> {
  const outcome = await session.userRequests.requestPermission({ ...planRequest(params), signal });
  if (outcome.type !== 'selected') return answerOf('cancelled');
  return answerOf(outcome.optionId === ACCEPT ? 'accepted' : 'rejected');
}

const ACCEPT = 'accept';

/** `cursor/create_plan` as a permission request, as other agents ask about their plans. */
export function planRequest({ sessionId, toolCallId, name, overview, plan }: JsonObject): {
  readonly sessionId?: string;
  readonly toolCall: JsonObject;
  readonly options: readonly JsonObject[];
} {
  const text = [overview, plan].flatMap((part) => asString(part) ?? []).join('\n\n');
  return {
    ...omitUndefined({ sessionId: asString(sessionId) }),
    toolCall: {
      toolCallId: asString(toolCallId) ?? 'plan',
      title: asString(name) ?? t('Plan'),
      kind: 'switch_mode',
      content: [{ type: 'content', content: { type: 'text', text } }],
    },
    options: [
      { optionId: ACCEPT, name: t('Accept'), kind: 'allow_once' },
      { optionId: 'reject', name: t('Reject'), kind: 'reject_once' },
    ],
  };
}

/** The to-dos of a plan; of one in phases, all of them. */
export function planTodos({ todos, phases }: JsonObject): readonly unknown[] {
  const own = asArray(todos);
  return own.length > 0 ? own : asArray(phases).flatMap((phase) => asArray(asObject(phase)?.['todos']));
}

/** To-dos of a session that are kept, for merging: the plan names fewer. */
const MAX_TODOS = 5_000;

/** With `merge`, only the to-dos with the same ids change. */
export function mergeTodos(before: readonly JsonObject[], { todos, merge }: JsonObject): readonly JsonObject[] {
  const given = asArray(todos).filter(isObject).slice(0, MAX_TODOS).map(readTodo);
  if (merge !== true) return given;
  const changed = new Map(given.map((one) => [one['id'], one]));
  const known = new Set(before.map(({ id }) => id));
  const merged = before.map((one) => ({ ...one, ...changed.get(one['id']) }));
  return [...merged, ...given.filter(({ id }) => !known.has(id))].slice(0, MAX_TODOS);
}

/** What a plan shows, so that merging keeps no other fields. */
function readTodo({ id, content, status, priority }: JsonObject): JsonObject {
  return omitUndefined({ id, content, status, priority });
}

function answerOf(outcome: string, more: JsonObject = {}): Answer {
  return { outcome: { outcome, ...more } };
}
