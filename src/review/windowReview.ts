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
import type { Git } from '../node/gitCommand';
import type { Session } from '../session/session';
import type { Sessions } from '../session/sessions';
import type { Action } from '../shared/state/sessionActions';
import { createGit } from '../workbench/createGit';
import type { NotedEdit } from '../workbench/editNotes';
import { runAgainOnTrust } from '../workbench/runAgainOnTrust';
import { showInformationMessage } from '../workbench/windowMessages';
import { localFolders } from '../workbench/workspaceFolders';
import { CheckpointData } from './checkpoints/checkpointData';
import { checkpointNotice } from './checkpoints/checkpointNotice';
import type { CheckpointOwner } from './checkpoints/checkpointOwner';
import { CheckpointStore } from './checkpoints/checkpointStore';
import { RecordedCheckpoints } from './checkpoints/recordedCheckpoints';
import type { UnseenChanges } from './checkpoints/unfinishedTurns';
import { WorkspaceSnapshots } from './git/workspaceSnapshots';
import { ReviewPublisher } from './reviewPublisher';
import type { ReviewService } from './reviewService';
import { BlobStore } from './storage/blobStore';
import { TrackedReview } from './trackedReview';
import type { EndedTurn, TurnRecorder } from './tracking/agentTurns';
import { AgentTurns } from './tracking/agentTurns';
import { ChangeTracker } from './tracking/changeTracker';
import { ModifiedFiles } from './tracking/modifiedFiles';
import { ReviewFile } from './tracking/reviewFile';
import { ReviewScopes, ReviewPaths } from './tracking/reviewScope';
import { withHeir } from './tracking/sessionShares';
import { turnFiles } from './tracking/turnChanges';
import type { TurnNotice } from './tracking/turnNotices';
import { encode, UserSaves } from './tracking/userSaves';
import { WorkingAgents } from './tracking/workingAgents';
import { EditorFiles } from './tracking/workingFiles';
import { WorkSigns } from './tracking/workSigns';
import { WorkspaceWatcher } from './tracking/workspaceWatcher';

/** The git worktrees of sessions. */
interface WorktreeFolders {
  /** Absolute. */
  folders(): readonly string[];
  around(path: string): { readonly branch: string } | undefined;
  readonly onDidChange: Event<void>;
}

