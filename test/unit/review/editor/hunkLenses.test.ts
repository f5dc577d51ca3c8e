import assert from 'node:assert/strict';
import type { lensesOf } from '../../../../src/review/editor/hunkLenses';
import type { Hunk } from '../../../../src/review/tracking/hunks';
import type { ReviewedFile } from '../../../../src/review/tracking/modifiedFiles';
import { provideVscode } from '../../../kit/provideVscode';
import { stubOf } from '../../../kit/stubOf';

class CodeLens {
  constructor(
    readonly range: object,
    readonly command: { readonly title: string },
  ) {}
}

const BASE = ['/** One. */', ...Array.from({ length: 20 }, (_, at) => `line ${at}`)];

describe('the code lenses of changes', () => {
  let create: typeof lensesOf;

  before(async () => {
    const restore = provideVscode({ CodeLens, Range: Object });
    create = (await import('../../../../src/review/editor/hunkLenses')).lensesOf;
    restore();
  });

  const titles = (hunks: readonly Hunk[], conflict?: 'edited'): string[] =>
    create(stubOf<ReviewedFile>({ path: '/a.ts', hunks, conflict }), hunks, 3, BASE).map(
      ({ command }) => command?.title ?? '',
    );
  const mine: Hunk = { id: '1', before: { start: 0, lines: 21 }, after: { start: 0, lines: 1 }, conflict: true };
  const other: Hunk = { id: '2', before: { start: 21, lines: 0 }, after: { start: 2, lines: 1 } };

  it('have the buttons first, each once, and say how many lines were removed', () => {
    assert.deepEqual(titles([mine], 'edited'), ['Keep', 'Comment', 'You changed these lines too']);
    const gone: Hunk = { id: '3', before: { start: 0, lines: 21 }, after: { start: 0, lines: 0 } };
    assert.deepEqual(titles([gone]), ['Keep', 'Undo', 'Comment', '− /** One. */ −20 lines']);
  });

  it('name the number of changes after what can be done at the first line', () => {
    assert.deepEqual(titles([mine, other], 'edited').slice(0, 5), [
      'Keep File',
      'Undo File',
      'Keep',
      'Comment',
      'You changed these lines too',
    ]);
    assert.equal(titles([mine, other]).at(-1), '2 changes by the agent');
    assert.deepEqual(titles([other]), ['Keep', 'Undo', 'Comment']);
  });
});
