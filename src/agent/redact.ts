import { asObject, asString, isObject } from '../base/json';

const HIDDEN = '[redacted]';
/** Shorter values of ordinary variables ("1", "true") would hide half the text. */
const SHORTEST_VALUE = 8;
const SECRET_NAME = /token|secret|passw|api[_-]?key|private[_-]?key|authorization|cookie|credential|^bearer$/i;
/** Counts that happen to have "token" in their name. */
const COUNT_NAME = /tokens$|token_?count|max_?tokens/i;
const AUTHORIZATION = /\b(Bearer|Basic)\s+[\w\-.~+/]+=*/gi;

/** Replaces what must not be shown: values of the agent's environment, authorization headers, fields named like secrets. */
export class Redactor {
  #secrets: readonly string[] = [];

  constructor(env: Readonly<Record<string, string>>) {
    this.learn(env);
  }

  /** Values that are not shown from now on, beside those known. */
  learn(env: Readonly<Record<string, string>>): void {
    const secret = ([name, value]: [string, string]): boolean =>
      value.length >= SHORTEST_VALUE || (isSecretName(name) && value.length > 0);
    const values = Object.entries(env)
      .filter(secret)
      .map(([, value]) => value);
    this.#secrets = [...new Set([...this.#secrets, ...values])].toSorted((a, b) => b.length - a.length);
  }

  text(text: string): string {
    let result = text.replace(AUTHORIZATION, `$1 ${HIDDEN}`);
    for (const secret of this.#secrets) result = result.replaceAll(secret, HIDDEN);
    return result;
  }

  /** A copy of a JSON value. In ACP, `env` and `headers` are lists of {name, value}: every value in them is hidden. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.#field(name, field)]));
  }

  #field(name: string, field: unknown): unknown {
    if (name === 'env' || name === 'headers') return hideValues(field);
    const scalar = typeof field === 'string' || typeof field === 'number';
    return scalar && isSecretName(name) ? HIDDEN : this.value(field);
  }
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !COUNT_NAME.test(name);
}

function hideValues(field: unknown): unknown {
  if (Array.isArray(field)) return field.map((item) => ({ name: asString(asObject(item)?.['name']), value: HIDDEN }));
  if (!isObject(field)) return field;
  return Object.fromEntries(Object.keys(field).map((name) => [name, HIDDEN]));
}
