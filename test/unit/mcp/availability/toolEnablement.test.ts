import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/logger';
import { AvailabilityLog } from '../../../../src/mcp/availability/availabilityLog';
import { ToolEnablement } from '../../../../src/mcp/availability/toolEnablement';
import type { ToolRules } from '../../../../src/mcp/availability/toolFilter';
import { unavailableText, toolUnavailable } from '../../../../src/mcp/availability/toolFilter';
import { toolItems } from '../../../../src/mcp/panel/toolsPanelModel';
import { routeOf } from '../../../../src/mcp/userServers/serverRoute';
import { MemoryMemento } from '../../../kit/memoryMemento';
import { sampleServer } from '../sample';

const rules: ToolRules = { isTrusted: true, isOn: () => true, deny: [], allow: [] };

describe('the switches of single tools', () => {
  it('disable and enable a tool, also after a restart', async () => {
    const kept = new MemoryMemento();
    const enablement = new ToolEnablement(kept);
    let times = 0;
    enablement.onDidChange(() => (times += 1));
    await enablement.setTool('gh__delete', false);
    await enablement.setTool('gh__delete', false);
    await enablement.setTool('gh__read', false);
    assert.deepEqual([[...new ToolEnablement(kept).toolsOff], times], [['gh__delete', 'gh__read'], 2]);
    await enablement.setTool('gh__delete', true);
    assert.deepEqual([...new ToolEnablement(kept).toolsOff], ['gh__read']);
    await kept.update('parley.toolsOff', [1, 'a', null]);
    await kept.update('parley.toolSwitches', { gh: 'off', db: false });
    const damaged = new ToolEnablement(kept);
    assert.deepEqual([[...damaged.toolsOff], damaged.get('gh'), damaged.get('db')], [['a'], undefined, false]);
  });

  it('are reported as a reason only if no rule disables the tool', () => {
    const toolsOff = new Set(['gh__delete']);
    const why = (more: Partial<ToolRules>): string | undefined => {
      const unavailableReason = toolUnavailable('gh', { name: 'delete' }, { ...rules, toolsOff, ...more });
      return unavailableReason && unavailableText(unavailableReason);
    };
    assert.equal(why({}), 'Off');
    assert.equal(why({ deny: ['gh__d*'] }), 'denied by "gh__d*"');
    assert.equal(why({ allow: [['gh__read']] }), 'not in the list of allowed tools');
    assert.equal(toolUnavailable('gh', { name: 'read' }, { ...rules, toolsOff }), undefined);
  });

  it('make a server go through Parley, which can hide single tools', () => {
    const start = { type: 'stdio', command: 'x', args: [], env: {} } as const;
    const reach = { capabilities: {}, isRemote: false };
    const way = (id: string, mode: 'whenRules' | 'never'): string =>
      routeOf({
        name: 'gh',
        start,
        mode,
        permissions: [],
        transports: reach,
        rules: { ...rules, toolsOff: new Set([id]) },
      }).type;
    assert.deepEqual(
      [way('gh__delete', 'whenRules'), way('gh__delete', 'never'), way('other__delete', 'whenRules')],
      ['gateway', 'none', 'asItIs'],
    );
  });

  it('are shown in the panel only where no rule decides', () => {
    const { server } = sampleServer();
    const shown = toolItems(
      { name: 'sample', server, origin: 'person' },
      { ...rules, deny: ['sample__add'], toolsOff: new Set(['sample__wait']) },
    );
    const switchOf = (name: string): unknown => {
      const { isOn, unavailableReason } = shown.find((tool) => tool.name === name) ?? {};
      return [isOn, unavailableReason];
    };
    assert.deepEqual(switchOf('add'), [undefined, 'denied by "sample__add"']);
    assert.deepEqual(switchOf('wait'), [false, 'Off']);
    assert.deepEqual(switchOf('fail'), [true, undefined]);
    const [evil] = toolItems(
      {
        name: 's',
        origin: 'person',
        server: { ...server, tools: [{ ...server.tools[0]!, description: 'a\u200b\u001b[8mb' }] },
      },
      rules,
    );
    assert.equal(evil?.description, 'a\\u{200b}\\u{1b}[8mb', 'hidden characters and escapes of terminals are shown');
  });

  it('are logged once, like every other reason', () => {
    const lines: string[] = [];
    const log = new AvailabilityLog({ ...nullLogger, info: (_tag, line) => void lines.push(line) });
    const tool = { id: 'gh__a', name: 'a', title: 'A', description: '' };
    const server = { name: 'gh', title: 'GH', description: '', origin: 'person' as const, isOn: true, resources: [] };
    const tools = [tool, { ...tool, name: 'b', unavailableReason: 'Off' }];
    const servers = [
      { ...server, state: 'ready', tools },
      { ...server, name: 'off', unavailableReason: 'failed: x\nstderr', tools: [] },
    ];
    const shown = { trusted: true, agent: 'Demo', servers, warnings: [], calls: [] };
    log.write(shown);
    log.write({ ...shown });
    assert.deepEqual(lines, [
      'Demo: gh is offered, ready, 1 of 2 tools; not offered: b (Off)',
      'Demo: off is not offered: failed: x',
    ]);
  });

  it('are replaced by both definitions for changed tools, which the panel shows first', () => {
    const { server } = sampleServer();
    const one = { name: 'add', before: 'a', after: 'b', hash: 'h', isRefused: false };
    const held = {
      list: () => [one, { ...one, name: 'x\u202e', isRefused: true }],
      accept: () => true,
      refuse: () => true,
    };
    const [first, second, third] = toolItems(
      { name: 'sample', server: { ...server, heldBack: held }, origin: 'person' },
      rules,
    );
    assert.deepEqual(
      [first?.unavailableReason, first?.changed?.isBlocked, first?.isOn],
      ['changed since you accepted it', false, undefined],
    );
    assert.deepEqual([second?.unavailableReason, second?.title], ['blocked by you (changed)', 'x\\u{202e}']);
    assert.equal(third?.changed, undefined);
  });
});
