import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { QueueAction } from '../../../../src/shared/state/messageQueueState';
import { QUEUE_ACTIONS, reduceQueue } from '../../../../src/shared/state/messageQueueState';
import type { Queue } from '../../../../src/shared/state/messageQueueState';
import { emptyQueue } from '../../../../src/shared/state/messageQueueState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { messageAttachments } from '../../../../src/shared/text/priorConversation';
import { pauseText } from '../../../../src/shared/text/statusText';

const IDS = ['a', 'b', 'c', 'd'];
const id = fc.constantFrom(...IDS);
const message = id.map((one) => ({ id: one, text: `text of ${one}`, attachments: [], at: 1 }));

const action: fc.Arbitrary<QueueAction> = fc.oneof(
  fc.record({ type: fc.constant('messageQueued' as const), message, first: fc.boolean() }),
  fc.record({ type: fc.constant('queuedChanged' as const), id, text: fc.string(), attachments: fc.constant([]) }),
  fc.record({ type: fc.constant('queuedMoved' as const), id, to: fc.integer({ min: -3, max: 9 }) }),
  fc.record({ type: fc.constant('queuedTaken' as const), id }),
  fc.constant({ type: 'queuePaused', pause: { why: 'reloaded' } } as const),
  fc.constant({ type: 'queuePaused', pause: { why: 'notSent', message: 'no' } } as const),
  fc.constant({ type: 'queueResumed' } as const),
  fc.record({ type: fc.constant('queuedHeld' as const), id }),
  fc.record({ type: fc.constant('queuedNext' as const), id }),
  fc.constant({ type: 'queuedHeld' } as const),
);

const play = (actions: readonly QueueAction[]): Queue => actions.reduce(reduceQueue, emptySession('s')).queue;
const ids = ({ messages }: Queue): string[] => messages.map((one) => one.id);
const queued = (...all: string[]): QueueAction[] =>
  all.map((one) => ({ type: 'messageQueued', message: { id: one, text: one, attachments: [], at: 1 } }));

describe('the queue', () => {
  it('contains each message once, and marks only its own messages (property)', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const queue = play(actions);
        assert.equal(new Set(ids(queue)).size, queue.messages.length);
        for (const mark of [queue.held, queue.next]) assert.ok(mark === undefined || ids(queue).includes(mark));
        if (queue.messages.length === 0) assert.deepEqual(queue, emptyQueue);
      }),
    );
  });

  it('loses only sent or removed messages, and moving changes only the order', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const before = play(actions);
        for (const { id: one } of before.messages) {
          const after = play([...actions, { type: 'queuedMoved', id: one, to: 1 }]);
          assert.deepEqual(ids(after).toSorted(), ids(before).toSorted());
          const rest = play([...actions, { type: 'queuedTaken', id: one }]);
          assert.deepEqual(
            ids(rest),
            ids(before).filter((other) => other !== one),
          );
        }
      }),
    );
  });

  it('moves a message to the given position, and returns the same state if nothing changes', () => {
    const to = (place: number): string =>
      ids(play([...queued('a', 'b', 'c'), { type: 'queuedMoved', id: 'a', to: place }])).join('');
    assert.deepEqual([to(0), to(1), to(2), to(9), to(-1)], ['abc', 'bac', 'bca', 'bca', 'abc']);
    const state = queued('a').reduce(reduceQueue, emptySession('s'));
    assert.equal(reduceQueue(state, { type: 'queuedTaken', id: 'x' }), state);
    assert.equal(reduceQueue(state, { type: 'queueResumed' }), state);
    assert.equal(reduceQueue(emptySession('s'), { type: 'queuePaused', pause: { why: 'reloaded' } }).queue, emptyQueue);
  });

  it('removes the pause together with the message that caused it', () => {
    const kept = play([...queued('a', 'b'), { type: 'queuePaused', pause: { why: 'notSent', message: 'no' } }]);
    assert.equal(kept.paused?.why, 'notSent');
    const after = play([
      ...queued('a', 'b'),
      { type: 'queuePaused', pause: { why: 'notSent', message: 'no' } },
      { type: 'queuedTaken', id: 'a' },
    ]);
    assert.deepEqual([ids(after), after.paused], [['b'], undefined]);
  });

  it('contains the reason of a pause', () => {
    assert.equal(pauseText({ why: 'turn', stopReason: 'cancelled' }), 'Paused: you stopped the turn');
    assert.equal(
      pauseText({ why: 'turn', stopReason: 'max_tokens' }),
      'Paused: the turn did not complete (Token limit reached)',
    );
    assert.equal(QUEUE_ACTIONS.has('promptSent'), false);
  });
});

describe('the attachments of a sent message', () => {
  it('can be attached again', () => {
    const origin = { server: 'demo', uri: 'demo://a' };
    assert.deepEqual(
      messageAttachments([
        { type: 'resource', uri: 'file:///w/src/app.ts', text: 'old', isFile: true },
        { type: 'resource', uri: 'file:///w/src/app.ts#L3-L9', text: 'old', isFile: true },
        { type: 'resource', uri: 'parley:Terminal%20selection', text: 'out' },
        { type: 'resource', uri: 'parley:problems', text: 'None.' },
        { type: 'resource', uri: 'parley:git-changes', text: 'None.' },
        { type: 'link', uri: 'file:///w/src', name: 'src' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource', uri: 'parley:a.pdf', blob: 'AAAA', mimeType: 'application/pdf' },
        { type: 'raw', value: 1 },
        { type: 'resource', uri: 'demo://a/1', text: 'old', origin },
        { type: 'image', uri: 'demo://a/2', data: 'AAAA', mimeType: 'image/png', origin },
      ]),
      [
        { kind: 'file', uri: 'file:///w/src/app.ts', label: 'app.ts' },
        { kind: 'lines', uri: 'file:///w/src/app.ts', label: 'app.ts:3-9', lines: { first: 3, last: 9 } },
        { kind: 'text', label: 'Terminal selection', text: 'out' },
        { kind: 'problems', label: 'Problems' },
        { kind: 'changes', label: 'Git changes' },
        { kind: 'active', uri: 'file:///w/src', label: 'src' },
        { kind: 'data', label: 'Image', mimeType: 'image/png', data: 'AAAA' },
        { kind: 'data', label: 'a.pdf', mimeType: 'application/pdf', data: 'AAAA' },
        { kind: 'resource', server: 'demo', uri: 'demo://a', label: 'demo://a' },
      ],
    );
  });

  it('do not name a file that the user did not attach: an agent or server chose its name', () => {
    const block = { type: 'resource', uri: 'file:///ws/.env', text: 'A=1' } as const;
    assert.deepEqual(messageAttachments([block]), [{ kind: 'text', label: '.env', text: 'A=1' }]);
  });

  it('do not include the conversation that was sent to an agent', () => {
    const text = '# Conversation so far\n\nhello';
    assert.deepEqual(messageAttachments([{ type: 'resource', uri: 'parley:conversation.md', text }]), []);
    assert.deepEqual(messageAttachments([{ type: 'text', text: `conversation.md:\n\n${text}` }]), []);
  });
});
