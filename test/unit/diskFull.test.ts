import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installBinary } from '../../src/agent/registry/installBinary';
import { errorMessage } from '../../src/base/errors';
import { nullLogger } from '../../src/base/logger';
import { Redactor } from '../../src/base/redactor';
import { DailyCost } from '../../src/history/dailyCost';
import { parseQuery } from '../../src/history/search/searchQuery';
import { SessionSearch } from '../../src/history/search/sessionSearch';
import { SessionStore } from '../../src/history/sessionStore';
import { readTranscript } from '../../src/history/transcriptFile';
import { TranscriptWriter } from '../../src/history/transcriptWriter';
import { KeyValueFiles } from '../../src/node/fs/keyValueFiles';
import { WorkspaceStateFile } from '../../src/node/fs/workspaceStateFile';
import { Git } from '../../src/node/gitCommand';
import { AuditLog } from '../../src/permissions/auditLog';
import { RememberedRules } from '../../src/permissions/rememberedRules';
import { CheckpointStore } from '../../src/review/checkpoints/checkpointStore';
import { RecordedCheckpoints } from '../../src/review/checkpoints/recordedCheckpoints';
import { WorkspaceSnapshots } from '../../src/review/git/workspaceSnapshots';
import { BlobStore } from '../../src/review/storage/blobStore';
import { readContent, unknownBecause, writeContent } from '../../src/review/storage/fileContent';
import { ChangeTracker } from '../../src/review/tracking/changeTracker';
import { ModifiedFiles } from '../../src/review/tracking/modifiedFiles';
import { ReviewScopes } from '../../src/review/tracking/reviewScope';
import type { WorkingFiles } from '../../src/review/tracking/workingFiles';
import type { Action } from '../../src/shared/state/sessionActions';
import { DraftStore } from '../../src/ui/chat/draftStore';
import { MemoryMemento } from '../kit/memoryMemento';
import { sessionItem } from '../kit/sessionItem';
import { SmallDisk } from '../kit/smallDisk';
import { WebServer } from './agent/registry/installsBench';
import { checkpointData, checkpointOwner } from './review/checkpointsOf';
import { byAgent } from './review/otherWork';
import { NOTHING_LEFT, WorktreeBench } from './worktrees/worktreeBench';

const said = (text: string): Action => ({ type: 'textAppended', role: 'agent', text, at: 1 });
/** More than a block, so that it needs space. */
const LONG = 'more '.repeat(2_000);
/** The user's message: cause and remedy. */
const TOLD = /disk is full.*free some space/i;

/** Warnings in the output log. */
class Log {
  readonly lines: string[] = [];
  readonly warn = (_tag: unknown, line: string): void => void this.lines.push(line);
  readonly all = { ...nullLogger, warn: this.warn };
}

type Row = (folder: string, disk: SmallDisk) => Promise<void>;

const summary = (title: string) => ({ id: 'one', title, renamed: false, updatedAt: 1, archived: false });

