import type { Clock } from '../base/clock';
import type { Action } from '../shared/state/sessionActions';
import type { Session } from './session';
import type { SessionStore } from '../history/sessionStore';
import { summaryOf } from '../history/sessionSummary';

/** Actions that change a session's summary. */
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
/** Of these, the ones that make a session unread. */
const NEWS: ReadonlySet<Action['type']> = new Set(['promptSent', 'turnEnded']);

export interface StandingsOptions {
  readonly shelf: SessionStore;
  readonly clock: Clock;
  readonly isLookedAt: (session: Session) => boolean;
  /** False once another window has taken the session. */
  readonly mayWrite: (id: string) => boolean;
}

/** Keeps the summaries of open sessions in the store up to date. */
export class SummaryUpdater {
  readonly #options: StandingsOptions;

  constructor(options: StandingsOptions) {
    this.#options = options;
  }

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

  /** @returns false when it was read already */
  read({ id }: Session): boolean {
    const { shelf, mayWrite } = this.#options;
    const summary = shelf.get(id);
    if (summary?.unread !== true || !mayWrite(id)) return false;
    shelf.put({ ...summary, unread: false });
    return true;
  }
}
