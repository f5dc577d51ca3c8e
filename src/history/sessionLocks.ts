import { mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { ParleyError } from '../base/errors';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import { t } from '../base/l10n';
import type { Disposable } from '../base/lifecycle';
import { MutableDisposable, toDisposable } from '../base/lifecycle';
import type { FileLock } from '../node/fs/fileLock';
import { requestRelease, acquireLock, isReleaseRequested, isLocked } from '../node/fs/fileLock';
import { PRIVATE_FOLDER_MODE } from '../node/fs/privateFiles';

/** The session is open in another window and can only be read here: two windows that write one transcript would destroy it. */
export class SessionLockedError extends ParleyError {
  /** Parley's id of the session. */
  readonly session: string;

  constructor(session: string) {
    super('conflict', t('This session is open in another window.'), {
      nextStep: t('Continue in the other window, or take over the session.'),
    });
    this.session = session;
  }
}

/** A session that this window has locked. */
interface OwnLock {
  claim: FileLock;
  users: number;
  isLost: boolean;
}

/**
 * The locks of this window on sessions of one folder. Windows without a workspace folder share one place; a folder that is not shared has
 * no other windows.
 */
export class SessionLocks implements Disposable {
  /** Absolute; the folder of the lock files. */
  readonly folder: string;
  readonly #mine = new Map<string, OwnLock>();
  /** Sessions that this window asks other windows to release. */
  readonly #requests = new Set<{ readonly id: string }>();
  readonly #watcher = new MutableDisposable<Disposable>();
  readonly #onDidRequestRelease = new Emitter<string>();
  readonly #onDidLose = new Emitter<string>();

  /** Fires the id of a session that another window asks this window to release. */
  readonly onDidRequestRelease: Event<string> = this.#onDidRequestRelease.event;
  /**
   * Fires the id of a session that another window has taken because this window did not answer. This window must not write the session any
   * more.
   */
  readonly onDidLose: Event<string> = this.#onDidLose.event;

  /** @param folder folder of the transcripts, absolute */
  constructor(
    folder: string,
    private readonly isShared: boolean,
  ) {
    this.folder = join(folder, 'claims');
  }

  /** Whether another running window has the session, including a window that has taken it from this one. */
  isInOtherWindow(id: string): boolean {
    if (!this.isShared) return false;
    const mine = this.#mine.get(id);
    return (!mine || mine.isLost || mine.claim.isLost) && isLocked(this.folder, id);
  }

  /** Asks the window that has the session to release it. Dispose the result when this window no longer waits for the session. */
  requestRelease(id: string): Disposable {
    const request = { id };
    const sign = requestRelease(this.folder, id);
    this.#requests.add(request);
    return toDisposable(() => {
      sign.dispose();
      this.#requests.delete(request);
    });
  }

  /**
   * Locks a session for this window; several locks at once are possible, and the last one to be disposed releases the session.
   * @throws SessionLockedError also while a lost session is still open here
   */
  acquire(id: string): Disposable {
    if (!this.isShared) return toDisposable(() => undefined);
    if (!this.canWrite(id)) throw new SessionLockedError(id);
    const mine = this.#mine.get(id) ?? { claim: this.#claim(id), users: 0, isLost: false };
    mine.users += 1;
    this.#mine.set(id, mine);
    return toDisposable(() => {
      mine.users -= 1;
      if (mine.users > 0) return;
      if (this.#mine.get(id) === mine) this.#mine.delete(id);
      mine.claim.dispose();
    });
  }

  /** Whether this window may write the session; false once another window has taken it (see {@link onDidLose}). */
  canWrite(id: string): boolean {
    const mine = this.#mine.get(id);
    if (!mine || (mine.claim.isHeld && !mine.isLost)) return true;
    // The lock file is missing although no window has taken it: the folder was cleaned up, or it could not be written.
    const renewed = mine.isLost || mine.claim.isLost ? undefined : this.#tryAcquire(id);
    if (renewed) mine.claim = renewed;
    else if (!mine.isLost) {
      mine.isLost = true;
      this.#onDidLose.fire(id);
    }
    return renewed !== undefined;
  }

  /** Releases all sessions. */
  dispose(): void {
    this.#watcher.value = undefined;
    for (const mine of this.#mine.values()) mine.claim.dispose();
    this.#mine.clear();
  }

  #claim(id: string): FileLock {
    const claimed = this.#tryAcquire(id);
    if (!claimed) throw new SessionLockedError(id);
    this.#watcher.value ??= this.#watch();
    return claimed;
  }

  /** While too many files are open, the lock is not held; it is acquired before the next write. */
  #tryAcquire(id: string): FileLock | undefined {
    try {
      return acquireLock(this.folder, id);
    } catch {
      return { isHeld: false, isLost: false, dispose: () => undefined };
    }
  }

  /** Without a file watcher other windows get no answer, and take the sessions that they ask for. */
  #watch(): Disposable {
    try {
      mkdirSync(this.folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
      const watcher = watch(this.folder, { persistent: false }, () => this.#fireReleaseRequests());
      watcher.on('error', () => watcher.close());
      return toDisposable(() => watcher.close());
    } catch {
      return toDisposable(() => undefined);
    }
  }

  /** Whether another window asks: the request file may be this window's own (see {@link requestRelease}). */
  #isRequestedHere(id: string): boolean {
    return Array.from(this.#requests).some((request) => request.id === id);
  }

  #fireReleaseRequests(): void {
    for (const id of Array.from(this.#mine.keys())) {
      if (this.canWrite(id) && !this.#isRequestedHere(id) && isReleaseRequested(this.folder, id))
        this.#onDidRequestRelease.fire(id);
    }
  }
}
