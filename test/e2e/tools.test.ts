import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/base/json';
import { fakeAgentPath } from '../fakeAgent/definition';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { becomes } from '../kit/waiting';
import type { Workbench } from './workbench';
import { closeAfter, openWorkbench } from './workbench';

interface Declared {
  readonly name: string;
  readonly url?: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/** Tool servers during the lifetime of a window, from workspace trust to its end. */
describe('tool servers in the workbench', () => {
  let workbench: Workbench | undefined;
  let folder: string;

  beforeEach(async () => {
    folder = await makeTemporaryFolder('tools');
    workbench = await openWorkbench({
      workspaceTrust: true,
      settings: {
        'security.workspace.trust.startupPrompt': 'never',
        'security.workspace.trust.banner': 'never',
        'workbench.editor.useModal': 'off',
        'parley.defaultAgent': 'Http',
      },
      machineSettings: { 'parley.agents': { Http: agent('Http', { http: true }), Stdio: agent('Stdio', {}) } },
    });
    await workbench.focusChat();
  });

  afterEach(async function () {
    await closeAfter(this.currentTest, workbench);
    if (folder) await removeFolder(folder);
  });

  function agent(name: string, mcpCapabilities: object) {
    const capabilities = { mcpCapabilities, loadSession: true, sessionCapabilities: { resume: {} } };
    const env = {
      FAKE_STORE: join(folder, name),
      FAKE_LOG: join(folder, `${name}.jsonl`),
      FAKE_CAPABILITIES: JSON.stringify(capabilities),
    };
    return { command: process.execPath, args: [fakeAgentPath()], env };
  }

  /** The servers that the agent received each time a session was opened. */
  function declared(name: string): Declared[][] {
    const lines = readFileSync(join(folder, `${name}.jsonl`), 'utf8')
      .trim()
      .split('\n');
    const messages = lines.map((line) => JSON.parse(line) as { method?: string; params?: JsonObject });
    return messages
      .filter(({ method }) => method === 'session/new' || method === 'session/resume' || method === 'session/load')
      .map(({ params }) => params?.['mcpServers'] as Declared[]);
  }

  it('are available in a trusted workspace, also in open chats and after a reload, and end with the window', async () => {
    assert.ok(workbench);
    const { page } = workbench;
    const chat = workbench.chat();
    const message = chat.getByRole('textbox', { name: 'Message' });
    const answers = chat.getByRole('article', { name: 'Agent' });
    const send = async (script: string): Promise<string> => {
      const before = await answers.count();
      await message.fill(script);
      await message.press('Enter');
      const answer = answers.nth(before);
      await answer.getByText(/\]\s*$/).waitFor();
      return answer.innerText();
    };
    assert.match(await send('tell-servers'), /\[servers: \[\]\]/);

    await workbench.runCommand('Workspaces: Manage Workspace Trust');
    await page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).click();
    // The agent process ends a moment later and restarts with the next message.
    await chat.getByRole('status', { name: 'Agent' }).getByText('Http: not started').waitFor({ state: 'attached' });
    assert.match(await send('call-tool problems list'), /"structuredContent":\{"problems":\[/);
    await workbench.screenshot('e2e-tools');
    const [first, last] = [declared('Http')[0], declared('Http').at(-1)];
    assert.deepEqual(first, []);
    const left = last?.[0]?.url ?? '';
    const [header] = last?.[0]?.headers ?? [];
    assert.equal((await fetch(left)).status, 401, 'it answers, but not without the token');

    const shown = await answers.count();
    await workbench.reload();
    await workbench.focusChat();
    await answers.nth(shown - 1).waitFor();
    assert.match(await send('call-tool problems list'), /"structuredContent":\{"problems":\[/);
    const again = declared('Http').at(-1) ?? [];
    const names = (list: readonly Declared[] = []): string[] => list.map(({ name }) => name);
    assert.deepEqual(names(again), names(last), 'the same servers are declared to the session that came back');
    const url = again[0]?.url ?? '';
    const old = { headers: { [header?.name ?? '']: header?.value ?? '' } };
    assert.equal((await fetch(url, old)).status, 401, 'a token ends with its window');
    // Its URL closes as well: the extension host of a closed window shuts down.
    await becomes(
      () =>
        fetch(left, old).then(
          ({ status }) => status,
          () => 'closed',
        ),
      'closed',
    );

    await workbench.runCommand('Parley: New Chat');
    await answers.first().waitFor({ state: 'detached' });
    await workbench.runCommand('Parley: Select Agent');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Stdio' }).first().click();
    await chat.getByRole('status', { name: 'Agent' }).getByText('Stdio: ready').waitFor({ state: 'attached' });
    assert.match(await send('keep-connected problems'), /connected \d+/);
    const [server] = declared('Stdio').at(-1) ?? [];
    const socket = server?.env?.find(({ name }) => name === 'PARLEY_SOCKET')?.value ?? '';
    assert.equal(existsSync(socket), process.platform !== 'win32');

    // Fails when a process is left; the relay was running.
    await workbench.close();
    workbench = undefined;
    await assert.rejects(fetch(url), 'the port is closed');
    assert.ok(!existsSync(socket), 'the socket is gone');
  });
});
