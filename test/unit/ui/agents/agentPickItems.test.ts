import assert from 'node:assert/strict';
import type { AgentDefinition } from '../../../../src/agent/config/agentDefinition';
import { selectItems } from '../../../../src/ui/agents/agentPickItems';

const agent = (name: string, origin?: AgentDefinition['origin']): AgentDefinition => ({
  name,
  title: name,
  description: '',
  command: 'agent',
  args: [],
  env: {},
  ...(origin && { origin }),
});

describe('ui/agents/agentPickItems', () => {
  it('lists each agent once: the built-in one is not among the installed ones', () => {
    const agents = [agent('Mine'), agent('Packed', 'registry'), agent('Demo agent', 'builtIn')];
    const items = selectItems(agents, [], 'Demo agent', 'Demo agent', () => undefined);
    assert.deepEqual(
      items.map(({ label }) => label),
      [
        'From Your Settings',
        'Mine',
        'Installed',
        'Packed',
        'Built In',
        'Demo agent',
        'ACP Registry',
        '$(cloud-download) Install Agent…',
      ],
    );
  });
});
