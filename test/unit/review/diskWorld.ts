import { lstat, mkdir, mkdtemp, readFile, readdir, readlink, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Lazy } from '../../../src/base/lazy';
import { nullLogger } from '../../../src/base/logger';
import { Git } from '../../../src/node/gitCommand';
import type { ProcessActivity } from '../../../src/node/process/processActivity';
import { CheckpointStore } from '../../../src/review/checkpoints/checkpointStore';
import { RecordedCheckpoints } from '../../../src/review/checkpoints/recordedCheckpoints';
import { WorkspaceSnapshots } from '../../../src/review/git/workspaceSnapshots';
import { BlobStore } from '../../../src/review/storage/blobStore';
import { readContent, unknownBecause, writeContent } from '../../../src/review/storage/fileContent';
import type { FileContent } from '../../../src/review/storage/fileContent';
import { TrackedReview } from '../../../src/review/trackedReview';
import { AgentTurns } from '../../../src/review/tracking/agentTurns';
import { ChangeTracker } from '../../../src/review/tracking/changeTracker';
import { LostFiles } from '../../../src/review/tracking/lostFiles';
import { ModifiedFiles } from '../../../src/review/tracking/modifiedFiles';
import type { OtherWriters } from '../../../src/review/tracking/otherWriters';
import { createOtherWriters } from '../../../src/review/tracking/otherWriters';
import { ReviewFile } from '../../../src/review/tracking/reviewFile';
import { ReviewPaths, ReviewScopes } from '../../../src/review/tracking/reviewScope';
import { turnFiles } from '../../../src/review/tracking/turnChanges';
import type { TurnNotice } from '../../../src/review/tracking/turnNotices';
import type { WorkingAgents } from '../../../src/review/tracking/workingAgents';
import type { WorkingFiles } from '../../../src/review/tracking/workingFiles';
import type { Session } from '../../../src/session/session';
import type { SessionState } from '../../../src/shared/state/sessionState';
import { emptySession } from '../../../src/shared/state/sessionState';
import type { TurnFile } from '../../../src/shared/state/turnSummary';
import { stubOf } from '../../kit/stubOf';
import { TestClock } from '../../kit/testClock';
import { checkpointData, checkpointOwner } from './checkpointsOf';
import { agentsIn } from './otherWork';

/** Contents of a folder: modes and bytes of files, targets of links, and folders, by path with forward slashes. */
export async function treeOf(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).replaceAll('\\', '/');
    if (entry.isSymbolicLink()) found[name] = `-> ${await readlink(path)}`;
    else if (entry.isDirectory()) found[`${name}/`] = '';
    else if (entry.isFile()) {
      const { mode } = await lstat(path);
      found[name] = `${(mode & 0o100) === 0 ? '-' : 'x'} ${await readFile(path, 'latin1')}`;
    }
  }
  return found;
}

/** Like {@link treeOf}, without folders: what a review and checkpoints record. */
export async function filesOf(folder: string): Promise<Record<string, string>> {
  return Object.fromEntries(Object.entries(await treeOf(folder)).filter(([name]) => !name.endsWith('/')));
}

