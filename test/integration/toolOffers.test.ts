import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { JsonObject } from '../../src/base/json';
import type { ParleyApi } from '../../src/mcp/extensionApi/parleyApi';
import type { LiveSession } from '../../src/session/liveSession';
import type { ToolServerItem } from '../../src/shared/protocol/toolsPanelState';
import { agentText } from '../conformance/agentRun';
import { fakeAgent } from '../fakeAgent/definition';
import { temporaryFolder } from '../kit/temporaryFolder';
import { until } from '../kit/waiting';

const AGENT = 'Offered';
const DEFAULTS = ['problems', 'code', 'refactor', 'editor', 'tests', 'user'];
const capabilities = {
  mcpCapabilities: { acp: true },
  loadSession: true,
  sessionCapabilities: { resume: {} },
  _meta: { 'example.org': { greets: true } },
};

/** Tool servers that agents get through settings, switches and other extensions, in the complete extension. */
describe('available tools in the extension host', () => {
  let api: TestApi & ParleyApi;
  let folder: string;
  let session: LiveSession;

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi & ParleyApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    folder = temporaryFolder();
    await configure('agents', { [AGENT]: agent() });
  });

  after(async () => {
    for (const { id, agent: used } of api.catalog.items()) if (used?.name === AGENT) await api.catalog.remove(id);
    for (const key of ['agents', 'tools.servers', 'tools.deny', 'tools.allow']) await configure(key, undefined);
  });

  const log = (): string => join(folder, 'log.jsonl');

  function agent(more: JsonObject = {}): JsonObject {
    const { command, args, env } = fakeAgent({
      FAKE_CAPABILITIES: JSON.stringify(capabilities),
      FAKE_STORE: join(folder, 'store'),
      FAKE_LOG: log(),
    });
    return { command, args, env, ...more };
  }

  async function configure(key: string, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration('parley').update(key, value, vscode.ConfigurationTarget.Global);
  }

  async function open(): Promise<void> {
    session = api.sessions.newChat();
    await session.chooseAgent(AGENT);
  }

  async function tell(...script: string[]): Promise<string> {
    await session.send(script.join('\n'));
    return agentText(session.state);
  }

  async function declared(): Promise<string[]> {
    const said = await tell('tell-servers');
    const servers = JSON.parse(/\[servers: (.*)\]/s.exec(said)?.[1] ?? '[]') as { name: string }[];
    return servers.map(({ name }) => name);
  }

  const shown = (name: string): ToolServerItem | undefined =>
    api.mcp.panel.stateFor(session).servers.find((server) => server.name === name);

  /** Without that of windows whose host is another computer, as that of the server that tests use may be. */
  const warnings = (): readonly string[] =>
    api.mcp.panel.stateFor(session).warnings.filter((warning) => !warning.includes('in a remote window'));

  it('are those of servers enabled by default, and the panel shows the transport', async () => {
    await open();
    assert.deepEqual(await declared(), DEFAULTS);
    const { transport, agent: title, trusted } = api.mcp.panel.stateFor(session);
    assert.deepEqual([transport, title, trusted, warnings()], ['acp', AGENT, true, []]);
    assert.equal(shown('tasks')?.unavailableReason, 'Off');
  });

  it('follow the settings, and invalid settings are reported', async () => {
    await configure('tools.servers', ['code', 'problms']);
    await configure('tools.deny', ['code.hover', 'code__outline']);
    await open();
    assert.deepEqual(await declared(), ['code']);
    const outline = shown('code')?.tools.find(({ id }) => id === 'code__outline');
    assert.equal(outline?.unavailableReason, 'denied by "code__outline"');
    const all = warnings();
    assert.equal(all.length, 2);
    assert.match(all.join('\n'), /parley\.tools\.servers: no tool server is named "problms"/);
    assert.match(all.join('\n'), /parley\.tools\.deny: "code\.hover" matches no tool; did you mean "code__hover"/);
    for (const key of ['tools.servers', 'tools.deny']) await configure(key, undefined);
  });

  it('follow the settings of the agent', async () => {
    await configure('agents', {
      [AGENT]: agent({ mcp: { servers: ['problems'] }, tools: { deny: ['problems__since'] } }),
    });
    await open();
    assert.deepEqual(await declared(), ['problems']);
    assert.equal(shown('code')?.unavailableReason, 'not available to this agent (mcp.servers)');
    await configure('agents', { [AGENT]: agent({ mcp: { servers: [] } }) });
    await open();
    assert.deepEqual(await declared(), []);
    await configure('agents', { [AGENT]: agent() });
  });

  it('use a changed rule at the next call', async () => {
    await open();
    assert.match(await tell('call-tool problems list {}'), /\[call problems list: \{/);
    await configure('tools.deny', ['problems__list']);
    assert.match(await tell('call-tool problems list {}'), /not found|not offered/i);
    await configure('tools.deny', undefined);
    assert.match(await tell('call-tool problems list {}'), /structuredContent/);
    const { calls } = api.mcp.panel.stateFor(session);
    assert.deepEqual(new Set(calls.map(({ id }) => id)), new Set(['problems__list']));
  });

  it('include an enabled server at the next message of an open chat, and end when it is disabled', async () => {
    await open();
    assert.ok(!(await declared()).includes('tasks'));
    await api.mcp.panel.handle({ type: 'switchTools', server: 'tasks', on: true });
    assert.equal(shown('tasks')?.isLate, true);
    await until(() => session.state.connection.status === 'idle');
    assert.ok((await declared()).includes('tasks'));
    assert.equal(shown('tasks')?.isLate, undefined);
    await api.mcp.panel.handle({ type: 'switchTools', server: 'tasks', on: false });
    assert.equal(shown('tasks')?.unavailableReason, 'Off');
    await open();
    assert.deepEqual(await declared(), DEFAULTS);
  });

  it('can be added by other extensions, which also use their own methods with agents', async () => {
    // oxlint-disable-next-line typescript/no-require-imports -- as VS Code loads an extension
    const example = require(join(vscode.extensions.getExtension('parley.parley')!.extensionPath, 'test/extension')) as {
      activate(context: { subscriptions: { dispose(): void }[] }): Promise<{ seen(): number } | undefined>;
    };
    const context = { subscriptions: [] as { dispose(): void }[] };
    const counted = await example.activate(context);
    assert.ok(counted);
    try {
      // Methods are advertised when an agent starts.
      await api.sessions.active.restarter.forceStop();
      await open();
      assert.deepEqual(await declared(), [...DEFAULTS, 'clock']);
      assert.match(await tell('call-tool clock now {}'), /\d\d:\d\d:\d\d/);
      assert.match(await tell('call-tool clock now {"zone": 5}'), /"isError":true/);
      const greeted = await tell('request _example.org/greet {"a":1}', 'notify _example.org/seen {}');
      assert.match(greeted, /Hello Offered.*"a":1/);
      assert.equal(counted.seen(), 1);
      const lines = (await readFile(log(), 'utf8')).split('\n').filter((line) => line.includes('"initialize"'));
      assert.match(lines.at(-1) ?? '', /"_meta":\{[^}]*"example.org":\{"greet":true,"seen":true\}/);
      const own = api.agents().find(({ name }) => name === AGENT);
      assert.deepEqual(own?.meta, capabilities._meta);
    } finally {
      for (const one of context.subscriptions) one.dispose();
    }
    await open();
    assert.deepEqual(await declared(), DEFAULTS);
    assert.match(await tell('request _example.org/greet {}'), /-32601/);
  });
});
