import type { Session } from '../session/session';
import type { NotedEdit } from '../workbench/editNotes';
import type { ChangeReview } from './changeReview';
import type { WorkspaceCheckpoints } from './checkpoints/workspaceCheckpoints';
import type { ReviewScopes } from './tracking/reviewScope';

/** Every edit of a turn under review, and the checkpoints before each prompt. `WindowReview` implements it. */
export interface ReviewService {
  readonly review: ChangeReview;
  readonly checkpoints: WorkspaceCheckpoints;
  readonly scopes: ReviewScopes;
  /**
   * Creates a checkpoint before a prompt, unless it is replayed. Never rejects.
   * @param entry the prompt's
   */
  beforePrompt(session: Session, entry: number): Promise<void>;
  /**
   * Writes files for an agent through the editor.
   * @param paths absolute, as VS Code knows them
   */
  edit<T>(sessionId: string, paths: string | readonly string[], write: NotedEdit<T>): Promise<T>;
  /** Copies a session's pending reviews, and its checkpoints before an entry, to its fork. */
  inherit(from: string, to: string, before: number): Promise<void>;
  /**
   * Settles when all changes are processed and stored.
   * @param within milliseconds for scanning
   */
  flush(within?: number): Promise<void>;
}
