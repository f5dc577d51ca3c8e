import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { startedProcesses } from '../../node/process/killOnExit';
import { ProcessActivity } from '../../node/process/processActivity';
import type { Git } from '../../node/gitCommand';
import { GitMoves } from '../git/gitMoves';
import type { WorkspaceSnapshots } from '../git/workspaceSnapshots';
import { entriesFrom } from '../../shared/state/entryPages';
import type { Entry } from '../../shared/state/sessionState';
import type { Session } from '../../session/session';
import type { TurnBaseline } from './turnChanges';
import type { TurnMovesOptions } from './turnMoves';
import { TurnMoves } from './turnMoves';

/** Tells git and other programs from the agents that work. In a separate chunk: needed from the first turn on. */
export interface OtherWriters {
  readonly activity: Pick<ProcessActivity, 'start' | 'stop' | 'wasIdle'>;
  /** Whether no process of an agent ran when the file was last changed on disk. */
  isByOther(path: string): Promise<boolean>;
  /**
   * Whether an agent's work may go on elsewhere while its process waits: on another computer, or in a tool call.
   * @param entry the first of the turn
   */
  hasOpenWork(session: Pick<Session, 'state'> & Partial<Pick<Session, 'isRemote'>>, entry: number): boolean;
  /** Records where the repositories are; the result is called when the turn starts. */
  startMoves(): Promise<(before: TurnBaseline) => TurnMoves>;
}

interface OtherWritersOptions extends Omit<TurnMovesOptions, 'git'> {
  readonly git: Git;
  readonly snapshots: WorkspaceSnapshots;
  /** See {@link ProcessActivity}. */
  readonly isBusy: () => boolean;
}

/** @param roots ids of the agents' processes */
export function createOtherWriters(options: OtherWritersOptions, roots = startedProcesses): OtherWriters {
  const { isBusy, tracker, modifiedFiles } = options;
  const git = new GitMoves(options.git, options.snapshots);
  const activity = new ProcessActivity({ roots, isBusy });
  return {
    activity,
    isByOther: async (path) => {
      const at = await changeTime(path);
      return at !== undefined && activity.wasIdle(at);
    },
    hasOpenWork: ({ isRemote, state }, entry) =>
      isRemote === true || [...entriesFrom(state.entries, entry)].some(([, each]) => isOpen(each)),
    startMoves: async () => {
      const start = await git.start();
      return (before) => new TurnMoves({ git, tracker, modifiedFiles }, start, before);
    },
  };
}

function isOpen(entry: Entry): boolean {
  if (entry.kind === 'subagent') return entry.child.turn.status === 'running';
  return entry.kind === 'tool' && entry.waiting === 0 && (entry.status === 'pending' || entry.status === 'running');
}

/** Of a deleted file, that of its folder. Milliseconds since 1970. */
async function changeTime(path: string): Promise<number | undefined> {
  const info = await lstat(path).catch(() => lstat(dirname(path)).catch(() => undefined));
  return info?.ctimeMs;
}
