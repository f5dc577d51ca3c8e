import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker, isMainThread, workerData } from 'node:worker_threads';
import { SessionLocks, SessionLockedError } from '../../../src/history/sessionLocks';
import { requestRelease, acquireLock, isLocked, breakLock } from '../../../src/node/fs/fileLock';
import { fileMutex } from '../../../src/node/fs/fileMutex';
import { takeOver } from '../../../src/session/sessionTakeover';
import { temporaryFolder } from '../../kit/temporaryFolder';

/** Two processes that acquire the same locks at the same time. */
interface Race {
  readonly folder: string;
  readonly rounds: number;
  /** Number of arrivals at a barrier. */
  readonly arrived: Int32Array;
  /** Number of owners of each lock. */
  readonly winners: Int32Array;
}

function meet({ arrived }: Race, barrier: number): void {
  if (Atomics.add(arrived, barrier, 1) === 0) Atomics.wait(arrived, barrier, 1);
  else Atomics.notify(arrived, barrier);
}

function run(race: Race): void {
  for (let round = 0; round < race.rounds; round++) {
    meet(race, round * 2);
    const mine = acquireLock(race.folder, `r${round}`);
    if (mine) Atomics.add(race.winners, round, 1);
    meet(race, round * 2 + 1);
    mine?.dispose();
  }
}

const shared = (length: number): Int32Array => new Int32Array(new SharedArrayBuffer(length * 4));

function outOfFiles(): never {
  throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
}

/** Runs a job in a process that may open no more files. */
function withoutFiles<T>(job: () => T): T {
  const { readFileSync, readdirSync: list, writeFileSync: write } = fs;
  Object.assign(fs, { readFileSync: outOfFiles, readdirSync: outOfFiles, writeFileSync: outOfFiles });
  try {
    return job();
  } finally {
    Object.assign(fs, { readFileSync, readdirSync: list, writeFileSync: write });
  }
}

