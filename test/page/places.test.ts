import assert from 'node:assert/strict';
import { emptySession } from '../../src/shared/state/sessionState';
import { eventually } from '../kit/waiting';
import { ChatPage, environment } from './harness';

/** Messages of a page that allow a session to be visible in several pages at once. */
describe('page: places', () => {
  let chat: ChatPage;

  beforeEach(async () => {
    chat = await ChatPage.open();
    await chat.snapshot();
  });
  afterEach(() => chat.close());

  const showOther = (): Promise<void> => {
    const state = emptySession('session-2', { name: 'demo', title: 'Demo agent' });
    return chat.post({ type: 'snapshot', seq: 0, state, environment });
  };
  const draft = (text: string, at: number, session = 'session-1') =>
    chat.post({ type: 'draft', session, text, attached: [], at });
  const remembered = (): Promise<Record<string, unknown>> =>
    chat.page.evaluate(() => JSON.parse(sessionStorage.getItem('state') ?? '{}') as Record<string, unknown>);

  it('sends each message with the session that was shown', async () => {
    await chat.box.fill('first');
    await chat.box.press('Enter');
    await showOther();
    await eventually(async () => assert.deepEqual((await remembered())['session'], { id: 'session-2', blank: true }));
    await chat.box.fill('second');
    await chat.box.press('Enter');
    await chat.sentType('send', 2);
    assert.deepEqual(await chat.meantFor('send'), ['session-1', 'session-2']);
  });

  it('stores the shown session, and whether it is empty, to restore a tab', async () => {
    await chat.act({ type: 'presetChosen', preset: { name: 'Deep work', agent: 'fake' } });
    const session = { id: 'session-1', blank: true, preset: 'Deep work' };
    await eventually(async () => assert.deepEqual((await remembered())['session'], session));
    await chat.act({ type: 'promptSent', text: 'hi', blocks: [], at: 1 });
    assert.deepEqual((await remembered())['session'], { ...session, blank: false });
    await showOther();
    await eventually(async () => assert.deepEqual((await remembered())['session'], { id: 'session-2', blank: true }));
  });

  it('reports the draft, and immediately when it is sent', async () => {
    await chat.box.fill('half a');
    const told = await chat.sentType('draft');
    assert.ok(told.type === 'draft' && told.text === 'half a' && told.at > 0);
    await chat.box.press('Enter');
    const emptied = await chat.sentType('draft', 2);
    assert.ok(emptied.type === 'draft' && emptied.text === '');
    assert.deepEqual(await chat.meantFor('draft'), ['session-1', 'session-1']);
  });

  it('reports a draft as newer after the clock was set back, so that it is stored', async () => {
    await chat.box.fill('before');
    const before = await chat.sentType('draft');
    await chat.page.evaluate(() => {
      const { now } = Date;
      Date.now = () => now() - 3_600_000;
    });
    await chat.box.fill('after');
    const after = await chat.sentType('draft', 2);
    assert.ok(before.type === 'draft' && after.type === 'draft' && after.text === 'after');
    assert.ok(after.at > before.at, `${after.at} after ${before.at}`);
  });

  it('shows the draft of another page of the session, unless its own is newer', async () => {
    await draft('from the tab', 10);
    await eventually(async () => assert.equal(await chat.box.inputValue(), 'from the tab'));
    await chat.box.pressSequentially(', and on');
    await draft('late', 20);
    await draft('of another', Date.now() + 1e6, 'session-2');
    await chat.frame();
    assert.equal(await chat.box.inputValue(), 'from the tab, and on');
    await draft('', Date.now() + 1e6);
    await eventually(async () => assert.equal(await chat.box.inputValue(), ''));
    await showOther();
    await eventually(async () => assert.equal(await chat.box.inputValue(), 'of another'));
  });

  it('does not return a draft that it received', async () => {
    await chat.post({
      type: 'draft',
      session: 'session-1',
      text: 'x',
      attached: [{ kind: 'text', label: 'A', text: 'a' }],
      at: Date.now() + 1e6,
    });
    await eventually(async () => assert.equal(await chat.box.inputValue(), 'x'));
    await chat.box.press('Enter');
    await chat.sentType('send');
    const emptied = await chat.sentType('draft');
    assert.ok(emptied.type === 'draft' && emptied.text === '', 'the first word about it is that it was sent');
  });

  it('restores a draft that was written before the page was created', async () => {
    await chat.box.fill('kept');
    await chat.sentType('draft');
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    assert.equal(await chat.box.inputValue(), 'kept');
  });

  it('does not send a restored draft, and shows a newer one of the host', async () => {
    await chat.box.fill('half a');
    await chat.sentType('draft');
    const at = Date.now();
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    await eventually(async () => assert.equal(await chat.box.inputValue(), 'half a'));
    await chat.frame();
    await draft('half a sentence', at);
    await eventually(async () => assert.equal(await chat.box.inputValue(), 'half a sentence'));
    await chat.page.evaluate(() => window.dispatchEvent(new FocusEvent('blur')));
    assert.deepEqual(
      (await chat.sent()).filter(({ type }) => type === 'draft'),
      [],
    );
  });

  it('reports that it received the focus', async () => {
    await chat.page.evaluate(() => window.dispatchEvent(new FocusEvent('focus')));
    await chat.sentType('focused');
  });
});
