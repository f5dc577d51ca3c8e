import { isAbsolute } from 'node:path';
import type { JsonObject } from '../../../base/json';
import { asString, isObject, omitUndefined } from '../../../base/json';
import { t } from '../../../base/l10n';
import { describeValue } from '../../../base/schema';
import { escapeInvisible } from '../../../base/untrustedText';
import type { Variables } from '../../../base/variableSubstitution';
import { expandHome, substituteVariables, unsetVariables } from '../../../base/variableSubstitution';
import type { EntryReport } from './entryForms';
import { readEntryTools, reportUnknownFields, toPlainEntry } from './entryForms';
import type { RemoteStart, ServerDefinition, ServerOrigin, StdioStart } from './serverDefinition';
import type { InputForm } from './serverInputs';
import { formsOf } from './serverInputs';

/** Where entries are written, and what they may refer to. */
interface EntrySource {
  readonly origin: ServerOrigin;
  readonly variables: Variables;
  readonly forms: ReadonlyMap<string, InputForm>;
}

const MAX_NAME = 100;
/** The file of a workspace may hold more than a window can ask about. */
const MAX_SERVERS = 100;
/** Arguments, variables and headers of an entry. */
const MAX_TEXTS = 1_000;
/** Of one place; more are not listed. */
const MAX_PROBLEMS = 100;

/** Names of variables and headers that hold secrets. */
const SECRET_NAME = /authorization|token|api[-_]?key|secret|cookie/i;

/**
 * Parses an object of server entries; the entries without a problem stay.
 * @param report gets each problem with the path inside the value: `["github"].args[1]`
 */
export function readServers(
  servers: JsonObject,
  source: EntrySource,
  report: (message: string, field: string, isNote?: boolean) => void,
): readonly ServerDefinition[] {
  const entries = Object.entries(servers);
  if (entries.length > MAX_SERVERS) report(t('only the first {0} servers are used', MAX_SERVERS), '');
  let problems = 0;
  return entries.slice(0, MAX_SERVERS).flatMap(([name, entry]) => {
    const field = `[${JSON.stringify(name)}]`;
    const definition = readEntry(name, entry, source, (message, at = '', isNote = false) => {
      if (++problems <= MAX_PROBLEMS) report(message, field + at, isNote);
    });
    return definition ? [definition] : [];
  });
}

function readEntry(
  name: string,
  given: unknown,
  { origin, forms, variables }: EntrySource,
  report: EntryReport,
): ServerDefinition | undefined {
  const entry = isObject(given)
    ? toPlainEntry(given)
    : t('expected an object with "command" or "url", got {0}', describeValue(given));
  const wrong = nameProblem(name) ?? (typeof entry === 'string' ? entry : undefined);
  if (wrong !== undefined) report(wrong);
  if (wrong !== undefined || typeof entry === 'string') return undefined;
  if (entry['disabled'] === true || entry['enabled'] === false) return undefined;
  reportUnknownFields(entry, report);
  const texts = new Texts(variables, report);
  const tools = readEntryTools(entry, report, (message, field) => texts.wrong(message, field));
  const start = entry['type'] === 'stdio' ? readStdio(entry, texts) : readRemote(entry, texts, report);
  const envFile = entry['envFile'] === undefined ? undefined : texts.path(entry['envFile'], '.envFile');
  if (texts.isWrong) return undefined;
  const inputs = formsOf(texts.inputs, forms);
  const mayBeSse =
    start.type === 'http' && isObject(given) && given['type'] === undefined && given['url'] !== undefined;
  const more = { ...omitUndefined({ envFile }), ...(mayBeSse && { mayBeSse }) };
  return { name, origin, start, written: texts.written, inputs, tools, ...more };
}

function nameProblem(name: string): string | undefined {
  if (name.trim() === '' || name.length > MAX_NAME) return t('a server name must have 1 to {0} characters', MAX_NAME);
  return escapeInvisible(name) === name ? undefined : t('a name must not contain control or invisible characters');
}

