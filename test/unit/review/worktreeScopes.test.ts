import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullLogger } from '../../../src/base/logger';
import { Git } from '../../../src/node/gitCommand';
import { CheckpointStore } from '../../../src/review/checkpoints/checkpointStore';
import { RecordedCheckpoints } from '../../../src/review/checkpoints/recordedCheckpoints';
import { WorkspaceSnapshots } from '../../../src/review/git/workspaceSnapshots';
import { BlobStore } from '../../../src/review/storage/blobStore';
import { readContent, unknownBecause, writeContent } from '../../../src/review/storage/fileContent';
import { TrackedReview } from '../../../src/review/trackedReview';
import { AgentTurns } from '../../../src/review/tracking/agentTurns';
import { ChangeTracker } from '../../../src/review/tracking/changeTracker';
import { ModifiedFiles } from '../../../src/review/tracking/modifiedFiles';
import { ReviewPaths, ReviewScopes } from '../../../src/review/tracking/reviewScope';
import type { WorkingFiles } from '../../../src/review/tracking/workingFiles';
import type { Session } from '../../../src/session/session';
import { emptySession } from '../../../src/shared/state/sessionState';
import { removeFolder } from '../../host/workspace.mjs';
import { stubOf } from '../../kit/stubOf';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { checkpointData, checkpointOwner } from './checkpointsOf';
import { agentsIn } from './otherWork';