/** The review of a folder on a real disk, with git and without editors, and a folder beside it that must not change. */
export class DiskWorld {
  readonly folder: string;
  readonly outside: string;
  readonly storage: string;
  readonly modifiedFiles: ModifiedFiles;
  readonly tracker: ChangeTracker;
  readonly review: TrackedReview;
  readonly checkpoints: RecordedCheckpoints;
  readonly files: WorkingFiles;
  readonly file: ReviewFile;
  readonly turns: AgentTurns;
  readonly #clock = new TestClock();
  readonly #notices: TurnNotice[] = [];
  readonly #lost = new LostFiles(
    stubOf<ReviewPaths>({ real: async (path) => path }),
    (path) => relative(this.folder, path),
    (_, notice) => this.#notices.push(notice),
    this.#clock,
  );
  /** Settle when the files that left the review are noted. */
  readonly #losses: Promise<void>[] = [];
  /** What git brought in the last turn, with its source; by name. */
  fromGit: Readonly<Record<string, string>> = {};
  /** What another program changed in the last turn; names. */
  byOthers: readonly string[] = [];
  /** What changed in the last turn whose name is not UTF-8. */
  oddNames: readonly string[] = [];
  /** Of all checkpoints. */
  maxSizeMB = 1024;
  /** What changed in the last turn of which there was no copy. */
  omitted: readonly string[] = [];
  /** Sessions whose last checkpoint stays. */
  open: readonly string[] = [];
  /** Ids of the agents' processes. */
  processes: readonly number[] = [];
  readonly agents: WorkingAgents;
  /** Of the session in turns. */
  state: SessionState = { ...emptySession('s'), turn: { status: 'running', startedAt: 0, firstEntry: 0 } };
  /** What the user has just saved in an editor, by path. */
  readonly saved = new Map<string, FileContent>();
  /** The files of the last turn. */
  turnFiles: readonly TurnFile[] = [];
  readonly #store: CheckpointStore;
  readonly #base: string;
  readonly #unsaved = new Map<string, FileContent>();
  /** Of the workspace. */
  folders: readonly string[];
  /** For each undo of a restore, whether a file of it could not be written. */
  readonly partialUndos: boolean[] = [];
  /** What the transcript says of restores that stay unfinished. */
  readonly leftRestores: string[] = [];
  /** Whether Git may run. */
  isTrusted = true;
  /** The agent is working. */
  working = false;
  /** Why files must not be restored now. */
  busy: (worktree: string | undefined) => string | undefined = () => undefined;
  /** Happens when the checkpoint of a turn begins, and when it is stored. */
  atCheckpoint: (when: 'begins' | 'stored') => Promise<void> = async () => undefined;

  private constructor(base: string, program: string) {
    this.#base = base;
    this.folder = join(base, 'work');
    this.folders = [this.folder];
    const paths = new ReviewPaths(() => this.folders);
    this.outside = join(base, 'outside');
    const storage = (this.storage = join(base, 'storage'));
    const git = new Git(program, storage, () => this.isTrusted);
    const log = nullLogger;
    const label = (path: string): string => relative(this.folder, path);
    this.modifiedFiles = new ModifiedFiles(label);
    const scopes = new ReviewScopes(() => this.folders);
    const writers: Lazy<OtherWriters> = new Lazy(async () =>
      createOtherWriters(git, snapshots, this.agents, () => this.processes),
    );
    this.agents = agentsIn(scopes, writers);
    const isWorkedIn = (): boolean => this.agents.isWorking;
    const snapshots = new WorkspaceSnapshots(git, log, join(storage, 'git'), () => this.folders, {
      isWorkedIn,
      mayChange: () => true,
    });
    const { modifiedFiles } = this;
    const files: WorkingFiles = (this.files = {
      readUnsaved: async (path) => this.#unsaved.get(path),
      saved: async (path) => this.saved.get(path),
      disk: async (path) => readContent(await paths.real(path)),
      unknownBecause,
      write: async (path, next) => writeContent(await paths.real(path), next),
      writeUnsaved: async (path, next) => void this.#unsaved.set(path, next),
      unsavedPaths: () => [...this.#unsaved.keys()],
    });
    this.tracker = new ChangeTracker(
      modifiedFiles,
      files,
      snapshots,
      {
        sessionsWorkingOn: (path) => (this.working ? ['s'] : this.agents.sessionsWorkingOn(path)),
        writerOf: (path, change) => this.agents.writerOf(path, change),
        isMadeByUser: async () => false,
      },
      log,
    );
    this.tracker.onDidLoseFile(({ path, sessions }) => this.#losses.push(this.#lost.add(path, sessions)));
    this.review = new TrackedReview(modifiedFiles, this.tracker, files);
    const blobs = new BlobStore(join(storage, 'blobs'));
    this.file = new ReviewFile(join(storage, 'review.json'), modifiedFiles, blobs, log);
    this.#store = new CheckpointStore(join(storage, 'checkpoints.json'));
    this.turns = new AgentTurns(
      this.agents,
      this.tracker,
      files,
      paths,
      {
        recordStart: async (sessionId, entry) => {
          await this.atCheckpoint('begins');
          await this.checkpoints.create(sessionId, entry).done;
          await this.atCheckpoint('stored');
        },
        recordEnd: async ({ sessionId, before, fromGit, byOthers }) => {
          this.byOthers = [...byOthers].map(label);
          this.fromGit = Object.fromEntries(Array.from(fromGit, ([path, from]) => [label(path), from]));
          this.oddNames = (await snapshots.changedOddNames([this.folder])).map(label);
          this.omitted = (await snapshots.changedOmitted([this.folder])).map(label);
          this.turnFiles = turnFiles(modifiedFiles, sessionId, before);
        },
      },
      log,
    );
    const restored = (): Promise<void> => {
      this.review.forgetSteps();
      return this.file.write();
    };
    const owner = checkpointOwner(scopes, {
      storedReview: () => this.file.stored(),
      checkpointLimits: () => ({ maxAgeDays: 30, maxSizeMB: this.maxSizeMB }),
      isOpen: (id) => this.open.includes(id),
      busyReason: (worktree) => this.busy(worktree),
      settle: () => this.turns.settle(),
      recordRestore: restored,
      recordUndo: (_id, _undoId, isPartial) => {
        this.partialUndos.push(isPartial);
        return restored();
      },
      recordLeft: async (_id, text) => void this.leftRestores.push(text),
    });
    this.checkpoints = new RecordedCheckpoints(checkpointData(this.#store, blobs, snapshots), this.tracker, owner, log);
  }

  /** All of a turn: the agent works while `work` runs. */
  async turn(work: () => Promise<unknown>, entry = 0, id = 's'): Promise<void> {
    const state = (): SessionState => this.state;
    const session = stubOf<Session>({
      id,
      folders: [this.folder],
      isRemote: false,
      isReplay: false,
      get state() {
        return state();
      },
      diff: () => undefined,
    });
    await this.turns.start(session, entry);
    await work();
    await this.turns.end(id);
  }

  /** @param at an empty folder for all data; default: a temporary one */
  static async open(program = 'git', at?: string): Promise<DiskWorld> {
    const base = at ?? (await realpath(await mkdtemp(join(tmpdir(), 'parley-world-'))));
    for (const name of ['work', 'outside', 'storage']) await mkdir(join(base, name));
    return new DiskWorld(base, program);
  }

  /** The next window, after the one of this world has ended. */
  static async reopen(base: string, program = 'git'): Promise<DiskWorld> {
    const world = new DiskWorld(base, program);
    await world.#store.load();
    await world.file.load('newer');
    await world.tracker.refreshAll();
    return world;
  }

  get base(): string {
    return this.#base;
  }

  /** Known after the first turn has begun. */
  get activity(): ProcessActivity {
    const { value } = this.agents.writers;
    if (!value) throw new Error('no turn has begun');
    return value.activity;
  }

  /** A path below the workspace folder. */
  at(name: string): string {
    return join(this.folder, name);
  }

  /** Takes a checkpoint; the agent is working from now on. */
  async begin(entry: number): Promise<void> {
    await this.checkpoints.create('s', entry).done;
    this.working = true;
  }

  async end(): Promise<void> {
    await this.tracker.scan();
    this.working = false;
    await this.checkpoints.endTurn('s');
  }

  /** The user types a text and does not save it. */
  type(path: string, text: string): void {
    this.#unsaved.set(path, { mode: '100644', bytes: text });
  }

  /** Reports the files that left the review: together, however slow the machine is. */
  async reportLost(): Promise<readonly TurnNotice[]> {
    await Promise.all(this.#losses);
    await this.#clock.pass(1_000);
    return this.#notices;
  }

  async close(): Promise<void> {
    this.agents.writers.dispose();
    this.#lost.dispose();
    this.review.dispose();
    this.modifiedFiles.dispose();
    await rm(this.#base, { recursive: true, force: true });
  }
}
