import type { Result } from './part.mjs';

export function slowestSuites(
  parts: readonly (Pick<Result, 'suites'> & { readonly name: string })[],
  count: number,
): { part: string; title: string; ms: number }[];
