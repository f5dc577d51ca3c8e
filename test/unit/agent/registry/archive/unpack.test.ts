import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ARCHIVE_LIMITS } from '../../../../../src/agent/registry/archive/archiveLimits';
import { safeLinkTarget, safeArchiveSegments } from '../../../../../src/agent/registry/archive/safeArchivePath';
import type { ArchiveKind } from '../../../../../src/agent/registry/archive/unpack';
import {
  archiveKind,
  makeExecutable,
  programPath,
  unsupportedArchiveError,
  unpack,
} from '../../../../../src/agent/registry/archive/unpack';
import { temporaryFolder } from '../../../../kit/temporaryFolder';
import type { TarEntries } from '../installsBench';
import { file, tar, tgz } from '../installsBench';
import { zip } from '../zip';

const windows = process.platform === 'win32';
/** The mode that a new file gets from the umask of whoever runs the test. */
const allowed = (mode: number): number => mode & ~process.umask();

describe('registry: unpacking', () => {
  let base: string;
  let target: string;

  beforeEach(() => {
    base = temporaryFolder();
    target = join(base, 'target');
    mkdirSync(target);
  });

  async function run(kind: ArchiveKind, bytes: Uint8Array, limits = ARCHIVE_LIMITS): Promise<void> {
    const archive = join(base, 'archive');
    writeFileSync(archive, bytes);
    await unpack(archive, kind, target, 'agent', limits);
  }
  const entries = async (list: TarEntries): Promise<void> => run('tar.gz', await tgz(list));
  const text = (name: string): string => readFileSync(join(target, name), 'utf8');
  const link = (name: string, linkname: string, type: 'symlink' | 'link' = 'symlink'): TarEntries[number] => ({
    header: { name, linkname, size: 0, type },
  });
  /** The parent folder contains only the archive and the target. */
  const nothingOutside = (): void => assert.deepEqual(readdirSync(base).toSorted(), ['archive', 'target']);

  it('writes the files of a tar.gz with the executable bit only', async () => {
    await entries([
      { header: { name: 'pkg/', size: 0, type: 'directory' } },
      file('pkg/bin/agent', 'run', 0o4755),
      file('pkg/read.me', 'text', 0o666),
      file(`pkg/${'long/'.repeat(30)}name`, 'deep'),
    ]);
    assert.equal(text('pkg/bin/agent'), 'run');
    assert.equal(text(`pkg/${'long/'.repeat(30)}name`), 'deep');
    if (windows) return;
    assert.equal(statSync(join(target, 'pkg/bin/agent')).mode & 0o7777, allowed(0o755));
    assert.equal(statSync(join(target, 'pkg/read.me')).mode & 0o7777, allowed(0o644));
  });

  it('reads what the tools of the system write: tar with gzip and bzip2', async function () {
    if (windows) this.skip();
    const from = join(base, 'from');
    mkdirSync(join(from, 'dist'), { recursive: true });
    const large = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * index) % 251));
    writeFileSync(join(from, 'dist/large'), large);
    writeFileSync(join(from, 'dist/agent'), 'run', { mode: 0o755 });
    execFileSync('ln', ['-s', 'agent', join(from, 'dist/alias')]);
    execFileSync('ln', [join(from, 'dist/agent'), join(from, 'dist/twin')]);
    for (const [kind, flag] of [
      ['tar.gz', '-z'],
      ['tar.bz2', '-j'],
    ] as const) {
      rmSync(target, { recursive: true });
      mkdirSync(target);
      await run(kind, execFileSync('tar', ['-c', flag, '-C', from, '-f', '-', 'dist'], { maxBuffer: 1e8 }));
      assert.ok(large.equals(readFileSync(join(target, 'dist/large'))), kind);
      assert.equal(readlinkSync(join(target, 'dist/alias')), 'agent');
      assert.equal(text('dist/alias') + text('dist/twin'), 'runrun');
    }
  });

  it('writes the files of a zip, with links', async function () {
    if (windows) this.skip();
    await run(
      'zip',
      zip([
        { name: 'pkg/', mode: 0o40755 },
        { name: 'pkg/agent', data: 'run', mode: 0o100755 },
        { name: 'pkg/alias', data: 'agent', mode: 0o120777 },
        { name: 'pkg\\back.txt', data: 'slash' },
      ]),
    );
    assert.equal(text('pkg/alias'), 'run');
    assert.equal(text('pkg/back.txt'), 'slash');
    assert.equal(statSync(join(target, 'pkg/agent')).mode & 0o777, allowed(0o755));
  });

  it('writes a download that is not an archive as the executable', async () => {
    await run('raw', Buffer.from('program'));
    const path = await makeExecutable(target, './agent');
    assert.equal(readFileSync(path, 'utf8'), 'program');
    if (!windows) assert.equal(statSync(path).mode & 0o777, 0o755);
  });

  const evil = [
    '../evil',
    'a/../../evil',
    '/evil',
    '..\\evil',
    'C:\\evil',
    'C:evil',
    '\\\\host\\evil',
    'a/..',
    'a\u0000b',
    'x\ny',
  ];
  for (const name of evil) {
    it(`rejects ${JSON.stringify(name)} in tar and zip`, async () => {
      // In a tar header a name ends at NUL: the rest is harmless.
      if (!name.includes('\0')) await assert.rejects(entries([file(name, 'evil')]), /was rejected: its (?:name|path)/);
      rmSync(target, { recursive: true });
      mkdirSync(target);
      await assert.rejects(run('zip', zip([{ name, data: 'evil' }])), /Could not unpack the archive/);
      nothingOutside();
      assert.deepEqual(readdirSync(target), []);
    });
  }

  const outward: [string, TarEntries][] = [
    ['a link to a folder above', [link('out', '..')]],
    ['an absolute link', [link('out', '/etc/passwd')]],
    ['a link that goes up and comes in again somewhere else', [link('out', '../target-evil/x')]],
    ['a link to nothing', [link('out', 'missing')]],
    ['a file behind a link', [link('dir', '..'), file('dir/evil', 'evil')]],
    ['a link behind a link', [link('dir', '.'), link('dir/out', '../..')]],
    ['two links that lead out together', [file('d/e/f', 'x'), link('a', 'd/e'), link('a2', 'a/../../..')]],
    ['a loop of links', [link('a', 'b'), link('b', 'a')]],
    ['a hard link to a file outside', [link('out', '../../etc/passwd', 'link')]],
    ['a hard link to a file that is not there', [link('out', 'later', 'link'), file('later', 'x')]],
    ['a hard link through a link', [link('s', '.'), link('out', 's/x', 'link')]],
    ['a device', [{ header: { name: 'dev', size: 0, type: 'character-device' } }]],
    ['a pipe', [{ header: { name: 'pipe', size: 0, type: 'fifo' } }]],
    ['a name twice', [file('a', '1'), file('a', '2')]],
    ['a link in the place of a file', [file('a', '1'), file('b', '2'), link('a', 'b')]],
  ];
  for (const [what, list] of outward) {
    it(`rejects ${what}`, async function () {
      if (windows) this.skip();
      await assert.rejects(entries(list), /Could not unpack the archive/);
      nothingOutside();
    });
  }

  it('rejects in a zip links that point outside, special files, and encrypted files', async () => {
    await assert.rejects(
      run('zip', zip([{ name: 'out', data: '../..', mode: 0o120777 }])),
      /points outside the archive/,
    );
    await assert.rejects(run('zip', zip([{ name: 'dev', mode: 0o020644 }])), /is not a file, folder or link/);
    await assert.rejects(run('zip', zip([{ name: 'secret', data: 'x', flags: 1 }])), /is encrypted/);
    nothingOutside();
  });

  it('stops when the unpacked size exceeds the limit, whatever size the archive declares', async () => {
    const small = { bytes: 100_000, entries: 10, ratio: 1_000_000 };
    const zeros = Buffer.alloc(5_000_000);
    const big = { header: { name: 'big', size: zeros.length, type: 'file' as const }, body: zeros };
    await assert.rejects(run('tar.gz', await tgz([big]), small), /its unpacked size exceeds 0 MB/);
    assert.ok(statSync(join(target, 'big')).size <= 200_000, 'it stopped early');
    await assert.rejects(run('zip', zip([{ name: 'big2', data: zeros }]), small), /its unpacked size exceeds/);
    await assert.rejects(run('zip', zip([{ name: 'big3', data: zeros, claimed: 10 }])), /damaged/);
    const many = Array.from({ length: 11 }, (_, index) => file(`f${index}`, ''));
    await assert.rejects(run('tar.gz', await tgz(many), small), /more than 10 entries/);
  });

  it('counts the folders that names contain, before it creates them', async () => {
    const deep = (index: number): string => `${index}/${'d/'.repeat(60)}`;
    const folders = Array.from({ length: 1_000 }, (_, index) => ({
      header: { name: deep(index), size: 0, type: 'directory' as const },
    }));
    const archive = await tgz(folders);
    assert.ok(archive.length < 40_000);
    await assert.rejects(run('tar.gz', archive), /more than 10000 entries/);
    const names = Array.from({ length: 200 }, (_, index) => ({ name: `${deep(index)}x`, data: '' }));
    await assert.rejects(run('zip', zip(names)), /more than 10000 entries/);
    const created = readdirSync(target, { recursive: true });
    assert.ok(created.length < 10_500, String(created.length));
  });

  it('stops at an extreme compression ratio (zip bomb)', async function () {
    const zeros = Buffer.alloc(70 * 1024 * 1024);
    const bomb = await tgz([{ header: { name: 'big', size: zeros.length, type: 'file' }, body: zeros }]);
    await assert.rejects(run('tar.gz', bomb, { ...ARCHIVE_LIMITS, ratio: 1 }), /its unpacked size exceeds 64 MB/);
  });

  it('reports an archive that is truncated or is something else', async () => {
    const whole = await tgz([file('agent', 'x'.repeat(5000)), file('b', 'y'.repeat(5000))]);
    const plain = await tar([file('agent', 'x'.repeat(5000))]);
    const cases: [ArchiveKind, Uint8Array][] = [
      ['tar.gz', whole.subarray(0, whole.length - 9)],
      ['tar.gz', whole.subarray(0, 40)],
      ['tar.gz', gzipSync(plain.subarray(0, 2000))],
      ['tar.gz', gzipSync(Buffer.from('<html>Not found</html>'.repeat(100)))],
      ['tar.gz', gzipSync(Buffer.alloc(0))],
      ['tar.gz', Buffer.from('<html>')],
      ['tar.bz2', Buffer.from('<html>Not found</html>')],
      ['tar.bz2', Buffer.alloc(0)],
      ['zip', Buffer.from('<html>')],
      ['zip', zip([{ name: 'a', data: 'b'.repeat(500) }]).subarray(0, 60)],
    ];
    for (const [kind, bytes] of cases) {
      rmSync(target, { recursive: true });
      mkdirSync(target);
      await assert.rejects(
        run(kind, bytes),
        /Could not unpack the archive: it is (?:damaged|empty)/,
        `${kind} ${bytes.length}`,
      );
    }
  });

  it('writes nothing outside the folder, for any names', async () => {
    const part = fc.constantFrom('..', '.', '', 'a', 'b', '/', '\\', 'C:', ' ', 'a.', '\u202e', 'ä', '~', '%2e%2e');
    const name = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/') || 'x');
    const kind = fc.constantFrom('file', 'symlink', 'link', 'directory');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(kind, name, name), { minLength: 1, maxLength: 6 }), async (list) => {
        rmSync(target, { recursive: true, force: true });
        mkdirSync(target);
        const made = list.map(([type, at, to]) =>
          type === 'file' ? file(at, to) : { header: { name: at, linkname: to, size: 0, type } },
        );
        await entries(made as TarEntries).catch(() => {});
        nothingOutside();
      }),
      { numRuns: 150 },
    );
  });
});

