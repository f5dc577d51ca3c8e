import type * as Library from './a2aSdk';

/** The loaded A2A SDK. */
export type A2a = typeof Library;

/** Loads the A2A SDK once. */
export function loadA2a(): Promise<A2a> {
  return import('./a2aSdk');
}
