import type { OtherWriters } from '../../../src/review/tracking/otherWriters';
import type { TurnMoves } from '../../../src/review/tracking/turnMoves';

/** Without git, and without processes of agents. */
export const noOtherWriters: OtherWriters = {
  activity: {
    start: () => undefined,
    stop: () => undefined,
    wasIdle: async () => false,
    wroteNothing: async () => false,
  },
  writerOf: async () => 'agent',
  namedFiles: () => () => false,
  hasOpenWork: () => false,
  startMoves: async () => () => ({ sources: new Map(), update: async () => undefined }) as unknown as TurnMoves,
};
