import { isAbsolute } from 'node:path';
import type { JsonObject } from '../../../base/json';
import { asString, isObject } from '../../../base/json';
import { t } from '../../../base/l10n';
import { describeValue } from '../../../base/schema';
import { escapeInvisible } from '../../../base/untrustedText';
import type { Variables } from '../../../base/variableSubstitution';
import { expandHome, substituteVariables } from '../../../base/variableSubstitution';
import type { ServerDefinition, ServerOrigin, ServerLaunch } from './serverDefinition';
import type { InputForm } from './serverInputs';
import { formsOf } from './serverInputs';

/** Where entries are written, and what they may refer to. */
interface EntrySource {
  readonly origin: ServerOrigin;
  readonly variables: Variables;
  readonly forms: ReadonlyMap<string, InputForm>;
}

/** Other clients' field names for a URL, and clients that do not speak MCP. */
const OTHER_FORMS: Readonly<Record<string, string>> = {
  httpUrl: t('use "type": "http" and put the URL in "url"'),
  serverUrl: t('use "type": "http" and put the URL in "url"'),
  tcp: t('MCP has no TCP transport; start the server with "command", or use "type": "http" and "url"'),
  socket: t('MCP has no socket transport; start the server with "command", or use "type": "http" and "url"'),
};
const OTHER_TYPES: Readonly<Record<string, string>> = {
  ws: t('MCP has no WebSocket transport; start the server with "command", or use "type": "http" and "url"'),
  websocket: t('MCP has no WebSocket transport; start the server with "command", or use "type": "http" and "url"'),
  tcp: t('MCP has no TCP transport; start the server with "command", or use "type": "http" and "url"'),
  'streamable-http': t('use "type": "http"'),
  streamableHttp: t('use "type": "http"'),
};
const MAX_NAME = 100;

/** Names of variables and headers that hold secrets. */
const SECRET_NAME = /authorization|token|api[-_]?key|secret|cookie/i;

/**
 * Parses an object of server entries; the entries without a problem stay.
 * @param report gets each problem with the path inside the value: `["github"].args[1]`
 */
export function readServers(
  servers: JsonObject,
  source: EntrySource,
  report: (message: string, field: string) => void,
): readonly ServerDefinition[] {
  return Object.entries(servers).flatMap(([name, entry]) => {
    const field = `[${JSON.stringify(name)}]`;
    const definition = readEntry(name, entry, source, (message, at = '') => report(message, field + at));
    return definition ? [definition] : [];
  });
}

type Report = (message: string, field?: string) => void;

function readEntry(
  name: string,
  entry: unknown,
  { origin, forms, variables }: EntrySource,
  report: Report,
): ServerDefinition | undefined {
  const wrong = nameProblem(name) ?? formProblem(entry);
  if (wrong !== undefined) report(wrong);
  if (wrong !== undefined || !isObject(entry)) return undefined;
  if (entry['disabled'] === true) return undefined;
  const texts = new Texts(variables, report);
  const start = typeof entry['command'] === 'string' ? readStdio(entry, texts) : readRemote(entry, texts, report);
  if (!start || texts.isWrong) return undefined;
  return { name, origin, start, written: texts.written, inputs: formsOf(texts.inputs, forms) };
}

function nameProblem(name: string): string | undefined {
  if (name.trim() === '' || name.length > MAX_NAME) return t('a server name must have 1 to {0} characters', MAX_NAME);
  return escapeInvisible(name) === name ? undefined : t('a name must not contain control or invisible characters');
}

/** Why an entry cannot be parsed at all. */
function formProblem(entry: unknown): string | undefined {
  if (!isObject(entry)) return t('expected an object with "command" or "url", got {0}', describeValue(entry));
  const other = Object.keys(OTHER_FORMS).find((field) => entry[field] !== undefined);
  if (other !== undefined) return t('"{0}" is not a supported field: {1}', other, OTHER_FORMS[other] ?? '');
  const { type, command, url } = entry;
  if (type !== undefined && type !== 'stdio' && type !== 'http' && type !== 'sse') {
    const advice = OTHER_TYPES[asString(type) ?? ''] ?? t('expected "stdio", "http" or "sse"');
    return t('"type" is {0}: {1}', describeValue(type), advice);
  }
  if (entry['envFile'] !== undefined)
    return t('"envFile" is not supported; set the variables in "env" with ${env:NAME} or ${input:NAME}');
  if (entry['sandboxEnabled'] === true)
    return t('"sandboxEnabled" is not supported; remove it to run the server without a sandbox');
  if (command !== undefined && url !== undefined) return t('has both "command" and "url"; remove one of them');
  if (type === 'stdio' || (type === undefined && url === undefined)) {
    return typeof command === 'string' && command.trim() !== ''
      ? undefined
      : t('expected "command", the program to start');
  }
  return typeof url === 'string' ? undefined : t('expected "url", the URL of the server');
}

