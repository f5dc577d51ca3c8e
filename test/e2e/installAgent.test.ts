import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { platformName } from '../../src/agent/registry/distribution';
import { fakeAgentPath } from '../fakeAgent/definition';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { WebServer, binaryEntry, file, sha256, tgz } from '../unit/agent/registry/installsBench';
import { shareWorkbench } from './sharedWorkbench';
import type { Workbench } from './workbench';

/** A local registry with one agent in an archive, and a user who installs it and sends a message. */
describe('installing an agent', () => {
  let web: WebServer;
  let workbench: Workbench;
  /** A home folder with an installed agent. */
  let found: string;

  before(async () => {
    found = await makeTemporaryFolder('found');
    const there = `#!/bin/sh\nexec '${process.execPath}' '${fakeAgentPath()}' "$@"\n`;
    await mkdir(join(found, '.local/bin'), { recursive: true });
    await writeFile(join(found, '.local/bin/gemini'), there, { mode: 0o755 });
  });

  before(async function () {
    const platform = platformName(process.platform, process.arch);
    if (platform === undefined || process.platform === 'win32') this.skip();
    web = await WebServer.start();
    const start = `#!/bin/sh\nexec '${process.execPath}' "$(dirname "$0")/main.js" "$@"\n`;
    const program = await readFile(fakeAgentPath(), 'utf8');
    const archive = await tgz([file('bin/agent', start, 0o755), file('bin/main.js', program)]);
    const { distribution, ...entry } = binaryEntry(web.file('/agent.tar.gz', archive), { sha256: sha256(archive) });
    const binary = { [platform]: distribution.binary['linux-x86_64'] };
    web.file('/registry.json', JSON.stringify({ agents: [{ ...entry, distribution: { binary } }] }));
  });

  shareWorkbench(
    (opened) => (workbench = opened),
    () => ({
      settings: { 'parley.registry.url': web.url('/registry.json') },
      // VS Code takes PATH from a login shell, so a test cannot set it; the usual folders of a home are searched as well.
      env: { HOME: found },
    }),
  );

  after(async () => {
    await web?.stop();
    if (found) await removeFolder(found);
  });

  const row = (text: string): Locator =>
    workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();

  it('from the registry: lists, shows, downloads and starts it, and keeps it after a reload', async () => {
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
    await workbench.press('Packed 1.0.0 is installed.', 'Start Chat');
    const status = (): Locator => workbench.chat().getByRole('status', { name: 'Agent' });
    await status().getByText('Packed: ready').waitFor();
    await workbench.chat().getByRole('textbox', { name: 'Message' }).fill('text I was installed');
    await workbench.chat().getByRole('button', { name: 'Send' }).click();
    await workbench.chat().getByRole('article', { name: 'Agent' }).getByText('I was installed').waitFor();
    await workbench.reload();
    await workbench.runCommand('Parley: Select Agent');
    await row('Packed').getByText('1.0.0 from the ACP Registry').waitFor();
  });

  it('from this machine: offers it in the chat, shows it completely, and starts it', async () => {
    const { page } = workbench;
    const group = workbench.chat().getByRole('group', { name: 'Found on this machine' });
    await group.getByRole('button', { name: `Gemini CLI ${join(found, '.local/bin/gemini')} --acp` }).click();
    const dialog = page.getByRole('dialog').filter({ hasText: 'Use Gemini CLI?' });
    await dialog.waitFor();
    assert.match(await dialog.innerText(), /Command: .*gemini\s+Arguments: "--acp"/);
    await workbench.screenshot('e2e-found-agent');
    await dialog.getByRole('button', { name: 'Add and Start' }).click();
    await workbench.chat().getByRole('status', { name: 'Agent' }).getByText('Gemini CLI: ready').waitFor();
    await group.waitFor({ state: 'detached' });
    await workbench
      .chat()
      .getByRole('group', { name: 'Agents' })
      .getByRole('button', { name: /^Gemini CLI/ })
      .waitFor();
  });
});
