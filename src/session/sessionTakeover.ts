// Protected by test/unit/session/windows.test.ts: two windows never write to a session at the same time.
import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { delay } from '../base/async';
import { errorMessage } from '../base/errors';
import { t } from '../base/l10n';
import type { Disposable } from '../base/lifecycle';
import type { SessionLocks } from '../history/sessionLocks';
import type { SessionStore } from '../history/sessionStore';
import { headerLine, transcriptFile } from '../history/transcriptFile';
import type { UnwrittenLines } from '../history/transcriptWriter';
import { breakLock } from '../node/fs/fileLock';
import { PRIVATE_FILE_MODE } from '../node/fs/privateFiles';
import { QUEUE_ACTIONS } from '../shared/state/messageQueueState';
import type { Action } from '../shared/state/sessionActions';
import type { LiveSession } from './liveSession';

/** Poll interval in milliseconds. */
const LOCK_POLL_MS = 25;
/** Milliseconds for the other window to write and release the session. */
const LOCK_TIMEOUT_MS = 5_000;

/**
 * Asks the other window for a session, and takes it by force if that window does not answer.
 * @param timeout milliseconds
 * @returns dispose it when the session is open
 * @throws SessionLockedError when a third window was faster
 */
export async function takeOver(locks: SessionLocks, id: string, timeout = LOCK_TIMEOUT_MS): Promise<Disposable> {
  const asking = locks.requestRelease(id);
  try {
    if (!(await isReleased(locks, id, timeout))) breakLock(locks.folder, id);
    return locks.acquire(id);
  } finally {
    asking.dispose();
  }
}

async function isReleased(locks: SessionLocks, id: string, timeout: number): Promise<boolean> {
  for (let waited = 0; waited < timeout; waited += LOCK_POLL_MS) {
    if (!locks.isInOtherWindow(id)) return true;
    // Polls, because only the folder shows that the other window has released the session.
    await delay(LOCK_POLL_MS);
  }
  return false;
}

export interface TakenOverSession {
  readonly id: string;
  readonly title: string;
  /** Title of the session with the lines that arrived after the takeover. */
  readonly copy?: string;
  /** Why these lines could not be stored. */
  readonly failure?: string;
}

/**
 * Closes a session that another window has taken. Lines that this window could no longer write are stored in a new transcript.
 * @param close removes the session from memory; settles when everything is written
 */
export async function releaseSession(
  session: LiveSession,
  store: SessionStore,
  close: (session: LiveSession) => Promise<void>,
): Promise<TakenOverSession> {
  const { id } = session;
  const { folder = null } = session.state;
  const title = store.get(id)?.title ?? id;
  if (session.isRemote) {
    // The agent continues for the other window: closing the session at the agent would stop its turn.
    session.interrupt();
    session.binding.release();
  }
  await close(session);
  const { unwritten } = session.history;
  if (unwritten.lines.length === 0) return { id, title };
  const copy = t('{0} (copy)', title);
  try {
    await rescue(store.folder, id, unwritten, { id: randomUUID(), title: copy, folder });
  } catch (error) {
    return { id, title, failure: errorMessage(error) };
  }
  return { id, title, copy };
}

/**
 * Stores unwritten lines in a new transcript, after the lines of the taken one.
 * @param folder folder of the transcripts, absolute
 * @param as id, title and session folder of the new transcript
 * @throws Error when it cannot be written; then nothing is stored
 */
async function rescue(
  folder: string,
  from: string,
  { lines, size }: UnwrittenLines,
  as: { readonly id: string; readonly title: string; readonly folder: string | null },
): Promise<void> {
  // The other window may have deleted the transcript meanwhile.
  const whole = await readFile(transcriptFile(folder, from)).catch(() => Buffer.alloc(0));
  const there = whole.subarray(0, size).toString().split('\n').slice(1);
  // Messages that were queued before stay in the other window; messages queued here since then exist nowhere else.
  const before = there.filter((line) => !QUEUE_ACTIONS.has(typeOf(line)));
  const more: Action[] = [
    { type: 'folderChosen', folder: as.folder },
    { type: 'sessionRenamed', title: as.title },
    { type: 'branched' },
  ];
  const all = [...before, ...lines].filter((line) => line !== '' && !OF_AGENT.has(typeOf(line)));
  const added = more.map((action) => JSON.stringify({ action }));
  const file = transcriptFile(folder, as.id);
  try {
    await writeFile(file, `${headerLine(as.id)}${[...all, ...added].join('\n')}\n`, { mode: PRIVATE_FILE_MODE });
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** The agent's session and the scheduled retry stay with the other window. */
const OF_AGENT: ReadonlySet<string> = new Set<Action['type']>([
  'agentSessionOpened',
  'agentSessionClosed',
  'agentSessionDated',
  'retryScheduled',
  'retryEnded',
]);

/** The action type of a transcript line; empty for another line. */
function typeOf(line: string): string {
  return /^\{"action":\{"type":"(\w+)"/.exec(line)?.[1] ?? '';
}
