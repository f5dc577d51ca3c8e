import type { JsonObject } from '../../../src/base/json';
import type { Mutation } from '../mutation';
import { dig, isAnswer, paramsOf } from '../wire';

/** Builders for broken clients. */

type Sends = NonNullable<Mutation['sends']>;
type Hears = NonNullable<Mutation['hears']>;

/** Changes the params of this method. */
export function params(method: string | readonly string[], change: (params: JsonObject) => JsonObject): Sends {
  const methods = typeof method === 'string' ? [method] : method;
  return (msg) => [methods.includes(String(msg['method'])) ? { ...msg, params: change(paramsOf(msg)) } : msg];
}

/** Sends a message before each message of that method. */
export function before(method: string, extra: (msg: JsonObject) => JsonObject | string): Sends {
  return (msg) => (msg['method'] === method ? [extra(msg), msg] : [msg]);
}

/** Sends a message after each message of that method. */
export function after(method: string, extra: (msg: JsonObject) => JsonObject): Sends {
  return (msg) => (msg['method'] === method ? [msg, extra(msg)] : [msg]);
}

/** An additional request of the broken client. */
export function request(method: string, fields: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id: `broken-${method}`, method, params: fields };
}

/** Changes the client's responses to this method of the agent. */
export function answers(
  method: string,
  change: (answer: JsonObject, asked: JsonObject) => readonly JsonObject[],
): Pick<Mutation, 'sends' | 'hears'> {
  return {
    hears: (msg, { memory }) => {
      if (msg['method'] === method && 'id' in msg) memory.set(JSON.stringify(msg['id']), msg);
      return [msg];
    },
    sends: (msg, { memory }) => {
      const asked = isAnswer(msg) ? memory.get(JSON.stringify(msg['id'])) : undefined;
      return asked ? change(msg, asked as JsonObject) : [msg];
    },
  };
}

/** Changes the agent's responses to this method of the client. */
export function answered(
  method: string,
  change: (result: JsonObject) => JsonObject,
): Pick<Mutation, 'sends' | 'hears'> {
  return {
    sends: (msg, { memory }) => {
      if (msg['method'] === method) memory.set(JSON.stringify(msg['id']), true);
      return [msg];
    },
    hears: (msg, { memory }) => {
      const isOurs = isAnswer(msg) && memory.has(JSON.stringify(msg['id'])) && 'result' in msg;
      return [isOurs ? { ...msg, result: change(msg['result'] as JsonObject) } : msg];
    },
  };
}

/** Replaces received updates of this kind. */
export function updates(kind: string, change: (update: JsonObject, msg: JsonObject) => readonly JsonObject[]): Hears {
  return (msg) => {
    const update = dig(msg, 'params', 'update') as JsonObject | undefined;
    if (update?.['sessionUpdate'] !== kind) return [msg];
    return change(update, msg).map((changed) => ({ ...msg, params: { ...paramsOf(msg), update: changed } }));
  };
}

/** Drops matching messages. */
export function deafTo(fits: (msg: JsonObject) => boolean): Hears {
  return (msg) => (fits(msg) ? [] : [msg]);
}

export function without(fields: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
