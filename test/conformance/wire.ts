import type { JsonObject } from '../../src/base/json';
import { asObject, asString, isObject } from '../../src/base/json';

/** The evidence, in order. `client`: a line that the client sent; `agent`: one that the agent sent; `fact`: what the client did. */
export type Seen =
  | { readonly by: 'client'; readonly line: string; readonly msg?: JsonObject }
  | { readonly by: 'agent'; readonly line: string; readonly msg?: JsonObject }
  /** An agent process starts, or the client has closed its stdin; `rest` is a line without an end. */
  | { readonly by: 'start' }
  | { readonly by: 'eof'; readonly rest: string }
  /** An action of the user, or what the client shows. */
  | { readonly by: 'fact'; readonly name: string; readonly value: unknown };

/** Evidence of one scenario: one or more agent processes. */
export class Evidence {
  readonly seen: readonly Seen[];

  constructor(seen: readonly Seen[]) {
    this.seen = seen;
  }

  /** The evidence of each process; request ids are unique only within a process. */
  lives(): readonly Evidence[] {
    const lives: Seen[][] = [];
    for (const one of this.seen) {
      if (one.by === 'start') lives.push([]);
      lives.at(-1)?.push(one);
    }
    return lives.map((life) => new Evidence(life));
  }

  /** Messages of the client, in order. */
  sent(method?: string): JsonObject[] {
    return this.#messages('client').filter((msg) => method === undefined || msg['method'] === method);
  }

  /** Messages of the agent, in order. */
  heard(method?: string): JsonObject[] {
    return this.#messages('agent').filter((msg) => method === undefined || msg['method'] === method);
  }

  /** The client's responses to a request of the agent. */
  answersTo(request: JsonObject): JsonObject[] {
    return this.sent().filter((msg) => isAnswer(msg) && msg['id'] === request['id']);
  }

  /** The agent's response to a request of the client. */
  answerOf(request: JsonObject): JsonObject | undefined {
    return this.heard().find((msg) => isAnswer(msg) && msg['id'] === request['id']);
  }

  facts(name: string): unknown[] {
    return this.seen.flatMap((one) => (one.by === 'fact' && one.name === name ? [one.value] : []));
  }

  /** Position of this message; -1 when absent. */
  at(msg: JsonObject): number {
    return this.seen.findIndex((one) => (one.by === 'client' || one.by === 'agent') && one.msg === msg);
  }

  /** What the client shows at the end. */
  get shown(): string {
    return asString(this.facts('shown').at(-1)) ?? '';
  }

  #messages(by: 'client' | 'agent'): JsonObject[] {
    return this.seen.flatMap((one) => (one.by === by && one.msg ? [one.msg] : []));
  }
}

export function isAnswer(msg: JsonObject): boolean {
  return !('method' in msg) && 'id' in msg;
}

export function isRequest(msg: JsonObject): boolean {
  return 'method' in msg && 'id' in msg;
}

export function paramsOf(msg: JsonObject): JsonObject {
  return asObject(msg['params']) ?? {};
}

export function resultOf(msg: JsonObject | undefined): JsonObject {
  return asObject(msg?.['result']) ?? {};
}

export function errorCode(msg: JsonObject | undefined): unknown {
  return asObject(msg?.['error'])?.['code'];
}

/** Gets a nested property; undefined when absent. */
export function dig(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => asObject(inner)?.[name], value);
}

/** Parses the relay's evidence file: one object per line. */
export function evidenceOf(text: string): Evidence {
  const lines = text.split('\n').filter(Boolean);
  return new Evidence(lines.map((line) => withMessage(JSON.parse(line) as Seen)));
}

function withMessage(seen: Seen): Seen {
  if (seen.by !== 'client' && seen.by !== 'agent') return seen;
  const msg = parse(seen.line);
  return msg ? { ...seen, msg } : seen;
}

/** Parses a line as a message; undefined if it is not one. */
export function parse(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Capabilities that this agent process advertised; empty if none. */
export function agentCapabilities(life: Evidence): JsonObject {
  const initialize = life.sent('initialize')[0];
  return asObject(resultOf(initialize && life.answerOf(initialize))['agentCapabilities']) ?? {};
}

/** Capabilities that the client advertised. */
export function clientCapabilities(life: Evidence): JsonObject {
  return asObject(paramsOf(life.sent('initialize')[0] ?? {})['clientCapabilities']) ?? {};
}

export function promptText(msg: JsonObject): string {
  const blocks = paramsOf(msg)['prompt'];
  return Array.isArray(blocks) ? blocks.map((block) => asString(asObject(block)?.['text']) ?? '').join('') : '';
}
