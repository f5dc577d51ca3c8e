// Protected by test/unit/review/tracking/otherPrograms.test.ts: what another program writes in a turn is not the agent’s.
import { lstat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Disposable } from '../../base/lifecycle';
import type { Git } from '../../node/gitCommand';
import { startedProcesses } from '../../node/process/killOnExit';
import { ProcessActivity } from '../../node/process/processActivity';
import type { Session } from '../../session/session';
import { entriesFrom } from '../../shared/state/entryPages';
import type { Entry } from '../../shared/state/sessionState';
import { RepositoryMoves } from '../git/gitMoves';
import type { WorkspaceSnapshots } from '../git/workspaceSnapshots';
import type { DiskChange, Writer } from './authorship';
import type { ChangeTracker } from './changeTracker';
import { namedFiles } from './namedFiles';
import type { TurnBaseline } from './turnChanges';
import { TurnMoves } from './turnMoves';

/** Tells git and other programs from the agents that work. In a separate chunk: needed from the first turn on. */
export interface OtherWriters extends Disposable {
  readonly activity: ProcessActivity;
  /** Who last changed a file on disk, as far as processes tell. */
  writerOf(path: string, change: DiskChange): Promise<Writer>;
  /**
   * Tells which paths the tool calls of a turn have in their text, or in their output where processes tell nothing.
   * @param entry the first of the turn
   */
  namedFiles(session: Session, entry: number): (path: string) => boolean;
  /**
   * Whether an agent's work may go on elsewhere while its process waits: on another computer, or in a tool call.
   * @param entry the first of the turn
   */
  hasOpenWork(session: Session, entry: number): boolean;
  /** Records where the repositories are; the result is called when the turn starts. */
  startMoves(tracker: ChangeTracker): Promise<(before: TurnBaseline) => TurnMoves>;
}

interface OpenWork {
  /** An agent's work may go on while its process waits. */
  readonly hasOpenWork: boolean;
}

/** @param roots ids of the agents' processes */
export function createOtherWriters(
  git: Git,
  snapshots: WorkspaceSnapshots,
  agents: OpenWork,
  roots = startedProcesses,
): OtherWriters {
  const moves = new RepositoryMoves(git, snapshots);
  const activity = new ProcessActivity(roots, () => agents.hasOpenWork);
  return {
    activity,
    writerOf: (path, change) => writerOf(activity, path, change),
    namedFiles: ({ state }, entry) => namedFiles(state, entry, !activity.isKnown),
    hasOpenWork: ({ isRemote, state }, entry) =>
      isRemote || [...entriesFrom(state.entries, entry)].some(([, each]) => isOpen(each)),
    startMoves: async (tracker) => {
      const start = await moves.start();
      return (before) => new TurnMoves(tracker, moves, start, before);
    },
    dispose: () => activity.stop(),
  };
}

function isOpen(entry: Entry): boolean {
  if (entry.kind === 'subagent') return entry.child.turn.status === 'running';
  return entry.kind === 'tool' && entry.waiting === 0 && (entry.status === 'pending' || entry.status === 'running');
}

/** Milliseconds from the last write of a file to its move to its place, as some programs save. */
const MAX_SAVE_MS = 1000;
/** Types of file systems that count for a process what it writes, see statfs(2): ext, xfs, btrfs, f2fs, overlay. */
const COUNTED = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x794c7630]);

/** Whether what a process writes into this folder can be told from what it prints. */
export async function countsWrites(folder: string): Promise<boolean> {
  return COUNTED.has((await statfs(folder)).type);
}

async function writerOf(activity: ProcessActivity, path: string, change: DiskChange): Promise<Writer> {
  // Of a deleted file, the times of its folder.
  const info = await lstat(path).catch(() => lstat(dirname(path)).catch(() => undefined));
  if (!info) return 'agent';
  if (await activity.wasIdle(info.ctimeMs)) return 'other';
  if (!activity.isKnown) return 'unknown';
  const { before, after } = change;
  // Moving or deleting a file, or changing its mode, writes no bytes.
  const isWritten = after?.bytes && after.bytes !== before?.bytes && info.ctimeMs - info.mtimeMs < MAX_SAVE_MS;
  if (!isWritten) return (await activity.wasStill(info.ctimeMs)) ? 'unknown' : 'agent';
  // The page of the earlier bytes may be counted already.
  const isAppended = before !== undefined && after.bytes.startsWith(before.bytes);
  const isCounted = !isAppended && (await countsWrites(dirname(path)));
  return (await activity.wroteNothing(info.mtimeMs, isCounted ? 'disk' : 'calls')) ? 'unknown' : 'agent';
}