function readStdio(entry: JsonObject, texts: Texts): StdioStart {
  const args = entry['args'];
  if (args !== undefined && !Array.isArray(args))
    texts.wrong(t('expected a list of strings, got {0}', describeValue(args)), '.args');
  const given = Array.isArray(args) ? args.slice(0, MAX_TEXTS + 1) : [];
  const list = given.map((arg, index) => texts.text(arg, `.args[${index}]`));
  const cwd = entry['cwd'] === undefined ? undefined : texts.path(entry['cwd'], '.cwd');
  return {
    type: 'stdio',
    command: texts.text(entry['command'], '.command'),
    args: list,
    env: texts.record(entry['env'], '.env'),
    ...(cwd !== undefined && { cwd }),
  };
}

function readRemote(entry: JsonObject, texts: Texts, report: EntryReport): RemoteStart {
  const url = texts.text(entry['url'], '.url');
  const type = entry['type'] === 'sse' || entry['type'] === 'ws' ? entry['type'] : 'http';
  const problem = urlProblem(url, type);
  if (problem !== undefined) texts.wrong(problem, '.url');
  const headers = texts.record(entry['headers'], '.headers');
  for (const name of Object.keys(headers).filter((header) => !/^[!#$%&'*+.^_`|~\w-]+$/.test(header)))
    texts.wrong(t('this is not a valid header name'), `.headers[${JSON.stringify(name)}]`);
  warnOfRemote(url, texts.written, report);
  return { type, url, headers };
}

function urlProblem(url: string, type: RemoteStart['type']): string | undefined {
  if (!URL.canParse(url)) return t('expected a URL such as https://example.com/mcp');
  const { protocol, username, password } = new URL(url);
  const scheme = type === 'ws' ? 'wss' : 'https';
  if (protocol !== `${scheme}:` && protocol !== `${scheme.slice(0, -1)}:`)
    return t('expected a URL that starts with {0}://', scheme);
  return username === '' && password === '' ? undefined : t('put the user name and password in "headers"');
}

/** Only a warning: the user may know better. */
function warnOfRemote(url: string, written: Readonly<Record<string, string>>, report: EntryReport): void {
  if (URL.canParse(url)) {
    const { protocol, hostname } = new URL(url);
    const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
    if ((protocol === 'http:' || protocol === 'ws:') && !isHere)
      report(
        t('{0}// is not encrypted and can be read in transit; use {1}://', protocol, `${protocol.slice(0, -1)}s`),
        '.url',
      );
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
  #count = 0;

  constructor(
    private readonly variables: Variables,
    private readonly report: EntryReport,
  ) {}

  wrong(message: string, field: string): void {
    this.isWrong = true;
    this.report(message, field);
  }

  text(value: unknown, field: string): string {
    if (++this.#count > MAX_TEXTS) {
      if (this.#count === MAX_TEXTS + 1)
        this.wrong(t('an entry must not have more than {0} arguments, variables and headers', MAX_TEXTS), field);
      return '';
    }
    const text = asString(value);
    if (text === undefined) this.wrong(t('expected a string, got {0}', describeValue(value)), field);
    if (text?.includes('\0')) this.wrong(t('must not contain the NUL character'), field);
    const resolved = substituteVariables(text ?? '', this.variables, this.inputs);
    for (const name of unsetVariables(text ?? '', this.variables))
      this.report(t('the environment variable {0} is not set and is treated as empty', name), field);
    if ('value' in resolved) return expandHome(resolved.value, field, this.variables);
    this.wrong(resolved.problem, field);
    return '';
  }

  path(value: unknown, field: string): string {
    const path = this.text(value, field);
    if (path !== '' && !isAbsolute(path))
      this.wrong(t('expected an absolute path, such as one that begins with ${workspaceFolder}'), field);
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
