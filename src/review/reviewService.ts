import { join } from 'node:path';
import { settlesWithin } from '../base/async';
import { systemClock } from '../base/clock';
import { errorMessage } from '../base/errors';
import type { Event } from '../base/event';
import { t } from '../base/l10n';
import { Lazy } from '../base/lazy';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { PlainSettingsReader } from '../base/settings';
import { displayPath } from '../node/fs/pathLabel';
import { isInside } from '../node/fs/realPaths';
import { StoreClock } from '../node/fs/storeClock';
import type { Session } from '../session/session';
import type { Sessions } from '../session/sessions';
import type { Action } from '../shared/state/sessionActions';
import { createGit } from '../workbench/createGit';
import type { NotedEdit } from '../workbench/editNotes';
import { runAgainOnTrust } from '../workbench/runAgainOnTrust';
import { showInformationMessage } from '../workbench/windowMessages';
import { ChangeReview } from './changeReview';
import { CheckpointData } from './checkpoints/checkpointData';
import { checkpointNotice } from './checkpoints/checkpointNotice';
import type { CheckpointOwner } from './checkpoints/checkpointOwner';
import { CheckpointStore } from './checkpoints/checkpointStore';
import type { UnseenChanges } from './checkpoints/unfinishedTurns';
import { WorkspaceCheckpoints } from './checkpoints/workspaceCheckpoints';
import { WorkspaceSnapshots } from './git/workspaceSnapshots';
import { ReviewPublisher } from './reviewPublisher';
import { BlobStore } from './storage/blobStore';
import type { EndedTurn, TurnRecorder } from './tracking/agentTurns';
import { AgentTurns } from './tracking/agentTurns';
import { ChangeTracker } from './tracking/changeTracker';
import type { CommitWatcher } from './tracking/commitWatcher';
import { ModifiedFiles } from './tracking/modifiedFiles';
import { ReviewFile } from './tracking/reviewFile';
import { ReviewScopes, ReviewPaths } from './tracking/reviewScope';
import { turnFiles } from './tracking/turnChanges';
import type { TurnNotice } from './tracking/turnNotices';
import { encode, UserSaves } from './tracking/userSaves';
import { WorkingAgents } from './tracking/workingAgents';
import { EditorFiles } from './tracking/workingFiles';
import { WorkSigns } from './tracking/workSigns';
import { WorkspaceWatcher } from './tracking/workspaceWatcher';

interface ReviewDeps {
  readonly sessions: Sessions;
  readonly log: Logger;
  /** Absolute. */
  readonly storage: string;
  /** The window has no folder, and shares its sessions with others: nothing is kept over a reload. `storage` is its own. */
  readonly isShared: boolean;
  /** Absolute. */
  readonly folders: () => readonly string[];
  /** Absolute folders of the git worktrees of sessions. */
  readonly worktrees: { folders(): readonly string[]; readonly onDidChange: Event<void> };
  /** `parley.checkpoints.enabled` false takes no snapshots: only changes through Parley are reviewed. */
  readonly settings: Pick<PlainSettingsReader, 'get'>;
  /** Called when the review can no longer be saved. */
  readonly onSaveError?: (cause: string) => void;
  /** Absolute, for all windows: see {@link WorkSigns}. Only this window by default. */
  readonly workFolder?: string;
}

/** Every edit of a turn under review, and the checkpoints before each prompt. */
export class ReviewService implements TurnRecorder, CheckpointOwner, Disposable {
  readonly #deps: ReviewDeps;
  readonly #store = new DisposableStore();
  readonly #modifiedFiles: ModifiedFiles;
  readonly #tracker: ChangeTracker;
  readonly #agents: WorkingAgents;
  readonly scopes: ReviewScopes;
  readonly #turns: AgentTurns;
  readonly #blobs: BlobStore;
  readonly #checkpointStore: CheckpointStore;
  readonly #snapshots: WorkspaceSnapshots;
  readonly #paths: ReviewPaths;
  readonly #commits: Lazy<CommitWatcher>;
  readonly #saves: UserSaves;
  readonly #file: ReviewFile;
  readonly #workSigns: WorkSigns;
  readonly #lost = this.#store.add(
    new Lazy(async () => {
      const { LostFiles } = await import('./tracking/lostFiles');
      return new LostFiles(this.#paths, this.#modifiedFiles.label, (id, notice) => this.#showNotice(id, notice));
    }),
  );
  readonly #userFileChanges = this.#store.add(
    new Lazy(async () => {
      const { UserFileChanges } = await import('./tracking/userFileChanges');
      const attribute = async (paths: readonly string[]): Promise<void> => this.#watcher?.attributeFiles(paths);
      return new UserFileChanges(this.#paths, this.#agents, attribute);
    }),
  );
  #watcher: WorkspaceWatcher | undefined;
  /** Worktrees. */
  #watched: ReadonlySet<string> = new Set();

