import assert from 'node:assert/strict';
import type { Action } from '../../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../../src/shared/state/sessionReducer';
import type { EntryPages } from '../../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../../src/shared/state/sessionState';
import { MARK_HEIGHT_PX, marksOf, placesOfMessages } from '../../../../../src/webview/chat/transcript/messageMarks';

/** A session of turns whose answers have these lengths. */
function answered(...lengths: readonly number[]): EntryPages {
  const actions = lengths.flatMap((length): Action[] => [
    { type: 'promptSent', text: 'go on', blocks: [], at: 0 },
    { type: 'textAppended', role: 'agent', text: 'x'.repeat(length), at: 0 },
    { type: 'turnEnded', stopReason: 'end_turn', at: 0 },
  ]);
  return actions.reduce(reduce, emptySession('s')).entries;
}

const shares = (entries: EntryPages): readonly number[] => placesOfMessages(entries).map(({ share }) => share);

describe('message marks', () => {
  it('are positioned in proportion to the text above them', () => {
    assert.deepEqual(shares(answered(90, 90, 90, 90)), [0, 0.25, 0.5, 0.75]);
    const [first, second, third] = shares(answered(90, 90_000, 90));
    assert.equal(first, 0);
    assert.ok(second !== undefined && second < 0.01, String(second));
    assert.ok(third !== undefined && third > 0.98, String(third));
  });

  it('count pasted text at its folded height', () => {
    const long: Action = { type: 'promptSent', text: 'x'.repeat(1_000_000), blocks: [], at: 0 };
    const then: Action = { type: 'promptSent', text: 'and now', blocks: [], at: 0 };
    const { entries } = [long, then].reduce(reduce, emptySession('s'));
    assert.ok((shares(entries)[1] ?? 1) < 0.9);
  });

  it('do not exist without messages', () => {
    assert.deepEqual(placesOfMessages(emptySession('s').entries), []);
    assert.deepEqual(marksOf([], 600), []);
  });

  it('never overlap, stay on the rail, and include every message, at any height', () => {
    const places = placesOfMessages(answered(...Array.from({ length: 1000 }, (_, at) => (at * 7919) % 4000)));
    for (const height of [0, 10, 24, 100, 777, 2000]) {
      const marks = marksOf(places, height);
      assert.deepEqual(
        marks.flatMap(({ entries }) => entries),
        places.map(({ entry }) => entry),
      );
      for (const [at, { top }] of marks.entries()) {
        assert.ok(top >= 0 && top + MARK_HEIGHT_PX <= Math.max(MARK_HEIGHT_PX, height), `${top} of ${height}`);
        assert.ok(at === 0 || top - (marks[at - 1]?.top ?? 0) >= MARK_HEIGHT_PX);
      }
    }
    assert.equal(marksOf(places, 2000).length <= 2000 / MARK_HEIGHT_PX, true);
  });
});
