import assert from 'node:assert/strict';
import type { AgentDefinition } from '../../../../src/agent/config/agentDefinition';
import type { DetectedAgent } from '../../../../src/agent/registry/findOnPath';
import type { InstalledAgent } from '../../../../src/agent/registry/installedAgents';
import { installItems, presetItems, selectItems } from '../../../../src/ui/agents/agentPickItems';
import { stubOf } from '../../../kit/stubOf';

const SHOWN = '$\u2060(check) Fine\\u{202e}';
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
  it('lists each agent once, without the built-in one among the installed ones', () => {
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

  it('lists presets with their agent and what they set', () => {
    const hostile = '$(check) Fine\u202e';
    const presets = [
      { name: 'Deep work', agent: 'Mine', options: { Model: 'Opus', fast: true }, instructions: 'x', prompt: 'y' },
      { name: hostile, agent: hostile, options: { [hostile]: hostile }, tools: { allow: [], deny: ['*'] } },
    ];
    assert.deepEqual(
      presetItems(presets, [agent('Mine')]).map(({ value: _value, ...shown }) => shown),
      [
        { label: 'Presets' },
        { label: 'Deep work', description: 'Mine', detail: 'Model: Opus · fast: true · instructions · a message' },
        { label: SHOWN, description: `${SHOWN} (not available)`, detail: `${SHOWN}: ${SHOWN} · fewer tools` },
      ],
    );
    assert.deepEqual(presetItems([], []), []);
  });

  it('escapes icons and hidden characters in names of a registry, a workspace or an agent', () => {
    const hostile = '$(check) Fine\u202e';
    const [, mine] = selectItems(
      [{ ...agent(hostile), title: hostile, description: hostile }],
      [stubOf<DetectedAgent>({ id: 'x', title: hostile, path: hostile, args: [hostile] })],
      undefined,
      'Demo agent',
      () => undefined,
    );
    assert.deepEqual([mine?.label, mine?.detail], [SHOWN, SHOWN]);
    const installed: InstalledAgent = {
      env: {},
      at: 1,
      id: 'i',
      title: hostile,
      version: hostile,
      command: hostile,
      args: [],
      from: 'registry',
    };
    const rows = installItems(
      { failure: hostile },
      [installed],
      [stubOf<DetectedAgent>({ id: 'x', title: hostile, path: hostile, args: [hostile] })],
    );
    const texts = rows.flatMap(({ label, description = '', detail = '' }) => [label, description, detail]);
    assert.doesNotMatch(texts.join('\n'), /\$\(check\)|\u202e/);
    assert.ok(texts.filter((text) => text.includes('Fine')).length >= 6);
  });
});
