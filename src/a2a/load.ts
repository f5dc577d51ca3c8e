import type * as Library from './a2aSdk';

/** The A2A SDK as it is loaded. */
export type A2a = typeof Library;

/** Evaluates the A2A SDK; the second call gives the same. */
export function loadA2a(): Promise<A2a> {
  return import('./a2aSdk');
}