if (!isMainThread) run(workerData as Race);
else
  describe('a session lock', () => {
    const folder = temporaryFolder();
    const { pid: dead } = spawnSync(process.execPath, ['-e', '']);

    it('has one owner window at a time', () => {
      const mine = acquireLock(folder, 'one');
      assert.ok(mine);
      assert.equal(acquireLock(folder, 'one'), undefined);
      assert.ok(isLocked(folder, 'one'));
      mine.dispose();
      acquireLock(folder, 'one')?.dispose();
      assert.ok(acquireLock(folder, 'one'));
    });

    it('ends with its process, and leaves no file', () => {
      writeFileSync(join(folder, `two.${dead}.1.0badcafe.has`), '');
      const mine = acquireLock(folder, 'two');
      assert.ok(mine);
      mine.dispose();
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.startsWith('two.')),
        [],
      );
    });

    it('ends with its process also if another process has its id now', () => {
      writeFileSync(join(folder, `six.${process.pid}.1.0badcafe.has`), '');
      assert.ok(acquireLock(folder, 'six'));
      const old = join(folder, `seven.${process.pid}..0badcafe.has`);
      writeFileSync(old, '');
      assert.equal(acquireLock(folder, 'seven'), undefined);
      utimesSync(old, 0, 0);
      assert.ok(acquireLock(folder, 'seven'));
    });

    it('is acquired by only one of two windows that start at the same moment after a crash', async () => {
      const rounds = 100;
      const race: Race = { folder: join(folder, 'race'), rounds, arrived: shared(rounds * 2), winners: shared(rounds) };
      mkdirSync(race.folder);
      for (let round = 0; round < rounds; round++) {
        writeFileSync(join(race.folder, `r${round}.${dead}.1.0badcafe.has`), '');
      }
      const workers = [0, 1].map(() => new Worker(__filename, { workerData: race }));
      await Promise.all(workers.map((worker) => once(worker, 'exit')));
      assert.deepEqual(Array.from(race.winners), Array<number>(rounds).fill(1));
    });

    it('is acquired without a file if the folder is not writable', () => {
      writeFileSync(join(folder, 'no-folder'), '');
      acquireLock(join(folder, 'no-folder'), 'five')?.dispose();
      assert.ok(acquireLock(join(folder, 'no-folder'), 'five')?.isHeld);
    });

    it('of another window is respected while too many files are open, and acquired afterwards', () => {
      const theirs = acquireLock(join(folder, 'claims'), 'twelve');
      const claims = new SessionLocks(folder, true);
      const lost: string[] = [];
      claims.onDidLose((id) => lost.push(id));
      const [mine, free] = withoutFiles(() => {
        assert.throws(() => acquireLock(claims.folder, 'twelve'), { code: 'EMFILE' });
        assert.ok(claims.isInOtherWindow('twelve'));
        return [claims.acquire('twelve'), claims.acquire('thirteen')];
      });
      assert.ok(theirs?.isHeld, 'its file is there');
      assert.ok(!claims.canWrite('twelve'));
      assert.deepEqual(lost, ['twelve']);
      assert.ok(claims.canWrite('thirteen') && isLocked(claims.folder, 'thirteen'));
      for (const each of [theirs, mine, free]) each?.dispose();
    });

    it('is not taken from a window whose start time cannot be read', () => {
      const theirs = acquireLock(folder, 'fourteen');
      const { readFileSync } = fs;
      Object.assign(fs, { readFileSync: outOfFiles });
      try {
        assert.ok(isLocked(folder, 'fourteen'));
      } finally {
        fs.readFileSync = readFileSync;
      }
      assert.ok(theirs?.isHeld);
      theirs.dispose();
    });

    it('is acquired once a full disk has space', () => {
      const claims = new SessionLocks(folder, true);
      const { writeFileSync: write } = fs;
      fs.writeFileSync = () => {
        throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      };
      const mine = claims.acquire('fifteen');
      assert.ok(claims.canWrite('fifteen'));
      fs.writeFileSync = write;
      assert.ok(!isLocked(claims.folder, 'fifteen'));
      assert.ok(claims.canWrite('fifteen') && isLocked(claims.folder, 'fifteen'));
      mine.dispose();
    });

    it('ignores a damaged file', () => {
      writeFileSync(join(folder, 'three.not-a-number.has'), '');
      assert.ok(acquireLock(folder, 'three'));
    });

    it('is taken from a window that does not answer', async () => {
      const theirs = acquireLock(join(folder, 'claims'), 'eight');
      assert.ok(theirs?.isHeld);
      const claims = new SessionLocks(folder, true);
      const mine = await takeOver(claims, 'eight', 50);
      assert.ok(!theirs.isHeld);
      assert.ok(claims.canWrite('eight') && !claims.isInOtherWindow('eight'));
      mine.dispose();
      assert.ok(!isLocked(claims.folder, 'eight'));
      theirs.dispose();
      assert.deepEqual(readdirSync(join(folder, 'claims')), []);
    });

    const namesOf = (id: string, at = folder): string[] => readdirSync(at).filter((name) => name.startsWith(`${id}.`));

    it('stays lost after another window took and released it', () => {
      const claims = new SessionLocks(folder, true);
      const lost: string[] = [];
      claims.onDidLose((id) => lost.push(id));
      const mine = claims.acquire('nine');
      breakLock(claims.folder, 'nine');
      acquireLock(claims.folder, 'nine')?.dispose();
      assert.ok(!claims.canWrite('nine') && !claims.canWrite('nine'));
      assert.deepEqual(lost, ['nine']);
      mine.dispose();
      assert.deepEqual(namesOf('nine', claims.folder), []);
    });

    it('removes the file of a lock that was taken from an ended window', () => {
      writeFileSync(join(folder, `ten.${dead}.1.0badcafe.lost`), '');
      acquireLock(folder, 'ten')?.dispose();
      assert.deepEqual(namesOf('ten'), []);
    });

    it('that was taken away is not acquired again before the session is closed', () => {
      const claims = new SessionLocks(folder, true);
      const mine = claims.acquire('eleven');
      breakLock(claims.folder, 'eleven');
      const theirs = acquireLock(claims.folder, 'eleven');
      assert.ok(claims.isInOtherWindow('eleven'));
      assert.throws(() => claims.acquire('eleven'), SessionLockedError);
      theirs?.dispose();
      assert.throws(() => claims.acquire('eleven'), SessionLockedError);
      mine.dispose();
      claims.acquire('eleven');
      assert.ok(claims.canWrite('eleven'));
      claims.dispose();
    });

    it('is not released by a request of its own window', async () => {
      const claims = new SessionLocks(folder, true);
      const asking = claims.requestRelease('twelve');
      claims.acquire('twelve');
      claims.acquire('thirteen');
      const asked: string[] = [];
      const last = new Promise<void>((resolve) => {
        claims.onDidRequestRelease((id) => {
          asked.push(id);
          if (id === 'thirteen') resolve();
        });
      });
      // All of them are checked in the same pass.
      const theirs = requestRelease(claims.folder, 'thirteen');
      await last;
      assert.ok(!asked.includes('twelve'));
      for (const one of [asking, theirs, claims]) one.dispose();
    });

    it('of a file mutex is taken away after its timeout, because its process id may be reused', async () => {
      const inTurn = fileMutex(folder, 60);
      const turns = join(folder, 'turns');
      const [id] = await inTurn('work', async () => readdirSync(turns).map((name) => name.split('.')[0]));
      writeFileSync(join(turns, `${id}.${process.pid}..0badcafe.has`), '');
      assert.equal(await inTurn('work', async () => 'done'), 'done');
      assert.ok(id !== undefined && !isLocked(turns, id));
    });
  });