/** Two sessions: one in the workspace, one in a git worktree. Both write directly to disk. */
describe('the review of sessions in different folders', () => {
  let base: string;
  let main: string;
  let tree: string;
  let modifiedFiles: ModifiedFiles;
  let review: TrackedReview;
  let turns: AgentTurns;
  let checkpoints: RecordedCheckpoints;
  let store: CheckpointStore;
  let scopes: ReviewScopes;
  /** A worktree inside the other one. */
  let inner: string;
  let worktrees: string[];

  beforeEach(async () => {
    base = temporaryFolder();
    [main, tree] = [join(base, 'main'), join(base, 'tree')];
    for (const folder of [main, tree]) {
      await mkdir(folder);
      await writeFile(join(folder, 'a.txt'), '1\n2\n3\n');
    }
    const storage = join(base, 'storage');
    store = new CheckpointStore(join(storage, 'checkpoints.json'));
    inner = join(tree, 'inner');
    worktrees = [tree, inner];
    const git = new Git('git', storage);
    const folderOf = (id: string): readonly string[] => [id === 'tree' ? tree : main];
    scopes = new ReviewScopes(
      () => [main],
      () => worktrees,
      folderOf,
    );
    modifiedFiles = new ModifiedFiles((path) => path);
    const agents = agentsIn(scopes);
    const snapshots = new WorkspaceSnapshots(git, nullLogger, join(storage, 'git'), () => scopes.allFolders(), agents);
    const files: WorkingFiles = {
      readUnsaved: async () => undefined,
      saved: async () => undefined,
      disk: readContent,
      unknownBecause,
      write: (path, next) => writeContent(path, next),
      writeUnsaved: () => Promise.reject(new Error('no editors here')),
      unsavedPaths: () => [],
    };
    const tracker = new ChangeTracker(modifiedFiles, files, snapshots, agents, nullLogger);
    const paths = new ReviewPaths(() => scopes.allFolders());
    const recordStart = async (id: string, entry: number): Promise<void> =>
      void (await checkpoints.create(id, entry).done);
    const recorder = { recordStart, recordEnd: async () => undefined };
    turns = new AgentTurns(agents, tracker, files, paths, recorder, nullLogger);
    review = new TrackedReview(modifiedFiles, tracker, files);
    const data = checkpointData(store, new BlobStore(join(storage, 'blobs')), snapshots);
    const forgetSteps = async (): Promise<void> => review.forgetSteps();
    const owner = checkpointOwner(scopes, {
      busyReason: (worktree) => (agents.worksIn(worktree) ? 'An agent works here.' : undefined),
      recordRestore: forgetSteps,
      recordUndo: forgetSteps,
    });
    checkpoints = new RecordedCheckpoints(data, tracker, owner, nullLogger);
  });

  afterEach(async () => {
    review.dispose();
    modifiedFiles.dispose();
    await checkpoints.idle();
    await removeFolder(base);
  });

  const session = (id: string): Session => {
    const state = { ...emptySession(id), turn: { status: 'running', startedAt: 1 } } as Session['state'];
    const folders = [id === 'tree' ? tree : main];
    return stubOf<Session>({ id, folders, state, isRemote: false, isReplay: false, diff: () => undefined });
  };
  const put = (folder: string, text: string): Promise<void> => writeFile(join(folder, 'a.txt'), text);
  const text = (folder: string): Promise<string> => readFile(join(folder, 'a.txt'), 'utf8');
  const reviewed = (id?: string): string[] => review.files(id).map(({ path }) => path);

  it('never attributes a change of one folder to the agent of another', async () => {
    await turns.start(session('tree'), 0);
    await put(main, 'typed by the user\n');
    await put(tree, '1\nagent\n3\n');
    await turns.end('tree');
    assert.deepEqual(reviewed(), [join(tree, 'a.txt')]);
    await turns.start(session('main'), 0);
    await put(main, 'agent\n');
    await put(tree, 'typed by the user\n');
    await turns.end('main');
    assert.deepEqual(reviewed('main'), [join(main, 'a.txt')]);
    assert.deepEqual(reviewed('tree').includes(join(main, 'a.txt')), false);
    await review.undoAll('main');
    assert.equal(await text(main), 'typed by the user\n');
    assert.equal(await text(tree), 'typed by the user\n');
  });

  it('stores a checkpoint of the workspace for a change by a worktree session, and undoes only that', async () => {
    await put(main, 'mine\n');
    const undoId = await checkpoints.around('tree', () => put(main, 'taken\n'));
    assert.ok(undoId !== undefined);
    await put(tree, 'tree agent\n');
    const preview = await checkpoints.previewUndo('tree', undoId);
    assert.ok(preview.type === 'ready');
    assert.deepEqual(
      preview.changes.map(({ path, isLater }) => [path, isLater]),
      [[join(main, 'a.txt'), undefined]],
    );
    await checkpoints.undoRestore('tree', undoId, preview.changes);
    assert.deepEqual([await text(main), await text(tree)], ['mine\n', 'tree agent\n']);
  });

  it('names later changes in the checkpoint of such a change, and stores none for an empty change', async () => {
    const undoId = await checkpoints.around('tree', () => put(main, 'taken\n'));
    await put(main, 'typed by the user\n');
    const preview = await checkpoints.previewUndo('tree', undoId ?? '');
    assert.ok(preview.type === 'ready');
    assert.equal(preview.changes[0]?.isLater, true);
    assert.equal(await checkpoints.around('tree', async () => undefined), undefined);
    await assert.rejects(
      checkpoints.around('tree', async () => {
        throw new Error('broken');
      }),
      /broken/,
    );
  });

  it('restores one folder while the other agent works, without changing its review', async () => {
    await turns.start(session('main'), 0);
    await put(main, 'main agent\n');
    await turns.end('main');
    await turns.start(session('tree'), 0);
    await put(tree, 'tree agent\n');
    await turns.end('tree');
    await turns.start(session('main'), 1);

    const restored = await checkpoints.restore('tree', 0);
    assert.deepEqual(restored.problems, []);
    assert.equal(await text(tree), '1\n2\n3\n');
    assert.equal(await text(main), 'main agent\n');
    assert.deepEqual(reviewed(), [join(main, 'a.txt')]);
    assert.match((await checkpoints.restore('main', 0)).problems[0]?.message ?? '', /An agent works here/);
    await turns.end('main');

    await checkpoints.undoRestore('tree', restored.undoId ?? '');
    assert.equal(await text(tree), 'tree agent\n');
    assert.deepEqual(reviewed().toSorted(), [join(main, 'a.txt'), join(tree, 'a.txt')]);
    await checkpoints.restore('main', 0);
    assert.equal(await text(main), '1\n2\n3\n');
    assert.equal(await text(tree), 'tree agent\n');
    assert.deepEqual(reviewed(), [join(tree, 'a.txt')]);
  });

  it('keeps the baseline of one folder when the other gets a new one', async () => {
    await turns.start(session('tree'), 0);
    await put(tree, 'first half\n');
    await turns.start(session('main'), 0);
    await put(main, 'main agent\n');
    await turns.end('main');
    await put(tree, 'second half\n');
    await turns.end('tree');
    assert.deepEqual(reviewed('tree'), [join(tree, 'a.txt')]);
    assert.deepEqual(reviewed('main'), [join(main, 'a.txt')]);
    await review.undoAll('tree');
    assert.equal(await text(tree), '1\n2\n3\n');
  });

  it('restores only its own folder after a reload, too', async () => {
    for (const id of ['tree', 'main']) {
      await turns.start(session(id), 0);
      await put(id === 'tree' ? tree : main, `${id} agent\n`);
      await turns.end(id);
    }
    await store.load();
    assert.deepEqual((await checkpoints.restore('tree', 0)).problems, []);
    assert.equal(await text(tree), '1\n2\n3\n');
    assert.deepEqual(reviewed(), [join(main, 'a.txt')]);
  });

  it('reviews what an agent of the workspace changes after a worktree was discarded', async () => {
    await turns.start(session('tree'), 0);
    await turns.start(session('main'), 0);
    await turns.end('tree');
    worktrees = [];
    await removeFolder(tree);
    await put(main, 'main agent\n');
    await turns.end('main');
    assert.deepEqual(reviewed(), [join(main, 'a.txt')]);
  });

  it('uses the innermost of two worktrees', () => {
    assert.equal(scopes.worktreeAround(join(inner, 'a')), inner);
    assert.equal(scopes.ofWorktree(tree).has(join(inner, 'a')), false);
    assert.equal(scopes.ofWorktree(tree).has(join(tree, 'a')), true);
  });
});
