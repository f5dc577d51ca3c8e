import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { delay } from '../base/async';
import { t } from '../base/l10n';
import type { Disposable } from '../base/lifecycle';
import { askFor, takeAway } from './claim';
import type { Claims } from './claims';
import type { Unwritten } from './history';
import type { Sessions } from './sessions';
import { headerLine, transcriptFile } from './transcript';

/** Milliseconds between two looks whether the other window has let go. */
const PAUSE = 25;
/** Milliseconds that it gets to write what is left and let go. */
const PATIENCE = 5_000;

/**
 * Takes a session from the window that has it: asks for it, and takes it away from one that does not answer.
 * @param patience milliseconds @returns dispose it when the session is open @throws OpenElsewhereError when yet another window was faster
 */
export async function takeOver(claims: Claims, id: string, patience = PATIENCE): Promise<Disposable> {
  const asking = askFor(claims.folder, id);
  try {
    if (!(await isLetGo(claims, id, patience))) takeAway(claims.folder, id);
    return claims.take(id);
  } finally {
    asking.dispose();
  }
}

async function isLetGo(claims: Claims, id: string, patience: number): Promise<boolean> {
  for (let waited = 0; waited < patience; waited += PAUSE) {
    if (!claims.isElsewhere(id)) return true;
    // oxlint-disable-next-line no-await-in-loop -- what the other window does is seen in the folder only
    await delay(PAUSE);
  }
  return false;
}

/** A session that another window has taken over. */
export interface GoneElsewhere {
  readonly id: string;
  readonly title: string;
  /** The title of a session that keeps what came in here after it was taken away. */
  readonly copy?: string;
}

/**
 * Closes a session that another window goes on with.
 * @param lost it was taken away, because this window did not answer: what came in since goes into a transcript of its own
 * @returns undefined when it is not open
 */
export async function leave(sessions: Sessions, id: string, lost: boolean): Promise<GoneElsewhere | undefined> {
  const session = sessions.get(id);
  if (!session) return undefined;
  const title = sessions.shelf.get(id)?.title ?? id;
  // An agent that runs elsewhere goes on, and is met again there.
  if (session.isRemote) session.interrupt();
  await sessions.close(session);
  const { unwritten } = session;
  if (!lost || unwritten.lines.length === 0) return { id, title };
  const copy = t('{0} (copy)', title);
  await rescue(sessions.shelf.folder, id, unwritten, { id: randomUUID(), title: copy });
  await sessions.refresh();
  return { id, title, copy };
}

/** The agent goes on with its session in the window that took it. */
const OF_AGENT = /^\{"action":\{"type":"agentSession(?:Opened|Dated)"/;

/**
 * Keeps what could not be written any more into the transcript that another window has taken: in a transcript of its own, after what was there.
 * @param folder of the transcripts: absolute @param as its new id, and its title
 */
async function rescue(
  folder: string,
  from: string,
  { lines, size }: Unwritten,
  as: { readonly id: string; readonly title: string },
): Promise<void> {
  const there = await readFile(transcriptFile(folder, from)).catch(() => Buffer.alloc(0));
  const before = there
    .subarray(0, size > 0 ? size : there.length)
    .toString()
    .split('\n')
    .slice(1);
  const more = [{ type: 'sessionRenamed', title: as.title }, { type: 'branched' }];
  const all = [...before, ...lines].filter((line) => line !== '' && !OF_AGENT.test(line));
  const added = more.map((action) => JSON.stringify({ action }));
  await writeFile(transcriptFile(folder, as.id), `${headerLine(as.id)}${[...all, ...added].join('\n')}\n`);
}
