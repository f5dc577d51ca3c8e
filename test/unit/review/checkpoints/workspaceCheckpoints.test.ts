import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { createDeferred } from '../../../../src/base/async';
import { nullLogger } from '../../../../src/base/logger';
import { Git } from '../../../../src/node/gitCommand';
import { CheckpointStore } from '../../../../src/review/checkpoints/checkpointStore';
import { RecordedCheckpoints } from '../../../../src/review/checkpoints/recordedCheckpoints';
import { MAX_FILE } from '../../../../src/review/git/updateIndex';
import { WorkspaceSnapshots } from '../../../../src/review/git/workspaceSnapshots';
import { BlobStore } from '../../../../src/review/storage/blobStore';
import { readContent, unknownBecause, writeContent } from '../../../../src/review/storage/fileContent';
import type { FileContent } from '../../../../src/review/storage/fileContent';
import { ChangeTracker } from '../../../../src/review/tracking/changeTracker';
import { unchangedFile } from '../../../../src/review/tracking/fileAttribution';
import { ModifiedFiles } from '../../../../src/review/tracking/modifiedFiles';
import { ReviewScopes } from '../../../../src/review/tracking/reviewScope';
import type { WorkingFiles } from '../../../../src/review/tracking/workingFiles';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { until } from '../../../kit/waiting';
import { checkpointData, checkpointOwner } from '../checkpointsOf';
import { emptyCheckpoint } from '../emptyCheckpoint';
import { byAgent } from '../otherWork';

/** Files without editors. */
const unsavedText = new Map<string, FileContent>();
const diskOnly: WorkingFiles = {
  readUnsaved: async (path) => unsavedText.get(path),
  saved: async () => undefined,
  disk: readContent,
  unknownBecause,
  write: (path, next) => writeContent(path, next),
  writeUnsaved: () => Promise.reject(new Error('there are no editors')),
  unsavedPaths: () => [...unsavedText.keys()],
};

const DAY = 86_400_000;

