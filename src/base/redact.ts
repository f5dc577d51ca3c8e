import { asObject, asString, isObject } from './json';

/** Takes secrets out of what is written down or shown: text of logs, JSON of traffic (architecture.md, section 4, rule 12). */

const MASK = '[redacted]';

/** Names of variables, headers and fields whose value is a secret. */
const SECRET_NAME = /key|token|secret|passw|passphrase|credential|authorization|cookie|session_?id/i;

/** Names of JSON fields whose value is a secret: narrower than for variables, for `sessionId` and `key` are ordinary there. */
const SECRET_FIELD = /token|secret|passw|api[_-]?key|private[_-]?key|authorization|cookie|credential|^bearer$/i;
/** Counts that happen to have "token" in their name. */
const COUNT_FIELD = /tokens$|token_?count|max_?tokens/i;

/** Forms that are secrets wherever they stand; the first group, where there is one, is kept. */
const PATTERNS: readonly RegExp[] = [
  /(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi,
  /\b(?:sk|pk|rk)-[\w-]{16,}/g,
  /\bgh[opsur]_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bxox[abeprs]-[\w-]{10,}/g,
  /\bAIza[\w-]{30,}/g,
  /\bAKIA[A-Z0-9]{16}\b/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /(\b\w+:\/\/[^\s/:@]+:)[^\s/@]+(?=@)/g,
  // "api_key": "…", API-KEY=…, token: …; also escaped, as JSON within JSON is.
  /(\b[\w-]{0,100}(?:api[_-]?key|access[_-]?key|token|secret|password|passphrase|authorization)\\?["']?\s*[:=]\s*(?:\\?["'])?)(?!\[redacted\])[^\s"'\\,;}&]{6,}/gi,
];

/** The values of `env` that must not be written down: of telling names, and long ones that look random. */
export function secretValues(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([name, value]) => (SECRET_NAME.test(name) ? value.length >= 4 : looksRandom(value)))
    .map(([, value]) => value);
}

function looksRandom(value: string): boolean {
  return value.length >= 20 && /^[\w.~+=-]+$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value);
}

/** Replaces known secrets and everything that has the form of one. */
export class Redactor {
  readonly #known = new Set<string>();
  #knownPattern: RegExp | undefined;

  /** Remembers exact values; they stay remembered when a setting changes, for old lines may still hold them. */
  add(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (secret === '') continue;
      this.#known.add(secret);
      // As it stands inside JSON text.
      this.#known.add(JSON.stringify(secret).slice(1, -1));
    }
    const longestFirst = [...this.#known].sort((a, b) => b.length - a.length);
    if (longestFirst.length > 0) this.#knownPattern = new RegExp(longestFirst.map(escaped).join('|'), 'g');
  }

  redact(text: string): string {
    let result = this.#knownPattern ? text.replace(this.#knownPattern, MASK) : text;
    for (const pattern of PATTERNS) {
      result = result.replace(pattern, (_match: string, kept: unknown) =>
        typeof kept === 'string' ? kept + MASK : MASK,
      );
    }
    return result;
  }

  /** A copy of a JSON value. In ACP, `env` and `headers` are lists of {name, value}: every value in them is hidden. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.redact(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [this.redact(name), this.#field(name, field)]),
    );
  }

  #field(name: string, field: unknown): unknown {
    if (name === 'env' || name === 'headers') return withoutValues(field);
    const scalar = (typeof field === 'string' && field !== '') || typeof field === 'number';
    return scalar && SECRET_FIELD.test(name) && !COUNT_FIELD.test(name) ? MASK : this.value(field);
  }
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
