import type { Clock } from '../base/clock';
import type { Action } from '../shared/actions';
import type { Session } from './session';
import type { Shelf } from './shelf';
import { summaryOf } from './summary';

/** What changes how a session stands in a list. */
const LISTED: ReadonlySet<Action['type']> = new Set([
  'agentNamed',
  'agentSessionOpened',
  'agentSessionDated',
  'titleChanged',
  'sessionRenamed',
  'promptSent',
  'turnEnded',
  'replayEnded',
]);
/** Of these, what counts as new. */
const NEWS: ReadonlySet<Action['type']> = new Set(['promptSent', 'turnEnded']);

/** Keeps on the shelf how open sessions stand in lists. */
export class Standings {
  readonly #shelf: Shelf;
  readonly #clock: Clock;
  readonly #isLookedAt: (session: Session) => boolean;

  constructor(shelf: Shelf, clock: Clock, isLookedAt: (session: Session) => boolean) {
    this.#shelf = shelf;
    this.#clock = clock;
    this.#isLookedAt = isLookedAt;
  }

  /** Something happened in a session. */
  follow(session: Session, { type }: Action): void {
    if (!session.isKept || !LISTED.has(type)) return;
    const before = this.#shelf.get(session.id);
    const isNew = NEWS.has(type);
    const updatedAt = isNew || !before ? this.#clock.now() : before.updatedAt;
    const archived = (before?.archived ?? false) && !isNew;
    const unread = !this.#isLookedAt(session) && (type === 'turnEnded' || before?.unread === true);
    this.#shelf.put(summaryOf(session.state, { updatedAt, archived, unread }));
  }

  /** The person has seen what is in it. @returns false when there was nothing new */
  read({ id }: Session): boolean {
    const summary = this.#shelf.get(id);
    if (summary?.unread !== true) return false;
    this.#shelf.put({ ...summary, unread: false });
    return true;
  }
}
