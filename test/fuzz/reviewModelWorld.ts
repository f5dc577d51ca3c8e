import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nullLogger } from '../../src/base/logger';
import type { Git } from '../../src/node/gitCommand';
import { CheckpointStore } from '../../src/review/checkpoints/checkpointStore';
import { RecordedCheckpoints } from '../../src/review/checkpoints/recordedCheckpoints';
import type { GitStart } from '../../src/review/git/gitMoves';
import { ShadowRepository } from '../../src/review/git/shadowRepository';
import type { FolderTree } from '../../src/review/git/treeFiles';
import { WorkspaceSnapshots } from '../../src/review/git/workspaceSnapshots';
import { BlobStore } from '../../src/review/storage/blobStore';
import type { FileContent } from '../../src/review/storage/fileContent';
import { bytesOf, isSameContent } from '../../src/review/storage/fileContent';
import { TrackedReview } from '../../src/review/trackedReview';
import type { Writer } from '../../src/review/tracking/authorship';
import { ChangeTracker } from '../../src/review/tracking/changeTracker';
import { ModifiedFiles } from '../../src/review/tracking/modifiedFiles';
import { writeModifiedFiles } from '../../src/review/tracking/reviewFile';
import { ReviewScopes } from '../../src/review/tracking/reviewScope';
import { readModifiedFiles } from '../../src/review/tracking/storedReview';
import { captureTurnBaseline } from '../../src/review/tracking/turnChanges';
import { TurnMoves } from '../../src/review/tracking/turnMoves';
import { stubOf } from '../kit/stubOf';
import { checkpointData, checkpointOwner } from '../unit/review/checkpointsOf';
import { MemoryFiles } from '../unit/review/memoryFiles';
import { byAgent } from '../unit/review/otherWork';
import { ModelGit } from './modelGit';

type Tree = ReadonlyMap<string, FileContent>;

export const FOLDER = '/w';
const NOWHERE = join(tmpdir(), 'parley-no-such-folder');
/** The classes below replace all that starts git. */
const options = { git: {} as Git, log: nullLogger, storage: NOWHERE };

/** The model has one. */
const REPOSITORY = [stubOf<GitStart[number]>({})];

/** Only the paths of differences are used. */
const NONE = { mode: '', object: '' };

class MemoryBlobs extends BlobStore {
  readonly #blobs = new Map<string, Buffer>();

  override async put(bytes: Uint8Array): Promise<string> {
    const id = `id${Buffer.from(bytes).toString('base64')}`;
    this.#blobs.set(id, Buffer.from(bytes));
    return id;
  }

  override async get(id: string): Promise<Buffer | undefined> {
    return this.#blobs.get(id);
  }
}

/** Snapshots of the folder as git would store them, in memory. */
class MemoryShadow extends ShadowRepository {
  readonly trees = new Map<string, Tree>();

  override async retain(): Promise<void> {}

  override async compare(
    { tree: from }: FolderTree,
    { tree: to }: FolderTree,
  ): ReturnType<ShadowRepository['compare']> {
    const [a, b] = [this.trees.get(from), this.trees.get(to)];
    const paths = [...new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])])];
    const differing = paths.filter((path) => !isSameContent(a?.get(path), b?.get(path)));
    return differing.map((path) => ({ path, before: NONE, after: NONE }));
  }

  override async contents({ tree }: FolderTree, paths: readonly string[]): ReturnType<ShadowRepository['contents']> {
    const files = paths.flatMap((path) => {
      const found = this.trees.get(tree)?.get(path);
      return found ? [[path, { mode: found.mode, bytes: Buffer.from(bytesOf(found)) }] as const] : [];
    });
    return new Map(files);
  }

  override async findIgnored(): Promise<Set<string>> {
    return new Set();
  }

  override async findIgnoredIn(): Promise<Set<string>> {
    return new Set();
  }
}

class MemorySnapshots extends WorkspaceSnapshots {
  readonly #files: MemoryFiles;
  readonly #shadow = new MemoryShadow(options.git, options.log, options.storage, FOLDER);
  #tree = '';

  constructor(files: MemoryFiles) {
    super(options.git, options.log, options.storage, () => [FOLDER]);
    this.#files = files;
  }

  override async record(): ReturnType<WorkspaceSnapshots['record']> {
    this.#tree = String(this.#shadow.trees.size);
    this.#shadow.trees.set(this.#tree, new Map(this.#files.onDisk));
    this.#files.takeSnapshot();
    return { omitted: [], problems: [] };
  }

