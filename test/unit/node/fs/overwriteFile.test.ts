import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import promises, {
  appendFile,
  chmod,
  link,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { FileChangedError } from '../../../../src/node/fs/fileVersion';
import { createNew, overwrite } from '../../../../src/node/fs/overwriteFile';
import type { CutWrite } from '../../../../src/node/fs/restoreCutWrite';
import { recordInPlaceWrite, recordTemporaryFiles, withTemporaryFile } from '../../../../src/node/fs/temporaryFiles';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('a file that is overwritten', () => {
  let folder: string;
  let path: string;
  let records: string;

  beforeEach(async () => {
    folder = temporaryFolder();
    records = join(folder, 'records');
    await mkdir(join(folder, 'work'));
    path = join(folder, 'work', 'a.sh');
    await writeFile(path, 'old');
    await recordTemporaryFiles(records);
  });

  const isClean = async (): Promise<void> => {
    assert.deepEqual(await readdir(join(folder, 'work')), ['a.sh']);
    assert.deepEqual(await readdir(records).catch(() => []), []);
  };

  it('is replaced as a whole, with its mode', async () => {
    await chmod(path, 0o750);
    const before = await stat(path);
    await overwrite(path, Buffer.from('new'));
    const after = await stat(path);
    assert.equal(await readFile(path, 'utf8'), 'new');
    assert.equal(after.mode, before.mode);
    assert.notEqual(after.ino, before.ino, 'a reader has the old or the new content');
    await isClean();
  });

  it('keeps its other names', async () => {
    const other = join(folder, 'other');
    await link(path, other);
    await overwrite(path, Buffer.from('new'));
    assert.equal(await readFile(other, 'utf8'), 'new');
    await isClean();
  });

  const OTHERS: Readonly<Record<string, () => Promise<void>>> = {
    appends: () => appendFile(path, ' and more'),
    'writes another text': () => writeFile(path, 'another text'),
    'replaces the file': async () => {
      await writeFile(join(folder, 'beside'), 'old');
      await rename(join(folder, 'beside'), path);
    },
    'deletes the file': () => rm(path),
  };

  for (const [what, act] of Object.entries(OTHERS))
    it(`keeps what another program does meanwhile: it ${what}`, async () => {
      const now = (): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);
      let then: string | undefined;
      const { open } = promises;
      promises.open = async (...args) => {
        // The new content has its own file, and is not written yet.
        if (args[1] === 'wx') {
          promises.open = open;
          await act();
          then = await now();
        }
        return open(...args);
      };
      try {
        await assert.rejects(overwrite(path, Buffer.from('new')), FileChangedError);
      } finally {
        promises.open = open;
      }
      assert.deepEqual([await now(), await readdir(records)], [then, []]);
    });

  // Modes of folders do not stop root; `npm run odd` runs it as a user without rights.
  if (process.getuid?.() !== 0 && process.platform !== 'win32')
    it('is overwritten in place where no file can be created beside it', async () => {
      await chmod(join(folder, 'work'), 0o555);
      await overwrite(path, Buffer.from('new'));
      await chmod(join(folder, 'work'), 0o755);
      assert.equal(await readFile(path, 'utf8'), 'new');
      await isClean();
    });

  it('is never created over another', async () => {
    await assert.rejects(createNew(path, Buffer.from('new')), { code: 'EEXIST' });
    assert.equal(await readFile(path, 'utf8'), 'old');
    await isClean();
  });

  it('leaves nothing beside it after the next start', async () => {
    const left = await withTemporaryFile(path, async (temporary) => {
      await writeFile(temporary, 'half');
      const [record = ''] = await readdir(records);
      return { temporary, record: record.split('.')[1], content: await readFile(join(records, record)) };
    });
    // As a window that was killed leaves them.
    const { pid } = spawnSync(process.execPath, ['--version']);
    await writeFile(left.temporary, 'half');
    await writeFile(join(records, `${pid}.${left.record}`), left.content);
    // A damaged record must not delete a file of the user.
    await writeFile(join(records, `${pid}.damaged`), path);
    await recordTemporaryFiles(records);
    await isClean();
  });

  describe('after a restart of the computer that gave the id of its process to another one', () => {
    let other: ChildProcess;
    beforeEach(async () => {
      other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      await once(other, 'spawn');
    });
    afterEach(() => other.kill('SIGKILL'));

    /** Gives the record another name, as of a window that was killed. */
    async function renameRecord(toName: (name: string) => string): Promise<void> {
      const [record = ''] = await readdir(records);
      await rename(join(records, record), join(records, toName(record)));
    }

    const startOfThis = (name: string): string => name.replace(/^\d+/, String(other.pid));
    /** Of an older version, or where the system does not tell the start. */
    const noStart = (name: string): string => startOfThis(name).replace(/^((?:\w+\.){2})\d*\./, '$1');

    for (const [what, toName, hours] of [
      // Other systems do not tell the start.
      ['with another start', startOfThis, process.platform === 'linux' ? 0 : 2],
      ['that was not running then, as its record is old', noStart, 2],
    ] as const)
      it(`gets its content back: ${what}`, async () => {
        await recordInPlaceWrite(path, Buffer.from('old'), Buffer.from('new'));
        await renameRecord(toName);
        await writeFile(path, 'ned');
        await recordTemporaryFiles(records, Date.now() + hours * 3_600_000);
        assert.equal(await readFile(path, 'utf8'), 'old');
        await isClean();
      });

    it('is left to a process that may be the one', async () => {
      await recordInPlaceWrite(path, Buffer.from('old'), Buffer.from('new'));
      await renameRecord(noStart);
      await writeFile(path, 'ned');
      assert.deepEqual(await recordTemporaryFiles(records), []);
      assert.equal(await readFile(path, 'utf8'), 'ned');
    });
  });

  /** A window was killed while it wrote `next` over `old` in place. The next one starts, and says what it has done. */
  async function startAfterKill(old: string, next: string, act: () => Promise<void>): Promise<readonly CutWrite[]> {
    await recordInPlaceWrite(path, Buffer.from(old), Buffer.from(next));
    const [record = ''] = await readdir(records);
    const { pid } = spawnSync(process.execPath, ['--version']);
    await rename(join(records, record), join(records, record.replace(/^\d+/, String(pid))));
    await act();
    return recordTemporaryFiles(records);
  }

  for (const [old, next, cut] of [
    ['old', 'new and longer', 'old and lo'],
    ['old', 'new and longer', 'ned and longer'],
    ['old and longer', 'new', 'ned and longer'],
    ['old and longer', 'new', 'new and longer'],
  ] as const)
    it(`gets its content back in the next window after a write in place that was cut off: ${cut}`, async () => {
      const told = await startAfterKill(old, next, () => writeFile(path, cut));
      assert.equal(await readFile(path, 'utf8'), old);
      assert.deepEqual(told, [{ path, isRestored: true }]);
      await isClean();
    });

  for (const content of ['old', 'new and longer', 'what somebody else wrote', 'ne', ''])
    it(`keeps a whole or another program’s content in the next window: “${content}”`, async () => {
      const told = await startAfterKill('old', 'new and longer', () => writeFile(path, content));
      assert.equal(await readFile(path, 'utf8'), content);
      const isWhole = ['old', 'new and longer'].includes(content);
      assert.deepEqual(told, isWhole ? [] : [{ path, isRestored: false }]);
      await isClean();
    });

  for (const [content, newer] of [
    // The user took the second of two changes.
    ['color = red\nport = 9090\n', 0],
    // The user took the first one, which a write that is cut off can leave, too.
    ['color = tan\nport = 8080\n', 3_600],
  ] as const)
    it(`keeps what the user made of both contents before the next start: ${JSON.stringify(content)}`, async () => {
      const told = await startAfterKill('color = red\nport = 8080\n', 'color = tan\nport = 9090\n', async () => {
        await writeFile(path, content);
        const time = Date.now() / 1000 + newer;
        await utimes(path, time, time);
      });
      assert.equal(await readFile(path, 'utf8'), content);
      assert.deepEqual(told, [{ path, isRestored: false }]);
      await isClean();
    });

  type Write = (this: unknown, bytes: Buffer, start: number, length: number, at: number) => Promise<unknown>;

  async function prototypeOfHandles(): Promise<{ write: Write }> {
    const handle = await open(path);
    await handle.close();
    return Object.getPrototypeOf(handle) as { write: Write };
  }

  it('gets its content back after a restore that is cut off, too', async () => {
    const prototype = await prototypeOfHandles();
    const { write } = prototype;
    prototype.write = async function (bytes: Buffer, start: number, length: number, at: number) {
      prototype.write = write;
      await write.call(this, bytes, start, length / 2, at);
      throw new Error('killed');
    };
    try {
      await startAfterKill('old and longer', '0123456789ab', () => writeFile(path, '0123456789nger'));
    } finally {
      prototype.write = write;
    }
    assert.equal(await readFile(path, 'utf8'), 'old and789nger');
    assert.deepEqual(await recordTemporaryFiles(records), [{ path, isRestored: true }]);
    assert.equal(await readFile(path, 'utf8'), 'old and longer');
    await isClean();
  });

  it('gets its content back when its folder is there again', async () => {
    const [work, away] = [join(folder, 'work'), join(folder, 'away')];
    await startAfterKill('old', 'new', async () => {
      await writeFile(path, 'ned');
      await rename(work, away);
    });
    assert.equal((await readdir(records)).length, 1);
    await rename(away, work);
    await recordTemporaryFiles(records);
    assert.equal(await readFile(path, 'utf8'), 'old');
    await isClean();
  });
});
