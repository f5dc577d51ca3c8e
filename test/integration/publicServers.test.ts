import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { LiveSession } from '../../src/session/liveSession';
import { findServerPrompt } from '../../src/session/serverContent';
import type { Block } from '../../src/shared/state/contentBlocks';
import { agentsFolder } from '../agents/places';
import { agentText } from '../conformance/agentRun';
import { fakeAgent } from '../fakeAgent/definition';
import { temporaryFolder } from '../kit/temporaryFolder';
import { becomes } from '../kit/waiting';

/** Servers of the MCP project, which `npm test integration` installs. */
const installed = join(agentsFolder(), '..', 'publicServers', 'node_modules', '@modelcontextprotocol');

interface Started {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function started(name: string, args: readonly string[] = [], env: Started['env'] = {}): Started {
  const file = join(installed, `server-${name}`, 'dist', 'index.js');
  return { command: process.execPath, args: [file, ...args], env: { ELECTRON_RUN_AS_NODE: '1', ...env } };
}

/** As a user sees them: in the Tools panel, by `/` and `@`, and through an agent. */
describe('public MCP servers in the extension host', () => {
  let api: TestApi;
  let session: LiveSession;
  let root: string;
  let overSse: ChildProcess | undefined;

  before(async function () {
    if (!existsSync(installed)) this.skip();
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    const port = await freePort();
    const { command, args, env } = started('everything', ['sse'], { PORT: String(port) });
    overSse = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
    await once(overSse.stderr ?? assert.fail(), 'data');
    const agent = fakeAgent({ FAKE_CAPABILITIES: JSON.stringify({ mcpCapabilities: { http: true } }) });
    await configure('agents', { Public: { command: agent.command, args: agent.args, env: agent.env } });
    await configure('mcp.gateway', 'always');
    await configure('permissions.rules', [{ decision: 'allow', tool: '*' }]);
    await configure('mcpServers', {
      everything: started('everything'),
      files: started('filesystem', [root]),
      memory: started('memory', [], { MEMORY_FILE_PATH: join(temporaryFolder(), 'memory.jsonl') }),
      thinking: started('sequential-thinking'),
      events: { url: `http://127.0.0.1:${port}/sse` },
    });
    session = api.sessions.newChat();
    await session.chooseAgent('Public');
  });

  after(async () => {
    overSse?.kill();
    for (const key of ['mcpServers', 'mcp.gateway', 'permissions.rules', 'agents']) await configure(key, undefined);
  });

  async function configure(key: string, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration('parley').update(key, value, vscode.ConfigurationTarget.Global);
  }

  /** The result of a call by the agent, as JSON. */
  async function call(server: string, tool: string, input: object = {}): Promise<string> {
    await session.send(`call-tool ${server} ${tool} ${JSON.stringify(input)}`);
    return agentText(session.state);
  }

  it('are listed in the Tools panel, with what they offer', async () => {
    const view = api.mcp.panel.view(session);
    const shown = (): string[] =>
      api.mcp.panel
        .stateFor(session)
        .servers.filter(({ origin }) => origin === 'person')
        .map(({ name, tools, resources, prompts = [] }) => {
          const isUsable = tools.every(({ unavailableReason }) => unavailableReason === undefined);
          return `${name} ${tools.length > 0 && isUsable} ${resources.length} ${prompts.length}`;
        });
    await becomes(shown, [
      'everything true 9 4',
      'files true 0 0',
      'memory true 1 0',
      'thinking true 0 0',
      'events true 9 4',
    ]);
    view.dispose();
  });

  it('give the user their prompts, with suggestions for arguments', async () => {
    const prompts = api.mcp.content.prompts(session);
    for (const server of ['everything', 'events']) {
      const found = findServerPrompt(`/${server}:args-prompt city="Paris"`, prompts, []);
      assert.deepEqual(await found?.prompt.get(found.values), { text: "What's weather in Paris?", blocks: [] });
      const asking = prompts.find(({ command }) => command === `${server}:completable-prompt`);
      assert.deepEqual(await asking?.complete('department', 'E', {}), ['Engineering']);
      assert.ok((await asking?.complete('name', '', { department: 'Engineering' }))?.includes('Alice'));
    }
    const withResource = findServerPrompt(
      '/everything:resource-prompt resourceType="Text" resourceId="1"',
      prompts,
      [],
    );
    const { blocks = [] } = (await withResource?.prompt.get(withResource.values)) ?? {};
    assert.deepEqual(blocks.map(uriOf), ['demo://resource/dynamic/text/1']);
  });

  it('give the user their resources, and those of templates', async () => {
    const { content } = api.mcp;
    const listed = content.resources(session).map(({ server, uri }) => `${server} ${uri}`);
    assert.ok(listed.includes('memory memory://knowledge-graph'), listed.join());
    for (const server of ['everything', 'events'])
      for (const uri of ['demo://resource/static/document/features.md', 'demo://resource/dynamic/blob/2']) {
        assert.deepEqual((await content.read(session, server, uri)).map(uriOf), [uri]);
      }
  });

  it('are called by an agent, and see the folders of the window', async () => {
    for (const server of ['everything', 'events']) {
      assert.match(await call(server, 'echo', { message: 'here' }), /"Echo: here"/);
      assert.match(
        await call(server, 'get-structured-content', { location: 'New York' }),
        /"structuredContent":\{"temp/,
      );
      assert.match(await call(server, 'get-tiny-image'), /"type":"image","data":"iVBOR/);
      assert.match(await call(server, 'trigger-long-running-operation', { duration: 1, steps: 2 }), /completed/);
    }
    assert.ok((await call('everything', 'get-roots-list')).includes(vscode.Uri.file(root).toString()));
    assert.ok((await call('files', 'list_directory', { path: root })).includes('[FILE]'));
    const entities = [{ name: 'Parley', entityType: 'program', observations: ['asks first'] }];
    await call('memory', 'create_entities', { entities });
    assert.match(await call('memory', 'read_graph'), /asks first/);
    const thought = { thought: 'x', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    assert.match(await call('thinking', 'sequentialthinking', thought), /"thoughtHistoryLength":1/);
  });
});

const uriOf = (block: Block): string | undefined => ('uri' in block ? block.uri : undefined);

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
