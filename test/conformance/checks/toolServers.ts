import { isAbsolute } from 'node:path';
import { asArray, asObject, asString, isObject } from '../../../src/base/json';
import type { JsonObject } from '../../../src/base/json';
import type { Check } from '../check';
import { eachLife, whole } from '../check';
import type { Evidence } from '../wire';
import { agentCapabilities, dig, errorCode, isRequest, paramsOf, resultOf } from '../wire';

/** Requests that declare MCP servers. */
const DECLARING = ['session/new', 'session/load', 'session/resume', 'session/fork'];
const TYPES = ['http', 'sse', 'acp'];
const PAGE = 'session-setup#mcp-servers';

export const toolServerChecks: readonly Check[] = [
  eachLife(
    {
      id: 'sessions.mcpServers',
      page: PAGE,
      level: 'MUST',
      sentence:
        'The list of MCP servers is always sent (it may be empty), with http, sse and acp only if the agent supports them; stdio has no type.',
    },
    (found, life) => {
      const takes = asObject(agentCapabilities(life)['mcpCapabilities']) ?? {};
      for (const msg of declaring(life)) {
        const { mcpServers } = paramsOf(msg);
        const foreign = asArray(mcpServers).find((server) => {
          const type = dig(server, 'type');
          return type !== undefined && !(typeof type === 'string' && TYPES.includes(type) && takes[type] === true);
        });
        found.expect(Array.isArray(mcpServers) && !foreign, `${String(msg['method'])}: ${JSON.stringify(mcpServers)}`);
      }
    },
  ),
  eachLife(
    {
      id: 'mcp.shape',
      page: PAGE,
      level: 'MUST',
      sentence:
        'Each declared server has a unique name and the fields of its type: an absolute command with lists of arguments and variables; or a URL and a list of headers; or an id.',
    },
    (found, life) => {
      for (const msg of declaring(life)) {
        const servers = asArray(paramsOf(msg)['mcpServers']);
        const names = servers.map((server) => dig(server, 'name'));
        found.expect(new Set(names).size === names.length, `two servers have one name: ${names.join(', ')}`);
        for (const server of servers)
          for (const lack of lacks(asObject(server) ?? {})) found.expect(false, `${lack}: ${JSON.stringify(server)}`);
      }
    },
  ),
  whole(
    {
      id: 'mcp.same',
      page: PAGE,
      level: 'Parley',
      scenarios: ['toolsHttp', 'toolsStdio'],
      sentence:
        'A session that is reopened in the same window declares the same servers, because agents compare the lists.',
    },
    (found, evidence) => {
      const [first, ...later] = declaring(evidence).map((msg) => JSON.stringify(paramsOf(msg)['mcpServers']));
      found.expect(later.length > 0 && first !== '[]', 'the session did not come back, or has no servers');
      for (const list of later) found.expect(list === first, `${list}, at first ${first}`);
    },
  ),
  whole(
    {
      id: 'mcp.called',
      page: PAGE,
      level: 'Parley',
      scenarios: ['toolsAcp', 'toolsHttp', 'toolsStdio', 'toolsFarAcp'],
      sentence:
        'A declared server answers over every transport: a call returns its data, and a failing tool returns a result with the error.',
    },
    (found, evidence) => {
      for (const life of evidence.lives()) {
        const told = life.heard('session/update').map((msg) => String(dig(msg, 'params', 'update', 'content', 'text')));
        const calls = told.flatMap((text) => /^\[call (.*)\]\n$/s.exec(text)?.[1] ?? []);
        found.expect(
          calls.some((call) => /^sample add: \{.*"structuredContent":\{"sum":3\}/.test(call)),
          `no sum among ${calls.join(' ')}`,
        );
        found.expect(
          calls.some((call) => /^sample fail: \{.*"isError":true/.test(call)),
          `no failure among ${calls.join(' ')}`,
        );
      }
    },
  ),
  whole(
    {
      id: 'mcp.carrier',
      page: 'mcp-over-acp',
      level: 'MUST',
      scenarios: ['toolsAcp', 'toolsFarAcp'],
      sentence:
        'The answer to `mcp/message` with a `serverId` carries the inner result or error under its name; with a `connectionId` it is the inner result itself.',
    },
    (found, evidence) => {
      for (const request of messages(evidence)) {
        const answer = evidence.answersTo(request)[0];
        if (!answer || 'error' in answer) continue;
        const isCarried = 'result' in resultOf(answer) !== 'error' in resultOf(answer);
        const wanted = 'serverId' in paramsOf(request);
        found.expect(isCarried === wanted, `${JSON.stringify(paramsOf(request))}: ${JSON.stringify(answer)}`);
      }
    },
  ),
  whole(
    {
      id: 'mcp.connections',
      page: 'mcp-over-acp',
      level: 'MUST',
      scenarios: ['toolsAcp'],
      sentence: '`mcp/connect` returns a unique id, which `mcp/disconnect` closes.',
    },
    (found, evidence) => {
      for (const request of evidence.heard('mcp/connect').filter(isKnown)) {
        const { connectionId } = resultOf(evidence.answersTo(request)[0]);
        found.expect(Boolean(asString(connectionId)), `no connectionId: ${JSON.stringify(connectionId)}`);
        const ended = evidence.heard('mcp/disconnect').find((msg) => paramsOf(msg)['connectionId'] === connectionId);
        found.expect(ended !== undefined && isObject(resultIn(evidence, ended)), 'it could not be ended');
      }
    },
  ),
  whole(
    {
      id: 'mcp.refused',
      page: 'mcp-over-acp',
      level: 'MUST',
      scenarios: ['toolsAcp'],
      sentence: 'Unknown servers are rejected: -33001 for the `serverId` of a message, -32602 for a connection.',
    },
    (found, evidence) => {
      const unknown = evidence.heard().filter((msg) => isRequest(msg) && !isKnown(msg));
      found.expect(unknown.length === 4, `${unknown.length} requests named nobody`);
      for (const request of unknown) {
        const isStateless = request['method'] === 'mcp/message' && 'serverId' in paramsOf(request);
        const code = errorCode(evidence.answersTo(request)[0]);
        found.expect(
          code === (isStateless ? -33001 : -32602),
          `${JSON.stringify(request)} was answered ${String(code)}`,
        );
      }
    },
  ),
  eachLife(
    {
      id: 'mcp.far',
      page: PAGE,
      level: 'Parley',
      scenarios: ['toolsFarAcp', 'toolsFar'],
      sentence:
        'An agent on another machine gets its servers over ACP or not at all: URLs and commands of this machine are useless there.',
    },
    (found, life) => {
      const takesAcp = dig(agentCapabilities(life), 'mcpCapabilities', 'acp') === true;
      for (const msg of declaring(life)) {
        const types = asArray(paramsOf(msg)['mcpServers']).map((server) => String(dig(server, 'type')));
        found.expect(types.join() === (takesAcp ? 'acp' : ''), `declared are servers of type ${types.join()}`);
      }
    },
  ),
];

function declaring(evidence: Evidence): JsonObject[] {
  return evidence.sent().filter((msg) => DECLARING.includes(String(msg['method'])));
}

function messages(evidence: Evidence): JsonObject[] {
  return evidence.heard('mcp/message').filter(isRequest);
}

/** The fake agent calls `nobody`, a server that was not declared. */
function isKnown(msg: JsonObject): boolean {
  const { serverId, connectionId } = paramsOf(msg);
  return serverId !== 'nobody' && connectionId !== 'nobody';
}

function resultIn(evidence: Evidence, request: JsonObject): unknown {
  return evidence.answersTo(request)[0]?.['result'];
}

/** Properties of a server declaration that are missing or have the wrong type. */
function lacks(server: JsonObject): string[] {
  const { type, name, command, args, env, url, headers, serverId } = server;
  const needs: readonly (readonly [boolean, string])[] =
    type === undefined
      ? [
          [typeof command === 'string' && isAbsolute(command), 'the command is not absolute'],
          [Array.isArray(args) && args.every((arg) => typeof arg === 'string'), 'args is no list of texts'],
          [areNamedValues(env), 'env is no list of names and values'],
        ]
      : type === 'acp'
        ? [[typeof serverId === 'string' && serverId !== '', 'there is no serverId']]
        : [
            [typeof url === 'string' && URL.canParse(url), 'the url is none'],
            [areNamedValues(headers), 'headers is no list of names and values'],
          ];
  const all: readonly (readonly [boolean, string])[] = [
    [typeof name === 'string' && name !== '', 'there is no name'],
    ...needs,
  ];
  return all.filter(([isGood]) => !isGood).map(([, lack]) => lack);
}

function areNamedValues(list: unknown): boolean {
  const isNamed = (one: unknown): boolean =>
    typeof dig(one, 'name') === 'string' && typeof dig(one, 'value') === 'string';
  return Array.isArray(list) && list.every(isNamed);
}
