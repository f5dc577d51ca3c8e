import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ReviewDirection } from '../../../../src/review/editor/hunkNavigation';
import {
  hunkAt,
  hunkKind,
  hunkLine,
  hunksOfEdit,
  nextReviewStop,
  normalizedLines,
} from '../../../../src/review/editor/hunkNavigation';
import type { Hunk } from '../../../../src/review/tracking/hunks';
import type { ReviewedFile } from '../../../../src/review/tracking/modifiedFiles';

const hunk = (start: number, lines: number, beforeLines = 1): Hunk => ({
  id: `${start}`,
  before: { start, lines: beforeLines },
  after: { start, lines },
});

const file = (path: string, hunks: readonly Hunk[], more: Partial<ReviewedFile> = {}): ReviewedFile => ({
  path,
  label: path.slice(1),
  status: 'changed',
  binary: false,
  hunks,
  added: 1,
  removed: 1,
  sessions: ['s'],
  ...more,
});

describe('review/editor/hunkNavigation', () => {
  it('distinguishes added, changed and deleted lines', () => {
    assert.deepEqual([hunk(1, 2, 0), hunk(1, 2, 1), hunk(1, 0, 3)].map(hunkKind), ['added', 'changed', 'deleted']);
  });

  it('finds the hunk of a line, and a deletion from both adjacent lines', () => {
    const hunks = [hunk(2, 3), hunk(8, 0, 2)];
    const found = [1, 2, 4, 5, 6, 7, 8, 9].map((line) => hunkAt(hunks, line)?.id);
    assert.deepEqual(found, [undefined, '2', '2', undefined, undefined, '8', '8', undefined]);
  });

  it('marks a deletion at the end of a file at the last line', () => {
    assert.equal(hunkLine(hunk(5, 0), 5), 4);
    assert.equal(hunkLine(hunk(0, 0), 1), 0);
  });

  describe('navigation between changes', () => {
    const files = [file('/a', [hunk(3, 2), hunk(9, 0)]), file('/b', [], { binary: true }), file('/c', [hunk(0, 1)])];
    const go = (path: string, line: number, direction: ReviewDirection): string | undefined => {
      const stop = nextReviewStop(files, { path, line }, direction);
      return stop && `${stop.file.path}:${stop.hunk?.id ?? ''}`;
    };

    it('goes to the next hunk and file, includes files without lines, and wraps around', () => {
      assert.deepEqual([go('/a', 0, 'next'), go('/a', 3, 'next'), go('/a', 9, 'next')], ['/a:3', '/a:9', '/b:']);
      assert.deepEqual([go('/b', 0, 'next'), go('/c', 0, 'next')], ['/c:0', '/a:3']);
    });

    it('goes back, but never to the hunk at the cursor', () => {
      assert.deepEqual([go('/a', 9, 'previous'), go('/a', 4, 'previous')], ['/a:3', '/c:0']);
      assert.deepEqual([go('/c', 0, 'previous'), go('/b', 0, 'previous')], ['/b:', '/a:9']);
    });

    it('starts at the first or last hunk from any other place', () => {
      assert.deepEqual([go('/other', 5, 'next'), go('/other', 5, 'previous')], ['/a:3', '/c:0']);
      assert.equal(nextReviewStop(files, undefined, 'next')?.hunk?.id, '3');
      assert.equal(nextReviewStop([], undefined, 'next'), undefined);
    });

    it('continues after a file that has been reviewed', () => {
      const after = (label: string): string | undefined =>
        nextReviewStop(files, { path: `/${label}`, line: 0, label }, 'next')?.file.path;
      assert.deepEqual(['0', 'a2', 'b2', 'd'].map(after), ['/a', '/b', '/c', '/a']);
    });

    it('shows a deleted file as one change', () => {
      const deleted = [file('/gone', [hunk(0, 0, 9)], { status: 'deleted' })];
      assert.deepEqual(nextReviewStop(deleted, undefined, 'next'), { file: deleted[0] });
    });

    it('reaches every change exactly once before it wraps around', () => {
      const sizes = fc.array(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 }), {
        minLength: 1,
        maxLength: 4,
      });
      fc.assert(
        fc.property(sizes, fc.constantFrom<ReviewDirection>('next', 'previous'), (shape, direction) => {
          const all = shape.map((lines, at) =>
            file(
              `/${at}`,
              lines.map((count, index) => hunk(index * 5, count)),
            ),
          );
          const total = all.reduce((sum, { hunks }) => sum + Math.max(1, hunks.length), 0);
          const seen = new Set<string>();
          let stop = nextReviewStop(all, undefined, direction);
          for (let step = 0; step < total; step++) {
            assert.ok(stop);
            seen.add(`${stop.file.path}:${stop.hunk?.id ?? ''}`);
            stop = nextReviewStop(all, { path: stop.file.path, line: stop.hunk?.after.start ?? 0 }, direction);
          }
          assert.equal(seen.size, total);
        }),
      );
    });
  });
});

describe('review/editor/matchEditToHunks', () => {
  const before = normalizedLines('one\ntwo\nthree\nfour\nfive\n');
  const after = normalizedLines('ONE\ntwo\nthree\nfive\n');
  const hunks: readonly Hunk[] = [
    { id: 'change', before: { start: 0, lines: 1 }, after: { start: 0, lines: 1 } },
    { id: 'deletion', before: { start: 3, lines: 1 }, after: { start: 3, lines: 0 } },
  ];
  const ids = (oldText: string, newText: string): string[] =>
    hunksOfEdit({ oldText, newText }, hunks, { before, after }).map(({ id }) => id);

  it('finds hunks of a whole-file edit, and of a snippet without its indentation', () => {
    assert.deepEqual(ids(before.join('\n'), after.join('\n')), ['change', 'deletion']);
    assert.deepEqual(ids('  one', '  ONE'), ['change']);
    assert.deepEqual(ids('three\nfour', 'three'), ['deletion']);
  });

  it('finds no hunks of an edit that was undone or changed only spaces', () => {
    assert.deepEqual(ids('seven', 'eight'), []);
    assert.deepEqual(ids('two', '  two'), []);
    assert.deepEqual(ids('', '\n\n'), []);
  });
});
