import assert from 'node:assert/strict';
import { AgentServers, PinnedCards } from '../../../../src/a2a/agents/a2aAgentServers';
import type { A2aSetting } from '../../../../src/a2a/agents/configuredAddresses';
import { AddressHeaders, ConfiguredAddresses } from '../../../../src/a2a/agents/configuredAddresses';
import type { JsonObject } from '../../../../src/base/json';
import { toDisposable } from '../../../../src/base/lifecycle';
import { nullLogger } from '../../../../src/base/logger';
import { Redactor } from '../../../../src/base/redactor';
import type { SettingScopes } from '../../../../src/base/settingScopes';
import type { LazyBuiltIns } from '../../../../src/mcp/builtin/lazyBuiltIns';
import { ExternalCalls } from '../../../../src/mcp/externalCalls';
import type { SessionTools } from '../../../../src/session/sessionTools';
import { a2aAgents, a2aTargets } from '../../../../src/session/settings/a2aSettings';
import type { A2aAddresses } from '../../../../src/session/settings/a2aSettings';
import type { ScopedSettingsReader } from '../../../../src/session/settings/scopedSettings';
import type { ToolContext, ToolResult, JsonToolServer } from '../../../../src/session/toolServer';
import type { SampleAgent } from '../../../a2a/sampleAgent';
import { startSampleAgent } from '../../../a2a/sampleAgent';
import { MemoryMemento } from '../../../kit/memoryMemento';
import { stubOf } from '../../../kit/stubOf';
import { createBench } from '../../mcp/sample';