describe('checkpoints', () => {
  let base: string;
  let folder: string;
  let now: number;
  let limits: { maxAgeDays: number; maxSizeMB: number };
  /** Sessions. */
  let opened: readonly string[];
  let postponed: number[];
  let marks: unknown[];

  beforeEach(async () => {
    base = temporaryFolder();
    folder = join(base, 'work');
    await mkdir(folder);
    await mkdir(join(base, 'storage'));
    now = 100 * DAY;
    limits = { maxAgeDays: 30, maxSizeMB: 1024 };
    marks = [];
    [opened, postponed] = [[], []];
    unsavedText.clear();
  });

  function open(program = 'git', files = diskOnly): RecordedCheckpoints & { readonly modifiedFiles: ModifiedFiles } {
    const storage = join(base, 'storage');
    const git = new Git(program, storage);
    const modifiedFiles = new ModifiedFiles((path) => path.slice(folder.length + 1));
    const snapshots = new WorkspaceSnapshots(git, nullLogger, join(storage, 'git'), () => [folder]);
    const tracker = new ChangeTracker(modifiedFiles, files, snapshots, byAgent(), nullLogger);
    const store = new CheckpointStore(join(storage, 'checkpoints.json'));
    const data = checkpointData(store, new BlobStore(join(storage, 'blobs')), snapshots, () => now);
    const owner = checkpointOwner(new ReviewScopes(() => [folder]), {
      checkpointLimits: () => limits,
      isOpen: (id) => opened.includes(id),
      reportPostponed: (count) => postponed.push(count),
      recordRestore: async (...args) => void marks.push(args),
      recordUndo: async (...args) => void marks.push(args),
    });
    const checkpoints = new RecordedCheckpoints(data, tracker, owner, nullLogger);
    return Object.assign(checkpoints, { modifiedFiles });
  }

  /** Every file below the folder: mode and bytes, or the target of a link. */
  async function everything(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isSymbolicLink()) found[path] = `-> ${await readlink(path)}`;
      else if (entry.isFile()) {
        const { mode } = await lstat(path);
        found[path] = `${(mode & 0o100) === 0 ? '-' : 'x'} ${await readFile(path, 'latin1')}`;
      }
    }
    return found;
  }

  type Deed = {
    readonly name: string;
    readonly what: 'write' | 'delete' | 'link' | 'mode' | 'folder';
    readonly text: string;
  };

  async function perform({ name, what, text }: Deed): Promise<void> {
    const path = join(folder, name);
    const parent = await lstat(dirname(path)).catch(() => undefined);
    if (parent && !parent.isDirectory()) await rm(dirname(path));
    await mkdir(dirname(path), { recursive: true });
    if (what === 'mode') return chmod(path, 0o755).catch(() => undefined);
    await rm(path, { recursive: true, force: true });
    if (what === 'write') await writeFile(path, text, 'latin1');
    if (what === 'link') await symlink(text.replaceAll('\0', '').slice(0, 50) || 'nowhere', path);
    if (what === 'folder') await perform({ name: `${name}/inner`, what: 'write', text });
  }

  const deed: fc.Arbitrary<Deed> = fc.record({
    name: fc.constantFrom('a', 'b.txt', 'c/d', 'c/é "x".bin'),
    what: fc.constantFrom('write', 'write', 'delete', 'link', 'mode', 'folder'),
    text: fc.constantFrom('', 'one\n', 'two\r\nlines', '\0binary\xff', 'x'.repeat(5_000)),
  });

  it('restore the exact state, and undo the restore exactly', async () => {
    const turns = fc.array(fc.array(deed, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(turns, fc.nat(), async (all, chosen) => {
        await rm(folder, { recursive: true, force: true });
        await mkdir(folder);
        const checkpoints = open();
        const states: Record<string, string>[] = [];
        for (const [entry, deeds] of all.entries()) {
          states.push(await everything());
          assert.ok(await checkpoints.create('s', entry).done);
          for (const each of deeds) await perform(each);
        }
        const last = await everything();
        const entry = chosen % all.length;
        const restored = await checkpoints.restore('s', entry);
        assert.deepEqual(restored.problems, []);
        assert.deepEqual(await everything(), states[entry]);
        assert.deepEqual((await checkpoints.undoRestore('s', restored.undoId ?? '')).problems, []);
        assert.deepEqual(await everything(), last);
      }),
      {
        numRuns: 5,
        // Files take the place of a folder and of what was in it.
        examples: [[[[{ name: 'c/d', what: 'folder', text: '' }], [{ name: 'c/d', what: 'write', text: 'one\n' }]], 0]],
      },
    );
  });

  it('restore the review even if the file is compared during the restore', async () => {
    const path = join(folder, 'a.txt');
    const isReviewed = createDeferred<void>();
    let isRestoring = false;
    const checkpoints = open('git', {
      ...diskOnly,
      saved: async () => {
        if (isRestoring) await isReviewed.promise;
        return undefined;
      },
      write: async (at, next) => {
        await writeContent(at, next);
        isRestoring = true;
        void tracker.refreshFile(at);
      },
    });
    const { modifiedFiles, tracker } = checkpoints;
    const agentWrites = async (text: string): Promise<void> => {
      await writeFile(path, text);
      await tracker.refreshFile(path);
    };
    await writeFile(path, 'one\n');
    await checkpoints.create('s', 1).done;
    await tracker.trackFile(path);
    await agentWrites('agent\n');
    await checkpoints.create('s', 2).done;
    const item = modifiedFiles.get(path);
    assert.ok(item);
    modifiedFiles.set(path, { ...item, attribution: unchangedFile(item.attribution.text) });
    await agentWrites('agent two\n');
    modifiedFiles.onDidChange(() => isRestoring && isReviewed.resolve());

    assert.deepEqual((await checkpoints.restore('s', 2)).done, [path]);

    const { base: before, text } = modifiedFiles.get(path)?.attribution ?? {};
    assert.deepEqual([before?.bytes, text?.bytes], ['one\n', 'agent\n']);
  });

  it('leave under review what could not be restored', async () => {
    const [path, other] = ['a.txt', 'b.txt'].map((name) => join(folder, name)) as [string, string];
    const checkpoints = open('git', {
      ...diskOnly,
      write: async (at, next) => {
        if (at === path) throw new Error('The file has changed in the meantime. Try again.');
        await writeContent(at, next);
      },
    });
    const { tracker, modifiedFiles } = checkpoints;
    for (const each of [path, other]) await writeFile(each, 'one\n');
    await checkpoints.create('s', 1).done;
    for (const each of [path, other]) {
      await tracker.trackFile(each);
      await writeFile(each, 'agent\n');
      await tracker.refreshFile(each);
    }
    const { done, problems } = await checkpoints.restore('s', 1);
    assert.deepEqual([done, problems.map((problem) => problem.path)], [[other], [path]]);
    assert.deepEqual(
      modifiedFiles.files().map((file) => [file.path, modifiedFiles.get(file.path)?.attribution.base?.bytes]),
      [[path, 'one\n']],
    );
  });

  it('leave under review what is taken from an attempt during a restore', async () => {
    const paths = ['a.txt', 'b.txt', 'c.txt'].map((name) => join(folder, name));
    const [path, tracked, fresh] = paths as [string, string, string];
    const taken: Promise<unknown>[] = [];
    let isRestoring = false;
    let count = 0;
    const checkpoints = open('git', {
      ...diskOnly,
      unsavedPaths: () => {
        // The second time, the files have just been compared.
        if (isRestoring && ++count === 2)
          for (const each of [tracked, fresh])
            taken.push(checkpoints.tracker.runAgentEdit('s', each, () => writeFile(each, 'taken\n')));
        return diskOnly.unsavedPaths();
      },
    });
    const { tracker, modifiedFiles } = checkpoints;
    for (const each of paths) await writeFile(each, 'one\n');
    await checkpoints.create('s', 1).done;
    for (const each of [path, tracked]) await tracker.trackFile(each);
    await writeFile(path, 'agent\n');
    await tracker.refreshFile(path);
    isRestoring = true;
    assert.deepEqual((await checkpoints.restore('s', 1)).done, [path]);
    await Promise.all(taken);
    assert.deepEqual(
      modifiedFiles.files().map((file) => [file.path, modifiedFiles.get(file.path)?.attribution.base?.bytes]),
      [tracked, fresh].map((each) => [each, 'one\n']),
    );
  });

  it('can be taken back although their list cannot be written after a restore', async () => {
    const path = join(folder, 'a.txt');
    const list = join(base, 'storage', 'checkpoints.json');
    const checkpoints = open('git', {
      ...diskOnly,
      write: async (at, next) => {
        await writeContent(at, next);
        await rm(list, { force: true });
        await mkdir(join(list, 'occupied'), { recursive: true });
      },
    });
    await writeFile(path, 'one\n');
    await checkpoints.create('s', 1).done;
    await writeFile(path, 'mine\n');
    const { undoId } = await checkpoints.restore('s', 1);
    assert.ok(undoId);
    assert.equal(await readFile(path, 'utf8'), 'one\n');
    await rm(list, { recursive: true });
    await checkpoints.undoRestore('s', undoId);
    assert.equal(await readFile(path, 'utf8'), 'mine\n');
  });

  it('store the same bytes several times simultaneously', async () => {
    const blobs = new BlobStore(join(base, 'blobs'));
    const ids = await Promise.all(Array.from({ length: 50 }, () => blobs.put(Buffer.from('same'))));
    assert.equal(new Set(ids).size, 1);
    assert.equal((await blobs.get(ids[0] ?? ''))?.toString(), 'same');
    assert.deepEqual((await readdir(join(base, 'blobs'), { recursive: true })).length, 2);
  });

  it('preview their changes, and mark the conversation after a restore', async () => {
    await writeFile(join(folder, 'a'), 'one');
    const checkpoints = open();
    await checkpoints.create('s', 0).done;
    await writeFile(join(folder, 'a'), 'two');
    await writeFile(join(folder, 'b'), 'new');
    const before = await everything();
    const preview = await checkpoints.preview('s', 0);
    assert.ok(preview.type === 'ready');
    assert.deepEqual(
      preview.changes.map(({ label, status }) => [label, status]),
      [
        ['a', 'changed'],
        ['b', 'deleted'],
      ],
    );
    assert.deepEqual(await everything(), before);
    const { undoId } = await checkpoints.restore('s', 0);
    assert.deepEqual(marks, [['s', 0, undoId]]);
    assert.deepEqual(
      checkpoints.infosOf('s').map(({ entry, coverage }) => [entry, coverage]),
      [[0, 'workspace']],
    );
  });

  it('do not change ignored files', async () => {
    await writeFile(join(folder, '.gitignore'), '*.log\n');
    const checkpoints = open();
    await checkpoints.create('s', 0).done;
    await writeFile(join(folder, 'x.log'), 'precious');
    await checkpoints.restore('s', 0);
    assert.equal(await readFile(join(folder, 'x.log'), 'utf8'), 'precious');
  });

  it('never delete files that are in no snapshot: ignored, unsaved, too large, or in another folder', async () => {
    const at = (name: string): string => join(folder, name);
    const typed: FileContent = { mode: '100644', bytes: 'typed' };
    await writeFile(at('.gitignore'), '.env\nkeys\n*.log\n');
    for (const name of ['.env', 'keys', 'x.log']) await writeFile(at(name), 'precious');
    await writeFile(at('large'), Buffer.alloc(MAX_FILE + 1));
    const beside = `${folder}-beside`;
    await writeFile(beside, 'precious');
    const checkpoints = open();
    await checkpoints.create('s', 0).done;
    // The agent deletes the ignore rules, shortens the large file, and creates one; the user types into others.
    await writeFile(at('.gitignore'), '*.log\n');
    await writeFile(at('large'), 'short');
    await writeFile(at('made'), 'by the agent');
    for (const path of [at('x.log'), beside]) unsavedText.set(path, typed);
    await checkpoints.tracker.scan();
    const preview = await checkpoints.preview('s', 0);
    assert.ok(preview.type === 'ready');
    const labels = preview.changes.map(({ label, status }) => `${label} ${status}`);
    assert.deepEqual(labels, ['.gitignore changed', 'made deleted']);
    assert.equal(preview.notes.filter((note) => note.includes('is left unchanged')).length, 3);
    await checkpoints.restore('s', 0);
    for (const path of [at('.env'), at('keys'), at('x.log'), beside])
      assert.equal(await readFile(path, 'utf8'), 'precious');
    assert.equal(await readFile(at('large'), 'utf8'), 'short');
    assert.equal(await readFile(at('.gitignore'), 'utf8'), '.env\nkeys\n*.log\n');
  });

  it('keep files that became visible because the agent changed .gitignore', async () => {
    await writeFile(join(folder, '.gitignore'), '.env\n');
    await writeFile(join(folder, '.env'), 'precious');
    const checkpoints = open();
    await checkpoints.create('s', 0).done;
    await rm(join(folder, '.gitignore'));
    await writeFile(join(folder, 'made'), 'by the agent');
    await checkpoints.tracker.scan();
    assert.deepEqual(
      checkpoints.modifiedFiles.files().map(({ label, status }) => `${label} ${status}`),
      ['.gitignore deleted', 'made created'],
    );
  });

  it('contain without git only files that were copied before a change', async () => {
    const checkpoints = open(join(base, 'no-git'));
    await writeFile(join(folder, 'a'), 'one');
    await checkpoints.create('s', 0).done;
    const path = join(folder, 'a');
    await checkpoints.tracker.runAgentEdit('s', path, () => writeFile(path, 'two'));
    await checkpoints.tracker.runAgentEdit('s', join(folder, 'new'), () => writeFile(join(folder, 'new'), 'new'));
    await checkpoints.create('s', 1).done;
    await checkpoints.tracker.runAgentEdit('s', path, () => writeFile(path, 'three'));
    const restored = await checkpoints.restore('s', 1);
    assert.deepEqual(restored.problems, []);
    assert.equal(await readFile(path, 'utf8'), 'two');
    await checkpoints.restore('s', 0);
    assert.deepEqual(await everything(), { [path]: '- one' });
    const preview = await checkpoints.preview('s', 0);
    assert.match((preview.type === 'ready' && preview.notes[0]) || '', /^Git was not found/);
  });

  it('name a file whose copy cannot be read, and restore it if its content is still known', async () => {
    const checkpoints = open(join(base, 'no-git'));
    const [a, b] = [join(folder, 'a'), join(folder, 'b')] as const;
    for (const path of [a, b]) await writeFile(path, `before ${path}`);
    await checkpoints.create('s', 0).done;
    for (const path of [a, b]) await checkpoints.tracker.runAgentEdit('s', path, () => writeFile(path, 'after'));
    await checkpoints.idle();
    const id = createHash('sha256').update(`before ${a}`).digest('hex');
    const copy = join(base, 'storage', 'blobs', id.slice(0, 2), id);
    // A link to itself fails for every user, as a bad disk would.
    await rm(copy);
    await symlink(copy, copy);
    const preview = await checkpoints.preview('s', 0);
    assert.match((preview.type === 'ready' && preview.notes.at(-1)) || '', /a cannot be restored: .* cannot be read/);
    // The review knows the content, and stores it again for the checkpoint before the restore.
    assert.deepEqual((await checkpoints.restore('s', 0)).done, [a, b]);
    assert.deepEqual(await everything(), { [a]: `- before ${a}`, [b]: `- before ${b}` });
  });

  it('name an ignored file whose copy could not be stored, and take no later copy for it', async () => {
    await writeFile(join(folder, '.gitignore'), '*.log\n');
    const checkpoints = open();
    const log = join(folder, 'a.log');
    await writeFile(log, 'before');
    await checkpoints.create('s', 0).done;
    const id = createHash('sha256').update('before').digest('hex');
    const part = join(base, 'storage', 'blobs', id.slice(0, 2));
    await rm(part, { recursive: true, force: true });
    await writeFile(part, 'a file where the store needs a folder');
    await checkpoints.tracker.runAgentEdit('s', log, () => writeFile(log, 'after'));
    assert.deepEqual(checkpoints.missed('s', 0), [log]);
    // Another prompt, before which the same file can be copied.
    await rm(part);
    await checkpoints.create('s', 1).done;
    await checkpoints.tracker.forgetFile(log);
    await checkpoints.tracker.runAgentEdit('s', log, () => writeFile(log, 'last'));
    assert.deepEqual(checkpoints.missed('s', 1), []);
    const preview = await checkpoints.preview('s', 0);
    const notes = (preview.type === 'ready' && preview.notes) || [];
    assert.match(notes.join(), /a\.log is left unchanged: its copy could not be stored \(.*(EEXIST|ENOTDIR).*\)/);
    await checkpoints.restore('s', 0);
    assert.equal(await readFile(log, 'utf8'), 'last');
  });

  it('are stored with the copy of an ignored file before the agent writes it', async () => {
    await writeFile(join(folder, '.gitignore'), '*.log\n');
    const checkpoints = open();
    const log = join(folder, 'a.log');
    await writeFile(log, 'before');
    await checkpoints.create('s', 0).done;
    const stored = (): Promise<string> => readFile(join(base, 'storage', 'checkpoints.json'), 'utf8');
    assert.doesNotMatch(await stored(), /a\.log/);
    let before = '';
    await checkpoints.tracker.runAgentEdit('s', log, async () => {
      before = await stored();
      await writeFile(log, 'after');
    });
    assert.match(before, /a\.log/);
  });

  it('do not wait for a restore to copy a file that the restore waits for', async () => {
    await writeFile(join(folder, '.gitignore'), '*.log\n');
    const log = join(folder, 'a.log');
    await writeFile(log, 'before');
    const [isLocked, mayGoOn] = [createDeferred<void>(), createDeferred<void>()];
    const files: WorkingFiles = {
      ...diskOnly,
      disk: async (path) => {
        if (path === log) {
          isLocked.resolve();
          await mayGoOn.promise;
        }
        return readContent(path);
      },
    };
    const checkpoints = open('git', files);
    await checkpoints.create('s', 0).done;
    const write = checkpoints.tracker.runAgentEdit('s', log, () => writeFile(log, 'after'));
    await isLocked.promise;
    const restored = checkpoints.restore('s', 0);
    mayGoOn.resolve();
    await write;
    assert.deepEqual((await restored).problems, []);
    await checkpoints.idle();
  });

  it('are removed after some days, and when they take too much space', async () => {
    const checkpoints = open();
    await checkpoints.create('s', 0).done;
    now += 29 * DAY;
    await checkpoints.create('s', 1).done;
    now += 2 * DAY;
    await checkpoints.prune();
    assert.deepEqual(
      checkpoints.infosOf('s').map(({ entry }) => entry),
      [1],
    );
    const gone = await checkpoints.preview('s', 0);
    assert.match(gone.type === 'unavailable' ? gone.message : '', /is no longer available/);
    assert.equal((await checkpoints.restore('s', 0)).undoId, undefined);
    limits = { maxAgeDays: 30, maxSizeMB: 0 };
    await checkpoints.prune();
    assert.deepEqual(checkpoints.infosOf('s'), []);
  });

  it('stay when the clock is a month ahead; the user is told once, and after a day they are removed', async () => {
    const checkpoints = open();
    for (let entry = 0; entry < 4; entry++) await checkpoints.create('s', entry).done;
    await checkpoints.prune();
    now += 31 * DAY;
    await checkpoints.prune();
    await checkpoints.create('s', 4).done;
    await checkpoints.prune();
    assert.equal(checkpoints.infosOf('s').length, 5);
    assert.deepEqual(postponed, [4]);
    now -= 31 * DAY;
    await checkpoints.prune();
    assert.equal(checkpoints.infosOf('s').length, 5);
  });

  it('stay though the clock was behind when they were taken', async () => {
    const checkpoints = open();
    await checkpoints.create('s', 0).done;
    await checkpoints.prune();
    now -= 90 * DAY;
    await checkpoints.create('s', 1).done;
    now += 90 * DAY;
    await checkpoints.prune();
    assert.equal(checkpoints.infosOf('s').length, 2);
  });

  it('leave the last one of each open session, by age and by size', async () => {
    const checkpoints = open();
    for (const session of ['s', 'closed', 'other'])
      for (let entry = 0; entry < 2; entry++) await checkpoints.create(session, entry).done;
    opened = ['s', 'other'];
    now += 29 * DAY;
    for (let entry = 2; entry < 9; entry++) await checkpoints.create('other', entry).done;
    now += 2 * DAY;
    await checkpoints.prune();
    const left = (): number[][] =>
      ['s', 'closed', 'other'].map((id) => checkpoints.infosOf(id).map(({ entry }) => entry));
    assert.deepEqual(left(), [[1], [], [2, 3, 4, 5, 6, 7, 8]]);
    limits = { maxAgeDays: 30, maxSizeMB: 0 };
    await checkpoints.prune();
    assert.deepEqual(left(), [[1], [], [8]]);
  });

  it('are taken without waiting while old ones are removed', async function () {
    if (process.platform === 'win32') this.skip();
    // Simulates packing a large repository.
    const slow = join(base, 'slow-git');
    const packs = join(base, 'packs');
    await writeFile(
      slow,
      `#!/bin/sh\ncase "$*" in *" repack "*) touch '${packs}'; exec sleep 600;; esac\nexec git "$@"\n`,
    );
    await chmod(slow, 0o755);
    const checkpoints = open(slow);
    await writeFile(join(folder, 'a.txt'), 'a');
    await checkpoints.create('s', 0).done;
    const pruned = checkpoints.prune();
    const has = (): Promise<boolean> =>
      lstat(packs).then(
        () => true,
        () => false,
      );
    await until(() => has());
    const { recorded, done } = checkpoints.create('s', 1);
    await recorded;
    assert.equal((await done)?.entry, 1);
    await pruned;
    assert.equal(checkpoints.infosOf('s').length, 2);
  });

  it('keep the list of a newer version with all files it needs', async () => {
    const list = join(base, 'storage', 'checkpoints.json');
    const text = '{"parley":2,"checkpoints":"in another form"}';
    await mkdir(join(base, 'storage'), { recursive: true });
    await writeFile(list, text);
    const store = new CheckpointStore(list);
    await store.load();
    assert.equal(store.isNewer, true);
    await store.add(emptyCheckpoint);
    assert.deepEqual([store.all().length, await readFile(list, 'utf8')], [1, text]);
  });

  it('survive a reload and a damaged list', async () => {
    await writeFile(join(folder, 'a'), 'one');
    await open().create('s', 0).done;
    await writeFile(join(folder, 'a'), 'two');
    const list = join(base, 'storage', 'checkpoints.json');
    const again = new CheckpointStore(list);
    await again.load();
    assert.equal(again.all().length, 1);
    const whole = { id: 'x', sessionId: 's', ledger: 'l', at: 1, roots: [], copies: {}, unsaved: {} };
    await writeFile(list, JSON.stringify({ parley: 1, checkpoints: [{ id: 7 }, null, whole] }));
    await again.load();
    assert.deepEqual(
      again.all().map(({ id }) => id),
      ['x'],
    );
    await writeFile(list, 'not json');
    await again.load();
    assert.deepEqual(again.all(), []);
  });
});
