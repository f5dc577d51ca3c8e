import { randomUUID } from 'node:crypto';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { JsonObject } from '../../base/json';
import { asArray, asObject, asString, isObject, omitUndefined } from '../../base/json';
import { rpcCodes } from '../../base/jsonRpc';
import type { BoundedTaskStore } from './boundedTaskStore';

/** The methods with which clients of the first A2A send a message; the others have kept their names until 1.0. */
const FIRST_METHODS: ReadonlyMap<unknown, string> = new Map([
  ['tasks/send', 'message/send'],
  ['tasks/sendSubscribe', 'message/stream'],
]);

export function isFirstMethod(method: unknown): boolean {
  return FIRST_METHODS.has(method);
}

/**
 * Requests of A2A before 1.0. The SDK speaks 0.3, which differs from 0.2 only in optional fields. In the first A2A, a client chose the id of
 * its task, conversations were sessions, and the parts of a message had a `type`.
 */
export class LegacyRequests {
  readonly #handler: LegacyJsonRpcTransportHandler;

  constructor(
    requests: A2ARequestHandler,
    private readonly tasks: BoundedTaskStore,
  ) {
    this.#handler = new LegacyJsonRpcTransportHandler(requests);
  }

  /** A response, or a stream of them. Errors are responses, except those of a stream. */
  async handle(body: JsonObject, context: ServerCallContext): Promise<JsonObject | AsyncGenerator<JsonObject>> {
    const params = asObject(body['params']) ?? {};
    const own = asString(params['id']);
    const taskId = own === undefined ? undefined : this.tasks.idOf(messageIdOf(own));
    const method = FIRST_METHODS.get(body['method']);
    if (method !== undefined && taskId !== undefined)
      return errorResponse(body, 'Each command is a task of its own: choose a new id');
    const isFirst = method !== undefined || taskId !== undefined;
    const asked = method === undefined ? withTask(params, taskId) : toMessageParams(params, own ?? randomUUID());
    const request = { ...body, method: method ?? body['method'], params: asked };
    const answer = await this.#handler.handle(request, context);
    const back = (response: object): JsonObject => (isFirst ? toFirstResponse({ ...response }, own) : { ...response });
    return Symbol.asyncIterator in answer ? mapStream(answer, back) : back(answer);
  }
}

async function* mapStream(
  responses: AsyncIterable<object>,
  map: (response: object) => JsonObject,
): AsyncGenerator<JsonObject> {
  for await (const response of responses) yield map(response);
}

function withTask(params: JsonObject, taskId: string | undefined): JsonObject {
  const { message } = params;
  const sent = isObject(message) ? { message: withKinds(message) } : {};
  return { ...params, ...sent, ...omitUndefined({ id: taskId }) };
}

/** A stored task keeps the message that began it, and thereby the id that its client chose. */
function messageIdOf(id: string): string {
  return `task ${id}`;
}

function toMessageParams({ message, sessionId, metadata }: JsonObject, id: string): JsonObject {
  const sent = { ...withKinds(asObject(message) ?? {}), kind: 'message', messageId: messageIdOf(id) };
  return { message: { ...sent, ...omitUndefined({ contextId: asString(sessionId) }) }, ...omitUndefined({ metadata }) };
}

function withKinds(message: JsonObject): JsonObject {
  const { parts } = message;
  if (!Array.isArray(parts)) return message;
  return {
    ...message,
    parts: parts.map((part: unknown) => (isObject(part) ? Object.assign({ kind: part['type'] }, part) : part)),
  };
}

function toFirstResponse(response: JsonObject, id: string | undefined): JsonObject {
  const { result } = response;
  if (!isObject(result)) return response;
  const { status, artifact, artifacts, history } = result;
  const typed = (all: unknown): JsonObject[] => asArray(all).filter(isObject).map(withTypes);
  const { message, ...state } = asObject(status) ?? {};
  return {
    ...response,
    result: {
      ...result,
      id: id ?? result['id'] ?? result['taskId'],
      sessionId: result['contextId'],
      ...(isObject(status) && { status: { ...state, ...(isObject(message) && { message: withTypes(message) }) } }),
      ...(isObject(artifact) && { artifact: { index: 0, ...withTypes(artifact) } }),
      ...(artifacts !== undefined && {
        artifacts: typed(artifacts).map((one, index) => Object.assign({ index }, one)),
      }),
      ...(history !== undefined && { history: typed(history) }),
    },
  };
}

function withTypes(holder: JsonObject): JsonObject {
  return {
    ...holder,
    parts: asArray(holder['parts']).map((part) => isObject(part) && Object.assign({ type: part['kind'] }, part)),
  };
}

function errorResponse({ id }: JsonObject, message: string): JsonObject {
  return { jsonrpc: '2.0', id: id ?? null, error: { code: rpcCodes.invalidParams, message } };
}
