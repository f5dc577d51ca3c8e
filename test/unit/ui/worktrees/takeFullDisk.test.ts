import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../../../src/base/errors';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';
import { SmallDisk } from '../../../kit/smallDisk';
import { NOTHING_LEFT, WorktreeBench } from '../../worktrees/worktreeBench';
import { takeAll } from './takeBench';

const KIB = 1024;
/** A text of at least 60 KiB, so that its write needs space; no part of it repeats. */
const text = (): string => randomBytes(30 * KIB).toString('hex');
/** No text. */
const binary = (): string => `\0${text()}`;

/** Names of files and their contents; without `b` where a side has no such file. */
type Files = Readonly<Record<string, string>>;
const OLD: Files = { 'text.txt': `${text()}\n`, 'image.bin': binary(), 'gone.txt': `${text()}\n` };
const NEW: Files = { 'text.txt': `${text()}${text()}\n`, 'image.bin': `${binary()}${text()}`, 'new/b.txt': text() };
const NAMES = [...new Set([...Object.keys(OLD), ...Object.keys(NEW)])];

describe('taking changes on a full disk', function () {
  let disk: SmallDisk | undefined;
  let bench: WorktreeBench;
  let record: WorktreeRecord;

  before(() => (disk = SmallDisk.mount(32)));
  after(() => disk?.unmount());

  beforeEach(async function () {
    // Mounting a small file system needs Linux and the permission to mount.
    if (!disk) this.skip();
    const base = join(disk.folder, 'base');
    await mkdir(base);
    bench = await WorktreeBench.open(base);
    for (const [name, content] of Object.entries(OLD)) await bench.write(name, content);
    bench.commit('files');
    record = await bench.create();
    for (const [name, content] of Object.entries(NEW)) await bench.write(name, content, record.path);
    await rm(join(record.path, 'gone.txt'));
  });

  afterEach(async () => {
    if (!disk) return;
    await disk.free();
    await bench.close();
  });

  async function files(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const name of NAMES) {
      const path = join(bench.folder, name);
      if (existsSync(path)) found[name] = await readFile(path, 'utf8');
    }
    return found;
  }

  /** Takes the changes with that many bytes of space, and all again when there is space. */
  async function takeWith(room: number): Promise<number> {
    const { worktrees } = bench;
    const window = { program: 'git', bench, worktrees };
    await disk?.fill(room);
    // Git may find no space for the list of changes either.
    const problems = await takeAll(window, record).catch((error: unknown) => [errorMessage(error)]);
    const left = await files();
    const half = NAMES.filter((name) => left[name] !== OLD[name] && left[name] !== NEW[name]);
    assert.deepEqual(half, [], 'is neither as before nor as taken');
    const taken = NAMES.filter((name) => left[name] === NEW[name]).length;
    assert.equal(problems.length > 0, taken < NAMES.length, problems.join('\n'));
    for (const problem of problems) assert.match(problem, /disk is full/);
    assert.deepEqual(
      (await readdir(bench.folder)).filter((name) => !NAMES.includes(name) && !/^(?:\.git.*|a\.txt|new)$/.test(name)),
      [],
    );

    await disk?.free();
    assert.deepEqual(await takeAll(window, record), []);
    assert.deepEqual(await files(), NEW);
    await worktrees.discard(record.id);
    assert.deepEqual(bench.left(), NOTHING_LEFT);
    return taken;
  }

  for (const room of [0, 100, 200, 300, 400])
    it(`leaves each file old or new, reports the full disk, and succeeds with more space: ${room} KiB are free`, () =>
      takeWith(room * KIB));
});
