import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { platformName } from '../../src/agent/registry/choice';
import { fakeAgentPath } from '../fakeAgent/definition';
import { WebServer, binaryEntry, file, sha256, tgz } from '../unit/registry/bench';
import type { Workbench } from './workbench';
import { openWorkbench } from './workbench';

/** A registry on this machine with one agent in an archive, and a person who installs it and talks to it. */
describe('installing an agent', function () {
  this.timeout(240_000);
  let web: WebServer;
  let workbench: Workbench;

  beforeEach(async function () {
    const platform = platformName(process.platform, process.arch);
    if (platform === undefined || process.platform === 'win32') this.skip();
    web = await WebServer.start();
    const start = `#!/bin/sh\nexec '${process.execPath}' "$(dirname "$0")/main.js" "$@"\n`;
    const program = await readFile(fakeAgentPath(), 'utf8');
    const archive = await tgz([file('bin/agent', start, 0o755), file('bin/main.js', program)]);
    const { distribution, ...entry } = binaryEntry(web.file('/agent.tar.gz', archive), { sha256: sha256(archive) });
    const binary = { [platform]: distribution.binary['linux-x86_64'] };
    web.file('/registry.json', JSON.stringify({ agents: [{ ...entry, distribution: { binary } }] }));
    workbench = await openWorkbench({ settings: { 'parley.registry.url': web.url('/registry.json') } });
    await workbench.focusChat();
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      await workbench?.screenshot(`failed-${this.currentTest.title.replaceAll(/\W+/g, '-')}`);
      console.log(workbench?.logs().split('\n').slice(-60).join('\n'));
    }
    await workbench?.close();
    await web?.stop();
  });

  const row = (text: string): Locator =>
    workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();

  it('from the registry: listed, shown in full, downloaded, started, and still there after a reload', async () => {
    const { page } = workbench;
    await workbench.chat().getByRole('button', { name: 'Install Agent…' }).click();
    await row('Packed').click();
    const dialog = page.getByRole('dialog').filter({ hasText: 'Install Packed?' });
    await dialog.waitFor();
    const question = await dialog.innerText();
    assert.match(question, /Version: 1\.0\.0/);
    assert.match(question, /SHA-256: [0-9a-f]{64}/);
    assert.match(question, /Command: .*packed.1\.0\.0.bin.agent/);
    assert.equal(web.count('/agent.tar.gz'), 0, 'nothing is downloaded before the yes');
    await workbench.screenshot('e2e-install-agent');
    await dialog.getByRole('button', { name: 'Install', exact: true }).click();
    await workbench.toast('Packed 1.0.0 is installed.').getByRole('button', { name: 'Start Chat' }).click();
    const status = (): Locator => workbench.chat().getByRole('status', { name: 'Agent' });
    await status().getByText('Packed: ready').waitFor();
    await workbench.chat().getByRole('textbox', { name: 'Message' }).fill('text I was installed');
    await workbench.chat().getByRole('button', { name: 'Send' }).click();
    await workbench.chat().getByRole('article', { name: 'Agent' }).getByText('I was installed').waitFor();
    await workbench.reload();
    await workbench.runCommand('Parley: Select Agent');
    await row('Packed').waitFor();
    assert.match(await row('Packed').innerText(), /1\.0\.0 from the ACP Registry/);
  });
});