  override async trees(): ReturnType<WorkspaceSnapshots['trees']> {
    return [{ folder: FOLDER, tree: this.#tree }];
  }

  override lookUp(paths: readonly string[]): ReturnType<WorkspaceSnapshots['lookUp']> {
    return this.#files.lookUp(paths);
  }

  override changedPaths(): Promise<readonly string[]> {
    return this.#files.changedPaths();
  }

  override shadowRepository(): ShadowRepository {
    return this.#shadow;
  }
}

/** The review of a window and its dependencies, in memory; fires the events that VS Code sends. */
export class ReviewModelWorld {
  readonly files = new MemoryFiles();
  readonly #snapshots = new MemorySnapshots(this.files);
  readonly #blobs = new MemoryBlobs(NOWHERE);
  readonly #store = new CheckpointStore(undefined);
  /** The agent is working. */
  working = false;
  /** Who writes to disk, as far as processes tell. */
  writer: Writer = 'agent';
  readonly git = new ModelGit();
  #moves: TurnMoves | undefined;
  /** What the agent has written through Parley in this turn. */
  readonly #reported = new Set<string>();
  modifiedFiles!: ModifiedFiles;
  tracker!: ChangeTracker;
  review!: TrackedReview;
  checkpoints!: RecordedCheckpoints;

  constructor() {
    this.#build();
  }

  /** The user's message, which starts the agent's turn. */
  async begin(entry: number): Promise<void> {
    this.modifiedFiles.removeUnchanged();
    await this.checkpoints.create('s', entry).done;
    const { git, tracker, modifiedFiles } = this;
    git.startTurn();
    this.#reported.clear();
    this.#moves = new TurnMoves(tracker, git, REPOSITORY, captureTurnBaseline(modifiedFiles));
    this.working = true;
    for (const path of this.files.unsavedPaths()) await this.tracker.trackFile(path);
  }

  async end(): Promise<void> {
    await this.scan(true);
    this.working = false;
    this.modifiedFiles.removeUnchanged();
  }

  /** Compares the files, as at the end of a turn and after changes on disk. */
  async scan(isEnding = false): Promise<void> {
    await this.tracker.scan();
    await this.#moves?.update(this.modifiedFiles.paths(), (path) => this.#reported.has(path), isEnding);
  }

  /** The agent writes through Parley. */
  async edits(path: string, content: FileContent): Promise<void> {
    this.#reported.add(path);
    await this.tracker.runAgentEdit('s', path, async () => {
      this.files.editors.delete(path);
      this.files.put(path, content);
    });
  }

  /** The user types, and saves or not. */
  async types(path: string, content: FileContent, save: boolean): Promise<void> {
    if (this.working || this.modifiedFiles.get(path)) await this.tracker.trackFile(path);
    this.files.editors.set(path, content);
    if (save) await this.saves(path);
    else await this.tracker.refreshFile(path);
  }

  async saves(path: string): Promise<void> {
    const content = this.files.editors.get(path);
    if (!content) return;
    this.files.put(path, content);
    this.files.editors.delete(path);
    this.files.saves.set(path, content);
    await (this.working ? this.tracker.trackFile(path) : this.tracker.refreshFile(path));
    this.files.saves.delete(path);
  }

  /** The user reverts the editor. */
  async reverts(path: string): Promise<void> {
    this.files.editors.delete(path);
    await this.tracker.refreshFile(path);
  }

  /** A program writes: `writer` during a turn, else it counts as the user. */
  async writes(path: string, content: FileContent | undefined, writer: Writer = 'agent'): Promise<void> {
    this.writer = writer;
    this.files.put(path, content);
    if (this.working) await this.scan();
    else await this.tracker.refreshFile(path);
    this.writer = 'agent';
  }

  /** The window is closed and reopened; editors are restored with their unsaved text. */
  async reload(): Promise<void> {
    if (this.working) await this.end();
    const text = await writeModifiedFiles(this.modifiedFiles, this.#blobs);
    this.dispose();
    this.#build();
    const kept = await readModifiedFiles(text, this.#blobs);
    for (const [path, item] of kept?.items ?? []) this.modifiedFiles.set(path, item);
    for (const path of this.modifiedFiles.paths()) await this.tracker.refreshFile(path);
  }

  dispose(): void {
    this.review.dispose();
    this.modifiedFiles.dispose();
  }

  #build(): void {
    const { files } = this;
    this.modifiedFiles = new ModifiedFiles((path) => path.slice(FOLDER.length + 1), false);
    this.tracker = new ChangeTracker(
      this.modifiedFiles,
      files,
      this.#snapshots,
      { ...byAgent(() => (this.working ? ['s'] : [])), writerOf: async () => this.writer },
      nullLogger,
    );
    this.review = new TrackedReview(this.modifiedFiles, this.tracker, files);
    const forgetSteps = async (): Promise<void> => this.review.forgetSteps();
    const owner = checkpointOwner(new ReviewScopes(() => [FOLDER]), {
      busyReason: () => (this.working ? 'The agent works.' : undefined),
      recordRestore: forgetSteps,
      recordUndo: forgetSteps,
    });
    const data = checkpointData(this.#store, this.#blobs, this.#snapshots);
    this.checkpoints = new RecordedCheckpoints(data, this.tracker, owner, nullLogger);
  }
}
