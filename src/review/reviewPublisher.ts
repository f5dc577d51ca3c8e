import { basename } from 'node:path';
import { DelayedCall } from '../base/clock';
import { t } from '../base/l10n';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import { isInside } from '../node/fs/realPaths';
import type { Session } from '../session/session';
import type { Sessions } from '../session/sessions';
import type { ChangedFile } from '../shared/state/reviewState';
import type { ChangeReview } from './changeReview';
import type { WorkspaceCheckpoints } from './checkpoints/workspaceCheckpoints';
import type { AgentTurns } from './tracking/agentTurns';
import type { ReviewedFile } from './tracking/modifiedFiles';

/** Milliseconds for which changes are merged. */
const MERGE_WINDOW_MS = 50;

/** Publishes changes to each session, and follows the end of its turns. */
export class ReviewPublisher implements Disposable {
  readonly #store = new DisposableStore();
  /** By session id. */
  readonly #followed = new Map<string, Disposable>();
  readonly #publishAll = this.#store.add(
    new DelayedCall(MERGE_WINDOW_MS, () => {
      for (const session of this.sessions.allOpen()) this.#publish(session);
    }),
  );

  constructor(
    private readonly sessions: Sessions,
    private readonly review: ChangeReview,
    private readonly checkpoints: WorkspaceCheckpoints,
    private readonly turns: AgentTurns,
  ) {
    this.#store.add(sessions.onDidChange((session) => this.#follow(session)));
    this.#store.add(sessions.onDidChangeActive((session) => this.#follow(session)));
    this.#store.add(sessions.onDidClose((id) => this.#handleClose(id)));
    this.#store.add(review.onDidChange(() => this.#publishAll.schedule()));
    this.#store.add(checkpoints.onDidChange(() => this.#publishAll.schedule()));
    this.#store.defer(() => {
      for (const subscription of this.#followed.values()) subscription.dispose();
    });
    for (const session of sessions.allOpen()) this.#follow(session);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #follow(session: Session): void {
    if (this.#followed.has(session.id)) return;
    const subscription = session.onDidDispatch(({ action }) => {
      if (action.type === 'turnEnded') void this.turns.end(session.id);
      else this.turns.recordToolLocations(session, action);
    });
    this.#followed.set(session.id, subscription);
    this.#publishAll.schedule();
  }

  /** Closing a session does not end its turn; without this its agent would count as working forever. */
  #handleClose(id: string): void {
    this.#followed.get(id)?.dispose();
    this.#followed.delete(id);
    void this.turns.end(id);
  }

  #publish(session: Session): void {
    const shown = new Map(session.state.changes.map((file) => [file.path, file]));
    const files = this.review.files(session.id).map((file) => toChanged(file, session.folders));
    const changed = files.filter((file) => JSON.stringify(file) !== JSON.stringify(shown.get(file.path)));
    const paths = new Set(files.map(({ path }) => path));
    const removed = [...shown.keys()].filter((path) => !paths.has(path));
    if (changed.length + removed.length > 0) session.dispatch({ type: 'changesChanged', changed, removed });
    const checkpoints = this.checkpoints.infosOf(session.id);
    if (JSON.stringify(checkpoints) === JSON.stringify(session.state.checkpoints)) return;
    session.dispatch({ type: 'checkpointsChanged', checkpoints });
  }
}

/** @param folders of the session: a file that it has changed elsewhere is named with its folder */
function toChanged(file: ReviewedFile, folders: readonly string[]): ChangedFile {
  const { path, status, fromLabel, added, removed, binary, modes, conflict, isUnsure } = file;
  const isOwn = folders.length === 0 || folders.some((folder) => isInside(folder, path)) || path === file.label;
  return {
    path,
    label:
      isOwn || !path.endsWith(file.label) ? file.label : `${basename(path.slice(0, -file.label.length))}/${file.label}`,
    status,
    ...(fromLabel !== undefined && { from: fromLabel }),
    added,
    removed,
    binary,
    ...(modes !== undefined && { mode: t('mode {0}', modes) }),
    ...(conflict && { conflict }),
    ...(isUnsure && { isUnsure }),
  };
}
