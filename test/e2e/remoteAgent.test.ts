import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import type { RemoteServer } from '../remoteAgent/server';
import { startRemoteServer } from '../remoteAgent/server';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';

/** What a suite about a remote agent has. */
interface Remote {
  readonly workbench: Workbench;
  readonly server: RemoteServer;
  /** Reads the messages that the agent received. */
  readonly received: () => string;
}

/**
 * Starts the agent "Far" for the tests of a suite, which run in the shared window.
 * @param variables further environment variables of the agent
 */
function withRemoteAgent(variables: Readonly<Record<string, string>> = {}): () => Remote {
  let workbench: Workbench;
  let server: RemoteServer;
  let folder: string;

  before(async () => {
    folder = await makeTemporaryFolder('remote');
    server = await startRemoteServer({
      FAKE_STORE: join(folder, 'sessions'),
      FAKE_CAPABILITIES: JSON.stringify({ loadSession: true, sessionCapabilities: { resume: {} } }),
      FAKE_LOG: join(folder, 'received.jsonl'),
      ...variables,
    });
  });

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => {
      const agent = { type: 'ws', url: `ws://127.0.0.1:${server.port}/acp` };
      return { settings: { 'parley.agents': { Far: agent }, 'parley.defaultAgent': 'Far' } };
    },
  );

  after(async () => {
    await server?.close();
    if (folder) await removeFolder(folder);
  });

  return () => ({ workbench, server, received: () => readFileSync(join(folder, 'received.jsonl'), 'utf8') });
}

/** An agent on another machine, over WebSocket, continues while the window is gone, and asks again when the session is resumed. */
describe('a remote agent that works during a reload of the window', () => {
  const remote = withRemoteAgent({ FAKE_RESUME_ASK: 'Deploy, again' });

  it('has its session resumed when the window starts, and gets the answer to what it asks then', async () => {
    const { workbench } = remote();
    const chat = workbench.chat();
    const message = chat.getByRole('textbox', { name: 'Message' });
    const answer = chat.getByRole('article', { name: 'Agent' });
    await message.fill(
      'text Before the reload\ntool t1 execute Deploy\npermission t1 allow_once:Go reject_once:No\nhang',
    );
    await message.press('Enter');
    await chat.getByRole('group', { name: 'Permission: Deploy' }).getByRole('button', { name: 'Go' }).waitFor();
    await workbench.reload();
    // Before anything of Parley is used in the window.
    await workbench.page.locator('#parley\\.parley\\.parley\\.status').getByText('1 waiting').waitFor();
    assert.doesNotMatch(remote().received(), /"outcome"/);
    await workbench.focusChat();
    await chat.getByText('Canceled: window reloaded').waitFor();
    const again = chat.getByRole('group', { name: 'Permission: Deploy, again' });
    await again.getByRole('button', { name: 'Allow' }).click();
    await answer.getByText('asked again: {"outcome":{"outcome":"selected","optionId":"yes"}}').waitFor();
    await chat.getByRole('status', { name: 'Agent' }).getByText('Far: ready').waitFor({ state: 'attached' });
    assert.equal(await answer.getByText('Before the reload').count(), 1);
    assert.equal(await chat.getByText('Agent restarted').count(), 0);
  });
});
