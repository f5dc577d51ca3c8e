import assert from 'node:assert/strict';
import type { AgentDefinition } from '../../../src/agent/config/agentDefinition';
import type { AgentConnection } from '../../../src/agent/connection/agentConnection';
import type { JsonObject } from '../../../src/base/json';
import { stubOf } from '../../kit/stubOf';
import type { Bench } from './sample';
import { createBench, fakeSession } from './sample';

const remote = { type: 'http', url: 'https://agent.example.com', headers: {} } as const;

describe('the tool servers of one agent connection', () => {
  let bench: Bench;
  beforeEach(() => (bench = createBench()));
  afterEach(() => bench.hostedServers.dispose());

  /**
   * The process of an agent.
   * @param capabilities MCP transports that it supports besides stdio.
   */
  function agent(
    capabilities: JsonObject = { mcpCapabilities: { acp: true } },
    definition: Partial<AgentDefinition> = {},
  ) {
    const state = { status: 'ready', info: { capabilities } } as const;
    const connection = stubOf<AgentConnection>({ state, quirk: undefined, notify: () => undefined });
    const own = { name: 'a', title: 'A', description: '', command: 'a', args: [], env: {}, ...definition };
    const part = bench.hostedServers.createContribution(own, () => connection);
    const connect = (serverId: unknown): Promise<unknown> => {
      const handler = part.features[0]!.handlers.find(({ method }) => method === 'mcp/connect')!;
      return handler.handle(handler.parse({ serverId }), { signal: new AbortController().signal });
    };
    const declare = async (id: string) => (await part.services.mcpServers?.(fakeSession(id))) ?? [];
    const kindOf = (id: string) => bench.hostedServers.declared(id)?.transportKind;
    return { connect, declare, kindOf };
  }

  it('are opened by their declared ids only, not by those of another agent', async () => {
    const [first, second] = [agent(), agent()];
    const [ours] = await first.declare('session-1');
    const [theirs] = await second.declare('session-2');
    assert.ok(await first.connect(ours?.['serverId']));
    await assert.rejects(first.connect(theirs?.['serverId']), { code: -32_602 });
    await assert.rejects(second.connect(ours?.['serverId']), { code: -32_602 });
    assert.ok(await second.connect(theirs?.['serverId']));
  });

  it('are not offered to a remote agent, which cannot reach this machine', async () => {
    const far = agent({ mcpCapabilities: { http: true } }, { remote });
    assert.deepEqual(await far.declare('session-1'), []);
    assert.equal(far.kindOf('session-1'), 'none');
  });

  it('are offered to an agent in a container only if its settings name the transport', async () => {
    const tools = { allow: [], deny: [], transport: 'http' } as const;
    const wayOf = async (definition: Partial<AgentDefinition>): Promise<string | undefined> => {
      const one = agent({ mcpCapabilities: { http: true } }, definition);
      await one.declare('session-1');
      return one.kindOf('session-1');
    };
    for (const command of ['docker', '/usr/bin/ssh', 'C:\\bin\\wsl.exe', 'podman', 'kubectl']) {
      assert.equal(await wayOf({ command }), 'none', command);
      assert.equal(await wayOf({ command, tools }), 'http', command);
    }
    assert.equal(await wayOf({ command: 'ssh-agent-acp' }), 'http');
    assert.equal(await wayOf({ remote, tools }), 'http');
    assert.equal(await wayOf({ tools: { ...tools, transport: 'stdio' } }), 'stdio');
    // The workspace's own entry cannot redirect the user's servers.
    const workspace = { name: 'a', location: 'this workspace', written: {} };
    assert.equal(await wayOf({ remote, tools, workspace }), 'none');
  });
});
