import assert from 'node:assert/strict';
import { assert as check, constantFrom, property, array } from 'fast-check';
import { onlyChangeAt, planTake } from '../../../../src/ui/worktrees/planTake';

const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');

describe('taking a change from a worktree', () => {
  const base = lines('1', '2', '3', '4', '5', '6');

  it('merges it with changes of the user elsewhere in the file, and never overwrites those', () => {
    const theirs = lines('1', 'agent', '3', '4', '5', '6');
    assert.deepEqual(planTake({ base, theirs, mine: base }), { type: 'write', text: theirs });
    assert.deepEqual(planTake({ base, theirs, mine: lines('1', '2', '3', '4', 'user', '6') }), {
      type: 'write',
      text: lines('1', 'agent', '3', '4', 'user', '6'),
    });
    assert.deepEqual(planTake({ base, theirs, mine: lines('1', 'user', '3', '4', '5', '6') }), {
      type: 'conflict',
      lines: 'line 2',
    });
    assert.deepEqual(planTake({ base, theirs, mine: theirs }), { type: 'nothing' });
  });

  it('creates and deletes files only if the user has not changed them', () => {
    assert.deepEqual(planTake({ base: undefined, theirs: 'new', mine: undefined }), { type: 'write', text: 'new' });
    assert.deepEqual(planTake({ base: undefined, theirs: 'new', mine: 'own' }), { type: 'conflict', lines: undefined });
    assert.deepEqual(planTake({ base, theirs: undefined, mine: base }), { type: 'delete' });
    assert.deepEqual(planTake({ base, theirs: undefined, mine: 'own' }), { type: 'conflict', lines: undefined });
    assert.deepEqual(planTake({ base, theirs: 'x', mine: undefined }), { type: 'conflict', lines: undefined });
    assert.deepEqual(planTake({ base, theirs: undefined, mine: undefined }), { type: 'nothing' });
  });

  it('takes a single change at its lines, also a deletion', () => {
    const theirs = lines('1', 'agent', 'more', '3', '4', '6');
    assert.equal(onlyChangeAt(base, theirs, 1), lines('1', 'agent', 'more', '3', '4', '5', '6'));
    assert.equal(onlyChangeAt(base, theirs, 2), lines('1', 'agent', 'more', '3', '4', '5', '6'));
    assert.equal(onlyChangeAt(base, theirs, 5), lines('1', '2', '3', '4', '6'));
    assert.equal(onlyChangeAt(base, theirs, 0), undefined);
  });

  it('produces the attempt’s text after all changes are taken, in any order', () => {
    const text = array(constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 }).map((all) => lines(...all));
    check(
      property(text, text, (from, to) => {
        let mine = from;
        const count = to.split('\n').length;
        for (let line = count; line >= 0; line--) {
          const theirs = onlyChangeAt(from, to, line);
          const plan = theirs === undefined ? undefined : planTake({ base: from, theirs, mine });
          if (plan?.type === 'write') mine = plan.text;
          assert.notEqual(plan?.type, 'conflict');
        }
        assert.equal(mine, to);
      }),
    );
  });
});
