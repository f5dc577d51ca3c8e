import type { JsonObject } from '../../../src/base/json';
import { asObject } from '../../../src/base/json';
import type { Mutation } from '../mutation';
import { after, answered, answers, before, deafTo, params, without } from './tools';

const IN_TALK = { scenario: 'talk' };
const PERMISSION = 'session/request_permission';
const FIRST = { jsonrpc: '2.0', result: { outcome: { outcome: 'selected', optionId: 'First' } } };

export const connectionMutations: readonly Mutation[] = [
  {
    ...IN_TALK,
    check: 'initialize.first',
    does: 'greets before it initializes',
    sends: before('initialize', () => ({ jsonrpc: '2.0', method: '_hello', params: {} })),
  },
  {
    ...IN_TALK,
    check: 'initialize.once',
    does: 'initializes twice',
    sends: after('initialize', (msg) => ({ ...msg, id: 'again' })),
  },
  {
    ...IN_TALK,
    check: 'initialize.version',
    does: 'asks for a version that it does not speak',
    sends: params('initialize', (fields) => ({ ...fields, protocolVersion: 99 })),
  },
  {
    check: 'initialize.otherVersion',
    scenario: 'version',
    does: 'does not look at the version',
    ...answered('initialize', (result) => ({ ...result, protocolVersion: 1 })),
  },
  {
    ...IN_TALK,
    check: 'initialize.clientInfo',
    does: 'does not name itself',
    sends: params('initialize', (fields) => without(fields, 'clientInfo')),
  },
  {
    check: 'initialize.markers',
    scenario: 'markers',
    does: 'advertises terminals and has none',
    sends: params('initialize', (fields) => ({
      ...fields,
      clientCapabilities: { ...asObject(fields['clientCapabilities']), terminal: true },
    })),
  },
  {
    check: 'initialize.markers',
    scenario: 'markers',
    does: 'advertises notices and does not show them',
    hears: deafTo((msg) => JSON.stringify(msg).includes('Marker notice')),
  },
  {
    check: 'initialize.markers',
    scenario: 'markers',
    does: 'advertises something that nobody knows',
    sends: params('initialize', (fields) => ({
      ...fields,
      clientCapabilities: { ...asObject(fields['clientCapabilities']), telepathy: {} },
    })),
  },
  {
    ...IN_TALK,
    check: 'transport.lines',
    does: 'writes a message over several lines',
    sends: (msg) => [JSON.stringify(msg, undefined, 1)],
  },
  {
    ...IN_TALK,
    check: 'transport.lines',
    does: 'logs to the agent',
    sends: before('session/prompt', () => 'Sending a prompt …'),
  },
  {
    ...IN_TALK,
    check: 'transport.only',
    does: 'logs to the agent in JSON',
    sends: before('session/prompt', () => '{"level":"info","text":"hello"}'),
  },
  {
    ...IN_TALK,
    check: 'transport.only',
    does: 'leaves out the version of JSON-RPC',
    sends: (msg) => [without(msg, 'jsonrpc')],
  },
  {
    ...IN_TALK,
    check: 'transport.utf8',
    does: 'knows ASCII only',
    sends: (msg) => [JSON.stringify(msg).replaceAll(/[^ -~]/g, '?')],
  },
  { ...IN_TALK, check: 'transport.ids', does: 'uses an id twice', sends: after('session/new', (msg) => msg) },
  {
    ...IN_TALK,
    check: 'schema.requests',
    does: 'leaves out the MCP servers',
    sends: params('session/new', (fields) => without(fields, 'mcpServers')),
  },
  {
    ...IN_TALK,
    check: 'schema.requests',
    does: 'puts a field of its own beside the others',
    sends: params('session/prompt', (fields) => ({ ...fields, parley: 1 })),
  },
  {
    check: 'schema.results',
    scenario: 'permission',
    does: 'answers with a bare word',
    ...answers(PERMISSION, (answer) => [{ ...answer, result: { outcome: 'selected' } }]),
  },
  {
    ...IN_TALK,
    check: 'paths.absolute',
    does: 'names its folder relative to itself',
    sends: params('session/new', (fields) => ({ ...fields, cwd: '.' })),
  },
  {
    check: 'requests.answeredOnce',
    scenario: 'permission',
    does: 'answers a permission request twice',
    ...answers(PERMISSION, (answer) => [answer, answer]),
  },
  {
    check: 'requests.answeredOnce',
    scenario: 'stringIds',
    does: 'makes numbers of ids',
    ...answers(PERMISSION, (answer) => [{ ...answer, id: 0 }]),
  },
  {
    check: 'requests.answeredOnce',
    scenario: 'requests',
    does: 'does not answer what it does not know',
    ...answers('_vendor/thing', () => []),
  },
  {
    check: 'requests.duplicateId',
    scenario: 'duplicateId',
    does: 'takes a request under an id that is in use for a new one',
    sends: (msg) => [msg['id'] === 'same' && 'error' in msg ? { ...FIRST, id: 'same' } : msg],
  },
  {
    check: 'requests.unknown',
    scenario: 'requests',
    does: 'answers what it does not know with nothing',
    ...answers('_vendor/thing', (answer) => [{ ...without(answer, 'error'), result: {} }]),
  },
  {
    check: 'notifications.unknown',
    scenario: 'requests',
    does: 'complains about notifications',
    hears: complains((msg) => msg['method'] === '_vendor/note'),
  },
  {
    check: 'notifications.unknown',
    scenario: 'requests',
    does: 'stops listening at garbage',
    hears: (msg, { memory }) => {
      if (msg['id'] === null) memory.set('deaf', true);
      return memory.has('deaf') && msg['method'] === 'session/update' ? [] : [msg];
    },
  },
];

function complains(about: (msg: JsonObject) => boolean): NonNullable<Mutation['hears']> {
  return (msg, pipe) => {
    if (about(msg)) pipe.toAgent({ jsonrpc: '2.0', id: null, error: { code: -32601, message: 'No such method' } });
    return [msg];
  };
}
