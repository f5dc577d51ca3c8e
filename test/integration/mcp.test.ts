import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { JsonObject } from '../../src/base/json';
import type { LiveSession } from '../../src/session/liveSession';
import { agentText } from '../conformance/agentRun';
import { fakeAgent } from '../fakeAgent/definition';
import { temporaryFolder } from '../kit/temporaryFolder';
import { until } from '../kit/waiting';
import { makeInside, remove } from './clientHelp';

interface Declared {
  readonly type?: string;
  readonly name: string;
  readonly serverId?: string;
  readonly url?: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  readonly command?: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/** An agent for each transport to the servers. */
const AGENTS = {
  Acp: { acp: true, http: true },
  Http: { http: true },
  Stdio: {},
} as const;
type Name = keyof typeof AGENTS;

const BUILT_IN = ['problems', 'code', 'refactor', 'editor', 'user'];

/** The tool servers of the complete extension, called by an agent process over each transport. */
describe('tool servers in the extension host', () => {
  let api: TestApi;
  let folder: string;
  let store: string;
  let session: LiveSession;

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    folder = await makeInside('mcp');
    store = temporaryFolder();
    await writeFile(join(folder, 'shape.ts'), 'export interface Shape {\n  readonly side: number;\n}\n');
    const agents = Object.entries(AGENTS).map(([name, mcpCapabilities]) => {
      const capabilities = { mcpCapabilities, loadSession: true, sessionCapabilities: { resume: {}, fork: {} } };
      const { command, args, env } = fakeAgent({
        FAKE_CAPABILITIES: JSON.stringify(capabilities),
        FAKE_STORE: join(store, name),
      });
      return [name, { command, args, env }] as const;
    });
    await configure(Object.fromEntries(agents));
  });

  after(async () => {
    for (const { id, agent } of api.catalog.items()) if (agent && agent.name in AGENTS) await api.catalog.remove(id);
    await configure(undefined);
    await remove(folder);
  });

  async function configure(agents: unknown): Promise<void> {
    await vscode.workspace.getConfiguration('parley').update('agents', agents, vscode.ConfigurationTarget.Global);
  }

  async function open(name: Name): Promise<void> {
    session = api.sessions.newChat();
    await session.chooseAgent(name);
  }

  /** The agent's answer to a script. */
  async function tell(...script: string[]): Promise<string> {
    await session.send(script.join('\n'));
    return agentText(session.state);
  }

  async function declared(): Promise<Declared[]> {
    const said = await tell('tell-servers');
    return JSON.parse(/\[servers: (.*)\]/s.exec(said)?.[1] ?? '[]') as Declared[];
  }

  function result(said: string): JsonObject {
    const json = /\[call \S+ \S+: (\{.*\})\]/s.exec(said)?.[1];
    assert.ok(json, said);
    return JSON.parse(json) as JsonObject;
  }

  const path = (): string => vscode.workspace.asRelativePath(join(folder, 'shape.ts'));
  const outline = (): string => `code outline ${JSON.stringify({ path: path() })}`;

  for (const name of ['Acp', 'Http', 'Stdio'] as const) {
    it(`are declared to an agent that supports ${Object.keys(AGENTS[name])[0] ?? 'neither acp nor http'}, and answer it`, async () => {
      await open(name);
      const list = await declared();
      const type = name === 'Stdio' ? undefined : name.toLowerCase();
      for (const server of list) assert.equal(server.type, type);
      const names = list.map((server) => server.name);
      for (const builtIn of BUILT_IN) assert.ok(names.includes(builtIn), `${builtIn} is missing in ${names.join()}`);
      const outlined = result(await tell(`call-tool ${outline()}`));
      assert.match(JSON.stringify(outlined['structuredContent']), /"Shape".*"interface"|"interface".*"Shape"/);
      const wrong = result(await tell('call-tool code outline {"path":"nowhere.ts"}'));
      assert.equal(wrong['isError'], true);
      assert.match(JSON.stringify(wrong['content']), /nowhere\.ts/);
    });
  }

  it('answer over connections of the older protocol', async () => {
    await open('Acp');
    const outlined = result(await tell(`call-tool-connected ${outline()}`));
    assert.match(JSON.stringify(outlined['structuredContent']), /"Shape"/);
  });

  for (const name of ['Acp', 'Http', 'Stdio'] as const) {
    it(`have the same declaration after the agent was restarted (${name})`, async () => {
      await open(name);
      const before = await declared();
      await session.restarter.forceStop();
      assert.deepEqual(await declared(), before);
      assert.equal(result(await tell(`call-tool ${outline()}`))['isError'], undefined);
    });
  }

  it('are separate for each session', async () => {
    await open('Http');
    const first = await declared();
    await open('Http');
    const second = await declared();
    const tokens = [...first, ...second].map(({ headers }) => headers?.[0]?.value);
    assert.equal(new Set(tokens).size, tokens.length);
    const urls = [...first, ...second].map(({ url }) => new URL(url ?? ''));
    assert.equal(new Set(urls.map(({ port }) => port)).size, 1, 'one port for the window');
    assert.equal(new Set(urls.map(({ pathname }) => pathname)).size, urls.length);
  });

  it('are removed from the local HTTP server with their session, but not those of others', async () => {
    await open('Http');
    const other = session;
    const [staying] = await declared();
    await open('Http');
    const [gone] = await declared();
    assert.ok(gone && staying);
    assert.equal(await ping(gone), 400, 'there is no conversation, but a server');
    const { ended } = await openStream(gone);
    await api.sessions.close(session);
    await until(async () => (await ping(gone)) === 404, 'the route is not gone');
    await ended;
    assert.equal(await ping(staying), 400);
    session = other;
    assert.equal(result(await tell(`call-tool ${outline()}`))['isError'], undefined);
  });

  it('leave no relay process after their session was closed', async () => {
    await open('Stdio');
    const pid = Number(/\[keep code: connected (\d+)\]/.exec(await tell('keep-connected code'))?.[1]);
    assert.ok(isRunning(pid));
    const [server] = await declared();
    const variables = Object.fromEntries(server?.env?.map((one) => [one.name, one.value]) ?? []);
    if (process.platform !== 'win32') assert.ok(existsSync(variables['PARLEY_SOCKET'] ?? ''));
    await api.sessions.close(session);
    await until(() => !isRunning(pid), 'the relay runs on');
  });

  /** HTTP status of a request outside any session. */
  async function ping({ url = '', headers = [] }: Declared): Promise<number> {
    const own = Object.fromEntries(headers.map((one) => [one.name, one.value]));
    const { status } = await fetch(url, {
      method: 'POST',
      headers: { ...own, 'Content-Type': 'application/json', Connection: 'close' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    return status;
  }

  /** Opens the server's event stream. `ended` settles when the server ends it. */
  async function openStream({ url = '', headers = [] }: Declared): Promise<{ readonly ended: Promise<unknown> }> {
    const own = Object.fromEntries(headers.map((one) => [one.name, one.value]));
    const response = await fetch(url, { headers: { ...own, Accept: 'text/event-stream' } });
    assert.equal(response.status, 200);
    return { ended: response.text() };
  }
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
