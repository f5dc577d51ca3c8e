import type { JsonObject } from '../../../base/json';
import { asString, isObject, omitUndefined } from '../../../base/json';
import { t } from '../../../base/l10n';
import { describeValue } from '../../../base/schema';
import type { EntryTools } from './serverDefinition';

/** Entries as VS Code, Claude, Cline, Copilot, Cursor, Gemini and Windsurf write them. */

/** Reports a problem. A note is no mistake: it is only logged and shown in the Tools panel. */
export type EntryReport = (message: string, field?: string, isNote?: boolean) => void;

/** The transport of each `type`. */
const TYPES: ReadonlyMap<unknown, string> = new Map([
  ...['stdio', 'local'].map((type) => [type, 'stdio'] as const),
  ...['http', 'streamable-http', 'streamableHttp'].map((type) => [type, 'http'] as const),
  ['sse', 'sse'],
  ...['ws', 'websocket', 'tcp'].map((type) => [type, 'ws'] as const),
]);
/** Fields that say how to reach a server; exactly one is needed. */
const TARGETS = ['command', 'url', 'httpUrl', 'serverUrl', 'tcp'];
const INCLUDES = ['includeTools', 'tools'];
const EXCLUDES = ['excludeTools', 'disabledTools'];
const TRUSTS = ['alwaysAllow', 'autoApprove', 'trust'];
const READ = ['type', 'args', 'env', 'envFile', 'cwd', 'headers', 'timeout', 'disabled', 'enabled', 'sandboxEnabled'];
const DESCRIBING = ['name', 'title', 'description', 'version', 'icon', 'gallery', 'id', '$schema'];
const KNOWN = new Set([TARGETS, INCLUDES, EXCLUDES, TRUSTS, READ, DESCRIBING].flat());
/** Milliseconds. A smaller value is meant in seconds. */
const MIN_TIMEOUT_MS = 1_000;
const MAX_TIMEOUT_MS = 86_400_000;

/**
 * The entry with `type` and either `command` or `url`, and with objects in `env` and `headers`.
 * @returns why the entry cannot be read, if so
 */
export function toPlainEntry(entry: JsonObject): JsonObject | string {
  const { type, env, headers, command } = entry;
  const targets = TARGETS.filter((field) => entry[field] !== undefined);
  const [target = '', other] = targets;
  if (other !== undefined) return t('has both "{0}" and "{1}"; remove one of them', target, other);
  const known = type === undefined ? typeOf(target, entry) : TYPES.get(type);
  if (known === undefined) return t('"type" is {0}: expected "stdio", "http", "sse" or "ws"', describeValue(type));
  if (entry['sandboxEnabled'] === true)
    return t('"sandboxEnabled" is not supported; remove it to run the server without a sandbox');
  if (known === 'stdio') {
    const isGiven = typeof command === 'string' && command.trim() !== '';
    return isGiven ? { ...entry, type: known, env: toRecord(env, '=') } : t('expected "command", the program to start');
  }
  const url = entry[target];
  if (target === 'command' || typeof url !== 'string') return t('expected "url", the URL of the server');
  const isSocket = /^wss?:/i.test(url);
  // Gemini writes the host and port of a WebSocket without a scheme.
  const full = target === 'tcp' && !isSocket ? `ws://${url}` : url;
  return { ...entry, type: isSocket ? 'ws' : known, url: full, headers: toRecord(headers, ':') };
}

function typeOf(target: string, { command }: JsonObject): string {
  if (target === 'tcp') return 'ws';
  return target === '' || command !== undefined ? 'stdio' : 'http';
}

/** A list of `{ "name", "value" }` or of `NAME=value` as an object. Anything else stays as it is. */
function toRecord(value: unknown, separator: string): unknown {
  if (!Array.isArray(value)) return value;
  const pairs = value.map((item: unknown) => {
    if (isObject(item)) return [asString(item['name']), item['value']] as const;
    const [name, ...rest] = (asString(item) ?? '').split(separator);
    return [rest.length === 0 ? undefined : name?.trim(), rest.join(separator).trim()] as const;
  });
  return pairs.every(([name]) => name !== undefined) ? Object.fromEntries(pairs) : value;
}

/** Names the fields that Parley does not use. */
export function reportUnknownFields(entry: JsonObject, report: EntryReport): void {
  const unknown = Object.keys(entry).filter((field) => !KNOWN.has(field));
  if (unknown.length > 0) report(t('unknown fields are ignored: {0}', unknown.join(', ')), '', true);
}

/**
 * What the entry says about its tools.
 * @param wrong reports what makes the entry unusable: without its list, agents would get more tools
 */
export function readEntryTools(
  entry: JsonObject,
  report: EntryReport,
  wrong: (message: string, field: string) => void,
): EntryTools {
  const namesIn = (field: string): readonly string[] | undefined => {
    const value = entry[field];
    if (value === undefined) return undefined;
    const isList = Array.isArray(value) && value.every((name) => typeof name === 'string');
    if (!isList) wrong(t('expected a list of strings, got {0}', describeValue(value)), `.${field}`);
    return isList ? value : [];
  };
  const included = INCLUDES.map(namesIn).find((names) => names !== undefined);
  const include = included?.includes('*') ? undefined : included;
  const exclude = EXCLUDES.flatMap((field) => namesIn(field) ?? []);
  return {
    ...omitUndefined({ include, timeout: readTimeout(entry, report) }),
    exclude,
    trusted: readTrust(entry, report),
  };
}

function readTimeout({ timeout }: JsonObject, report: EntryReport): number | undefined {
  const isValid = typeof timeout === 'number' && timeout >= MIN_TIMEOUT_MS && timeout <= MAX_TIMEOUT_MS;
  if (isValid || timeout === undefined) return timeout;
  const range = t('expected a number from {0} to {1}, in milliseconds', MIN_TIMEOUT_MS, MAX_TIMEOUT_MS);
  report(t('{0}; ten minutes are used', range), '.timeout');
  return undefined;
}

function readTrust(entry: JsonObject, report: EntryReport): readonly string[] {
  return TRUSTS.flatMap((field) => {
    const value = entry[field];
    const names = value === true ? ['*'] : Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
    if (names.length > 0)
      report(
        t('Parley asks about these tools nevertheless; “Parley: Add Rule…” offers rules for them'),
        `.${field}`,
        true,
      );
    return names;
  });
}
