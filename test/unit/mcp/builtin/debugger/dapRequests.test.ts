import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { JsonObject } from '../../../../../src/base/json';
import { dapRequest, framesOf, scopesOf, threadsOf } from '../../../../../src/mcp/builtin/debugger/dapRequests';
import { stubOf } from '../../../../kit/stubOf';

type Answer = (args: JsonObject) => unknown;

/** A debug session whose adapter sends these responses. */
function sessionOf(answers: Readonly<Record<string, Answer>>): vscode.DebugSession {
  const customRequest = async (command: string, args: JsonObject): Promise<unknown> => {
    const answer = answers[command];
    if (!answer) throw new Error(`${command} is not supported.`);
    return answer(args);
  };
  return stubOf<vscode.DebugSession>({ id: 'one', name: 'Sample', type: 'sample', customRequest });
}

const VARIABLES: Record<number, unknown[]> = {
  1: [
    { name: 'user', value: 'Object', type: 'User', variablesReference: 10 },
    { name: 'count', value: '3', variablesReference: 0 },
    { name: 'list', value: 'Array(2)', variablesReference: 11 },
    'no variable',
  ],
  2: [
    { name: 'bigOne', value: '1', variablesReference: 0 },
    { name: 'other', value: '2', variablesReference: 0 },
  ],
  10: [
    { name: 'name', value: `'${'x'.repeat(1_000)}'`, type: 'string', variablesReference: 0 },
    { name: 'friend', value: 'Object', variablesReference: 12 },
  ],
  11: Array.from({ length: 80 }, (_, index) => ({ name: String(index), value: 'x', variablesReference: 0 })),
  12: [{ name: 'name', value: "'Ben'", variablesReference: 0 }],
};

const session = sessionOf({
  scopes: ({ frameId }) => ({
    scopes: [
      { name: `Local of ${String(frameId)}`, variablesReference: 1, expensive: false },
      { name: 'Global', variablesReference: 2, expensive: true },
    ],
  }),
  variables: ({ variablesReference }) => ({ variables: VARIABLES[Number(variablesReference)] }),
  threads: () => ({ threads: [{ id: 4, name: 'main' }, { id: 5 }, { name: 'no id' }] }),
  stackTrace: ({ levels }) => ({
    stackFrames: Array.from({ length: Number(levels) + 5 }, (_, id) => ({ id, name: `f${id}`, line: id, source: {} })),
  }),
});

describe('The debug protocol', () => {
  it('lists variables with nested ones by full name, and expensive scopes only with a filter', async () => {
    const flat = await scopesOf(session, 7, { depth: 1, filter: undefined, limit: 50 });
    assert.deepEqual(flat, [
      {
        name: 'Local of 7',
        variables: [
          { name: 'user', value: 'Object', type: 'User' },
          { name: 'count', value: '3' },
          { name: 'list', value: 'Array(2)' },
        ],
        truncated: false,
      },
    ]);
    const all = await scopesOf(session, 7, { depth: 1, filter: 'big', limit: 50 });
    assert.deepEqual(all[1], { name: 'Global', variables: [{ name: 'bigOne', value: '1' }], truncated: false });
    const [deep] = await scopesOf(session, 7, { depth: 2, filter: 'USE', limit: 50 });
    assert.deepEqual(
      deep?.variables.map(({ name }) => name),
      ['user', 'user.name', 'user.friend'],
    );
    assert.equal(deep?.variables[1]?.value.length, 300);
  });

  it('limits the length of lists and scopes', async () => {
    const [list] = await scopesOf(session, 7, { depth: 2, filter: 'list', limit: 500 });
    assert.equal(list?.variables.length, 51);
    assert.equal(list?.variables.at(-1)?.name, 'list[49]');
    const [scope] = await scopesOf(session, 7, { depth: 1, filter: undefined, limit: 2 });
    assert.deepEqual([scope?.variables.length, scope?.truncated], [2, true]);
    assert.equal((await framesOf(session, 4, 3)).length, 3);
  });

  it('accepts missing optional fields of an adapter, and reports its errors', async () => {
    assert.deepEqual(await threadsOf(session), [
      { id: 4, name: 'main' },
      { id: 5, name: '5' },
    ]);
    assert.deepEqual(await threadsOf(sessionOf({ threads: () => undefined })), []);
    await assert.rejects(
      dapRequest(session, 'evaluate', {}),
      /The debugger refused evaluate: evaluate is not supported\. Look/,
    );
  });
});
