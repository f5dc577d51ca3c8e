import { Lazy } from '../../../src/base/lazy';
import type { ProcessActivity } from '../../../src/node/process/processActivity';
import type { Authorship } from '../../../src/review/tracking/authorship';
import type { OtherWriters } from '../../../src/review/tracking/otherWriters';
import type { ReviewScopes } from '../../../src/review/tracking/reviewScope';
import type { TurnMoves } from '../../../src/review/tracking/turnMoves';
import type { UserFileChanges } from '../../../src/review/tracking/userFileChanges';
import { WorkingAgents } from '../../../src/review/tracking/workingAgents';
import type { WorkSigns } from '../../../src/review/tracking/workSigns';
import { stubOf } from '../../kit/stubOf';

/** All changes are those of agents. */
export const byAgent = (sessions: () => readonly string[] = () => ['s']): Authorship => ({
  sessionsWorkingOn: sessions,
  writerOf: async () => 'agent',
  isMadeByUser: async () => false,
});

/** Without git, and without processes of agents. */
export const noOtherWriters: OtherWriters = {
  activity: stubOf<ProcessActivity>({ start: () => undefined, stop: () => undefined }),
  writerOf: async () => 'agent',
  namedFiles: () => () => false,
  hasOpenWork: () => false,
  startMoves: async () => () => stubOf<TurnMoves>({ sources: new Map(), update: async () => undefined }),
  dispose: () => undefined,
};

const noOtherWindows = stubOf<WorkSigns>({ show: () => ({ dispose: () => undefined }), isElsewhere: () => false });

/** Agents of a window in which nobody else changes files. */
export function agentsIn(
  scopes: ReviewScopes,
  writers = new Lazy(async () => noOtherWriters),
  windows = noOtherWindows,
): WorkingAgents {
  return new WorkingAgents(scopes, windows, writers, new Lazy(async () => noUserChanges));
}

const noUserChanges = stubOf<UserFileChanges>({ isMade: async () => false });