function readStdio(entry: JsonObject, texts: Texts): ServerLaunch {
  const args = entry['args'];
  if (args !== undefined && !Array.isArray(args))
    texts.wrong(t('expected a list of strings, got {0}', describeValue(args)), '.args');
  const list = Array.isArray(args) ? args.map((arg, index) => texts.text(arg, `.args[${index}]`)) : [];
  const cwd = entry['cwd'] === undefined ? undefined : texts.folder(entry['cwd']);
  return {
    type: 'stdio',
    command: texts.text(entry['command'], '.command'),
    args: list,
    env: texts.record(entry['env'], '.env'),
    ...(cwd !== undefined && { cwd }),
  };
}

function readRemote(entry: JsonObject, texts: Texts, report: Report): ServerLaunch {
  const url = texts.text(entry['url'], '.url');
  const problem = urlProblem(url);
  if (problem !== undefined) texts.wrong(problem, '.url');
  const headers = texts.record(entry['headers'], '.headers');
  for (const name of Object.keys(headers).filter((header) => !/^[!#$%&'*+.^_`|~\w-]+$/.test(header)))
    texts.wrong(t('this is not a valid header name'), `.headers[${JSON.stringify(name)}]`);
  warnOfRemote(url, texts.written, report);
  return { type: entry['type'] === 'sse' ? 'sse' : 'http', url, headers };
}

function urlProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return t('expected a URL such as https://example.com/mcp');
  const { protocol, username, password } = new URL(url);
  if (protocol === 'ws:' || protocol === 'wss:') return OTHER_TYPES['ws'];
  if (protocol !== 'https:' && protocol !== 'http:') return t('expected a URL that starts with https://');
  return username === '' && password === '' ? undefined : t('put the user name and password in "headers"');
}

/** Only a warning: the user may know better. */
function warnOfRemote(url: string, written: Readonly<Record<string, string>>, report: Report): void {
  if (URL.canParse(url)) {
    const { protocol, hostname } = new URL(url);
    const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
    if (protocol === 'http:' && !isHere)
      report(t('http:// is not encrypted and can be read in transit; use https://'), '.url');
  }
  for (const [name, value] of Object.entries(written)) {
    if (SECRET_NAME.test(name) && value !== '' && !value.includes('${'))
      report(
        t('a secret is stored here in plain text; use ${input:NAME} to be asked for it once'),
        `.headers[${JSON.stringify(name)}]`,
      );
  }
}

/** Reads the strings of one entry: substitutes variables and collects the required inputs. */
class Texts {
  readonly inputs = new Set<string>();
  written: Readonly<Record<string, string>> = {};
  isWrong = false;

  constructor(
    private readonly variables: Variables,
    private readonly report: Report,
  ) {}

  wrong(message: string, field: string): void {
    this.isWrong = true;
    this.report(message, field);
  }

  text(value: unknown, field: string): string {
    const text = asString(value);
    if (text === undefined) this.wrong(t('expected a string, got {0}', describeValue(value)), field);
    if (text?.includes('\0')) this.wrong(t('must not contain the NUL character'), field);
    const resolved = substituteVariables(text ?? '', this.variables, this.inputs);
    for (const name of unset(text ?? '', this.variables))
      this.report(t('the environment variable {0} is not set and is treated as empty', name), field);
    if ('value' in resolved) return expandHome(resolved.value, field, this.variables);
    this.wrong(resolved.problem, field);
    return '';
  }

  folder(value: unknown): string {
    const path = this.text(value, '.cwd');
    if (path !== '' && !isAbsolute(path))
      this.wrong(t('expected an absolute path, such as one that begins with ${workspaceFolder}'), '.cwd');
    return path;
  }

  /** Variables or headers: strings or numbers; null omits a variable. */
  record(value: unknown, field: string): Readonly<Record<string, string>> {
    if (value === undefined) return {};
    if (!isObject(value)) this.wrong(t('expected an object, got {0}', describeValue(value)), field);
    if (!isObject(value)) return {};
    const given = Object.entries(value).flatMap(([name, item]) => {
      if (item === null) return [];
      return [[name, typeof item === 'number' ? String(item) : item] as const];
    });
    const read = given.map(([name, item]) => [name, this.text(item, `${field}[${JSON.stringify(name)}]`)]);
    this.written = Object.fromEntries(given.map(([name, item]) => [name, asString(item) ?? '']));
    return Object.fromEntries(read) as Record<string, string>;
  }
}

/** Names of required environment variables that are not set. */
function unset(text: string, { env }: Variables): readonly string[] {
  const names = [...text.matchAll(/\$\{env:([^}]*)\}/g)].map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => env[name] === undefined);
}
