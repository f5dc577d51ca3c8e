import { compileGlob } from '../../../base/glob';

/** Accepts items whose path matches the glob of a model; all without one. */
export function pathFilter(glob?: string): (item: { readonly path: string }) => boolean {
  if (glob === undefined) return () => true;
  const matches = compileGlob(glob);
  return ({ path }) => matches(path) === true;
}
