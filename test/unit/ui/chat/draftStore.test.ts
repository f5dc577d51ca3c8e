import assert from 'node:assert/strict';
import { windowName } from '../../../../src/node/process/processStart';
import { DraftStore } from '../../../../src/ui/chat/draftStore';
import { UnsentMessages } from '../../../../src/ui/messages/unsentMessages';
import { MemoryMemento } from '../../../kit/memoryMemento';

describe('a message that waits to be sent', () => {
  const file = { kind: 'file', uri: 'file:///a', label: 'a' } as const;
  let memory: MemoryMemento;
  let unsent: UnsentMessages;
  beforeEach(() => {
    memory = new MemoryMemento();
    unsent = new UnsentMessages(memory);
  });

  it('is in the draft of the next window, above what was written since', async () => {
    const before = new DraftStore(memory);
    before.set('one', { text: '', at: Date.now() }, 'page');
    void unsent.keep({ id: 'one' }, 'first', [file], () => new Promise(() => undefined));
    void unsent.keep({ id: 'two' }, 'other', [], () => new Promise(() => undefined));
    before.set('one', { text: 'later', at: Date.now() }, 'page');
    const next = new DraftStore(memory);
    assert.equal(next.get('one')?.text, 'first\n\nlater');
    assert.deepEqual(next.get('one')?.attached, [file]);
    assert.equal(next.get('two')?.text, 'other');
    assert.deepEqual(next.unsent, ['one', 'two']);
    assert.deepEqual(new DraftStore(memory).unsent, [], 'once');
  });

  it('is forgotten when it is sent', async () => {
    assert.equal(await unsent.keep({ id: 'one' }, 'sent', [], async () => 7), 7);
    assert.deepEqual(memory.keys(), []);
  });

  it('is stored when it is refused, until its page has it in the box', async () => {
    const drafts = new DraftStore(memory);
    const no = (): Promise<never> => Promise.reject(new Error('no'));
    await assert.rejects(unsent.keep({ id: 'one' }, 'refused', [], no));
    drafts.set('two', { text: 'another session', at: Date.now() }, 'page');
    assert.equal(new DraftStore(new MemoryMemento(new Map(memory.values))).get('one')?.text, 'refused');
    drafts.set('one', { text: 'refused', at: Date.now() }, 'page');
    assert.deepEqual(new DraftStore(memory).unsent, []);
    assert.equal(new DraftStore(memory).get('one')?.text, 'refused');
  });

  it('is left to another window that still runs', () => {
    const other = windowName(process.ppid);
    const stored = { session: 'one', by: other, text: 'its own', at: Date.now(), attached: [] };
    void memory.update('parley.sending.other', stored);
    assert.deepEqual(new DraftStore(memory).unsent, []);
    assert.deepEqual(memory.get('parley.sending.other'), stored);
  });
});

describe('drafts, while the clock is set', () => {
  let memory: MemoryMemento;
  let now: number;
  const open = (): DraftStore => new DraftStore(memory, () => now);
  beforeEach(() => {
    memory = new MemoryMemento();
    now = 1e12;
  });

  it('are stored after the clock was set back', () => {
    open().set('one', { text: 'before', at: now }, 'page');
    now -= 1e9;
    open().set('one', { text: 'after', at: now }, 'other page');
    assert.equal(open().get('one')?.text, 'after');
  });

  it('are not replaced by an older one of another page', () => {
    open().set('one', { text: 'new', at: now }, 'page');
    open().set('one', { text: 'old', at: now - 1 }, 'other page');
    assert.equal(open().get('one')?.text, 'new');
  });

  it('stay while there are empty ones to forget', () => {
    open().set('first', { text: 'of the person', at: now }, 'page');
    for (let index = 0; index < 120; index++) open().set(`sent ${index}`, { text: '', at: now + index }, 'page');
    assert.equal(open().get('first')?.text, 'of the person');
    assert.equal(memory.keys().length, 50);
  });

  it('keep their text when a later version attached something unknown', () => {
    const file = { kind: 'file', uri: 'file:///a', label: 'a' };
    void memory.update('parley.draft.one', { text: 'mine', at: now, attached: [{ kind: 'hologram' }, file] });
    assert.deepEqual(open().get('one'), { text: 'mine', at: now, attached: [file] });
  });

  it('stay when many others follow, though those are older by the clock', () => {
    for (let index = 0; index < 50; index++) open().set(`before ${index}`, { text: 'x', at: now }, 'page');
    now -= 1e9;
    for (let index = 0; index < 20; index++) open().set(`after ${index}`, { text: 'x', at: now + index }, 'page');
    const drafts = open();
    for (let index = 0; index < 20; index++) assert.equal(drafts.get(`after ${index}`)?.text, 'x', `${index}`);
    assert.equal(drafts.get('before 0'), undefined);
    assert.equal(drafts.get('before 49')?.text, 'x');
  });
});
