import { compileGlob } from '../../../base/glob';
import { ToolError } from '../../contract/toolServerTypes';

/** UTF-16 units. */
const MAX_GLOB = 500;
/** For all paths of a filter; the paths after them match nothing. */
const MAX_STEPS = 2_000_000;

/** Accepts items whose path matches the glob of a model; all without one. */
export function pathFilter(glob?: string): (item: { readonly path: string }) => boolean {
  if (glob === undefined) return () => true;
  if (glob.length > MAX_GLOB) throw new ToolError('The glob is too long.', `Give at most ${MAX_GLOB} characters.`);
  const matches = compileGlob(glob, { left: MAX_STEPS });
  const known = new Map<string, boolean>();
  return ({ path }) => {
    const isMatch = known.get(path) ?? matches(path) === true;
    known.set(path, isMatch);
    return isMatch;
  };
}