describe('A2A agents as tool servers', () => {
  let agent: SampleAgent;
  let scopes: SettingScopes<A2aAddresses>;
  let offered: JsonToolServer[];
  let failures: string[];
  let asked: string[];
  let takesChanges: boolean;
  let pins: Map<string, unknown>;
  let servers: AgentServers;

  const open = (): AgentServers => {
    const decided = new Map<string, 'allowed' | 'refused'>();
    const addresses = new ConfiguredAddresses(
      'a2a.agents',
      stubOf<ScopedSettingsReader<A2aSetting>>({ scoped: () => scopes }),
      {
        decision: (subject, content) => decided.get(subject + content),
        store: async (subject, content, decision) => void decided.set(subject + content, decision),
      },
      new AddressHeaders({ get: async (owner, name) => `${owner}/${name}` }, new Redactor()),
      async (_setting, name, { url }) => {
        asked.push(`${name} ${url}`);
        return name === 'closed' ? undefined : name !== 'refused';
      },
    );
    const tools = stubOf<SessionTools>({
      add: (server) => {
        offered.push(server);
        return toDisposable(() => void offered.splice(offered.indexOf(server), 1));
      },
    });
    const memory = new MemoryMemento(pins);
    const cards = new PinnedCards(memory, async (name) => {
      asked.push(`changed ${name}`);
      return takesChanges;
    });
    const made = new AgentServers(addresses, tools, cards, nullLogger);
    made.onDidFail(({ reason }) => failures.push(reason));
    return made;
  };

  beforeEach(async () => {
    agent = await startSampleAgent();
    scopes = { user: { 'My Agent_1': { url: agent.url, headers: {} } }, workspace: undefined, folders: [] };
    [offered, failures, asked, takesChanges, pins] = [[], [], [], false, new Map()];
    servers = open();
  });

  afterEach(() => {
    servers.dispose();
    agent.close();
  });

  const call = async (
    input: object,
    told: string[] = [],
    signal = new AbortController().signal,
  ): Promise<ToolResult> => {
    const [tool] = offered[0]?.tools ?? [];
    assert.ok(tool);
    return tool.call(input, stubOf<ToolContext>({ signal, progress: (message) => told.push(message) }));
  };

  it('are contacted only when a session needs them', async () => {
    assert.equal(agent.headers.length, 0);
    await servers.refresh();
    assert.deepEqual(
      offered.map(({ name, title, tools }) => [name, title, tools.map((tool) => [tool.name, tool.approval])]),
      [
        [
          'a2a-my-agent-1',
          'My Agent_1',
          [
            ['do_it', 'always'],
            ['do_it-2', 'always'],
          ],
        ],
      ],
    );
    servers.dispose();
    assert.deepEqual(offered, []);
  });

  for (const streaming of [true, false]) {
    it(`return text, data and files of the agent (${streaming ? 'streamed' : 'in one response'})`, async () => {
      agent.card.streaming = streaming;
      await servers.refresh();
      const told: string[] = [];
      const { content, structured, isError } = await call({ message: 'hello', data: { a: 1 } }, told);
      assert.equal(isError, undefined);
      assert.deepEqual(content?.[0], { type: 'text', text: 'You said hello.' });
      assert.match(String(content?.[1]?.['text']), /"skill":"do it".*"a":1/);
      assert.deepEqual(content?.[2], { type: 'image', data: 'cG5n', mimeType: 'image/png' });
      const link = { type: 'resource_link', uri: 'https://example.com/a.txt', name: 'https://example.com/a.txt' };
      assert.deepEqual(content?.[3], { ...link, mimeType: 'text/plain' });
      assert.equal(structured?.['state'], 'completed');
      if (streaming) assert.deepEqual(told, ['submitted', 'thinking']);
    });
  }

  it('return a question of the agent, and continue its task with the answer', async () => {
    await servers.refresh();
    const first = await call({ message: 'ask' });
    const { task_id: taskId, context_id: contextId } = first.structured ?? {};
    assert.match(JSON.stringify(first.content), new RegExp(`Which one\\?.*task_id: ${String(taskId)}`));
    const second = await call({ message: 'this', task_id: taskId, context_id: contextId });
    assert.equal(second.structured?.['task_id'], taskId);
    assert.equal(second.structured?.['state'], 'completed');
  });

  it('are called through the gate like any other tool', async () => {
    await servers.refresh();
    const { servers: all, gate, session, hostedServers } = createBench();
    const [server] = offered;
    assert.ok(server);
    all.add(server, 'a2a');
    const outside = new ExternalCalls(all, stubOf<LazyBuiltIns>({}), gate, nullLogger, '1.0.0');
    const told: unknown[] = [];
    const params = { name: 'do_it', arguments: { message: 'hello', handle: 'of an earlier answer' } };
    const { signal } = new AbortController();
    const progress = ({ message }: JsonObject): unknown => told.push(message);
    const call = { id: '1', client: 'c', method: 'tools/call', params, signal, progress };
    const outcome = await outside.call(session, server.name, call);
    assert.match(JSON.stringify(outcome), /You said hello\./);
    const callers: unknown[] = [];
    const through = gate.call.bind(gate);
    gate.call = (made) => (callers.push(made.session.caller), through(made));
    for (const client of ['1', '2']) await outside.call(session, server.name, { ...call, client });
    assert.deepEqual(callers, ['A2A client 1', 'A2A client 2']);
    assert.ok(told.includes('thinking'));
    outside.dispose();
    await hostedServers.dispose();
  });

  it('fail with their error message', async () => {
    await servers.refresh();
    const { isError, content } = await call({ message: 'fail' });
    assert.equal(isError, true);
    assert.match(JSON.stringify(content), /It broke.*ended as failed/);
    agent.close();
    const gone = await call({ message: 'hello' });
    assert.equal(gone.isError, true);
    assert.match(gone.text, /could not be asked/);
  });

  it('are notified when a call is canceled', async () => {
    await servers.refresh();
    const canceled = new Promise<void>((resolve) => agent.canceled.event(resolve));
    const abort = new AbortController();
    agent.waiting.event(() => abort.abort());
    await Promise.allSettled([call({ message: 'wait' }, [], abort.signal)]);
    await canceled;
  });

  it('are not offered while a change of their card waits for approval', async () => {
    await servers.refresh();
    servers.dispose();
    agent.card.description = 'Sends everything to somebody else';
    servers = open();
    await servers.refresh();
    assert.deepEqual([offered, asked], [[], ['changed My Agent_1']]);
    takesChanges = true;
    await servers.refresh();
    assert.equal(offered.length, 1);
    servers.dispose();
    servers = open();
    await servers.refresh();
    assert.equal(asked.length, 2);
  });

  it('reject an agent card that points to another origin', async () => {
    agent.card.interfaceUrl = 'https://evil.example/';
    await servers.refresh();
    assert.deepEqual(offered, []);
    assert.match(failures.join(), /its agent card points to https:\/\/evil\.example\//);
  });

  it('get the headers of the settings, with secrets', async () => {
    const headers = { Authorization: 'Bearer ${input:key}', 'X-Home': '${userHome}' };
    scopes = { ...scopes, user: { one: { url: agent.url, headers } } };
    await servers.refresh();
    await call({ message: 'hello' });
    assert.deepEqual([...new Set(agent.headers.map(({ authorization }) => authorization))], ['Bearer A2A one/key']);
  });

  it('of a workspace require confirmation, and never replace one of the user', async () => {
    const theirs = { url: `${agent.url}/`, headers: {} };
    scopes = { ...scopes, workspace: { 'My Agent_1': theirs, more: theirs, refused: theirs } };
    await servers.refresh();
    assert.deepEqual(asked, [`more ${agent.url}/`, `refused ${agent.url}/`]);
    assert.deepEqual(offered.map(({ name }) => name).toSorted(), ['a2a-more', 'a2a-my-agent-1']);
    await servers.refresh();
    assert.equal(asked.length, 2);
    scopes = { ...scopes, workspace: { more: { ...theirs, headers: { 'X-A': '1' } } } };
    await servers.refresh();
    assert.equal(asked.length, 3);
  });

  it('of a workspace are not contacted before the user has decided about them', async () => {
    scopes = { user: {}, workspace: { closed: { url: `${agent.url}/`, headers: {} } }, folders: [] };
    await servers.refresh();
    assert.deepEqual([asked, offered, agent.headers], [[`closed ${agent.url}/`], [], []]);
  });

  it('are added and removed as the settings change', async () => {
    await servers.refresh();
    scopes = { ...scopes, user: {} };
    await servers.refresh();
    assert.deepEqual(offered, []);
  });
});

describe('The settings of A2A', () => {
  const read = (reader: typeof a2aTargets, value: unknown): [A2aAddresses, string[]] => {
    const problems: string[] = [];
    return [reader(value, (message, field = '') => problems.push(`${field}: ${message}`)), problems];
  };

  it('accept valid entries and name invalid ones', () => {
    const good = { url: 'https://mcp.example', path: '/mcp', headers: { 'X-Key': '${env:KEY}' } };
    const [targets, problems] = read(a2aTargets, {
      good,
      plain: { url: 'http://mcp.example' },
      local: { url: 'http://127.0.0.1:1' },
      path: { url: 'https://a.example', path: '//b.example' },
      headers: { url: 'https://a.example', headers: { 'a b': 'c' } },
      wrong: 'https://a.example',
    });
    assert.deepEqual(targets, { good, local: { url: 'http://127.0.0.1:1', headers: {} } });
    assert.deepEqual(
      problems.map((problem) => problem.split(':')[0]),
      ['["plain"].url', '["path"].path', '["headers"].headers["a b"]', '["wrong"]'],
    );
  });

  it('ignore and name the path of an agent', () => {
    const [agents, problems] = read(a2aAgents, { a: { url: 'https://a.example/x', path: '/b' } });
    assert.deepEqual(agents, { a: { url: 'https://a.example/x', headers: {} } });
    assert.deepEqual(problems, [
      '["a"].path: unknown field, ignored by this version of Parley; known fields: url, headers',
    ]);
    assert.deepEqual(read(a2aAgents, []), [{}, [': expected an object, got a list']]);
  });
});
