import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import { fakeAgent } from '../fakeAgent/definition';
import { InstallsBench, WebServer, binaryEntry, file, sha256, tgz } from '../unit/registry/bench';
import { until } from './clientHelp';

describe('installed agents in the extension host', function () {
  this.timeout(30_000);
  let api: TestApi;

  before(async () => {
    api = (await vscode.extensions.getExtension<TestApi>('parley.parley')?.activate()) as TestApi;
    assert.ok(api, 'the extension gives its tests what they need');
  });

  it('are chosen like those of the settings, which stay as they are; a removed one is gone', async () => {
    const { command, args } = fakeAgent();
    const before = vscode.workspace.getConfiguration('parley').inspect('agents');
    // The editor's own Node runs the fake agent, so that none has to be on PATH.
    await api.installs.add({ id: 'fake-found', title: 'Fake found', command: 'fake', args, path: command });
    try {
      const session = api.sessions.newChat('fake-found');
      assert.equal(session.state.agent?.title, 'Fake found');
      assert.deepEqual(vscode.workspace.getConfiguration('parley').inspect('agents'), before);
    } finally {
      await api.installs.remove('fake-found');
    }
    const session = api.sessions.newChat();
    await session.chooseAgent('fake-found');
    await until(session.onDidDispatch, () => session.state.entries.count > 0);
    assert.match(JSON.stringify(session.state.entries), /no agent named “fake-found”/);
    assert.deepEqual(api.installs.installed(), []);
  });

  it('come from a server through the network of the extension host', async () => {
    const web = await WebServer.start();
    const bench = new InstallsBench(web.url('/registry.json'));
    try {
      const archive = await tgz([file('bin/agent', 'program', 0o755)]);
      const entry = binaryEntry(web.file('/a.tgz', archive), { sha256: sha256(archive) });
      web.file('/registry.json', JSON.stringify({ agents: [entry] }));
      const [offer] = (await bench.installs.shelf()).offers;
      assert.ok(offer);
      const { command } = await bench.installs.install(await bench.installs.plan(offer.agent, offer.choice));
      assert.equal(await readFile(command, 'utf8'), 'program');
    } finally {
      bench.dispose();
      await web.stop();
    }
  });
});
