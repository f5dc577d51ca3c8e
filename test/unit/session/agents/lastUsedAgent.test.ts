import assert from 'node:assert/strict';
import type { AgentDefinition } from '../../../../src/agent/config/agentDefinition';
import { DEMO_AGENT, demoAgent } from '../../../../src/agent/config/agentSettings';
import type { SettingProblem } from '../../../../src/base/settings';
import { LastUsedAgent } from '../../../../src/session/agents/lastUsedAgent';
import { MemoryMemento } from '../../../kit/memoryMemento';

describe('the agent of a new chat', () => {
  const demo = demoAgent('/node', '/demo.js');
  const one = { ...demo, name: 'one' };
  const two = { ...demo, name: 'two' };
  let agents: readonly AgentDefinition[];
  let problems: readonly SettingProblem[];
  let selected: string;
  let lastUsed: LastUsedAgent;

  beforeEach(() => {
    [agents, problems, selected] = [[demo], [], ''];
    const memory = new MemoryMemento();
    lastUsed = new LastUsedAgent(memory, {
      agents: () => agents,
      get: () => selected,
      get problems() {
        return problems;
      },
    } as ConstructorParameters<typeof LastUsedAgent>[1]);
  });

  it('is the last one used', () => {
    agents = [one, two, demo];
    assert.deepEqual([lastUsed.initialAgent(), lastUsed.fallbackAgent()], [undefined, undefined]);
    lastUsed.remember('two');
    assert.equal(lastUsed.initialAgent(), 'two');
    lastUsed.remember(DEMO_AGENT);
    assert.equal(lastUsed.initialAgent(), DEMO_AGENT);
  });

  it('is not the demo agent because it answered while nothing was configured', () => {
    assert.deepEqual([lastUsed.initialAgent(), lastUsed.fallbackAgent()], [undefined, DEMO_AGENT]);
    lastUsed.remember(DEMO_AGENT);
    agents = [one, demo];
    assert.deepEqual([lastUsed.initialAgent(), lastUsed.fallbackAgent()], ['one', undefined]);
  });

  it('is no other one than the selected one', () => {
    agents = [one, demo];
    lastUsed.remember('one');
    selected = 'gone';
    assert.deepEqual([lastUsed.initialAgent(), lastUsed.fallbackAgent()], [undefined, undefined]);
    [agents, selected, problems] = [[demo], '', [{ path: 'parley.agents["one"]', message: 'invalid' }]];
    assert.equal(lastUsed.fallbackAgent(), undefined);
  });
});
