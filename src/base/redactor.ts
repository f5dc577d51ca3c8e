import { asObject, asString, isObject } from './json';
import { isSecretArgument, secretPatterns } from './secretPatterns';

/** Removes secrets from logs and recorded traffic. */

/** Stands where a secret was. */
export const MASK = '[redacted]';

/** Names of variables and headers whose value is a secret. */
const SECRET_NAME =
  /key|token|secret|passw|passphrase|passwd|\bpwd\b|_pass$|^pass$|credential|authorization|auth$|cookie|session_?id|_pat$|dsn$/i;

/** Names of JSON fields whose value is a secret: fewer than for variables, since `sessionId` and `key` are common. */
const SECRET_FIELD =
  /token|secret|passw|passphrase|^pwd$|(?:api|private|access|account)[_-]?key|authorization|cookie|credential|^bearer$|^jwt$/i;
/** Names that contain "token" but hold counts or ids. */
const NO_SECRET_FIELD = /tokens$|token_?count|max_?tokens|progress_?token|token_?(?:type|limit|budget)/i;

/** Shorter values are not redacted: they would match ordinary text. */
const MIN_SECRET_CHARS = 4;
/** Maximum nesting depth; larger than that of any accepted message. */
const MAX_DEPTH = 1_000;

/** Of a terminal: CSI, OSC with its end, and other escapes. */
// oxlint-disable-next-line no-control-regex -- it matches control characters
const CONTROL_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

/** Values of `env` to redact: by name, or long and random-looking. */
export function secretEnvValues(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([name, value]) => (SECRET_NAME.test(name) ? value.length >= MIN_SECRET_CHARS : looksRandom(value)))
    .map(([, value]) => value);
}

function looksRandom(value: string): boolean {
  return value.length >= 20 && /^[\w.~+=-]+$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value);
}

/** Replaces known secrets and everything that looks like one, in linear time. */
export class Redactor {
  readonly #secrets = new Set<string>();
  #secretsPattern: RegExp | undefined;

  /** Adds exact values. They are kept when a setting changes, since old lines may contain them. */
  add(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (secret.length < MIN_SECRET_CHARS) continue;
      this.#secrets.add(secret);
      // The secret is also redacted where it is escaped in JSON, or encoded in a URL.
      this.#secrets.add(JSON.stringify(secret).slice(1, -1));
      this.#secrets.add(encodeURIComponent(secret.replaceAll(/\p{Surrogate}/gu, '\ufffd')));
    }
    const longestFirst = [...this.#secrets].sort((a, b) => b.length - a.length);
    if (longestFirst.length > 0) this.#secretsPattern = new RegExp(longestFirst.map(escaped).join('|'), 'g');
  }

  redact(text: string): string {
    if (!text.includes('\u001b')) return this.#redact(text);
    // A terminal colors a part of a secret: then the text loses its control sequences.
    const plain = text.replaceAll(CONTROL_SEQUENCE, '');
    const redacted = this.#redact(plain);
    return redacted === plain ? this.#redact(text) : redacted;
  }

  #redact(text: string): string {
    let result = this.#secretsPattern ? text.replace(this.#secretsPattern, MASK) : text;
    for (const { pattern, isSecret } of secretPatterns) {
      result = result.replace(pattern, (whole: string, retained: unknown, value: unknown) => {
        if (typeof retained !== 'string') return !isSecret || isSecret(whole, '') ? MASK : whole;
        return !isSecret || isSecret(String(value), retained) ? retained + MASK : whole;
      });
    }
    return result;
  }

  /** A redacted copy of a JSON value. In ACP, `env` and `headers` are lists of {name, value}: every value in them is redacted. */
  value(value: unknown): unknown {
    return this.#value(value, 0);
  }

  #value(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.redact(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= MAX_DEPTH) return MASK;
    if (Array.isArray(value)) return this.#list(value, depth);
    const entries = Object.entries(value);
    const isNamed = isObject(value) && isNamedSecret(value);
    return Object.fromEntries(
      entries.map(([name, field]) => [
        this.redact(name),
        isNamed && name === 'value' ? MASK : this.#field(name, field, depth + 1),
      ]),
    );
  }

  /** Also command arguments: the value after `--api-key` in a list. */
  #list(list: readonly unknown[], depth: number): unknown[] {
    return list.map((item, index) => {
      const before = list[index - 1];
      const isSecret = typeof item === 'string' && typeof before === 'string' && isSecretArgument(before, item);
      return isSecret ? MASK : this.#value(item, depth + 1);
    });
  }

  #field(name: string, field: unknown, depth: number): unknown {
    if (name === 'env' || name === 'headers') return withoutValues(field);
    const isScalar = (typeof field === 'string' && field !== '') || typeof field === 'number';
    return isScalar && SECRET_FIELD.test(name) && !NO_SECRET_FIELD.test(name) ? MASK : this.#value(field, depth);
  }
}

/** A {name, value} pair outside of `env`. */
function isNamedSecret(object: Readonly<Record<string, unknown>>): boolean {
  const name = asString(object['name']);
  const value = object['value'];
  return name !== undefined && typeof value === 'string' && SECRET_FIELD.test(name) && !NO_SECRET_FIELD.test(name);
}

/** Keeps names. Fields of unexpected form are redacted as a whole. */
function withoutValues(field: unknown): unknown {
  if (Array.isArray(field)) return field.map((item) => ({ name: asString(asObject(item)?.['name']), value: MASK }));
  if (isObject(field)) return Object.fromEntries(Object.keys(field).map((name) => [name, MASK]));
  return field === null || field === undefined ? field : MASK;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
