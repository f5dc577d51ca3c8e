import { urlProblem, headerProblem } from '../../agent/config/remoteAgentSettings';
import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { describeValue } from '../../base/schema';
import type { SettingReader } from '../../base/settings';

/** One entry of `parley.a2a.targets` or `parley.a2a.agents`, before substitution of variables in headers. */
export interface A2aAddress {
  readonly url: string;
  /** Targets only: restricts requests to this path. */
  readonly path?: string;
  /** Values may contain `${env:NAME}` and `${input:NAME}`. */
  readonly headers: Readonly<Record<string, string>>;
}

export type A2aAddresses = Readonly<Record<string, A2aAddress>>;

type Warn = (message: string, field?: string) => void;

/** `parley.a2a.targets`: alias to the origin of an MCP server. */
export function a2aTargets(): SettingReader<A2aAddresses> {
  return addresses(['url', 'path', 'headers']);
}

/** `parley.a2a.agents`: name to the URL of an A2A agent. */
export function a2aAgents(): SettingReader<A2aAddresses> {
  return addresses(['url', 'headers']);
}

/** Skips and reports invalid entries: half a description must not be used. */
function addresses(fieldNames: readonly string[]): SettingReader<A2aAddresses> {
  return (value, report) => {
    if (value === undefined) return {};
    if (!isObject(value)) {
      report(t('expected an object, got {0}', describeValue(value)));
      return {};
    }
    const entries = Object.entries(value).flatMap(([name, given]) => {
      const warn: Warn = (message, field = '') => report(message, `[${JSON.stringify(name)}]${field}`);
      const read = readEntry(given, fieldNames, warn);
      return read ? [[name, read] as const] : [];
    });
    return Object.fromEntries(entries);
  };
}

function readEntry(given: unknown, fieldNames: readonly string[], warn: Warn): A2aAddress | undefined {
  if (!isObject(given)) {
    warn(t('expected an object with {0}, got {1}', fieldNames.join(', '), describeValue(given)));
    return undefined;
  }
  for (const field of Object.keys(given).filter((key) => !fieldNames.includes(key))) {
    warn(t('unknown field, ignored by this version of Parley; known fields: {0}', fieldNames.join(', ')), `.${field}`);
  }
  const url = readUrl(given['url'], warn);
  const path = fieldNames.includes('path') ? readPath(given['path'], warn) : undefined;
  const headers = readHeaders(given['headers'], warn);
  if (url === undefined || headers === undefined || path === false) return undefined;
  return { url, headers, ...(path !== undefined && { path }) };
}

function readUrl(value: unknown, warn: Warn): string | undefined {
  const problem =
    typeof value === 'string' ? urlProblem('http', value) : t('expected a URL, got {0}', describeValue(value));
  if (problem === undefined) return value as string;
  warn(problem, '.url');
  return undefined;
}

function readPath(value: unknown, warn: Warn): string | undefined | false {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^\/(?!\/)[^?#\\]*$/.test(value)) return value;
  warn(t('expected a path such as "/mcp", got {0}', describeValue(value)), '.path');
  return false;
}

function readHeaders(value: unknown, warn: Warn): JsonStrings | undefined {
  if (value === undefined) return {};
  if (!isObject(value)) {
    warn(t('expected an object of strings, got {0}', describeValue(value)), '.headers');
    return undefined;
  }
  const wrong = Object.entries(value).map(([name, text]) => {
    const problem =
      typeof text === 'string' ? headerProblem(name, text) : t('expected a string, got {0}', describeValue(text));
    if (problem !== undefined) warn(problem, `.headers[${JSON.stringify(name)}]`);
    return problem;
  });
  return wrong.some((problem) => problem !== undefined) ? undefined : (value as JsonStrings & JsonObject);
}

type JsonStrings = Readonly<Record<string, string>>;
