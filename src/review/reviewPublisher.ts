import type { Event } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Session } from '../session/session';
import type { Sessions } from '../session/sessions';
import type { ChangedFile } from '../shared/state/reviewState';
import type { WorkspaceCheckpoints } from './checkpoints/workspaceCheckpoints';
import type { ChangeReview } from './changeReview';
import type { ReviewedFile } from './tracking/modifiedFiles';
import type { AgentTurns, ReviewSession } from './tracking/agentTurns';

export interface TellOptions {
  readonly sessions: ReviewSessions;
  readonly review: Pick<ChangeReview, 'files' | 'onDidChange'>;
  readonly checkpoints: Pick<WorkspaceCheckpoints, 'marks' | 'onDidChange'>;
  readonly turns: AgentTurns;
  readonly label: (path: string) => string;
}

type PublishedSession = ReviewSession & Pick<Session, 'onDidDispatch' | 'dispatch'>;

/** `Sessions` as the review uses them. */
export interface ReviewSessions extends Pick<Sessions, 'onDidClose'> {
  all(): readonly PublishedSession[];
  get(id: string): PublishedSession | undefined;
  readonly onDidChange: Event<PublishedSession>;
  readonly onDidChangeActive: Event<PublishedSession>;
}

/** Milliseconds for which changes are merged. */
const TOGETHER = 50;

/** Publishes changes to each session, and follows the end of its turns. */
export class ReviewPublisher implements Disposable {
  readonly #options: TellOptions;
  readonly #store = new DisposableStore();
  /** By session id. */
  readonly #known = new Map<string, Disposable>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TellOptions) {
    this.#options = options;
    const { sessions, review, checkpoints } = options;
    this.#store.add(sessions.onDidChange((session) => this.#meet(session)));
    this.#store.add(sessions.onDidChangeActive((session) => this.#meet(session)));
    this.#store.add(sessions.onDidClose((id) => this.#closed(id)));
    this.#store.add(review.onDidChange(() => this.#soon()));
    this.#store.add(checkpoints.onDidChange(() => this.#soon()));
    this.#store.defer(() => {
      clearTimeout(this.#timer);
      for (const subscription of this.#known.values()) subscription.dispose();
    });
    for (const session of sessions.all()) this.#meet(session);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #meet(session: PublishedSession): void {
    if (this.#known.has(session.id)) return;
    const subscription = session.onDidDispatch(({ action }) => {
      if (action.type === 'turnEnded') void this.#options.turns.end(session.id);
      else this.#options.turns.said(session, action);
    });
    this.#known.set(session.id, subscription);
    this.#soon();
  }

  /** Closing a session does not end its turn; without this its agent would count as working forever. */
  #closed(id: string): void {
    this.#known.get(id)?.dispose();
    this.#known.delete(id);
    void this.#options.turns.end(id);
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const session of this.#options.sessions.all()) this.#tell(session);
    }, TOGETHER);
  }

  #tell(session: PublishedSession): void {
    const { review, checkpoints, label } = this.#options;
    const shown = new Map(session.state.changes.map((file) => [file.path, file]));
    const files = review.files(session.id).map((file) => toChanged(file, label));
    const put = files.filter((file) => JSON.stringify(file) !== JSON.stringify(shown.get(file.path)));
    const paths = new Set(files.map(({ path }) => path));
    const gone = [...shown.keys()].filter((path) => !paths.has(path));
    if (put.length + gone.length > 0) session.dispatch({ type: 'changesChanged', put, gone });
    const marks = checkpoints.marks(session.id);
    if (JSON.stringify(marks) === JSON.stringify(session.state.checkpoints)) return;
    session.dispatch({ type: 'checkpointsChanged', checkpoints: marks });
  }
}

function toChanged(file: ReviewedFile, label: (path: string) => string): ChangedFile {
  const { path, status, from, added, removed, binary, conflict } = file;
  return {
    path,
    label: file.label,
    status,
    ...(from !== undefined && { from: label(from) }),
    added,
    removed,
    binary,
    ...(conflict && { conflict }),
  };
}
