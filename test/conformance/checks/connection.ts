import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { asArray, asObject, asString, isObject } from '../../../src/base/json';
import type { JsonObject } from '../../../src/base/json';
import type { Check, Findings } from '../check';
import { eachLife, whole } from '../check';
import { requestMarkers } from '../scenarios';
import { paramsProblem, resultProblem } from '../schema';
import type { Evidence } from '../wire';
import { clientCapabilities, dig, errorCode, isAnswer, isRequest, paramsOf, promptText, resultOf } from '../wire';

/** The protocol version that the client should request: the latest one that it supports. */
const VERSION = 1;

export const connectionChecks: readonly Check[] = [
  eachLife(
    { id: 'initialize.first', page: 'initialization', level: 'MUST', sentence: 'Nothing is sent before `initialize`.' },
    (found, life) => {
      const first = life.sent()[0];
      if (first) found.expect(first['method'] === 'initialize', `the first message is ${JSON.stringify(first)}`);
    },
  ),
  eachLife(
    {
      id: 'initialize.once',
      page: 'initialization',
      level: 'MUST',
      sentence: '`initialize` is sent once per connection.',
    },
    (found, life) => {
      const count = life.sent('initialize').length;
      found.expect(count <= 1, `initialize was sent ${count} times`);
    },
  ),
  eachLife(
    {
      id: 'initialize.version',
      page: 'initialization',
      level: 'MUST',
      sentence: `The latest version that the client supports (${VERSION}) is sent.`,
    },
    (found, life) => {
      for (const msg of life.sent('initialize')) {
        const { protocolVersion } = paramsOf(msg);
        found.expect(protocolVersion === VERSION, `protocolVersion is ${JSON.stringify(protocolVersion)}`);
      }
    },
  ),
  eachLife(
    {
      id: 'initialize.otherVersion',
      page: 'initialization',
      level: 'SHOULD',
      scenarios: ['version'],
      sentence: 'An agent that answers with another version is disconnected, and the user is told.',
    },
    (found, life) => {
      const after = life.sent().slice(1);
      found.expect(after.length === 0, `after the answer came ${JSON.stringify(after[0])}`);
      found.expect(/version 2/.test(life.shown), `the person was not told: ${life.shown}`);
    },
  ),
  eachLife(
    {
      id: 'initialize.clientInfo',
      page: 'initialization',
      level: 'SHOULD',
      sentence: 'The client sends its name and version.',
    },
    (found, life) => {
      for (const msg of life.sent('initialize')) {
        const { name, version } = asObject(paramsOf(msg)['clientInfo']) ?? {};
        found.expect(Boolean(name) && typeof version === 'string', 'clientInfo has no name or no version');
      }
    },
  ),
  markerCheck('initialize.markers', 'node', 'markers'),
  markerCheck('initialize.hostMarkers', 'host', 'hostMarkers'),
  eachLife(
    {
      id: 'transport.lines',
      page: 'transports',
      level: 'MUST',
      sentence: 'A message is one line without line breaks in it, and every line is terminated.',
    },
    (found, life) => {
      for (const one of life.seen) {
        if (one.by === 'client') found.expect(one.msg !== undefined, `not a whole message: ${one.line.slice(0, 200)}`);
        if (one.by === 'eof') found.expect(one.rest === '', `the last line is not ended: ${one.rest.slice(0, 200)}`);
      }
    },
  ),
  eachLife(
    {
      id: 'transport.only',
      page: 'transports',
      level: 'MUST',
      sentence: 'Only requests, notifications and responses of JSON-RPC 2.0 are written to the agent.',
    },
    (found, life) => {
      for (const msg of life.sent()) found.expect(isJsonRpc(msg), `no message of JSON-RPC: ${JSON.stringify(msg)}`);
    },
  ),
  whole(
    {
      id: 'transport.utf8',
      page: 'transports',
      level: 'MUST',
      scenarios: ['talk'],
      sentence: 'Messages are UTF-8: text arrives exactly as the user typed it.',
    },
    (found, evidence) => {
      const prompts = evidence.sent('session/prompt').map(promptText);
      for (const typed of evidence.facts('typed')) {
        found.expect(prompts.includes(String(typed)), `did not arrive: ${String(typed)}`);
      }
    },
  ),
  eachLife(
    {
      id: 'transport.ids',
      page: 'overview',
      level: 'MUST',
      sentence: 'Every request of the client has a unique id.',
    },
    (found, life) => {
      const ids = life
        .sent()
        .filter(isRequest)
        .map(({ id }) => JSON.stringify(id));
      for (const id of new Set(ids)) {
        found.expect(ids.filter((other) => other === id).length === 1, `two requests have the id ${id}`);
      }
    },
  ),
  eachLife(
    {
      id: 'schema.requests',
      page: 'schema',
      level: 'MUST',
      sentence:
        'Every request and notification of the client matches the JSON schema and has no custom data outside `_meta`.',
    },
    (found, life) => {
      for (const msg of life.sent().filter((one) => typeof one['method'] === 'string')) {
        const problem = paramsProblem(String(msg['method']), 'id' in msg, msg['params']);
        found.expect(problem === undefined, problem ?? '');
      }
    },
  ),
  eachLife(
    {
      id: 'schema.results',
      page: 'schema',
      level: 'MUST',
      scenarios: ['permission', 'cancel', 'elicitation', 'markers', 'toolsAcp', 'files', 'terminals'],
      sentence: 'Every result of the client matches the JSON schema.',
    },
    (found, life) => {
      for (const request of life.heard().filter(isRequest)) {
        // No schema describes the messages inside `mcp/connect` connections: they belong to an earlier draft of MCP.
        if ('connectionId' in paramsOf(request)) continue;
        for (const answer of life.answersTo(request)) {
          if (!('result' in answer)) continue;
          const problem = resultProblem(String(request['method']), answer['result']);
          found.expect(problem === undefined, problem ?? '');
        }
      }
    },
  ),
  eachLife(
    { id: 'paths.absolute', page: 'overview', level: 'MUST', sentence: 'All paths of the client are absolute.' },
    (found, life) => {
      for (const msg of life.sent()) {
        const { cwd, additionalDirectories } = paramsOf(msg);
        if (cwd === undefined && additionalDirectories === undefined) continue;
        for (const path of [cwd, ...asArray(additionalDirectories)]) {
          if (path !== undefined)
            found.expect(typeof path === 'string' && isAbsolute(path), `not absolute: ${JSON.stringify(path)}`);
        }
      }
    },
  ),
  eachLife(
    {
      id: 'requests.answeredOnce',
      page: 'overview',
      level: 'MUST',
      scenarios: [
        'permission',
        'cancel',
        'requests',
        'stringIds',
        'cancelRequest',
        'elicitation',
        'toolsAcp',
        'files',
        'terminals',
      ],
      sentence: 'Every request of the agent is answered exactly once, with its id exactly as it was sent.',
    },
    (found, life) => {
      for (const request of life.heard().filter(isRequest)) {
        const count = life.answersTo(request).length;
        found.expect(
          count === 1,
          `${String(request['method'])} ${JSON.stringify(request['id'])} was answered ${count} times`,
        );
      }
    },
  ),
  whole(
    {
      id: 'requests.duplicateId',
      page: 'overview',
      level: 'MUST',
      scenarios: ['duplicateId'],
      sentence:
        'A request that reuses the id of a pending request gets -32600 and has no effect; the first request is answered normally.',
    },
    (found, evidence) => {
      const [first, ...others] = evidence.heard().filter((msg) => isRequest(msg) && msg['id'] === 'same');
      found.expect(first !== undefined && others.length === 1, 'no id was used twice');
      const answers = evidence.sent().filter((msg) => isAnswer(msg) && msg['id'] === 'same');
      const codes = answers.map((answer) => errorCode(answer) ?? dig(resultOf(answer), 'outcome', 'optionId'));
      found.expect(isDeepStrictEqual(codes, [-32600, 'First']), `the answers were ${JSON.stringify(codes)}`);
      found.expect(!evidence.facts('question').some((asked) => dig(asked, 'title') === 'Call Second'), 'it was asked');
    },
  ),
  whole(
    {
      id: 'requests.unknown',
      page: 'extensibility',
      level: 'MUST',
      scenarios: ['requests'],
      sentence: 'An unknown request gets -32601, with and without a leading `_`.',
    },
    (found, evidence) => {
      for (const request of evidence.heard().filter(isRequest)) {
        const code = errorCode(evidence.answersTo(request)[0]);
        found.expect(code === -32601, `${String(request['method'])} was answered ${String(code)}`);
      }
    },
  ),
  whole(
    {
      id: 'notifications.unknown',
      page: 'extensibility',
      level: 'MUST',
      scenarios: ['requests'],
      sentence: 'Unknown notifications and unexpected responses are ignored: nothing is sent, and the turn continues.',
    },
    (found, evidence) => {
      const asked = evidence
        .heard()
        .filter(isRequest)
        .map(({ id }) => id);
      for (const answer of evidence.sent().filter(isAnswer)) {
        found.expect(asked.includes(answer['id']), `an answer that nobody asked for: ${JSON.stringify(answer)}`);
      }
      found.expect(evidence.shown.includes('Still here'), 'what came after them is not shown');
    },
  ),
];

