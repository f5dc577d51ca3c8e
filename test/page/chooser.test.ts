import assert from 'node:assert/strict';
import { ChatPage, closeBrowser, surroundings } from './harness';

const found = [
  { name: 'gemini', title: 'Gemini CLI', description: '/opt/tools/bin/gemini --acp' },
  { name: 'goose', title: 'goose', description: `/home/me/${'very-long/'.repeat(20)}goose acp` },
];

describe('choosing an agent', function () {
  this.timeout(60_000);
  let chat: ChatPage;
  after(closeBrowser);
  afterEach(() => chat.close());

  it('offers what is in the list, what was found on this machine, and the registry', async () => {
    chat = await ChatPage.open();
    await chat.snapshot([], { ...surroundings, found: found.slice(0, 1) });
    assert.equal(
      await chat.log.ariaSnapshot(),
      `- log "Conversation":
  - heading "Parley" [level=2]
  - paragraph: Work with any Agent Client Protocol agent, right here in the editor.
  - paragraph: You see every step and decide what may run.
  - group "Agents":
    - 'button "Demo agent Built in and scripted: needs no key and no network." [pressed]'
    - button "Claude claude-agent-acp"
  - group "Found on this machine":
    - button "Gemini CLI /opt/tools/bin/gemini --acp"
  - button "Install Agent…"`,
    );
    assert.deepEqual(await chat.violations(), []);
  });

  it('sends what the person wants, by keyboard too', async () => {
    chat = await ChatPage.open();
    await chat.snapshot([], { ...surroundings, found });
    await chat.button('Gemini CLI /opt/tools/bin/gemini --acp').press('Enter');
    await chat.button('Install Agent…').click();
    assert.deepEqual(await chat.intents(), [{ type: 'addAgent', name: 'gemini' }, { type: 'installAgent' }]);
  });

  it('shows agents as they are found, and keeps long paths within the page', async () => {
    chat = await ChatPage.open({ width: 260 });
    await chat.snapshot();
    const group = chat.page.getByRole('group', { name: 'Found on this machine' });
    assert.equal(await group.count(), 0);
    await chat.post({ type: 'surroundings', surroundings: { ...surroundings, found } });
    await group.waitFor();
    assert.equal(await group.getByRole('button').count(), 2);
    const wide = await chat.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    assert.equal(wide, false);
    assert.equal(await group.getByRole('button').nth(1).getAttribute('title'), found[1]?.description);
  });
});
