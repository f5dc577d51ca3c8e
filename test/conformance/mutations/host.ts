import { basename } from 'node:path';
import { asArray, asObject } from '../../../src/base/json';
import type { JsonObject } from '../../../src/base/json';
import type { Mutation } from '../mutation';
import { dig, isAnswer, paramsOf, resultOf } from '../wire';
import { answers, params, without } from './tools';

const IN_FILES = { scenario: 'files' };
const IN_TERMINALS = { scenario: 'terminals' };

/** Returns another text for this file. */
function reads(name: string, changed: JsonObject): Pick<Mutation, 'sends' | 'hears'> {
  return answers('fs/read_text_file', (answer, asked) => [
    basename(String(paramsOf(asked)['path'])) === name ? { jsonrpc: '2.0', id: answer['id'], ...changed } : answer,
  ]);
}

function outputs(change: (result: JsonObject) => JsonObject): Pick<Mutation, 'sends' | 'hears'> {
  return answers('terminal/output', (answer) => [
    'result' in answer ? { ...answer, result: change(resultOf(answer)) } : answer,
  ]);
}

export const hostMutations: readonly Mutation[] = [
  {
    check: 'initialize.hostMarkers',
    scenario: 'hostMarkers',
    does: 'advertises providers that nobody knows',
    sends: params('initialize', (fields) => ({
      ...fields,
      clientCapabilities: { ...asObject(fields['clientCapabilities']), telepathy: {} },
    })),
  },
  {
    check: 'initialize.hostMarkers',
    scenario: 'hostMarkers',
    does: 'advertises terminals that it cannot release',
    ...answers('terminal/release', (answer) => [
      { jsonrpc: '2.0', id: answer['id'], error: { code: -32601, message: 'No such method' } },
    ]),
  },
  {
    ...IN_FILES,
    check: 'files.unsaved',
    does: 'reads from disk',
    ...reads('open.txt', { result: { content: 'on disk\n' } }),
  },
  {
    ...IN_FILES,
    check: 'files.lines',
    does: 'knows no lines',
    ...reads('lines.txt', { result: { content: 'one\ntwo\nthree\nfour\n' } }),
  },
  {
    ...IN_FILES,
    check: 'files.missing',
    does: 'takes a missing file as empty',
    ...reads('missing.txt', { result: { content: '' } }),
  },
  {
    ...IN_FILES,
    check: 'files.created',
    does: 'writes only into files that are there',
    shows: (name, value) => (name === 'made' ? 'nothing' : value),
  },
  {
    ...IN_TERMINALS,
    check: 'terminals.create',
    does: 'has no output while a command runs',
    ...outputs((result) => (result['exitStatus'] ? result : without(result, 'output'))),
  },
  {
    ...IN_TERMINALS,
    check: 'terminals.exitStatus',
    does: 'tells an exit while the command runs',
    ...outputs((result) => ({ exitStatus: { exitCode: 0 }, ...result })),
  },
  {
    ...IN_TERMINALS,
    check: 'terminals.exitStatus',
    does: 'makes a code of a signal',
    ...outputs((result) =>
      dig(result, 'exitStatus', 'signal') ? { ...result, exitStatus: { exitCode: 143 } } : result,
    ),
  },
  {
    ...IN_TERMINALS,
    check: 'terminals.kill',
    does: 'forgets a terminal that was killed',
    sends: (msg, { memory }) => {
      const asked = isAnswer(msg) ? memory.get(JSON.stringify(msg['id'])) : undefined;
      const isGone = asked === 'terminal/wait_for_exit' && memory.has('killed');
      return [isGone ? { jsonrpc: '2.0', id: msg['id'], error: { code: -32602, message: 'No such terminal' } } : msg];
    },
    hears: (msg, { memory }) => {
      memory.set(JSON.stringify(msg['id']), msg['method']);
      if (msg['method'] === 'terminal/kill') memory.set('killed', true);
      return [msg];
    },
  },
  {
    ...IN_TERMINALS,
    check: 'terminals.release',
    does: 'serves a released terminal',
    ...answers('terminal/output', (answer) => [
      'error' in answer ? { jsonrpc: '2.0', id: answer['id'], result: { output: '', truncated: false } } : answer,
    ]),
  },
  {
    ...IN_TERMINALS,
    check: 'terminals.limit',
    does: 'counts characters',
    ...outputs((result) => ({ ...result, output: '€'.repeat(10) })),
  },
  {
    ...IN_TERMINALS,
    check: 'terminals.shown',
    does: 'empties a terminal that was released',
    shows: (name, value) =>
      name === 'terminals' ? asArray(value).map((one) => ({ ...asObject(one), output: '' })) : value,
  },
];