function isJsonRpc(msg: JsonObject): boolean {
  if (msg['jsonrpc'] !== '2.0') return false;
  const { id, method } = msg;
  if (method !== undefined) return typeof method === 'string' && !('result' in msg) && !('error' in msg);
  return id !== undefined && 'result' in msg !== 'error' in msg;
}

/** Every capability has a probe here: an advertised capability without a probe fails the check. */
function markerCheck(id: string, where: Check['where'], scenario: string): Check {
  return whole(
    {
      id,
      where,
      page: 'initialization',
      level: 'MUST',
      scenarios: [scenario],
      sentence: `Every capability that the client advertises is served${where === 'host' ? ' (files and terminals in VS Code)' : ''}.`,
    },
    (found, evidence) => {
      const life = evidence.lives()[0];
      if (!life) return;
      for (const marker of markersIn(clientCapabilities(life))) {
        const served = PROBES[marker]?.(evidence);
        found.expect(
          served === true,
          `${marker} is advertised, but ${served === undefined ? 'nobody knows how to ask for it' : 'not served'}`,
        );
      }
      withoutMarker(found, life);
    },
  );
}

/** Paths of all markers that say yes: `true`, or an empty object. */
function markersIn(capabilities: JsonObject, above = ''): string[] {
  return Object.entries(capabilities).flatMap(([name, value]) => {
    if (value === true || (isObject(value) && Object.keys(value).length === 0)) return [above + name];
    return isObject(value) ? markersIn(value, `${above}${name}.`) : [];
  });
}

