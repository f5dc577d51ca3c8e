import type { Clock } from '../base/clock';
import type { Action } from '../shared/state/sessionActions';
import type { Session } from './session';
import type { SessionStore } from '../history/sessionStore';
import { summaryOf } from '../history/sessionSummary';

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

export interface StandingsOptions {
  readonly shelf: SessionStore;
  readonly clock: Clock;
  readonly isLookedAt: (session: Session) => boolean;
  /** False once another window has taken the session with this id, and knows best how it stands. */
  readonly mayWrite: (id: string) => boolean;
}

/** Keeps on the shelf how open sessions stand in lists. */
export class SummaryUpdater {
  readonly #options: StandingsOptions;

  constructor(options: StandingsOptions) {
    this.#options = options;
  }

  /** Something happened in a session. */
  follow(session: Session, { type }: Action): void {
    const { shelf, clock, isLookedAt, mayWrite } = this.#options;
    if (!session.isKept || !LISTED.has(type) || !mayWrite(session.id)) return;
    const before = shelf.get(session.id);
    const isNew = NEWS.has(type);
    const updatedAt = isNew || !before ? clock.now() : before.updatedAt;
    const archived = (before?.archived ?? false) && !isNew;
    const unread = !isLookedAt(session) && (type === 'turnEnded' || before?.unread === true);
    shelf.put(summaryOf(session.state, { updatedAt, archived, unread }));
  }

  /**
   * The user has seen what is in it.
   * @returns false when there was nothing new
   */
  read({ id }: Session): boolean {
    const { shelf, mayWrite } = this.#options;
    const summary = shelf.get(id);
    if (summary?.unread !== true || !mayWrite(id)) return false;
    shelf.put({ ...summary, unread: false });
    return true;
  }
}
