import * as fc from 'fast-check';
import type { ReviewStep } from './reviewModelPlay';
import { PATHS, ReviewModelPlay } from './reviewModelPlay';
import type { Target } from './target';
import { anyInput } from './target';

const path = fc.constantFrom(...PATHS);
const at = fc.double({ min: 0, max: 0.999, noNaN: true });
const on = <T extends string>(
  ...types: readonly T[]
): fc.Arbitrary<{ type: T; path: (typeof PATHS)[number]; at: number }> =>
  fc.record({ type: fc.constantFrom(...types), path, at });

const edit = fc.constantFrom(
  'insert' as const,
  'insert' as const,
  'replace' as const,
  'remove' as const,
  'whole' as const,
);
const user: fc.Arbitrary<ReviewStep> = fc.record({
  type: fc.constant('types' as const),
  path,
  at,
  edit,
  save: fc.boolean(),
});
const agent: fc.Arbitrary<ReviewStep> = fc.oneof(
  fc.record({ type: fc.constant('writes' as const), path, at, edit }),
  fc.record({ type: fc.constant('edits' as const), path, at, edit }),
);
const others: fc.Arbitrary<ReviewStep> = fc.oneof(
  fc.record({ type: fc.constantFrom('other' as const, 'doubtful' as const), path, at, edit }),
  fc.record({ type: fc.constant('merges' as const), path, at, edit }),
  fc.record({ type: fc.constant('commits' as const), at }),
);
const hunk: fc.Arbitrary<ReviewStep> = on('keepHunk', 'undoHunk');
const file: fc.Arbitrary<ReviewStep> = on('deletes', 'moves', 'binary', 'saves', 'reverts', 'keepFile', 'undoFile');
const window: fc.Arbitrary<ReviewStep> = fc.record({
  type: fc.constantFrom(
    'turn',
    'turn',
    'keepAll',
    'undoAll',
    'undoSure',
    'undoLast',
    'commit',
    'checkout',
    'reload',
    'restore',
  ),
  at,
});
const steps = fc.array(fc.oneof(user, user, agent, agent, others, others, file, hunk, window), {
  minLength: 1,
  maxLength: 24,
  size: 'max',
});

/** Users, agents, other programs and git in any order: no text of the user is lost, and Keep and Undo match a small model. */
export class ReviewModelTarget implements Target {
  readonly name = 'review model';

  property(): ReturnType<Target['property']> {
    return anyInput(
      fc.asyncProperty(steps, async (all) => {
        const play = new ReviewModelPlay();
        try {
          await play.run(all);
        } finally {
          play.dispose();
        }
      }),
    );
  }
}
