import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { fakeAgentPath } from '../fakeAgent/definition';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { becomes } from '../kit/waiting';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';
import { closeKept } from './workbench';

/** An MCP server without libraries that writes its process id to a file when it starts. */
const SERVER = `
require('node:fs').appendFileSync(process.env.PIDS, process.pid + '\\n');
const tool = (name) => ({ name, description: 'Says its name', inputSchema: { type: 'object' } });
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } }),
  'tools/list': () => ({ tools: [tool('open'), tool('secret')] }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: 'called ' + name }] }),
};
let rest = '';
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method](params) }) + '\\n');
  }
});
process.stdin.on('end', () => process.exit());
`;

/** A stdio MCP server in the user's settings; all other settings are defaults. */
describe('a user MCP server in the workbench', () => {
  let workbench: Workbench;
  let folder: string;

  before(async () => {
    folder = await makeTemporaryFolder('user-server');
  });

  const settings = (): Record<string, unknown> => {
    const capabilities = { mcpCapabilities: { http: true }, loadSession: true, sessionCapabilities: { resume: {} } };
    const env = {
      FAKE_STORE: join(folder, 'sessions'),
      FAKE_LOG: join(folder, 'received.jsonl'),
      FAKE_CAPABILITIES: JSON.stringify(capabilities),
    };
    const notes = { command: process.execPath, args: ['-e', SERVER], env: { PIDS: join(folder, 'pids') } };
    return {
      'parley.agents': { Caller: { command: process.execPath, args: [fakeAgentPath()], env } },
      'parley.defaultAgent': 'Caller',
      'parley.mcpServers': { notes },
    };
  };

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => ({ settings: settings() }),
  );

  after(() => removeFolder(folder));

  /** All process ids of the server, and those still running. */
  const started = async (): Promise<number[]> =>
    (await readFile(join(folder, 'pids'), 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);
  const running = async (): Promise<number[]> => (await started()).filter(isRunning);

  /** The server's declaration in the last request that opened a session. */
  function declared(): string[] {
    const lines = readFileSync(join(folder, 'received.jsonl'), 'utf8').trim().split('\n');
    const servers = lines
      .map((line) => JSON.parse(line) as { params?: { mcpServers?: { name: string; url?: string }[] } })
      .findLast(({ params }) => params?.mcpServers)?.params?.mcpServers;
    return Object.keys(servers?.find(({ name }) => name === 'notes') ?? {});
  }

  it('is listed with its tools over a temporary connection, and a disabled tool is hidden from the agent', async () => {
    const chat = workbench.chat();
    const panel = chat.getByRole('region', { name: 'Tools' });
    const row = (text: string): Locator =>
      panel.getByRole('button', { name: `notes from your configuration · ${text}` });
    const message = chat.getByRole('textbox', { name: 'Message' });
    const answers = chat.getByRole('article', { name: 'Agent' });
    const send = async (script: string): Promise<string> => {
      const before = await answers.count();
      await message.fill(script);
      await message.press('Enter');
      await answers
        .nth(before)
        .getByText(/\]\s*$/)
        .waitFor();
      return answers.nth(before).innerText();
    };
    assert.deepEqual(await started(), [], 'opening the window starts no server');

    await chat.getByRole('button', { name: 'Tools', exact: true }).click();
    await row('2 tools').click();
    const secret = panel.getByRole('switch', { name: 'notes__secret' });
    await secret.waitFor();
    assert.equal(await secret.getAttribute('aria-checked'), 'true');
    assert.equal((await started()).length, 1);
    await becomes(running, []);
    await workbench.screenshot('e2e-user-server');
    await workbench.page.keyboard.press('Escape');

    assert.match(await send('call-tool notes secret'), /called secret/);
    assert.ok(declared().includes('command'), 'the agent starts the server itself');

    await chat.getByRole('button', { name: 'Tools', exact: true }).click();
    await row('2 tools').click();
    await secret.click();
    await row('1 of 2 tools').waitFor();
    await becomes(() => secret.getAttribute('aria-checked'), 'false');
    await workbench.page.keyboard.press('Escape');
    // The agent process itself runs the server: it ends a moment later, and restarts with the next message.
    await chat.getByRole('status', { name: 'Agent' }).getByText('Caller: not started').waitFor({ state: 'attached' });
    const refused = await send('call-tool notes secret');
    assert.doesNotMatch(refused, /called secret/);
    assert.match(refused, /not found|not offered|unknown tool/i);
    await message.fill('call-tool notes open');
    await message.press('Enter');
    await chat
      .getByRole('group', { name: /^Permission: / })
      .getByRole('button', { name: 'Allow once' })
      .click();
    await answers.getByText('called open').waitFor();
    assert.ok(declared().includes('url'), 'the agent reaches the server through Parley');

    // By its name, this is the last of the suites that share the window.
    await closeKept();
    assert.deepEqual(await running(), []);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
