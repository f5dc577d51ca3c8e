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
import { PRIVATE_FOLDER } from '../node/fs/privateFiles';

/** The session is open in another window: two that write into one transcript would destroy it. It can be read here. */
export class SessionLockedError extends ParleyError {
  /** Our id of it. */
  readonly session: string;

  constructor(session: string) {
    super('conflict', t('This session is open in another window.'), {
      nextStep: t('Continue in the other window, or take over the session.'),
    });
    this.session = session;
  }
}

/** A session that this window has. */
interface Mine {
  claim: FileLock;
  users: number;
  lost: boolean;
}

/** Which sessions of a folder this window has. Windows without a folder share one place; where none shares it, nobody else has any. */
export class SessionLocks implements Disposable {
  /** Where the claims lie: absolute. */
  readonly folder: string;
  readonly #shared: boolean;
  readonly #mine = new Map<string, Mine>();
  /** What this window asks others for. */
  readonly #asking = new Set<{ readonly id: string }>();
  readonly #watcher = new MutableDisposable<Disposable>();
  readonly #asked = new Emitter<string>();
  readonly #lost = new Emitter<string>();

  /** Another window asks for one that this window has: its id. */
  readonly onDidAsk: Event<string> = this.#asked.event;
  /**
   * Another window has taken away one that this window had, because this one did not answer: its id. Nothing may be written into it any
   * more.
   */
  readonly onDidLose: Event<string> = this.#lost.event;

  /** @param folder of the transcripts: absolute */
  constructor(folder: string, shared: boolean) {
    this.folder = join(folder, 'claims');
    this.#shared = shared;
  }

  /** Another living window has it, also one that has taken it away from this window. */
  isElsewhere(id: string): boolean {
    if (!this.#shared) return false;
    const mine = this.#mine.get(id);
    return (!mine || mine.lost || mine.claim.isLost) && isLocked(this.folder, id);
  }

  /** Asks the window that has it to let go. Dispose it when this window does not wait for that any more. */
  ask(id: string): Disposable {
    const asking = { id };
    const sign = requestRelease(this.folder, id);
    this.#asking.add(asking);
    return toDisposable(() => {
      sign.dispose();
      this.#asking.delete(asking);
    });
  }

  /**
   * Takes a session for this window, maybe several times; it is let go with the last.
   * @throws SessionLockedError also as long as one that it has lost is not left
   */
  take(id: string): Disposable {
    if (!this.#shared) return toDisposable(() => undefined);
    if (!this.holds(id)) throw new SessionLockedError(id);
    const mine = this.#mine.get(id) ?? { claim: this.#claim(id), users: 0, lost: false };
    mine.users += 1;
    this.#mine.set(id, mine);
    return toDisposable(() => {
      mine.users -= 1;
      if (mine.users > 0) return;
      if (this.#mine.get(id) === mine) this.#mine.delete(id);
      mine.claim.dispose();
    });
  }

  /** Whether it may be written: false once another window has taken it away, of which {@link onDidLose} tells. */
  holds(id: string): boolean {
    const mine = this.#mine.get(id);
    if (!mine || (mine.claim.stands && !mine.lost)) return true;
    // Where nobody has taken it away, somebody has cleaned up the folder.
    const again = mine.lost || mine.claim.isLost ? undefined : acquireLock(this.folder, id);
    if (again) mine.claim = again;
    else if (!mine.lost) {
      mine.lost = true;
      this.#lost.fire(id);
    }
    return again !== undefined;
  }

  /** Lets all of them go. */
  dispose(): void {
    this.#watcher.value = undefined;
    for (const mine of this.#mine.values()) mine.claim.dispose();
    this.#mine.clear();
  }

  #claim(id: string): FileLock {
    const claimed = acquireLock(this.folder, id);
    if (!claimed) throw new SessionLockedError(id);
    this.#watcher.value ??= this.#watch();
    return claimed;
  }

  /** Where that is not possible, other windows do not get an answer, and take away what they ask for. */
  #watch(): Disposable {
    try {
      mkdirSync(this.folder, { recursive: true, mode: PRIVATE_FOLDER });
      const watcher = watch(this.folder, { persistent: false }, () => this.#fireReleaseRequests());
      watcher.on('error', () => watcher.close());
      return toDisposable(() => watcher.close());
    } catch {
      return toDisposable(() => undefined);
    }
  }

  /** A file that asks may be of this window: see {@link ask}. */
  #asks(id: string): boolean {
    return Array.from(this.#asking).some((asking) => asking.id === id);
  }

  #fireReleaseRequests(): void {
    for (const id of Array.from(this.#mine.keys())) {
      if (this.holds(id) && !this.#asks(id) && isReleaseRequested(this.folder, id)) this.#asked.fire(id);
    }
  }
}
