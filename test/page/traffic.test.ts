import assert from 'node:assert/strict';
import { eventually } from '../kit/waiting';
import { TrafficPage } from './trafficPage';
import { conversation, message } from './trafficSample';

describe('the traffic page', () => {
  let view: TrafficPage;

  beforeEach(async () => {
    view = await TrafficPage.open();
  });
  afterEach(async () => {
    assert.deepEqual(view.errors, []);
    assert.deepEqual(await view.violations(), []);
    await view.close();
  });

  const rows = (): Promise<string[]> => view.grid.getByRole('row').allInnerTexts();
  const count = (text: string): Promise<void> =>
    eventually(async () => assert.equal(await view.page.getByRole('status').innerText(), text));

  it('shows a text if there are no messages', async () => {
    await view.post({ type: 'connections', connections: [], shown: undefined, recording: true });
    await count('No agent has been started in this window yet.');
    await view.post({
      type: 'connections',
      connections: [{ id: 3, title: 'A', status: 'exited' }],
      shown: 3,
      recording: false,
    });
    await count('0 messages. Recording is off (parley.traffic.record).');
  });

  it('shows summaries completely', async () => {
    const noise = `not json: ${'long '.repeat(30)}end`;
    await view.show([...conversation, { seq: 8, at: conversation[7]!.at, bytes: 9, dir: 'in', noise }]);
    await count('9 messages.');
    const cell = view.page.getByRole('gridcell', { name: noise });
    // The italic face of the page's font may still load.
    await eventually(async () =>
      assert.equal(await cell.evaluate((element) => element.scrollWidth > element.clientWidth), false),
    );
    const [row, head] = [view.page.locator('.space > .row').first(), view.page.locator('.head')];
    assert.equal((await row.boundingBox())?.width, (await head.boundingBox())?.width);
  });

  it('shows every message with its request or response', async () => {
    await view.show(conversation);
    await count('8 messages.');
    assert.equal(
      await view.page.locator('main').ariaSnapshot(),
      `
- main "Traffic":
  - heading "Traffic" [level=1]
  - toolbar "Traffic":
    - combobox "Connection":
      - 'option "Claude: ready" [selected]'
    - searchbox "Filter by text"
    - combobox "Method":
      - option "All methods" [selected]
      - option "initialize"
      - option "session/new"
      - option "session/update"
    - combobox "Direction":
      - option "Both directions" [selected]
      - option "Received"
      - option "Sent"
    - checkbox "Errors only"
    - text: Errors only
    - button "Save Traffic"
  - status: 8 messages.
  - grid "Messages":
    - row "Time Direction Method ID Duration Size Summary":
      - columnheader "Time"
      - columnheader "Direction"
      - columnheader "Method"
      - columnheader "ID"
      - columnheader "Duration"
      - columnheader "Size"
      - columnheader "Summary"
    - rowgroup:
      - row "12:30:05.007 sent initialize 0 1.50 s 100 B request":
        - gridcell "12:30:05.007"
        - gridcell "sent"
        - gridcell "initialize"
        - gridcell "0"
        - gridcell "1.50 s"
        - gridcell "100 B"
        - gridcell "request"
      - row "12:30:05.047 received stderr 12 B starting up":
        - gridcell "12:30:05.047"
        - gridcell "received"
        - gridcell "stderr"
        - gridcell
        - gridcell
        - gridcell "12 B"
        - gridcell "starting up"
      - row "12:30:06.507 received initialize 0 1.50 s 102 B result":
        - gridcell "12:30:06.507"
        - gridcell "received"
        - gridcell "initialize"
        - gridcell "0"
        - gridcell "1.50 s"
        - gridcell "102 B"
        - gridcell "result"
      - row "12:30:06.607 received invalid stdout line 9 B not json!":
        - gridcell "12:30:06.607"
        - gridcell "received"
        - gridcell "invalid stdout line"
        - gridcell
        - gridcell
        - gridcell "9 B"
        - gridcell "not json!"
      - 'row "12:30:06.707 sent session/new 1 12 ms 104 B Error: -32000 Authentication required"':
        - gridcell "12:30:06.707"
        - gridcell "sent"
        - gridcell "session/new"
        - gridcell "1"
        - gridcell "12 ms"
        - gridcell "104 B"
        - 'gridcell "Error: -32000 Authentication required"'
      - 'row "12:30:06.719 received session/new 1 12 ms 105 B Error: -32000 Authentication required"':
        - gridcell "12:30:06.719"
        - gridcell "received"
        - gridcell "session/new"
        - gridcell "1"
        - gridcell "12 ms"
        - gridcell "105 B"
        - 'gridcell "Error: -32000 Authentication required"'
      - row "12:30:06.807 received session/update 106 B plan":
        - gridcell "12:30:06.807"
        - gridcell "received"
        - gridcell "session/update"
        - gridcell
        - gridcell
        - gridcell "106 B"
        - gridcell "plan"
      - 'row "12:30:07.007 sent message too large 900.0 kB {\\"jsonrpc\\":\\"2.0\\",\\"method\\":\\"big"':
        - gridcell "12:30:07.007"
        - gridcell "sent"
        - gridcell "message too large"
        - gridcell
        - gridcell
        - gridcell "900.0 kB"
        - 'gridcell "{\\"jsonrpc\\":\\"2.0\\",\\"method\\":\\"big"'
`.trim(),
    );
  });

  it('filters by text, method, direction and errors', async () => {
    await view.show(conversation);
    await view.page.getByRole('searchbox', { name: 'Filter by text' }).fill('AUTHENTICATION');
    await count('1 of 8 messages.');
    await view.page.getByRole('searchbox', { name: 'Filter by text' }).fill('');
    await view.page.getByRole('checkbox', { name: 'Errors only' }).check();
    await count('2 of 8 messages.');
    await view.page.getByRole('combobox', { name: 'Direction' }).selectOption('Received');
    await count('1 of 8 messages.');
    await view.page.getByRole('checkbox', { name: 'Errors only' }).uncheck();
    await count('5 of 8 messages.');
    await view.page.getByRole('combobox', { name: 'Method' }).selectOption('session/update');
    await count('1 of 8 messages.');
    assert.match((await rows())[1] ?? '', /received[^]*session\/update[^]*plan/);
  });

  it('can be used by keyboard alone, and copies a message', async () => {
    await view.show(conversation);
    await count('8 messages.');
    await view.grid.focus();
    await view.page.keyboard.press('End');
    await view.page.keyboard.press('Home');
    await view.page.keyboard.press('ArrowDown');
    await view.page.keyboard.press('ArrowDown');
    assert.equal(await view.grid.getAttribute('aria-activedescendant'), 'message-2');
    await view.page.keyboard.press('Enter');
    await eventually(async () =>
      assert.equal(await view.detail.evaluate((element) => element === document.activeElement), true),
    );
    await view.page.keyboard.press('Tab');
    await view.page.keyboard.press('Enter');
    assert.deepEqual(await view.sent('copy'), {
      type: 'copy',
      text: JSON.stringify({ jsonrpc: '2.0', id: 0, result: { protocolVersion: 1 } }, undefined, 2),
    });
  });

  it('sends the selected connection and the request to save to the host', async () => {
    await view.post({
      type: 'connections',
      connections: [
        { id: 1, title: 'A', status: 'exited' },
        { id: 2, title: 'B', status: 'ready' },
      ],
      shown: 2,
      recording: true,
    });
    const connection = view.page.getByRole('combobox', { name: 'Connection' });
    await eventually(async () => assert.equal(await connection.inputValue(), '2'));
    await connection.selectOption('1');
    assert.deepEqual(await view.sent('choose'), { type: 'choose', id: 1 });
    await view.page.getByRole('button', { name: 'Save Traffic' }).click();
    assert.deepEqual(await view.sent('save'), { type: 'save' });
  });

  it('collapses JSON and cuts long values, and shows them on request', async () => {
    const params = {
      text: 'x'.repeat(5_000),
      list: Array.from({ length: 250 }, (_, n) => n),
      a: { b: { c: { d: 'deep' } } },
    };
    await view.show([message(0, 'in', 0, { method: 'big', params })]);
    await view.grid.getByRole('gridcell', { name: 'big' }).click();
    assert.doesNotMatch(await view.detail.innerText(), /deep|x{2001}|\b249\b/);
    await view.detail.getByRole('button', { name: 'Show all (5000 characters)' }).click();
    await eventually(async () => assert.match(await view.detail.innerText(), /x{5000}/));
    await view.detail.getByRole('button', { name: 'Show all (250 items)' }).click();
    await eventually(async () => assert.match(await view.detail.innerText(), /\b249\b/));
    for (const name of ['b:', 'c:']) await view.detail.locator('summary', { hasText: name }).click();
    await eventually(async () => assert.match(await view.detail.innerText(), /d: "deep"/));
  });

  it('keeps few of 2,000 rows in the document, follows the end, and keeps another scroll position', async () => {
    const many = Array.from({ length: 2_000 }, (_, seq) => message(seq, 'in', seq, { method: `m/${seq}` }));
    await view.show(many.slice(0, 1_000));
    for (let at = 1_000; at < 1_900; at += 100) await view.show(many.slice(at, at + 100), false);
    await count('1900 messages.');
    await eventually(async () => assert.match((await rows()).at(-1) ?? '', /m\/1899/));
    assert.ok((await rows()).length < 80);
    assert.equal(await view.grid.getAttribute('aria-rowcount'), '1901');
    await view.grid.focus();
    await view.page.keyboard.press('Home');
    await eventually(async () => assert.match((await rows())[1] ?? '', /m\/0\b/));
    await view.show(many.slice(1_900), false);
    await count('2000 messages.');
    assert.match((await rows())[1] ?? '', /m\/0\b/);
    assert.equal(await view.grid.evaluate((element) => element.scrollTop), 0);
  });

  it('removes messages that the host dropped, and starts again for another connection', async () => {
    await view.show(conversation);
    await view.post({
      type: 'entries',
      first: 6,
      fresh: false,
      entries: [message(8, 'in', 3_000, { method: 'late' })],
    });
    await count('3 messages.');
    await view.post({ type: 'entries', first: 0, fresh: true, entries: [] });
    await count('0 messages.');
  });

  it('shows text of an agent as plain text', async () => {
    const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await view.show([message(0, 'in', 0, { method: evil, params: { [evil]: evil } })]);
    await view.grid.getByRole('row').last().click();
    await eventually(async () => assert.ok((await view.detail.innerText()).includes('onerror')));
    assert.equal(await view.page.locator('img').count(), 0);
    assert.equal(await view.page.title(), 'Parley Traffic');
  });
});
