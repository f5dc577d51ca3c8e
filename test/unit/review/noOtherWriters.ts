import type { ProcessActivity } from '../../../src/node/process/processActivity';
import type { OtherWriters } from '../../../src/review/tracking/otherWriters';
import type { TurnMoves } from '../../../src/review/tracking/turnMoves';
import { stubOf } from '../../kit/stubOf';

/** Without git, and without processes of agents. */
export const noOtherWriters: OtherWriters = {
  activity: stubOf<ProcessActivity>({ start: () => undefined, stop: () => undefined }),
  writerOf: async () => 'agent',
  namedFiles: () => () => false,
  hasOpenWork: () => false,
  startMoves: async () => () => stubOf<TurnMoves>({ sources: new Map(), update: async () => undefined }),
};
