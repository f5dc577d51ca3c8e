import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import { connectClient } from '../a2a/client';
import type { SampleAgent } from '../a2a/sampleAgent';
import { startSampleAgent } from '../a2a/sampleAgent';
import { fakeAgent } from '../fakeAgent/definition';
import { until } from '../kit/waiting';
import { replaceDialogs } from './replaceDialogs';

/** The gateway through its commands, and an A2A agent from the settings. */
describe('A2A in the extension host', () => {
  let api: TestApi;
  let agent: SampleAgent;
  const said: string[] = [];
  const copied: string[] = [];
  let restore: () => void;

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    agent = await startSampleAgent();
    // The user presses the first button.
    restore = replaceDialogs({
      showInformationMessage: async (message: string, first?: string) => {
        said.push(message);
        if (first !== undefined) copied.push(first);
        return first;
      },
    });
  });

  after(async () => {
    restore();
    await configure('agents', undefined);
    await configure('a2a.agents', undefined);
    agent.close();
  });

  async function configure(key: string, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration('parley').update(key, value, vscode.ConfigurationTarget.Global);
  }

  it('gives a client with URL and token the tools of a session, until it is stopped', async () => {
    const session = api.sessions.newChat();
    await vscode.commands.executeCommand('parley.startA2aGateway');
    const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(said[0] ?? '')?.[0];
    assert.ok(url, said.join());
    await until(() => copied.length >= 2);
    assert.deepEqual(copied, ['Copy URL', 'Copy Token']);
    let token = await vscode.env.clipboard.readText();
    await until(async () => (token = await vscode.env.clipboard.readText()) !== url);
    const client = await connectClient(url, token);
    const { state, answer } = await client.run({
      mcp_target_url: `mcp+session://${session.id}/problems`,
      mcp_method: 'tools/call',
      mcp_params: { name: 'list', arguments: {} },
    });
    assert.equal(state, 'TASK_STATE_COMPLETED', JSON.stringify(answer));
    assert.match(JSON.stringify(answer.mcp_result), /"structuredContent"/);
    const offered: string[] = [];
    // When run again, the command lists actions for the gateway; the user selects the last.
    const showQuickPick = async (items: readonly vscode.QuickPickItem[]): Promise<unknown> => {
      offered.push(...items.map(({ label }) => label.replace(/^\$\([\w-]+\) /, '')));
      return items.at(-1);
    };
    const records = await api.policy.audit.entries();
    assert.equal(records.at(-1)?.agent, 'A2A client');
    const restorePick = replaceDialogs({ showQuickPick });
    try {
      await vscode.commands.executeCommand('parley.startA2aGateway');
    } finally {
      restorePick();
    }
    assert.deepEqual(offered, ['Copy URL', 'Copy Token', 'Stop A2A Gateway']);
    await assert.rejects(fetch(url));
    await vscode.commands.executeCommand('parley.stopA2aGateway');
    assert.match(said.at(-1) ?? '', /is not running/);
  });

  it('offers an A2A agent of the settings as a tool server, after the first session with an agent', async () => {
    const { command, args, env } = fakeAgent({});
    await configure('agents', { Fake: { command, args, env } });
    await configure('a2a.agents', { Desk: { url: agent.url } });
    assert.equal(agent.headers.length, 0, 'reached before any session needed it');
    const { servers } = api.mcp;
    const offered = new Promise<void>((resolve) => {
      const look = (): void => {
        if (servers.get('a2a-desk')) resolve();
      };
      servers.onDidChange(look);
      look();
    });
    const session = api.sessions.newChat();
    await session.chooseAgent('Fake');
    await offered;
    const registered = servers.get('a2a-desk');
    assert.equal(registered?.origin, 'a2a');
    assert.deepEqual(registered?.server.tools.map(({ name, approval }) => [name, approval])[0], ['do_it', 'always']);
    const gone = new Promise<void>((resolve) => {
      servers.onDidChange(() => {
        if (!servers.get('a2a-desk')) resolve();
      });
    });
    await configure('a2a.agents', undefined);
    await gone;
  });
});
