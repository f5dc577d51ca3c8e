import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import type { Workbench } from './workbench';
import { closeAfter, openWorkbench } from './workbench';

/** What was said is found again, kept through the worst, and goes from one window to another as a file. */
describe('the history of sessions in the real workbench', function () {
  this.timeout(240_000);
  let workbench: Workbench;

  beforeEach(async () => {
    const { command, args, env } = fakeAgent();
    workbench = await openWorkbench({
      settings: { 'parley.agents': { Fake: { command, args, env } }, 'parley.defaultAgent': 'Fake' },
    });
    await workbench.focusChat();
  });

  afterEach(async function () {
    await closeAfter(this.currentTest, workbench);
  });

  const message = (): Locator => workbench.chat().getByRole('textbox', { name: 'Message' });
  const conversation = (): Locator => workbench.chat().getByRole('log', { name: 'Conversation' });
  const answer = (text: string): Locator => conversation().getByRole('article', { name: 'Agent' }).getByText(text);
  const input = (): Locator => workbench.page.locator('.quick-input-widget input.input');
  const row = (text: string): Locator =>
    workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();

  async function ask(text: string, answered: string): Promise<void> {
    await message().fill(text);
    await message().press('Enter');
    await answer(answered).first().waitFor();
    await workbench.chat().getByRole('button', { name: 'Send' }).waitFor();
  }

  /** Runs a command that goes on asking in the same input as the palette. */
  async function startCommand(title: string): Promise<void> {
    await workbench.page.keyboard.press('F1');
    await input().fill(`>${title}`);
    await row(title).click();
  }

  it('finds a word that was said in an old session, and shows it there', async () => {
    await ask(`text The aubergine is ripe\\n\\n${'and more words\\n\\n'.repeat(60)}`, 'The aubergine is ripe');
    await workbench.runCommand('Parley: New Chat');
    await ask('text Nothing of interest', 'Nothing of interest');
    await workbench.reload();
    await workbench.focusChat();
    await answer('Nothing of interest').waitFor();
    await startCommand('Parley: Search Sessions');
    await workbench.page.locator('.quick-input-title', { hasText: 'Search Sessions' }).waitFor();
    await input().fill('auber');
    await input().pressSequentially('gine');
    const found = workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'The aubergine is ripe' });
    await found.last().waitFor();
    await workbench.screenshot('history-search');
    await found.last().click();
    await answer('The aubergine is ripe').waitFor();
    await workbench.page.waitForFunction(() => !document.querySelector('.quick-input-widget')?.checkVisibility());
    const marked = await answer('The aubergine is ripe').evaluate(async () => {
      while (!CSS.highlights.get('found')?.size) await new Promise((done) => requestAnimationFrame(done));
      return [...(CSS.highlights.get('found') ?? [])].map((range) => (range as Range).toString());
    });
    assert.deepEqual(marked, ['aubergine']);
    await workbench.screenshot('history-found');
  });

  it('has everything that was shown after the extension host was killed in the middle of an answer', async () => {
    await ask('terminal node -e "console.log(`host ${process.ppid}`)"', 'host ');
    const host = /host (\d+)/.exec(await conversation().innerText())?.[1];
    assert.ok(host);
    await message().fill('chunks 100000 30 20');
    await message().press('Enter');
    await answer('25 x').waitFor();
    process.kill(Number(host), 'SIGKILL');
    await workbench.reload();
    await workbench.focusChat();
    await answer('25 x').waitFor();
    await ask('text Going on', 'Going on');
  });
});
