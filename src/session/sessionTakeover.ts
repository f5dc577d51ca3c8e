import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { delay } from '../base/async';
import { errorMessage } from '../base/errors';
import { t } from '../base/l10n';
import type { Disposable } from '../base/lifecycle';
import type { Action } from '../shared/state/sessionActions';
import { isQueueAction } from '../shared/state/messageQueueState';
import { breakLock } from '../node/fs/fileLock';
import type { SessionLocks } from '../history/sessionLocks';
import type { UnwrittenLines } from '../history/transcriptWriter';
import { PRIVATE_FILE } from '../node/fs/privateFiles';
import type { Sessions } from './sessions';
import { headerLine, transcriptFile } from '../history/transcriptFile';

/** Milliseconds between two looks whether the other window has let go. */
const PAUSE = 25;
/** Milliseconds that it gets to write what is left and let go. */
const PATIENCE = 5_000;

/**
 * Takes a session from the window that has it: asks for it, and takes it away from one that does not answer.
 * @param patience milliseconds
 * @returns dispose it when the session is open
 * @throws OpenElsewhereError when yet another window was faster
 */
export async function takeOver(claims: SessionLocks, id: string, patience = PATIENCE): Promise<Disposable> {
  const asking = claims.ask(id);
  try {
    if (!(await isLetGo(claims, id, patience))) breakLock(claims.folder, id);
    return claims.take(id);
  } finally {
    asking.dispose();
  }
}

async function isLetGo(claims: SessionLocks, id: string, patience: number): Promise<boolean> {
  for (let waited = 0; waited < patience; waited += PAUSE) {
    if (!claims.isElsewhere(id)) return true;
    // oxlint-disable-next-line no-await-in-loop -- what the other window does is seen in the folder only
    await delay(PAUSE);
  }
  return false;
}

/** A session that another window has taken over. */
export interface TakenOverSession {
  readonly id: string;
  readonly title: string;
  /** The title of a session that keeps what came in here after it was taken away. */
  readonly copy?: string;
  /** Why that could not be kept. */
  readonly failure?: string;
}

/**
 * Closes a session that another window goes on with. What could not be written into it any more, because this window did not answer in
 * time, goes into a transcript of its own.
 * @returns undefined when it is not open
 */
export async function releaseSession(sessions: Sessions, id: string): Promise<TakenOverSession | undefined> {
  const session = sessions.get(id);
  if (!session) return undefined;
  const title = sessions.shelf.get(id)?.title ?? id;
  if (session.isRemote) {
    // Its agent goes on, and is met again from the other window: to be told that the session was closed would stop it.
    session.interrupt();
    session.leaveAgent();
  }
  await sessions.close(session);
  const { unwritten } = session;
  if (unwritten.lines.length === 0) return { id, title };
  const copy = t('{0} (copy)', title);
  try {
    await rescue(sessions.shelf.folder, id, unwritten, { id: randomUUID(), title: copy });
  } catch (error) {
    return { id, title, failure: errorMessage(error) };
  }
  await sessions.refresh();
  return { id, title, copy };
}

/**
 * Keeps what could not be written any more into the transcript that another window has taken: in a transcript of its own, after what was
 * there.
 * @param folder of the transcripts: absolute
 * @param as its new id, and its title
 * @throws why it cannot be written; then nothing is kept
 */
async function rescue(
  folder: string,
  from: string,
  { lines, size }: UnwrittenLines,
  as: { readonly id: string; readonly title: string },
): Promise<void> {
  // The other window may have deleted it by now.
  const whole = await readFile(transcriptFile(folder, from)).catch(() => Buffer.alloc(0));
  const there = whole.subarray(0, size).toString().split('\n').slice(1);
  // What waited in it goes on to wait there; what was put behind it here since is in no other place.
  const before = there.filter((line) => !isQueueAction({ type: typeOf(line) }));
  const more = [{ type: 'sessionRenamed', title: as.title }, { type: 'branched' }];
  const all = [...before, ...lines].filter((line) => line !== '' && !OF_AGENT.has(typeOf(line)));
  const added = more.map((action) => JSON.stringify({ action }));
  const file = transcriptFile(folder, as.id);
  try {
    await writeFile(file, `${headerLine(as.id)}${[...all, ...added].join('\n')}\n`, { mode: PRIVATE_FILE });
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** The agent goes on with its session in the window that took it. */
const OF_AGENT: ReadonlySet<string> = new Set<Action['type']>(['agentSessionOpened', 'agentSessionDated']);

/** The type of the action that a line of a transcript holds; empty for another line. */
function typeOf(line: string): string {
  return /^\{"action":\{"type":"(\w+)"/.exec(line)?.[1] ?? '';
}