describe('registry: names in archives', () => {
  it('resolve to a path in the folder or are rejected', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fc.constantFrom('..', '.', '/', '\\', 'a', ':')).map((all) => all.join('')),
        ),
        (name) => {
          const segments = safeArchiveSegments(name, true);
          if ('problem' in segments) return;
          for (const segment of segments)
            assert.ok(segment !== '..' && segment !== '.' && !/[/\\:]/.test(segment), segment);
        },
      ),
    );
  });

  it('of devices and streams are rejected on Windows only', () => {
    for (const name of ['con', 'a/AUX.txt', 'COM1', 'x:stream', 'end.', 'end ', 'nul']) {
      assert.ok('problem' in safeArchiveSegments(name, true), name);
      assert.ok(!('problem' in safeArchiveSegments(name, false)) || name.includes(':'), name);
    }
    assert.ok(!('problem' in safeArchiveSegments('console/auxiliary.js', true)));
  });

  it('of link targets are resolved as text, without the disk', () => {
    assert.deepEqual(safeLinkTarget(['a', 'b'], '../c/./d', false), ['c', 'd']);
    assert.deepEqual(safeLinkTarget(['a'], '.', false), []);
    for (const target of ['..', '/x', 'C:x', 'a/../../x', ''])
      assert.equal(safeLinkTarget(['l'], target, false), undefined, target);
  });

  it('of programs may contain slashes of both systems, but do not leave the folder', () => {
    assert.equal(programPath('/r', './dist\\agent.exe'), join('/r', 'dist', 'agent.exe'));
    for (const program of ['../x', '/bin/sh', '.', 'C:\\x'])
      assert.throws(() => programPath('/r', program), /the path of its program .* is not valid/);
  });

  it('detect archive types by file extension', () => {
    assert.equal(archiveKind('https://x/a.tar.gz?x=.zip'), 'tar.gz');
    assert.equal(archiveKind('https://x/A.TGZ'), 'tar.gz');
    assert.equal(archiveKind('https://x/a.tbz2'), 'tar.bz2');
    assert.equal(archiveKind('https://x/a.ZIP#b'), 'zip');
    assert.equal(archiveKind('https://x/agent-1.0'), 'raw');
    assert.equal(unsupportedArchiveError('https://x/a.tar.xz'), '.tar.xz');
    for (const known of ['agent-1.0', 'a.tar.gz', 'a.tbz2', 'a.zip'])
      assert.equal(unsupportedArchiveError(`https://x/${known}`), undefined);
  });
});