  readonly review: ChangeReview;
  readonly checkpoints: WorkspaceCheckpoints;

  private constructor(deps: ReviewDeps) {
    this.#deps = deps;
    const { storage, log, folders, worktrees, sessions } = deps;
    const foldersOf = (id: string): readonly string[] => sessions.getOpen(id)?.folders ?? folders();
    const scopes = (this.scopes = new ReviewScopes(folders, () => worktrees.folders(), foldersOf));
    const git = createGit(storage);
    this.#workSigns = this.#store.add(new WorkSigns(deps.workFolder ?? join(storage, 'work')));
    this.#blobs = new BlobStore(join(storage, 'blobs'));
    this.#checkpointStore = new CheckpointStore(deps.isShared ? undefined : join(storage, 'checkpoints.json'));
    this.#modifiedFiles = this.#store.add(new ModifiedFiles((path) => displayPath(path, foldersAround(path, scopes))));
    const file = deps.isShared ? undefined : join(storage, 'review.json');
    this.#file = new ReviewFile(file, this.#modifiedFiles, this.#blobs, log, deps.onSaveError);
    const writers = this.#store.add(
      new Lazy(async () => {
        const { createOtherWriters } = await import('./tracking/otherWriters');
        return createOtherWriters(git, this.#snapshots, this.#agents);
      }),
    );
    const agents = (this.#agents = new WorkingAgents(scopes, this.#workSigns, writers, this.#userFileChanges));
    this.#snapshots = new WorkspaceSnapshots(git, log, join(storage, 'git'), () => scopes.allFolders(), agents);
    this.#paths = new ReviewPaths(() => scopes.allFolders());
    this.#saves = this.#store.add(new UserSaves(this.#paths));
    const files = new EditorFiles(this.#paths, this.#saves);
    this.#tracker = new ChangeTracker(this.#modifiedFiles, files, this.#snapshots, agents, log);
    this.#store.add(
      this.#tracker.onDidLoseFile(
        ({ path, sessions: ids }) => void this.#lost.load().then((lost) => lost.add(path, ids)),
      ),
    );
    this.#turns = new AgentTurns(agents, this.#tracker, files, this.#paths, this, log);
    this.review = this.#store.add(new ChangeReview(this.#modifiedFiles, this.#tracker, files));
    const clock = new StoreClock(deps.isShared ? undefined : join(storage, '.seen.json'), systemClock);
    const data = new CheckpointData(this.#checkpointStore, this.#blobs, this.#snapshots, clock);
    this.checkpoints = new WorkspaceCheckpoints(data, this.#tracker, this, log);
    this.#commits = new Lazy(async () => {
      const { CommitWatcher } = await import('./tracking/commitWatcher');
      return new CommitWatcher(git, this.#snapshots, this.review, agents, log);
    });
  }

  /** Restores the review of an earlier window. */
  static async open(deps: ReviewDeps): Promise<ReviewService> {
    const service = new ReviewService(deps);
    await service.#load();
    return service;
  }

  async #load(): Promise<void> {
    const { storage, log, sessions } = this.#deps;
    try {
      await this.#paths.remember();
      const { readStoredReview } = await import('./readStoredReview');
      await readStoredReview(storage, this.#checkpointStore, this.#file, log);
      const { recorded } = this.#file;
      const look = async (): Promise<void> => this.#reportUnseen(await this.checkpoints.endUnfinishedTurns(recorded));
      this.#store.add(runAgainOnTrust(look));
      // Changes made while the window was closed count as the user's, to be safe.
      await this.#tracker.refreshAll();
    } catch (error) {
      log.error('review', `Failed to read the review of the last window: ${errorMessage(error)}`);
    }
    this.#store.add(this.#modifiedFiles.onDidTrack(() => this.#file.save()));
    this.#watcher = this.#store.add(new WorkspaceWatcher(this.#tracker, this.#turns, this.#commits, this.#saves));
    this.#watchWorktrees();
    for (const changed of [sessions.onDidClose, this.#deps.worktrees.onDidChange])
      this.#store.add(changed(() => this.#watchWorktrees()));
    this.#store.add(new ReviewPublisher(sessions, this.review, this.checkpoints, this.#turns));
    if (!this.#file.isKept) this.#store.add(this.checkpoints.startPruning());
    this.#store.add(runAgainOnTrust(async () => this.#watchCommits()));
  }

  /**
   * Creates a checkpoint before a prompt, unless it is replayed. Never rejects.
   * @param entry the prompt's
   */
  async beforePrompt(session: Session, entry: number): Promise<void> {
    if (session.isReplay) return;
    this.#watchWorktrees();
    await this.#userFileChanges.load();
    // From now on a commit may be the agent's; the file watcher may not have reported the last one of the user yet.
    if (this.review.files().length > 0) await (await this.#commits.load()).checkForCommit();
    await this.#turns.start(session, entry);
  }

  /** Watches the worktrees that have an open session or changes under review. */
  #watchWorktrees(): void {
    const open = this.#deps.sessions.allOpen().map(({ folders }) => folders[0] ?? '');
    const paths = [...open, ...this.#modifiedFiles.paths()];
    const folders = new Set(paths.flatMap((path) => this.scopes.worktreeAround(path) ?? []));
    for (const folder of this.#watched) if (!this.scopes.allFolders().includes(folder)) this.#forgetWorktree(folder);
    this.#watched = folders;
    this.#watcher?.watchWorktrees([...folders]);
  }

  /** A discarded worktree has nothing left to review. */
  #forgetWorktree(worktree: string): void {
    for (const path of this.#modifiedFiles.paths()) if (isInside(worktree, path)) void this.#tracker.forgetFile(path);
  }

  /** Commits also keep what an earlier window left under review. */
  #watchCommits(): void {
    if (this.#modifiedFiles.paths().length === 0) return;
    // Not awaited: the window is ready without it.
    void this.#snapshots.locate().then(() => this.#rememberCommits());
  }

  /**
   * Writes files for an agent through the editor.
   * @param paths absolute, as VS Code knows them
   */
  async edit<T>(sessionId: string, paths: string | readonly string[], write: NotedEdit<T>): Promise<T> {
    const all = [paths].flat();
    const names = await Promise.all(all.map((path) => this.#paths.nameOf(path)));
    this.#turns.recordWrites(sessionId, names);
    const edit = (): Promise<T> =>
      this.#tracker.runAgentEdit(sessionId, names, (note) =>
        write((by, document, text) => {
          const name = names[all.length === 1 ? 0 : all.indexOf(document.uri.fsPath)] ?? '';
          note(name, { by, content: encode(document, text) });
        }),
      );
    return (await this.#userFileChanges.load()).runAgentEdit(edit);
  }

  /** Copies a session's pending reviews, and its checkpoints before an entry, to its fork. */
  async inherit(from: string, to: string, before: number): Promise<void> {
    const modifiedFiles = this.#modifiedFiles;
    await this.#tracker.withFileLocks(modifiedFiles.paths(), async () => {
      for (const path of modifiedFiles.paths()) {
        const item = modifiedFiles.get(path);
        if (item?.sessions.includes(from)) modifiedFiles.set(path, { ...item, sessions: [...item.sessions, to] });
      }
    });
    await this.checkpoints.copyTo(from, to, before);
  }

  /**
   * Settles when all changes are processed and stored.
   * @param within milliseconds for scanning
   */
  async flush(within?: number): Promise<void> {
    const idle = this.#turns.idle().then(() => this.checkpoints.idle());
    if (within === undefined) await idle;
    else await settlesWithin(idle, within);
    await this.#file.write();
  }

  dispose(): void {
    this.#file.stop();
    this.#store.dispose();
  }

  async recordEnd({ sessionId, entry, before, fromGit, byOthers }: EndedTurn): Promise<void> {
    const session = this.#deps.sessions.getOpen(sessionId);
    const files = turnFiles(this.#modifiedFiles, sessionId, before);
    if (files.length > 0) session?.dispatch({ type: 'turnFilesTold', entry, files });
    const text = this.#snapshots.failureIn(this.scopes.ofSession(sessionId).folders);
    const title = t('Changes of this turn could not be recorded');
    if (text !== undefined)
      session?.dispatch({ type: 'noticeShown', severity: 'warning', title, text, at: Date.now() });
    const missed = this.checkpoints.missed(sessionId, entry);
    const odd = await this.#snapshots.changedOddNames(this.scopes.ofSession(sessionId).folders);
    if (fromGit.size + byOthers.size + missed.length + odd.length > 0) {
      const { turnNotices } = await import('./tracking/turnNotices');
      const notices = turnNotices(fromGit, byOthers, missed, odd, this.#modifiedFiles.label);
      for (const notice of notices) this.#showNotice(sessionId, notice);
    }
    // After a crash in between, its changes are compared with what was recorded, and nothing is found.
    await this.#file.write();
    void this.checkpoints.endTurn(sessionId);
    await this.#rememberCommits();
  }

  async #rememberCommits(): Promise<void> {
    await (await this.#commits.load()).rememberCommits();
  }

  async #reportUnseen(changes: readonly UnseenChanges[]): Promise<void> {
    if (changes.length === 0) return;
    const { reportUnseenChanges } = await import('./unseenChangesNotice');
    this.#store.add(reportUnseenChanges(changes, this.#deps.sessions, this.#modifiedFiles.label));
  }

  #showNotice(sessionId: string, notice: TurnNotice): void {
    this.#deps.sessions.getOpen(sessionId)?.dispatch({ type: 'noticeShown', ...notice, at: Date.now() });
  }

  reportPostponed(count: number): void {
    const text = t(
      '{0} checkpoints are now older than {1} days. Parley deletes them in a day, because the clock may be wrong.',
      count,
      this.checkpointLimits().maxAgeDays,
    );
    void showInformationMessage(text);
  }

  checkpointLimits(): { readonly maxAgeDays: number; readonly maxSizeMB: number } {
    const { settings } = this.#deps;
    return { maxAgeDays: settings.get('checkpoints.maxAgeDays'), maxSizeMB: settings.get('checkpoints.maxSizeMB') };
  }

  isOpen(sessionId: string): boolean {
    return this.#deps.sessions.getOpen(sessionId) !== undefined;
  }

  storedReview(): Promise<string> {
    return this.#file.stored();
  }

  settle(): Promise<void> {
    return this.#turns.settle();
  }

  recordRestore(sessionId: string, entry: number, undoId: string): Promise<void> {
    this.review.forgetSteps();
    return this.#reportRestore(sessionId, { type: 'checkpointRestored', entry, undoId, at: Date.now() });
  }

  recordUndo(sessionId: string, undoId: string, isPartial: boolean): Promise<void> {
    this.review.forgetSteps();
    return isPartial ? this.#file.write() : this.#reportRestore(sessionId, { type: 'restoreUndone', undoId });
  }

  busyReason(worktree: string | undefined): string | undefined {
    if (this.#agents.isBusyIn(worktree))
      return t('An agent is working on the files. Stop the agent, or wait until it finishes.');
    // Another workspace may contain the same folder.
    if (this.#workSigns.isElsewhere(this.scopes.ofWorktree(worktree).folders))
      return t('An agent is working on the files in another window. Stop the agent there, or wait until it finishes.');
    return undefined;
  }

  async #reportRestore(sessionId: string, action: Action): Promise<void> {
    const { sessions } = this.#deps;
    sessions.getOpen(sessionId)?.dispatch(action);
    await Promise.all([this.#file.write(), sessions.flush()]);
  }

  async recordStart(sessionId: string, entry: number): Promise<void> {
    if (!this.#deps.settings.get('checkpoints.enabled')) {
      this.#snapshots.dropBaseline();
      void this.#snapshots.locate().then(() => this.#rememberCommits());
      return;
    }
    const notice = checkpointNotice(this.checkpoints, sessionId);
    const { recorded, done } = this.checkpoints.create(sessionId, entry);
    await recorded;
    void this.#report(sessionId, done, notice);
    void this.#rememberCommits();
  }

  async #report(sessionId: string, done: Promise<unknown>, notice: ReturnType<typeof checkpointNotice>): Promise<void> {
    await done;
    const shown = notice();
    if (shown) this.#showNotice(sessionId, shown);
  }
}

/** Names in a git worktree are relative to it. */
function foldersAround(path: string, scopes: ReviewScopes): readonly string[] {
  return scopes.ofWorktree(scopes.worktreeAround(path)).folders;
}