const shows =
  (text: string) =>
  (evidence: Evidence): boolean =>
    evidence.facts('shown').some((shown) => String(shown).includes(text));
const stateHas =
  (text: string) =>
  (evidence: Evidence): boolean =>
    JSON.stringify(evidence.facts('state')).includes(text);
const servesAll =
  (method: RegExp, mode?: string) =>
  (evidence: Evidence): boolean => {
    const asked = evidence.heard().filter((msg) => isRequest(msg) && method.test(String(msg['method'])));
    const fitting = asked.filter((msg) => mode === undefined || paramsOf(msg)['mode'] === mode);
    return fitting.length > 0 && fitting.every((msg) => isServed(evidence, msg));
  };

const PROBES: Readonly<Record<string, (evidence: Evidence) => boolean>> = {
  'fs.readTextFile': servesAll(/^fs\/read_text_file$/),
  'fs.writeTextFile': servesAll(/^fs\/write_text_file$/),
  terminal: servesAll(/^terminal\//),
  'auth.terminal': (evidence) => evidence.facts('launch').length > 0,
  'session.configOptions.boolean': (evidence) =>
    evidence.sent('session/set_config_option').some((msg) => paramsOf(msg)['value'] === true),
  'session.notices': shows('Marker notice'),
  'session.compaction': shows('[compaction] completed'),
  'elicitation.form': servesAll(/^elicitation\/create$/, 'form'),
  'elicitation.url': servesAll(/^elicitation\/create$/, 'url'),
  plan: stateHas('Marker plan'),
  subagents: shows('Marker subagent'),
  '_meta.terminal_output': stateHas('Marker output'),
  // The same thing in an older form.
  '_meta.terminal-auth': (evidence) => evidence.facts('launch').length > 0,
};

/** Parameters may be refused, the method not. */
function isServed(evidence: Evidence, request: JsonObject): boolean {
  const answer = evidence.answersTo(request)[0];
  return answer !== undefined && errorCode(answer) !== -32601;
}

const MARKER_OF: Readonly<Record<string, string>> = {
  'fs/read_text_file': 'fs.readTextFile',
  'fs/write_text_file': 'fs.writeTextFile',
};

/** What was not advertised is refused. */
function withoutMarker(found: Findings, life: Evidence): void {
  const markers = markersIn(clientCapabilities(life));
  for (const [method, params] of requestMarkers()) {
    const mode = asString(dig(params, 'mode'));
    const marker = MARKER_OF[method] ?? (mode === undefined ? 'terminal' : `elicitation.${mode}`);
    if (markers.includes(marker)) continue;
    const request = life.heard(method).find((msg) => paramsOf(msg)['mode'] === mode);
    const answer = request && life.answersTo(request)[0];
    if (request)
      found.expect(
        [-32601, -32602].includes(Number(errorCode(answer))),
        `${method} without ${marker}: ${JSON.stringify(resultOf(answer))}`,
      );
  }
}
