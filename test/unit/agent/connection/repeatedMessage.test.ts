import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RepeatedMessage } from '../../../../src/agent/connection/repeatedMessage';
import type { JsonObject } from '../../../../src/base/json';

const line = (update: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { update } });
const snapshot = (text: string, rest: object = {}): string =>
  line({ sessionUpdate: 'tool_call_update', ...rest, content: [{ type: 'content', content: { type: 'text', text } }] });
const long = 'PASS src/file.test.ts\n'.repeat(2_000);

describe('a message that repeats the one before', () => {
  let messages: RepeatedMessage;
  beforeEach(() => (messages = new RepeatedMessage()));
  /** Reads lines as an agent's connection does; returns the last message, if it was a repeated one. */
  const read = (...lines: readonly string[]): JsonObject | undefined => {
    let last: JsonObject | undefined;
    for (const each of lines) {
      last = messages.read(Buffer.from(each))?.message;
      if (!last) messages.record(JSON.parse(each) as JsonObject);
    }
    return last;
  };

  it('is read by what it adds to the last text', () => {
    for (const added of ['', 'ok\n', '"\\ 漢😀\u0001', '\ud83d']) {
      const next = snapshot(long + added);
      assert.deepEqual(read(snapshot(long), next), JSON.parse(next), JSON.stringify(added));
    }
    const third = snapshot(`${long}one two three`);
    assert.deepEqual(read(snapshot(long), snapshot(`${long}one`), third), JSON.parse(third));
  });

  it('is the same as decoded whole, or is not known, for any texts and keys', () => {
    const text = fc.string({ unit: 'binary' });
    const key = fc.oneof(fc.constantFrom('1', 'a', '__proto__', '"'), fc.string());
    fc.assert(
      fc.property(text, text, key, key, (before, added, first, last) => {
        const write = (end: string): string =>
          line(
            Object.fromEntries([
              [first, long],
              [last, long + end],
            ]),
          );
        const next = write(before + added);
        const message = read(write(before), next);
        if (message) assert.deepEqual(message, JSON.parse(next));
      }),
    );
  });

  it('is not known after another text, id or ending, nor when it is short', () => {
    assert.equal(read(snapshot(`x${long}`), snapshot(`y${long}more`)), undefined);
    assert.equal(read(snapshot(long, { toolCallId: 'a' }), snapshot(`${long}more`, { toolCallId: 'b' })), undefined);
    assert.equal(read(snapshot(long), line({ text: `${long}more`, status: 'completed' })), undefined);
    assert.equal(read(snapshot('a'), snapshot('ab')), undefined);
    assert.equal(read(line({ text: long, number: 1 }), line({ text: long, number: 12 })), undefined);
  });

  it('is not known if the added part is more than text', () => {
    const first = snapshot(long);
    const end = first.slice(first.lastIndexOf('"}'));
    const injected = `${first.slice(0, -end.length)}","other":"x${end}`;
    assert.equal(read(first, injected), undefined);
    assert.equal(messages.read(Buffer.from(`${first.slice(0, -end.length)}\\${end}`)), undefined);
  });

  it('changes no message that was read before', () => {
    const messagesRead = [snapshot(long), snapshot(`${long}a`), snapshot(`${long}ab`)].map(
      (each) => read(each) ?? each,
    );
    assert.deepEqual(messagesRead[1], JSON.parse(snapshot(`${long}a`)));
  });
});
