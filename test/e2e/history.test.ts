import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import { becomes, until } from '../kit/waiting';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';

/** Search, crash recovery, and moving a session to another window as a file. */
describe('the history of sessions in the real workbench', () => {
  let workbench: Workbench;

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => {
      const { command, args, env } = fakeAgent();
      return {
        settings: {
          'parley.agents': { Fake: { command, args, env } },
          'parley.defaultAgent': 'Fake',
        },
      };
    },
  );

  const message = (): Locator => workbench.chat().getByRole('textbox', { name: 'Message' });
  const conversation = (): Locator => workbench.chat().getByRole('log', { name: 'Conversation' });
  const answer = (text: string | RegExp): Locator =>
    conversation().getByRole('article', { name: 'Agent' }).getByText(text);
  const input = (): Locator => workbench.page.locator('.quick-input-widget input.input');
  const row = (text: string): Locator =>
    workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();

  async function ask(text: string, answered: string | RegExp): Promise<void> {
    await message().fill(text);
    await message().press('Enter');
    await answer(answered).first().waitFor();
    await workbench.chat().getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
  }

  it('exports a session as Markdown and JSON, and continues an imported one', async () => {
    await ask('text To be **exported**', 'To be exported');
    assert.match(await exported('talk.md'), /To be \*\*exported\*\*/);
    assert.equal((JSON.parse(await exported('talk.json')) as { format: string }).format, 'parley-session');

    await workbench.runCommand('Parley: Import Session');
    await workbench.page.locator('.quick-input-title', { hasText: 'Import Session' }).waitFor();
    // VS Code lists the files again a moment later: a click may choose another row.
    await row('talk.json').waitFor();
    await input().fill(join(workbench.folder, 'talk.json'));
    await input().press('Enter');
    await workbench.chat().getByText('is read-only').waitFor();
    await answer('To be exported').waitFor();
    assert.equal(await message().count(), 0);
    await workbench.screenshot('history-imported');

    await workbench.runCommand('Parley: Delete Session');
    await workbench.chat().getByText('is read-only').waitFor({ state: 'detached' });
    await workbench.press('was deleted', 'Undo');
    await workbench.chat().getByText('is read-only').waitFor();
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.chat().getByRole('button', { name: 'Continue in Another Chat' }).click();
    await message().waitFor();
    const attached = workbench.chat().getByRole('list', { name: 'Attached' });
    await attached.getByText('text To be').waitFor();
    await ask('text Going on from there', 'Going on from there');
  });

  /**
   * Exports the session into the workspace.
   * @returns The content of the exported file.
   */
  async function exported(name: string): Promise<string> {
    const file = join(workbench.folder, name);
    await workbench.runCommand('Parley: Export Session');
    await workbench.page.locator('.quick-input-title', { hasText: 'Export Session' }).waitFor();
    // After reading the folder, the dialog replaces the typed name by its own.
    await until(async () => (await input().inputValue()).endsWith('.md'), 'the name of a Markdown file is offered');
    await input().fill(file);
    await input().press('Enter');
    await workbench.toast(`The session was exported to ${name}`).waitFor();
    await workbench.runCommand('Notifications: Clear All Notifications');
    return readFile(file, 'utf8');
  }

  /** Whether a transcript on disk contains that text. */
  async function isWritten(text: string): Promise<boolean> {
    const names = (await readdir(workbench.data, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
    const texts = await Promise.all(names.map((name) => readFile(join(workbench.data, name), 'utf8')));
    return texts.some((one) => one.includes(text));
  }

  it('restores everything shown before the extension host was killed during an answer, and finds a word of an older session', async () => {
    await ask(`text The aubergine is ripe\\n\\n${'and more words\\n\\n'.repeat(60)}`, 'The aubergine is ripe');
    await workbench.runCommand('Parley: New Chat');
    await answer('The aubergine is ripe').waitFor({ state: 'detached' });
    await writeFile(join(workbench.folder, 'host.cjs'), 'console.log(`host ${process.ppid} says so`)');
    await ask('terminal node host.cjs', /host \d+ says so/);
    const host = /host (\d+) says so/.exec(await conversation().innerText())?.[1];
    assert.ok(host);
    await message().fill('chunks 100000 30 20');
    await message().press('Enter');
    await answer('25 x').waitFor();
    // The text is shown before it is written, and a busy disk may take longer than a page.
    await becomes(() => isWritten('25 x'), true);
    process.kill(Number(host), 'SIGKILL');
    await workbench.reload();
    await workbench.focusChat();
    await answer('25 x').waitFor();
    await ask('text Going on', 'Going on');

    await workbench.runCommand('Parley: Search Sessions');
    await workbench.page.locator('.quick-input-title', { hasText: 'Search Sessions' }).waitFor();
    await input().fill('auber');
    await input().pressSequentially('gine');
    // The line of the answer: earlier rows show the title of the session, and the first match shows the prompt.
    const found = row('In the same session').filter({ hasText: 'The aubergine is ripe' });
    await found.waitFor();
    await workbench.screenshot('history-search');
    await found.click();
    await answer('The aubergine is ripe').waitFor();
    await workbench.page.waitForFunction(() => !document.querySelector('.quick-input-widget')?.checkVisibility());
    const marked = await answer('The aubergine is ripe').evaluate(async () => {
      while (!CSS.highlights.get('found')?.size) await new Promise((done) => requestAnimationFrame(done));
      return [...(CSS.highlights.get('found') ?? [])].map((range) => (range as Range).toString());
    });
    assert.deepEqual(marked, ['aubergine']);
    await workbench.screenshot('history-found');
  });
});
