import type { JsonObject } from '../../../src/base/json';
import { asArray, asObject } from '../../../src/base/json';
import type { Mutation } from '../mutation';
import { answers, params, without } from './tools';

const DECLARING = ['session/new', 'session/load', 'session/resume'];
const MESSAGE = 'mcp/message';

/** Changes the server declarations. */
function declares(change: (server: JsonObject) => unknown, methods: readonly string[] = DECLARING): Mutation['sends'] {
  return params(methods, (fields) => ({
    ...fields,
    mcpServers: asArray(fields['mcpServers']).map((server) => change(asObject(server) ?? {})),
  }));
}

function broken(check: string, scenario: string, does: string, sends: Mutation['sends']): Mutation {
  return { check, scenario, does, ...(sends && { sends }) };
}

export const toolServerMutations: readonly Mutation[] = [
  broken(
    'sessions.mcpServers',
    'bare',
    'gives an http server to an agent that takes none',
    params('session/new', (fields) => ({
      ...fields,
      mcpServers: [{ type: 'http', name: 'm', url: 'http://127.0.0.1/', headers: [] }],
    })),
  ),
  broken(
    'sessions.mcpServers',
    'toolsHttp',
    'gives a server over ACP to an agent that takes http only',
    declares(({ name }) => ({ type: 'acp', name, serverId: 'x' })),
  ),
  broken(
    'sessions.mcpServers',
    'toolsStdio',
    'writes the type of a command',
    declares((server) => ({ ...server, type: 'stdio' })),
  ),
  broken(
    'mcp.shape',
    'toolsStdio',
    'leaves it to the agent to find the command',
    declares((server) => ({ ...server, command: 'node' })),
  ),
  broken(
    'mcp.shape',
    'toolsStdio',
    'gives the variables as an object',
    declares((server) => ({ ...server, env: {} })),
  ),
  broken(
    'mcp.shape',
    'toolsStdio',
    'leaves out the arguments',
    declares((server) => without(server, 'args')),
  ),
  broken(
    'mcp.shape',
    'toolsHttp',
    'leaves out the headers',
    declares((server) => without(server, 'headers')),
  ),
  broken(
    'mcp.shape',
    'toolsHttp',
    'gives a path for an address',
    declares((server) => ({ ...server, url: '/mcp' })),
  ),
  broken(
    'mcp.shape',
    'toolsAcp',
    'declares a server over ACP by its old name only',
    declares((server) => without(server, 'serverId')),
  ),
  broken(
    'mcp.shape',
    'toolsAcp',
    'names no server',
    declares((server) => without(server, 'name')),
  ),
  broken(
    'mcp.shape',
    'toolsAcp',
    'declares a server twice',
    params('session/new', (fields) => {
      const list = asArray(fields['mcpServers']);
      return { ...fields, mcpServers: [...list, ...list] };
    }),
  ),
  broken(
    'mcp.same',
    'toolsHttp',
    'gives another token to a session that comes back',
    declares(
      (server) => ({ ...server, headers: [{ name: 'Authorization', value: 'Bearer other' }] }),
      ['session/resume'],
    ),
  ),
  broken(
    'mcp.same',
    'toolsStdio',
    'forgets the servers of a session that comes back',
    params(['session/resume', 'session/load'], (fields) => ({ ...fields, mcpServers: [] })),
  ),
  broken(
    'mcp.called',
    'toolsHttp',
    'gives a token that opens nothing',
    declares((server) => ({ ...server, headers: [{ name: 'Authorization', value: 'Bearer none' }] })),
  ),
  broken(
    'mcp.called',
    'toolsStdio',
    'declares a command that ends at once',
    declares((server) => ({ ...server, args: ['-e', ''] })),
  ),
  {
    check: 'mcp.called',
    scenario: 'toolsAcp',
    does: 'answers no call over ACP',
    ...answers(MESSAGE, (answer) => [{ ...without(answer, 'result'), error: { code: -33002, message: 'no' } }]),
  },
  {
    check: 'mcp.carrier',
    scenario: 'toolsAcp',
    does: 'answers a message of no connection bare',
    ...answers(MESSAGE, (answer) => [{ ...answer, result: asObject(answer['result'])?.['result'] ?? {} }]),
  },
  {
    check: 'mcp.carrier',
    scenario: 'toolsAcp',
    does: 'puts the answer of a connection into a carrier',
    ...answers(MESSAGE, (answer, asked) => {
      const isConnected = 'connectionId' in (asObject(asked['params']) ?? {}) && 'result' in answer;
      return [isConnected ? { ...answer, result: { result: answer['result'] } } : answer];
    }),
  },
  {
    check: 'mcp.connections',
    scenario: 'toolsAcp',
    does: 'connects without an id',
    ...answers('mcp/connect', (answer) => [{ ...answer, result: {} }]),
  },
  {
    check: 'mcp.refused',
    scenario: 'toolsAcp',
    does: 'calls an unknown server an unknown method',
    ...answers(MESSAGE, (answer) => [
      'error' in answer ? { ...answer, error: { code: -32601, message: 'Method not found' } } : answer,
    ]),
  },
  {
    check: 'mcp.refused',
    scenario: 'toolsAcp',
    does: 'connects to a server that nobody has declared',
    ...answers('mcp/connect', (answer) => [
      { ...without(answer, 'error'), result: answer['result'] ?? { connectionId: 'any' } },
    ]),
  },
  broken(
    'mcp.far',
    'toolsFar',
    'gives an address of this machine to an agent elsewhere',
    params('session/new', (fields) => ({
      ...fields,
      mcpServers: [{ type: 'http', name: 'm', url: 'http://127.0.0.1:1/', headers: [] }],
    })),
  ),
];
