import type { Clock } from '../base/clock';
import type { Action } from '../shared/state/sessionActions';
import type { SessionLocks } from '../history/sessionLocks';
import type { Session } from './session';
import type { SessionVisibility } from './sessionVisibility';
import type { SessionStore } from '../history/sessionStore';
import { activityAfter, summaryOf } from '../history/sessionSummary';

/** Actions that change a session's summary. */
const LISTED: ReadonlySet<Action['type']> = new Set([
  'agentNamed',
  'agentSessionOpened',
  'folderChosen',
  'branchRenamed',
  'agentSessionDated',
  'titleChanged',
  'sessionRenamed',
  'promptSent',
  'turnEnded',
  'turnFilesTold',
  'replayEnded',
  'retryScheduled',
  'retryEnded',
]);
/** The actions among these that make a session unread. */
const UNREAD: ReadonlySet<Action['type']> = new Set(['promptSent', 'turnEnded']);

/** Keeps the summaries of open sessions in the store up to date. */
export class SummaryUpdater {
  constructor(
    private readonly store: SessionStore,
    private readonly clock: Clock,
    private readonly visibility: SessionVisibility<Session>,
    private readonly locks: SessionLocks,
  ) {}

  apply(session: Session, action: Action): void {
    const { type } = action;
    // Another window may have taken the session.
    if (!session.hasTranscript || !LISTED.has(type) || !this.locks.canWrite(session.id)) return;
    const before = this.store.get(session.id);
    const isNew = UNREAD.has(type);
    const updatedAt = isNew || !before ? this.clock.now() : before.updatedAt;
    const isArchived = (before?.archived ?? false) && !isNew;
    const isUnread = !this.visibility.isVisible(session) && (type === 'turnEnded' || before?.unread === true);
    this.store.saveSummary(
      summaryOf(session.state, {
        updatedAt,
        archived: isArchived,
        unread: isUnread,
        ...activityAfter(before ?? {}, action),
      }),
    );
  }

  /** @returns false when it was read already */
  markRead({ id }: Session): boolean {
    const summary = this.store.get(id);
    if (summary?.unread !== true || !this.locks.canWrite(id)) return false;
    this.store.saveSummary({ ...summary, unread: false });
    return true;
  }
}