/** Each row: write, fill the disk, write again, free space. */
const ROWS: Readonly<Record<string, Row>> = {
  'a transcript': async (folder, disk) => {
    const failures: string[] = [];
    const onError = (error: unknown): void => void failures.push(errorMessage(error));
    const writer = new TranscriptWriter(folder, 'one', onError);
    writer.append(said('before'));
    await writer.flush();
    await disk.fill();
    writer.append({ ...said(LONG), role: 'thought' } as Action);
    await writer.flush();
    assert.match(failures[0] ?? '', TOLD);
    assert.deepEqual((await readTranscript(folder, 'one'))?.actions, [said('before')]);
    await disk.free();
    await writer.close();
    assert.deepEqual((await readTranscript(folder, 'one'))?.actions, [
      said('before'),
      { ...said(LONG), role: 'thought' },
    ]);
  },

  'a new transcript': async (folder, disk) => {
    const failures: string[] = [];
    await mkdir(folder, { recursive: true });
    await disk.fill();
    const writer = new TranscriptWriter(folder, 'one', (error) => failures.push(errorMessage(error)));
    writer.append(said(LONG));
    await writer.flush();
    assert.match(failures[0] ?? '', TOLD);
    await disk.free();
    await writer.close();
    assert.deepEqual((await readTranscript(folder, 'one'))?.actions, [said(LONG)]);
  },

  'a summary of the list of sessions': async (folder, disk) => {
    const log = new Log();
    await new TranscriptWriter(folder, 'one', failed).close();
    const store = await SessionStore.open(folder, log.all);
    await store.add(summary('before'), [said('x')], new Map());
    await store.flush();
    await disk.fill();
    store.saveSummary(summary(LONG));
    await store.flush();
    assert.match(log.lines[0] ?? '', TOLD);
    assert.equal((await SessionStore.open(folder, nullLogger)).get('one')?.title, 'before');
    assert.equal(store.get('one')?.title, LONG);
    await disk.free();
    await store.flush();
    assert.equal((await SessionStore.open(folder, nullLogger)).get('one')?.title, LONG);
  },

  'the state of a workspace, with its drafts': async (folder, disk) => {
    const [log, file] = [new Log(), join(folder, 'state.json')];
    const state = await WorkspaceStateFile.open(file, log.all);
    const drafts = new DraftStore(state);
    drafts.set('s', { text: 'before', at: 1, attached: [] }, undefined);
    await state.flush();
    await disk.fill();
    drafts.set('s', { text: LONG, at: 2, attached: [] }, undefined);
    await state.flush();
    assert.match(log.lines[0] ?? '', TOLD);
    assert.match(await readFile(file, 'utf8'), /"before"/);
    assert.equal(drafts.get('s')?.text, LONG);
    await disk.free();
    await state.flush();
    assert.match(await readFile(file, 'utf8'), /more more/);
  },

  'the cost of the day': async (folder, disk) => {
    const day = new DailyCost(join(folder, 'cost.json'), () => 0);
    await day.add({ amount: 1, currency: 'USD' });
    await disk.fill();
    await assert.rejects(day.add({ amount: 1, currency: 'EUR' }), isToldAsFull);
    assert.deepEqual(await day.sums(), [{ currency: 'USD', amount: 1 }]);
    await disk.free();
    await day.add({ amount: 2, currency: 'USD' });
    assert.deepEqual(await day.sums(), [{ currency: 'USD', amount: 3 }]);
  },

  'remembered rules': async (folder, disk) => {
    const state = await WorkspaceStateFile.open(join(folder, 'state.json'), new Log().all);
    const rules = new RememberedRules({ workspace: state, everywhere: new MemoryMemento(), now: () => 1 });
    await rules.add({ decision: 'allow', tool: 'before' }, 'workspace', 's');
    await disk.fill();
    await rules.add({ decision: 'deny', tool: 'after' }, 'workspace', 's');
    assert.equal(rules.list('s').length, 2);
    await disk.free();
    await state.flush();
    const again = await WorkspaceStateFile.open(join(folder, 'state.json'), new Log().all);
    const read = new RememberedRules({ workspace: again, everywhere: new MemoryMemento(), now: () => 1 });
    assert.deepEqual(
      read.list().map(({ rule }) => rule.tool),
      ['before', 'after'],
    );
  },

  'what Parley knows of MCP servers': async (folder, disk) => {
    const log = new Log();
    const files = new KeyValueFiles(folder, log.all);
    await files.update('key', { text: 'before' });
    await disk.fill();
    await files.update('key', { text: LONG });
    assert.match(log.lines[0] ?? '', TOLD);
    await files.load('key');
    assert.deepEqual(files.get('key'), { text: LONG });
    await disk.free();
    await files.load('key');
    const others = new KeyValueFiles(folder, log.all);
    await others.load('key');
    assert.deepEqual(others.get('key'), { text: LONG });
  },

  'the audit log': async (folder, disk) => {
    const log = new Log();
    const audit = new AuditLog(folder, new Redactor(), log.all);
    const record = (title: string) =>
      ({ time: 't', session: 's', agent: 'a', kind: 'edit', title, decision: 'allowed', by: 'person', ms: 0 }) as const;
    audit.append(record('before'));
    await audit.flush();
    await disk.fill();
    // One record as long as they get: a part of the disk's last block may be free.
    const long = 'x'.repeat(3_000);
    const paths = Array.from({ length: 50 }, (_, at) => `/${at}${'x'.repeat(400)}`);
    audit.append({ ...record('after'), command: long, reason: long, option: long, paths });
    await audit.flush();
    assert.match(log.lines[0] ?? '', TOLD);
    assert.deepEqual(
      (await audit.entries()).map(({ title }) => title),
      ['before', 'after'],
    );
    await disk.free();
    // When the window closes.
    await audit.flush();
    const read = await new AuditLog(folder, new Redactor(), log.all).entries();
    assert.deepEqual(
      read.map(({ title }) => title),
      ['before', 'after'],
    );
  },

  'an export of the audit log': async (folder, disk) => {
    const audit = new AuditLog(folder, new Redactor(), nullLogger);
    const fields = {
      time: 't',
      session: 's',
      agent: 'a',
      kind: 'edit',
      decision: 'allowed',
      by: 'person',
      ms: 0,
    } as const;
    for (let count = 0; count < 20; count++) audit.append({ ...fields, title: LONG });
    const path = join(folder, 'export.jsonl');
    await writeFile(path, 'an earlier export');
    await audit.flush();
    await disk.fill();
    await assert.rejects(audit.export(path), isToldAsFull);
    assert.equal(await readFile(path, 'utf8'), 'an earlier export');
    await assert.rejects(audit.export(join(folder, 'new.jsonl')), isToldAsFull);
    assert.equal(existsSync(join(folder, 'new.jsonl')), false);
    assert.deepEqual((await readdir(folder)).toSorted(), ['audit.jsonl', 'export.jsonl']);
  },

  'contents of files under review': async (folder, disk) => {
    const blobs = new BlobStore(folder);
    const id = await blobs.put(Buffer.from('before'));
    await disk.fill();
    await assert.rejects(blobs.put(Buffer.from(LONG)), isToldAsFull);
    assert.equal((await blobs.get(id))?.toString(), 'before');
    await disk.free();
    assert.equal((await blobs.get(await blobs.put(Buffer.from(LONG))))?.toString(), LONG);
    assert.deepEqual(
      (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.new')),
      [],
    );
  },

  'a checkpoint and its restore': async (folder, disk) => {
    const [log, work, storage] = [new Log(), join(folder, 'work'), join(folder, 'storage')];
    await mkdir(work, { recursive: true });
    const { checkpoints, store } = openCheckpoints(work, storage, log);
    await writeFile(join(work, 'a'), 'before');
    assert.ok(await checkpoints.create('s', 0).done);
    await writeFile(join(work, 'a'), 'after!');
    await disk.fill();
    const taken = checkpoints.create('s', 1);
    await taken.recorded;
    await taken.done;
    assert.match(log.lines.join('\n'), TOLD);
    assert.match(checkpoints.failure ?? '', TOLD);
    const refused = await checkpoints.restore('s', 0);
    assert.equal(await readFile(join(work, 'a'), 'utf8'), 'after!', 'nothing is restored that could not be undone');
    assert.match(refused.problems.map(({ message }) => message).join(), TOLD);
    await disk.free();
    const restored = await checkpoints.restore('s', 0);
    assert.deepEqual(restored.problems, []);
    assert.equal(await readFile(join(work, 'a'), 'utf8'), 'before');
    assert.deepEqual((await checkpoints.undoRestore('s', restored.undoId ?? '')).problems, []);
    assert.equal(await readFile(join(work, 'a'), 'utf8'), 'after!');
    assert.ok(await checkpoints.create('s', 2).done);
    assert.equal(checkpoints.failure, undefined);
    const stored = new CheckpointStore(join(storage, 'checkpoints.json'));
    await stored.load();
    assert.deepEqual(
      stored.all().map(({ id }) => id),
      store.all().map(({ id }) => id),
    );
  },

  'a worktree': async (folder, disk) => {
    const bench = await WorktreeBench.open();
    try {
      await bench.write('large.bin', randomBytes(1_000_000));
      bench.commit('large');
      const storage = join(folder, 'worktrees');
      const window = await bench.window('git', storage);
      const wanted = { folder: bench.folder, text: 'Fix the login', include: [] };
      // No space even for a lock file, or only for the record and some of the files.
      for (const room of [0, 500_000]) {
        await disk.fill(room);
        await assert.rejects(window.create(wanted), isToldAsFull);
        await disk.free();
        assert.deepEqual(bench.left(storage), NOTHING_LEFT);
      }
      const { worktree } = await window.create(wanted);
      await disk.fill();
      assert.equal(await window.discard(worktree.id), 'discarded');
      assert.deepEqual(bench.left(storage), NOTHING_LEFT);
      window.dispose();
    } finally {
      await bench.close();
    }
  },

  'the download of an agent': async (folder, disk) => {
    const server = await WebServer.start();
    try {
      const archive = server.file('/agent', Buffer.alloc(200_000));
      const home = join(folder, 'agent');
      const options = { home, version: '2', previous: '1', log: nullLogger };
      await mkdir(join(home, '1'), { recursive: true });
      await writeFile(join(home, '1', 'program'), 'before');
      await disk.fill();
      await assert.rejects(installBinary({ archive, cmd: './agent', args: [], env: {} }, options), isToldAsFull);
      assert.deepEqual(await readdir(home), ['1']);
      assert.equal(await readFile(join(home, '1', 'program'), 'utf8'), 'before');
      await disk.free();
      await installBinary({ archive, cmd: './agent', args: [], env: {} }, options);
      assert.deepEqual((await readdir(home)).toSorted(), ['1', '2']);
    } finally {
      await server.stop();
    }
  },

  'the search index': async (folder, disk) => {
    const writer = new TranscriptWriter(folder, 'one', failed);
    writer.append({ type: 'promptSent', text: `pear ${LONG}`, blocks: [], at: 1 });
    await writer.close();
    await disk.fill();
    const item = sessionItem('one');
    const search = new SessionSearch(
      () => [item],
      () => undefined,
      folder,
      nullLogger,
    );
    const results = await search.search(parseQuery('pear', 0), new AbortController().signal, () => undefined);
    assert.equal(results.length, 1);
    assert.deepEqual(await readdir(folder), ['one.jsonl']);
  },
};

function failed(error: unknown): void {
  throw error;
}

function isToldAsFull(error: unknown): boolean {
  assert.match(errorMessage(error), TOLD);
  return true;
}

function openCheckpoints(work: string, storage: string, log: Log) {
  const files: WorkingFiles = {
    readUnsaved: async () => undefined,
    saved: async () => undefined,
    disk: readContent,
    unknownBecause,
    write: (path, next) => writeContent(path, next),
    writeUnsaved: () => Promise.reject(new Error('there are no editors')),
    unsavedPaths: () => [],
  };
  const git = new Git('git', storage);
  const modifiedFiles = new ModifiedFiles((path) => path.slice(work.length + 1));
  const snapshots = new WorkspaceSnapshots(git, log.all, join(storage, 'git'), () => [work]);
  const tracker = new ChangeTracker(modifiedFiles, files, snapshots, byAgent(), log.all);
  const store = new CheckpointStore(join(storage, 'checkpoints.json'));
  const data = checkpointData(store, new BlobStore(join(storage, 'blobs')), snapshots, () => 1);
  const owner = checkpointOwner(new ReviewScopes(() => [work]));
  const checkpoints = new RecordedCheckpoints(data, tracker, owner, log.all);
  return { checkpoints, store };
}

describe('a full disk', function () {
  let disk: SmallDisk | undefined;

  before(() => (disk = SmallDisk.mount()));
  after(() => disk?.unmount());

  for (const [what, row] of Object.entries(ROWS)) {
    it(`keeps stored data, explains what to do, and continues after space is freed: ${what}`, async function () {
      // Mounting a small file system needs Linux and the permission to mount.
      if (!disk) this.skip();
      const folder = join(disk.folder, 'storage');
      await mkdir(folder);
      try {
        await row(folder, disk);
      } finally {
        await disk.free();
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
});
