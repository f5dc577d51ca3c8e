import { applyChanges, lineChanges, splitLines } from '../../history/diff/lineDiff';
import { formatLineRanges, mergeThreeWay } from '../../history/diff/threeWayMerge';

/** Texts of a file with `\n`; undefined where it is missing. */
interface TakenTexts {
  /** In the worktree at its creation. */
  readonly base: string | undefined;
  /** In the worktree now. */
  readonly theirs: string | undefined;
  /** In the workspace, with unsaved text. */
  readonly mine: string | undefined;
}

export type TakePlan =
  | { readonly type: 'write'; readonly text: string }
  | { readonly type: 'delete' }
  /** The workspace has it already. */
  | { readonly type: 'nothing' }
  /** `lines` of `mine`, in words; undefined when the whole file conflicts. */
  | { readonly type: 'conflict'; readonly lines: string | undefined };

/** Plans how to apply a change of a worktree to the workspace. Never overwrites what the user has changed since. */
export function planTake({ base, theirs, mine }: TakenTexts): TakePlan {
  if (mine === theirs) return { type: 'nothing' };
  if (mine === base) return theirs === undefined ? { type: 'delete' } : { type: 'write', text: theirs };
  // Deleted on one side, or created on both.
  if (base === undefined || theirs === undefined || mine === undefined) return { type: 'conflict', lines: undefined };
  const merge = mergeThreeWay(base, mine, theirs);
  if (merge.type === 'overlap') return { type: 'conflict', lines: formatLineRanges(merge.lines) };
  return merge.text === mine ? { type: 'nothing' } : { type: 'write', text: merge.text };
}

/**
 * The base with only one change of a file in a worktree.
 * @param line 0-based, in `theirs`
 * @returns undefined when there is no change at the line
 */
export function onlyChangeAt(base: string, theirs: string, line: number): string | undefined {
  const [before, after] = [splitLines(base), splitLines(theirs)];
  const change = lineChanges(before, after).find(({ to, toEnd }) => {
    // A deletion counts as being at the line after it, or at the last line of the file.
    const end = Math.max(toEnd, to + 1);
    return line >= to && line < end;
  });
  return change && applyChanges(before, [change], after).join('');
}
