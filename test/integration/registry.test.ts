import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import { fakeAgentPath } from '../fakeAgent/definition';
import { temporaryFolder } from '../kit/temporaryFolder';
import { InstallsBench, WebServer, binaryEntry, file, sha256, tgz } from '../unit/agent/registry/installsBench';

describe('installed agents in the extension host', () => {
  let api: TestApi;

  before(async () => {
    api = (await vscode.extensions.getExtension<TestApi>('parley.parley')?.activate()) as TestApi;
    assert.ok(api, 'the extension gives its tests what they need');
  });

  it('start like agents of the settings, and are removed without changing the settings', async function () {
    if (process.platform === 'win32') this.skip();
    const folder = temporaryFolder();
    const path = join(folder, 'fake');
    // In a desktop VS Code, process.execPath is Electron.
    const start = `#!/bin/sh\nELECTRON_RUN_AS_NODE=1 exec '${process.execPath}' '${fakeAgentPath()}'\n`;
    await writeFile(path, start, { mode: 0o755 });
    const settings = vscode.workspace.getConfiguration('parley').inspect('agents');
    await api.installs.add({ id: 'fake-found', title: 'Fake found', command: 'fake', args: [], path });
    try {
      const session = api.sessions.newChat('fake-found');
      assert.equal(session.state.agent?.title, 'Fake found');
      await session.send('text from PATH');
      assert.match(JSON.stringify(session.state.entries), /"from PATH"/);
      assert.deepEqual(vscode.workspace.getConfiguration('parley').inspect('agents'), settings);
      await session.restarter.forceStop();
    } finally {
      await api.installs.remove('fake-found');
      await rm(folder, { recursive: true });
    }
    const after = api.sessions.newChat('fake-found');
    await after.send('text anybody?');
    assert.match(JSON.stringify(after.state.entries), /no agent named “fake-found”/);
    assert.deepEqual(api.installs.listInstalled(), []);
  });

  it('are downloaded through the network of the extension host', async () => {
    const web = await WebServer.start();
    const bench = new InstallsBench(web.url('/registry.json'));
    try {
      const archive = await tgz([file('bin/agent', 'program', 0o755)]);
      const entry = binaryEntry(web.file('/a.tgz', archive), { sha256: sha256(archive) });
      web.file('/registry.json', JSON.stringify({ agents: [entry] }));
      const [offer] = (await bench.installs.listing()).offers;
      assert.ok(offer);
      const { command } = await bench.installs.install(await bench.installs.plan(offer.agent, offer.choice));
      assert.equal(await readFile(command, 'utf8'), 'program');
    } finally {
      bench.dispose();
      await web.stop();
    }
  });
});
