import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nameWarnings } from '../../../src/mcp/availability/settingWarnings';
import { toolId } from '../../../src/mcp/availability/toolFilter';
import { ToolServers } from '../../../src/mcp/contract/toolServerRegistry';
import { matchesWildcard } from '../../../src/permissions/rules/wildcard';
import { sampleServer } from './sample';

describe('mcp/contract/toolServerRegistry', () => {
  /** Expected tool names for servers of these names. */
  function offered(...names: readonly string[]): readonly string[] {
    const servers = new ToolServers(new Set(['refactor']));
    const { server } = sampleServer();
    for (const name of names) servers.add({ ...server, name }, 'person');
    return servers.list().map(({ name }) => name);
  }

  it('renames a server whose tool ids could match another server’s', () => {
    const names = ['refactor__x', 'refactor_', 'a__b', 'a', 'a_b', '__'];
    const got = offered(...names);
    assert.deepEqual(got, ['refactor_x', 'refactor-2', 'a_b', 'a', 'a_b-2', 'server']);
    for (const name of got) assert.ok(!matchesWildcard('refactor__*', toolId(name, '_rename')), name);
  });

  it('property: gives every tool a unique id', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '_', '-'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(word, word, word, word, (one, other, first, second) => {
        const [a = '', b = ''] = offered(one, other);
        assert.notEqual(a, b);
        assert.notEqual(toolId(a, first), toolId(b, second));
      }),
    );
  });

  it('reports no clash for a server that was only renamed', () => {
    const servers = new ToolServers();
    servers.add({ ...sampleServer().server, name: 'a__b' }, 'person');
    assert.ok(!nameWarnings(servers.list()).some((warning) => warning.includes('Two tool servers')));
  });
});