/** The review of this window, stored for the next one. */
export class WindowReview implements ReviewService, TurnRecorder, CheckpointOwner, Disposable {
  readonly #store = new DisposableStore();
  readonly #storage: string;
  readonly #git: Git;
  readonly #modifiedFiles: ModifiedFiles;
  readonly #tracker: ChangeTracker;
  readonly #agents: WorkingAgents;
  readonly scopes: ReviewScopes;
  readonly #turns: AgentTurns;
  readonly #checkpointStore: CheckpointStore;
  readonly #snapshots: WorkspaceSnapshots;
  readonly #paths: ReviewPaths;
  readonly #saves: UserSaves;
  readonly #file: ReviewFile;
  readonly #commits = new Lazy(async () => {
    const { CommitWatcher } = await import('./tracking/commitWatcher');
    return new CommitWatcher(this.#git, this.#snapshots, this.review, this.#agents, this.log);
  });
  readonly #writers = this.#store.add(
    new Lazy(async () => {
      const { createOtherWriters } = await import('./tracking/otherWriters');
      return createOtherWriters(this.#git, this.#snapshots, this.#agents);
    }),
  );
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

  readonly review: TrackedReview;
  readonly checkpoints: RecordedCheckpoints;

  /**
   * @param settings `parley.checkpoints.enabled` false takes no snapshots: only changes through Parley are reviewed
   * @param storage absolute. `isShared`: the window has no folder, and shares its sessions with others, so that nothing is kept over a
   * reload; the folder is its own
   * @param workFolder absolute, for all windows: see {@link WorkSigns}
   * @param onSaveError called when the review can no longer be saved
   */
  constructor(
    private readonly sessions: Sessions,
    private readonly worktrees: WorktreeFolders,
    private readonly settings: PlainSettingsReader,
    private readonly log: Logger,
    { folder: storage, isShared }: { readonly folder: string; readonly isShared: boolean },
    workFolder: string,
    onSaveError?: (cause: string) => void,
  ) {
    this.#storage = storage;
    const foldersOf = (id: string): readonly string[] => sessions.getOpen(id)?.folders ?? localFolders();
    const branchOf = (path: string): string | undefined => worktrees.around(path)?.branch;
    const scopes = (this.scopes = new ReviewScopes(localFolders, () => worktrees.folders(), foldersOf, branchOf));
    const git = (this.#git = createGit(storage));
    const blobs = new BlobStore(join(storage, 'blobs'));
    this.#checkpointStore = new CheckpointStore(isShared ? undefined : join(storage, 'checkpoints.json'));
    this.#modifiedFiles = this.#store.add(new ModifiedFiles((path) => displayPath(path, foldersAround(path, scopes))));
    const file = isShared ? undefined : join(storage, 'review.json');
    this.#file = new ReviewFile(file, this.#modifiedFiles, blobs, log, onSaveError);
    const signs = this.#store.add(new WorkSigns(workFolder));
    const agents = (this.#agents = new WorkingAgents(scopes, signs, this.#writers, this.#userFileChanges));
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
    this.review = this.#store.add(new TrackedReview(this.#modifiedFiles, this.#tracker, files));
    const clock = new StoreClock(isShared ? undefined : join(storage, '.seen.json'), systemClock);
    const data = new CheckpointData(this.#checkpointStore, blobs, this.#snapshots, clock);
    this.checkpoints = new RecordedCheckpoints(data, this.#tracker, this, log);
  }

  /** Restores the review of an earlier window, and reviews from now on. */
  async load(): Promise<void> {
    const { sessions, log } = this;
    try {
      await this.#paths.remember();
      const { readStoredReview } = await import('./readStoredReview');
      await readStoredReview(this.#storage, this.#checkpointStore, this.#file, log);
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
    for (const changed of [sessions.onDidClose, this.worktrees.onDidChange])
      this.#store.add(changed(() => this.#watchWorktrees()));
    this.#store.add(new ReviewPublisher(sessions, this.review, this.checkpoints, this.#turns));
    if (!this.#file.isKept) this.#store.add(this.checkpoints.startPruning());
    this.#store.add(runAgainOnTrust(async () => this.#watchCommits()));
  }

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
    const open = this.sessions.allOpen().map(({ folders }) => folders[0] ?? '');
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

  async inherit(from: string, to: string, before: number): Promise<void> {
    const modifiedFiles = this.#modifiedFiles;
    await this.#tracker.withFileLocks(modifiedFiles.paths(), async () => {
      for (const path of modifiedFiles.paths()) {
        const item = modifiedFiles.get(path);
        const shared = item && withHeir(item, from, to);
        if (shared !== item) modifiedFiles.set(path, shared);
      }
    });
    await this.checkpoints.copyTo(from, to, before);
  }

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
    const session = this.sessions.getOpen(sessionId);
    const files = turnFiles(this.#modifiedFiles, sessionId, before);
    if (files.length > 0) session?.dispatch({ type: 'turnFilesTold', entry, files });
    const { folders } = this.scopes.ofSession(sessionId);
    const text = this.#snapshots.failureIn(folders);
    const title = t('Changes of this turn could not be recorded');
    if (text !== undefined)
      session?.dispatch({ type: 'noticeShown', severity: 'warning', title, text, at: Date.now() });
    const missed = this.checkpoints.missed(sessionId, entry);
    const odd = await this.#snapshots.changedOddNames(folders);
    const omitted = await this.#snapshots.changedOmitted(folders);
    if (fromGit.size + byOthers.size + missed.length + odd.length + omitted.length > 0) {
      const { turnNotices } = await import('./tracking/turnNotices');
      const notices = turnNotices(fromGit, byOthers, missed, odd, omitted, this.#modifiedFiles.label);
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
    this.#store.add(reportUnseenChanges(changes, this.sessions, this.#modifiedFiles.label));
  }

  #showNotice(sessionId: string, notice: TurnNotice): void {
    this.sessions.getOpen(sessionId)?.dispatch({ type: 'noticeShown', ...notice, at: Date.now() });
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
    const { settings } = this;
    return { maxAgeDays: settings.get('checkpoints.maxAgeDays'), maxSizeMB: settings.get('checkpoints.maxSizeMB') };
  }

  isOpen(sessionId: string): boolean {
    return this.sessions.getOpen(sessionId) !== undefined;
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

  recordLeft(sessionId: string, text: string): Promise<void> {
    const title = t('Files left as they were');
    return this.#reportRestore(sessionId, { type: 'noticeShown', severity: 'warning', title, text, at: Date.now() });
  }

  busyReason(worktree: string | undefined): string | undefined {
    if (this.#agents.isBusyIn(worktree))
      return t('An agent is working on the files. Stop the agent, or wait until it finishes.');
    // Another workspace may contain the same folder.
    if (this.#agents.windows.isElsewhere(this.scopes.ofWorktree(worktree).folders))
      return t('An agent is working on the files in another window. Stop the agent there, or wait until it finishes.');
    return undefined;
  }

  async #reportRestore(sessionId: string, action: Action): Promise<void> {
    const { sessions } = this;
    const { dispatchWhenOpen } = await import('./dispatchWhenOpen');
    // After a crash, the user answers before the chat is open.
    this.#store.add(dispatchWhenOpen(sessions, sessionId, action));
    await Promise.all([this.#file.write(), sessions.flush()]);
  }

  async recordStart(sessionId: string, entry: number): Promise<void> {
    if (!this.settings.get('checkpoints.enabled')) {
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
