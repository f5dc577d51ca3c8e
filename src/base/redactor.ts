import { asObject, asString, isObject } from './json';
import { optionSecret, secretPatterns } from './secretPatterns';

/** Takes secrets out of what is written down or shown: text of logs, JSON of traffic. */

const MASK = '[redacted]';

/** Names of variables and headers whose value is a secret. */
const SECRET_NAME =
  /key|token|secret|passw|passphrase|passwd|\bpwd\b|_pass$|^pass$|credential|authorization|auth$|cookie|session_?id|_pat$|dsn$/i;

/** Names of JSON fields whose value is a secret: narrower than for variables, for `sessionId` and `key` are ordinary there. */
const SECRET_FIELD =
  /token|secret|passw|passphrase|^pwd$|(?:api|private|access|account)[_-]?key|authorization|cookie|credential|^bearer$|^jwt$/i;
/** Counts and marks that happen to have "token" in their name. */
const NO_SECRET_FIELD = /tokens$|token_?count|max_?tokens|progress_?token|token_?(?:type|limit|budget)/i;

/** A value shorter than this is no secret that could be hidden: it would take ordinary text with it. */
const SHORTEST_KNOWN = 4;
/** Deeper than any message that is let in; only what we made ourselves could be. */
const DEEPEST = 1_000;

/** The values of `env` that must not be written down: of telling names, and long ones that look random. */
export function secretEnvValues(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([name, value]) => (SECRET_NAME.test(name) ? value.length >= SHORTEST_KNOWN : looksRandom(value)))
    .map(([, value]) => value);
}

function looksRandom(value: string): boolean {
  return value.length >= 20 && /^[\w.~+=-]+$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value);
}

/** Replaces known secrets and everything that has the form of one. Costs time linear in the length of the text. */
export class Redactor {
  readonly #known = new Set<string>();
  #knownPattern: RegExp | undefined;

  /** Remembers exact values; they stay remembered when a setting changes, for old lines may still hold them. */
  add(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (secret.length < SHORTEST_KNOWN) continue;
      this.#known.add(secret);
      // As it stands inside JSON text and in an address.
      this.#known.add(JSON.stringify(secret).slice(1, -1));
      this.#known.add(encodeURIComponent(secret.replaceAll(/\p{Surrogate}/gu, '\ufffd')));
    }
    const longestFirst = [...this.#known].sort((a, b) => b.length - a.length);
    if (longestFirst.length > 0) this.#knownPattern = new RegExp(longestFirst.map(escaped).join('|'), 'g');
  }

  redact(text: string): string {
    let result = this.#knownPattern ? text.replace(this.#knownPattern, MASK) : text;
    for (const { pattern, isSecret } of secretPatterns) {
      result = result.replace(pattern, (whole: string, kept: unknown, value: unknown) => {
        if (typeof kept !== 'string') return !isSecret || isSecret(whole, '') ? MASK : whole;
        return !isSecret || isSecret(String(value), kept) ? kept + MASK : whole;
      });
    }
    return result;
  }

  /** A copy of a JSON value. In ACP, `env` and `headers` are lists of {name, value}: every value in them is hidden. */
  value(value: unknown): unknown {
    return this.#value(value, 0);
  }

  #value(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.redact(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEEPEST) return MASK;
    if (Array.isArray(value)) return this.#list(value, depth);
    const entries = Object.entries(value);
    const named = isObject(value) && isNamedSecret(value);
    return Object.fromEntries(
      entries.map(([name, field]) => [
        this.redact(name),
        named && name === 'value' ? MASK : this.#field(name, field, depth + 1),
      ]),
    );
  }

  /** Arguments of a command too: what follows `--api-key` in the list. */
  #list(list: readonly unknown[], depth: number): unknown[] {
    return list.map((item, index) => {
      const before = list[index - 1];
      const secret = typeof item === 'string' && typeof before === 'string' && optionSecret(before, item);
      return secret ? MASK : this.#value(item, depth + 1);
    });
  }

  #field(name: string, field: unknown, depth: number): unknown {
    if (name === 'env' || name === 'headers') return withoutValues(field);
    const scalar = (typeof field === 'string' && field !== '') || typeof field === 'number';
    return scalar && SECRET_FIELD.test(name) && !NO_SECRET_FIELD.test(name) ? MASK : this.#value(field, depth);
  }
}

/** A variable or header of the form {name, value} that stands outside an `env`. */
function isNamedSecret(object: Readonly<Record<string, unknown>>): boolean {
  const name = asString(object['name']);
  const value = object['value'];
  return name !== undefined && typeof value === 'string' && SECRET_FIELD.test(name) && !NO_SECRET_FIELD.test(name);
}

/** Names stay: they say what was passed on. What has an unexpected form is hidden as a whole. */
function withoutValues(field: unknown): unknown {
  if (Array.isArray(field)) return field.map((item) => ({ name: asString(asObject(item)?.['name']), value: MASK }));
  if (isObject(field)) return Object.fromEntries(Object.keys(field).map((name) => [name, MASK]));
  return field === null || field === undefined ? field : MASK;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
