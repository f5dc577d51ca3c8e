import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDeferred } from '../../../../src/base/async';
import type { Attachment } from '../../../../src/shared/state/attachments';
import type { Block } from '../../../../src/shared/state/contentBlocks';
import { entriesFrom, lastEntry } from '../../../../src/shared/state/entryPages';
import { settled, until } from '../../../kit/waiting';
import { SessionBench } from '../sessionBench';

const NOTE: Attachment = { kind: 'text', label: 'note', text: 'remember the milk' };
const asBlocks = (attachments: readonly Attachment[]): Block[] =>
  attachments.map((one) => ({
    type: 'resource',
    uri: `parley:${one.label}`,
    text: one.kind === 'text' ? one.text : '',
  }));
const CAPABILITIES = JSON.stringify({ promptCapabilities: { embeddedContext: true }, loadSession: true });

describe('queued messages', function () {
  let bench: SessionBench;
  /** How often attachments were read. */
  let reads: string[];
  let unreadable: string | undefined;
  /** Attachments are read when this has settled. */
  let gate: Promise<void> | undefined;

  beforeEach(() => {
    gate = undefined;
    reads = [];
    unreadable = undefined;
  });
  afterEach(async () => {
    bench.session.turn.stop();
    await bench.until(({ turn }) => turn.status === 'idle');
    await bench.close();
  });

  async function open(env: Record<string, string> = {}, folder?: string): Promise<void> {
    bench = await SessionBench.open({
      env: { FAKE_CAPABILITIES: CAPABILITIES, ...env },
      ...(folder !== undefined && { folder }),
      sessions: {
        readAttachments: async (_session, attachments) => {
          reads.push(attachments.map(({ label }) => label).join());
          await gate;
          if (unreadable !== undefined) throw new Error(unreadable);
          return asBlocks(attachments);
        },
      },
    });
  }

  /** Opens the window with a turn that the test ends. */
  async function inTurn(env: Record<string, string> = {}, script = ['text working', 'until-cancel']): Promise<void> {
    await open(env);
    void bench.send(...script);
    await bench.until((state) => lastEntry(state.entries)?.kind === 'agent');
  }

  /** Lets a turn go on that waits for it with `until-file go`. */
  const go = (): Promise<void> => writeFile(join(bench.folder, 'go'), '');

  const prompts = (): string[] =>
    Array.from(entriesFrom(bench.session.state.entries)).flatMap(([, entry]) =>
      entry.kind === 'user' ? [entry.text.split('\n')[0] ?? ''] : [],
    );
  const waiting = (): string[] => bench.session.state.queue.messages.map(({ text }) => text);
  const idOf = (text: string): string =>
    bench.session.state.queue.messages.find((message) => message.text === text)?.id ?? '';
  const over = (count: number): Promise<void> =>
    bench.until((state) => prompts().length === count && state.turn.status === 'idle');
  const onWire = (method: string): number => bench.methods('').filter((one) => one === method).length;

  it('are sent one after the other after successful turns, with attachments read at that time', async () => {
    await open();
    const first = bench.send('text one', 'until-file go');
    await bench.until((state) => lastEntry(state.entries)?.kind === 'agent');
    await bench.send('text two');
    await bench.session.send('text three', asBlocks([NOTE]), { attachments: [NOTE] });
    assert.deepEqual(waiting(), ['text two', 'text three']);
    assert.deepEqual(reads, []);
    await go();
    await first;
    await over(3);
    assert.deepEqual([waiting(), reads], [[], ['note']]);
    const last = bench.received().findLast(({ method }) => method === 'session/prompt');
    assert.match(JSON.stringify(last), /remember the milk/);
    assert.equal(onWire('session/cancel'), 0);
  });

  it('keep their attachments if they cross the start of a turn', async () => {
    await inTurn();
    // As sent by a page that does not know about the turn yet.
    await bench.session.send('text crossing', asBlocks([NOTE]));
    assert.deepEqual(bench.session.state.queue.messages[0]?.attachments, [NOTE]);
    assert.ok(!bench.text.includes('Not sent'));
  });

  it('are paused by Stop, and sent after Resume', async () => {
    await inTurn();
    await bench.send('text two');
    bench.session.turn.stop();
    await bench.until(({ queue }) => queue.paused !== undefined);
    assert.deepEqual(bench.session.state.queue.paused, { why: 'turn', stopReason: 'cancelled' });
    await over(1);
    assert.deepEqual(waiting(), ['text two']);
    bench.session.queue.resume();
    await over(2);
    assert.deepEqual(bench.session.state.queue, { messages: [] });
  });

  it('stay paused while another message is sent', async () => {
    await inTurn();
    await bench.send('text two');
    bench.session.turn.stop();
    await over(1);
    await bench.send('text other');
    assert.deepEqual([prompts().at(-1), waiting()], ['text other', ['text two']]);
  });

  it('are sent immediately if they were written after Stop', async () => {
    await inTurn();
    await bench.send('text old');
    bench.session.turn.stop();
    void bench.send('text instead');
    await over(2);
    assert.deepEqual([prompts().at(-1), waiting()], ['text instead', ['text old']]);
    assert.equal(bench.session.state.queue.paused?.why, 'turn');
  });

  for (const [what, script] of [
    ['an error', 'error -32603 overloaded'],
    ['a refusal', 'stop refusal'],
  ] as const) {
    it(`are paused by ${what}`, async () => {
      await inTurn({}, ['text working', 'until-file go', script]);
      await bench.send('text two');
      await go();
      await bench.until(({ queue }) => queue.paused !== undefined);
      assert.deepEqual([prompts().length, waiting()], [1, ['text two']]);
    });
  }

  it('stop the turn with Send Now, which sends the message and then the rest', async () => {
    await inTurn();
    await bench.send('text two');
    await bench.send('text three');
    void bench.session.queue.sendNow(idOf('text three'));
    await over(3);
    assert.deepEqual(prompts().slice(1), ['text three', 'text two']);
    assert.equal(onWire('session/cancel'), 1);
  });

  it('join the turn with Send Now if the agent accepts that, and then leave the queue', async () => {
    await inTurn({ FAKE_STEERING: 'injected' });
    await bench.session.send('use tabs', asBlocks([NOTE]), { attachments: [NOTE], now: true });
    assert.deepEqual(waiting(), []);
    assert.equal(bench.session.state.turn.status, 'running');
    assert.match(bench.text, /working\n\[user\]\n {2}use tabs/);
    assert.equal(onWire('session/cancel'), 0);
  });

  it('keep their attachments if the agent does not accept them during the turn', async () => {
    await inTurn({ FAKE_STEERING: 'failed' });
    await bench.session.send('use tabs', asBlocks([NOTE]), { attachments: [NOTE], now: true });
    assert.deepEqual(bench.session.state.queue.messages[0]?.attachments, [NOTE]);
    const last = lastEntry(bench.session.state.entries);
    assert.ok(last?.kind === 'notice' && /still in the queue/.test(last.title));
  });

  it('wait while the user edits them, and are sent with the edit', async () => {
    await inTurn({}, ['text working', 'until-file go']);
    await bench.send('text wrong');
    const id = idOf('text wrong');
    bench.session.queue.hold(id);
    await go();
    await over(1);
    assert.deepEqual(waiting(), ['text wrong']);
    assert.equal(bench.session.queue.change(id, 'text right', []), true);
    await over(2);
    assert.equal(prompts().at(-1), 'text right');
    assert.equal(bench.session.queue.change(id, 'text late', []), false);
  });

  it('join the turn with edits made while their attachments were read', async () => {
    await inTurn({ FAKE_STEERING: 'injected' });
    const read = createDeferred<void>();
    gate = read.promise;
    void bench.session.send('use tabs', asBlocks([NOTE]), { attachments: [NOTE], now: true });
    await until(() => reads.length > 0);
    bench.session.queue.change(idOf('use tabs'), 'use spaces', []);
    read.resolve();
    await bench.until(() => waiting().length === 0);
    const steered = bench.received().filter(({ method }) => method === '_session/steering');
    assert.equal(steered.length, 1);
    assert.match(JSON.stringify(steered), /use spaces/);
    assert.deepEqual(prompts().slice(1), ['use spaces']);
  });

  it('do not join the turn if they are removed or edited while their attachments are read', async () => {
    await inTurn({ FAKE_STEERING: 'injected' });
    for (const end of ['remove', 'hold'] as const) {
      const read = createDeferred<void>();
      gate = read.promise;
      reads = [];
      const sending = bench.session.send('use tabs', asBlocks([NOTE]), { attachments: [NOTE], now: true });
      await until(() => reads.length > 0);
      bench.session.queue[end](idOf('use tabs'));
      read.resolve();
      await sending;
      assert.equal(onWire('_session/steering'), 0, end);
      assert.deepEqual(prompts().length, 1, end);
    }
    assert.deepEqual(waiting(), ['use tabs']);
    gate = undefined;
    bench.session.queue.change(idOf('use tabs'), 'use spaces', []);
    await bench.until(() => waiting().length === 0);
    assert.deepEqual(prompts().slice(1), ['use spaces']);
  });

  it('join the turn unchanged if their edit is canceled', async () => {
    await inTurn({ FAKE_STEERING: 'injected' });
    const read = createDeferred<void>();
    gate = read.promise;
    const sending = bench.session.send('use tabs', asBlocks([NOTE]), { attachments: [NOTE], now: true });
    await until(() => reads.length > 0);
    const [view, tab] = [{}, {}];
    bench.session.queue.hold(idOf('use tabs'), view);
    bench.session.queue.hold(idOf('use tabs'), tab);
    read.resolve();
    await sending;
    bench.session.queue.hold(undefined, view);
    assert.deepEqual([waiting(), bench.session.state.queue.held], [['use tabs'], idOf('use tabs')]);
    bench.session.queue.hold(undefined, tab);
    await bench.until(() => waiting().length === 0);
    assert.deepEqual([prompts().slice(1), onWire('session/cancel')], [['use tabs'], 0]);
    assert.equal(onWire('_session/steering'), 1);
  });

  it('keep an edit that was made while the agent accepted the old text', async () => {
    await inTurn({ FAKE_STEERING: 'injected' });
    const connection = bench.session.binding.current?.link.connection;
    assert.ok(connection);
    const request = connection.request.bind(connection);
    connection.request = (...args) => {
      const asking = request(...args);
      if (args[0] === '_session/steering') bench.session.queue.change(idOf('use tabs'), 'use spaces', []);
      return asking;
    };
    await bench.session.send('use tabs', [], { now: true });
    assert.deepEqual([prompts().slice(1), waiting()], [['use tabs'], ['use spaces']]);
    const { paused, next } = bench.session.state.queue;
    assert.ok(paused?.why === 'notSent' && /version before your edit/.test(paused.message));
    assert.equal(next, undefined);
  });

  it('are held for the page that edits them, whatever other pages send', async () => {
    await inTurn({}, ['text working', 'until-file go']);
    await bench.send('text wrong');
    const { queue } = bench.session;
    const [view, tab] = [{}, {}];
    queue.hold(idOf('text wrong'), view);
    queue.hold(undefined, tab);
    assert.equal(bench.session.state.queue.held, idOf('text wrong'));
    await go();
    await over(1);
    assert.deepEqual(waiting(), ['text wrong']);
    queue.hold(undefined, view);
    await over(2);
  });

  it('are sent when the user edits the next one', async () => {
    await inTurn({}, ['text working', 'until-file go']);
    await bench.send('text one');
    await bench.send('text two');
    const { queue } = bench.session;
    queue.hold(idOf('text one'), 'view');
    await go();
    await over(1);
    // Too late: the turn has ended already.
    await settled();
    assert.deepEqual(waiting(), ['text one', 'text two']);
    queue.hold(idOf('text two'), 'view');
    await over(2);
    assert.deepEqual([prompts().at(-1), waiting()], ['text one', ['text two']]);
    queue.hold(undefined, 'view');
    await over(3);
  });

  it('are all held if several pages edit them', async () => {
    await inTurn({}, ['text working', 'until-file go']);
    await bench.send('text one');
    await bench.send('text two');
    const { queue } = bench.session;
    const [view, tab] = [{}, {}];
    queue.hold(idOf('text one'), view);
    queue.hold(idOf('text two'), tab);
    queue.hold(undefined, tab);
    assert.equal(bench.session.state.queue.held, idOf('text one'));
    await go();
    await over(1);
    assert.deepEqual(waiting(), ['text one', 'text two']);
    queue.hold(undefined, view);
    await over(3);
  });

  it('are sent unchanged after reading attachments, and a removed one is skipped', async () => {
    await inTurn({}, ['text one', 'until-file go']);
    const attached = { attachments: [NOTE] };
    await bench.session.send('text removed', asBlocks([NOTE]), attached);
    await bench.session.send('text old', asBlocks([NOTE]), attached);
    const read = createDeferred<void>();
    gate = read.promise;
    await go();
    await bench.until(({ turn }) => turn.status === 'idle');
    await until(() => reads.length > 0);
    bench.session.queue.remove(idOf('text removed'));
    read.resolve();
    await over(2);
    assert.deepEqual([prompts().at(-1), waiting()], ['text old', []]);
  });

  it('show that an attachment cannot be read, and are sent after it was fixed', async () => {
    await inTurn({}, ['text working', 'until-file go']);
    await bench.session.send('text two', asBlocks([NOTE]), { attachments: [NOTE] });
    unreadable = 'note is gone';
    await go();
    await bench.until(({ queue }) => queue.paused?.why === 'notSent');
    assert.deepEqual(bench.session.state.queue.paused, { why: 'notSent', message: 'note is gone.' });
    assert.equal(prompts().length, 1);
    bench.session.queue.change(idOf('text two'), 'text two', []);
    await over(2);
  });

  it('are restored after a reload, paused', async () => {
    await inTurn();
    await bench.session.send('text two', asBlocks([NOTE]), { attachments: [NOTE] });
    bench.sessions.interrupt();
    await bench.closeWindow();
    await open({}, bench.folder);
    assert.deepEqual(bench.session.state.queue.paused, { why: 'reloaded' });
    assert.deepEqual(bench.session.state.queue.messages[0]?.attachments, [NOTE]);
    bench.session.queue.resume();
    await over(2);
  });

  it('are not shared with other sessions', async () => {
    await inTurn();
    const first = bench.session;
    await bench.send('text two');
    const second = bench.sessions.newChat('fake');
    await second.send('text elsewhere');
    assert.deepEqual([first.state.queue.messages.length, second.state.queue.messages.length], [1, 0]);
    bench.sessions.activate(first);
  });

  it('are not used by Retry, which sends the last message with its attachments between turns', async () => {
    await open();
    await bench.session.send('error -32603 overloaded', asBlocks([NOTE]));
    await bench.session.retry();
    const sent = bench.received().filter(({ method }) => method === 'session/prompt');
    assert.equal(sent.length, 2);
    const [first, second] = sent.map(({ params }) => JSON.stringify((params as { prompt: unknown }).prompt));
    assert.equal(first, second);
    void bench.send('text working', 'until-cancel');
    await bench.session.retry();
    assert.equal(prompts().length, 3);
  });
});
