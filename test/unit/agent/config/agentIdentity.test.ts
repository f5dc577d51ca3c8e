import assert from 'node:assert/strict';
import type { AgentDefinition } from '../../../../src/agent/config/agentDefinition';
import { agentIdentityOf } from '../../../../src/agent/config/agentIdentity';
import { fakeAgent } from '../../../fakeAgent/definition';

describe('agent/config/agentIdentity', () => {
  const agent: AgentDefinition = { ...fakeAgent(), command: 'x', args: ['--acp'] };
  const remote = { type: 'http', url: 'https://a.example/acp', headers: { Authorization: 'Bearer a' } } as const;
  const workspace = { name: 'x', location: 'this workspace', written: { KEY: '${env:KEY}' } };

  for (const [what, one, same, others] of [
    ['a program', agent, { title: 'X', env: { A: '1' }, cwd: '/' }, [{ command: 'y' }, { args: [] }, { remote }]],
    [
      'a URL',
      { ...agent, remote },
      { remote: { ...remote, headers: {} } },
      [{ remote: { ...remote, url: 'https://b.example/acp' } }, { remote: { ...remote, type: 'ws' as const } }],
    ],
    [
      'an installed agent',
      { ...agent, origin: 'registry' as const },
      { command: 'x2', args: ['2'] },
      [{ origin: 'path' as const }],
    ],
    [
      'an agent of the workspace',
      { ...agent, workspace },
      { env: { KEY: '1' } },
      [{ args: [] }, { cwd: '/' }, { workspace: { ...workspace, written: {} } }],
    ],
  ] as const) {
    it(`tells ${what} from others of its name`, () => {
      const id = agentIdentityOf(one);
      assert.equal(agentIdentityOf({ ...one, ...same }), id);
      for (const other of others) assert.notEqual(agentIdentityOf({ ...one, ...other }), id, JSON.stringify(other));
    });
  }
});
