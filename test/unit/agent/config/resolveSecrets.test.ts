import assert from 'node:assert/strict';
import { readAgents } from '../../../../src/agent/config/agentSettings';
import { resolveSecrets } from '../../../../src/agent/config/resolveSecrets';
import { AgentConnection } from '../../../../src/agent/connection/agentConnection';
import { ParleyError } from '../../../../src/base/errors';
import { nullLogger } from '../../../../src/base/logger';
import type { SettingProblem } from '../../../../src/base/settings';
import { fakeAgent } from '../../../fakeAgent/definition';

const variables = { workspaceFolder: '/ws', userHome: '/home/me', env: {} };

describe('agent/config/resolveSecrets', function () {
  it('settings may use secrets in values of env only', () => {
    const problems: SettingProblem[] = [];
    const entry = { command: 'x', env: { KEY: '${input:KEY}', BOTH: '${userHome}:${input:other-1}:${input:KEY}' } };
    const [definition] = readAgents({ mine: entry }, variables, true, problems);
    assert.equal(problems.length, 0);
    assert.deepEqual(definition?.inputs, ['KEY', 'other-1']);
    assert.equal(definition?.env['BOTH'], '/home/me:${input:other-1}:${input:KEY}');
    readAgents(
      { a: { command: '${input:KEY}' }, b: { command: 'x', env: { K: '${input:a b}' } } },
      variables,
      true,
      problems,
    );
    assert.deepEqual(
      problems.map(({ path }) => path),
      ['parley.agents["a"].command', 'parley.agents["b"].env["K"]'],
    );
    assert.match(problems[0]?.message ?? '', /only in values of "env" and "headers"/);
  });

  it('requests each used secret once, in order', async () => {
    const asked: string[][] = [];
    const secrets = { get: async (...names: string[]) => (asked.push(names), `<${names[1]}>`) };
    const definition = { ...fakeAgent(), name: 'mine', inputs: ['a', 'b', 'unused'] };
    const values = { ONE: '${input:b}${input:a}', TWO: '${input:a}', PLAIN: '${input:literal}' };
    assert.deepEqual(await resolveSecrets(definition, values, secrets), {
      ONE: '<b><a>',
      TWO: '<a>',
      PLAIN: '${input:literal}',
    });
    assert.deepEqual(asked, [
      ['mine', 'a'],
      ['mine', 'b'],
    ]);
  });

  it('gives a workspace definition no secrets of another definition', async () => {
    const owners: string[] = [];
    const secrets = { get: async (owner: string) => (owners.push(owner), 'secret') };
    const workspace = { name: 'mine', location: 'this workspace', written: { KEY: '${input:a}' } };
    const theirs = { ...fakeAgent(), name: 'mine (workspace)', inputs: ['a'], workspace };
    const values = { KEY: '${input:a}' };
    for (const definition of [theirs, theirs, { ...theirs, args: ['--other'] }]) {
      assert.deepEqual(await resolveSecrets(definition, values, secrets), { KEY: 'secret' });
    }
    assert.equal(owners[0], owners[1]);
    assert.notEqual(owners[0], owners[2]);
    assert.match(owners[0] ?? '', /^mine \(workspace\) [0-9a-f]{16}$/);
  });

  it('reports the missing secret, and starts nothing', async () => {
    const definition = { ...fakeAgent({ KEY: '${input:API key}' }), env: { KEY: '${input:key}' }, inputs: ['key'] };
    const connection = connect(definition, undefined);
    await assert.rejects(connection.start(), (error) => {
      assert.ok(ParleyError.is(error, 'badInput'));
      assert.match(error.message, /Cannot start Fake: no value was entered for the secret “key”/);
      return true;
    });
    assert.equal(connection.state.status, 'failed');
    assert.equal(connection.traffic.size, 0);
  });

  it('passes secrets to the process, but not to the traffic recording', async () => {
    const definition = { ...fakeAgent({ FAKE_NAME: '${input:name}' }), inputs: ['name'] };
    const connection = connect(definition, 'very-secret-name');
    const info = await connection.start();
    assert.equal(info.agentInfo?.name, 'very-secret-name');
    assert.doesNotMatch(JSON.stringify(connection.traffic.entries()), /very-secret-name/);
    assert.match(JSON.stringify(connection.traffic.entries()), /\[redacted\]/);
    await connection.stop();
  });

  function connect(definition: ReturnType<typeof fakeAgent>, value: string | undefined): AgentConnection {
    return new AgentConnection({
      definition,
      cwd: process.cwd(),
      clientInfo: { name: 'parley', title: 'Parley', version: '0.0.0' },
      features: [],
      log: nullLogger,
      secrets: { get: async () => value },
      onUpdate() {},
    });
  }
});
