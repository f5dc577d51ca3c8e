import assert from 'node:assert/strict';
import type { Deferred } from '../../../../src/base/async';
import { createDeferred } from '../../../../src/base/async';
import { nullLogger } from '../../../../src/base/logger';
import type { FileContent } from '../../../../src/review/storage/fileContent';
import { ChangeTracker } from '../../../../src/review/tracking/changeTracker';
import { ModifiedFiles } from '../../../../src/review/tracking/modifiedFiles';
import { MemoryFiles } from '../memoryFiles';
import { byAgent } from '../otherWork';

const content = (bytes: string): FileContent => ({ mode: '100644', bytes });

describe('the change tracker', () => {
  let files: MemoryFiles;
  let modifiedFiles: ModifiedFiles;
  let tracker: ChangeTracker;
  /** What the user has made of files in VS Code. */
  const made = new Map<string, string>();

  beforeEach(() => {
    made.clear();
    files = new MemoryFiles();
    modifiedFiles = new ModifiedFiles((path) => path, true);
    const isMadeByUser = async (path: string, now: FileContent | undefined): Promise<boolean> =>
      made.get(path) === (now?.bytes ?? 'deleted');
    tracker = new ChangeTracker(modifiedFiles, files, files, { ...byAgent(), isMadeByUser }, nullLogger);
  });

  afterEach(() => modifiedFiles.dispose());

  /** Reading the disk waits for the second promise and settles the first one. */
  const slowDisk = (): { readonly reading: Deferred<void>; readonly read: Deferred<void> } => {
    const [reading, read] = [createDeferred<void>(), createDeferred<void>()];
    const disk = files.disk.bind(files);
    files.disk = async (path) => {
      reading.resolve();
      await read.promise;
      return disk(path);
    };
    return { reading, read };
  };

  it('does not bring a file back that is forgotten while it is checked', async () => {
    files.put('/tree/a', content('agent\n'));
    await tracker.trackFile('/tree/a');
    assert.deepEqual(modifiedFiles.paths(), ['/tree/a']);
    files.put('/tree/a', content('more\n'));
    const { reading, read } = slowDisk();
    const checked = tracker.refreshFile('/tree/a');
    await reading.promise;
    const forgotten = tracker.forgetFile('/tree/a');
    read.resolve();
    await Promise.all([checked, forgotten]);
    assert.deepEqual(modifiedFiles.paths(), []);
  });

  it('leaves the agent its write just before a save of the user', async () => {
    files.put('/tree/a', content('one\ntwo\nthree\n'));
    files.takeSnapshot();
    await tracker.trackFile('/tree/a');
    const agents = content('one\nagent\nthree\n');
    const saved = content('one\nagent\nthree\nuser\n');
    files.put('/tree/a', saved);
    files.saves.set('/tree/a', { ...saved, replaced: { content: agents } });
    await tracker.refreshFile('/tree/a');
    files.saves.delete('/tree/a');
    const [hunk, ...others] = modifiedFiles.file('/tree/a')?.hunks ?? [];
    assert.deepEqual([hunk?.after, others], [{ start: 1, lines: 1 }, []]);
  });

  it('leaves the user a save before an edit of the agent when another one follows', async () => {
    files.put('/tree/a', content('one\ntwo\nthree\n'));
    files.takeSnapshot();
    await tracker.runAgentEdit('s', '/tree/a', async (note) => {
      files.saves.set('/tree/a', content('user\ntwo\nthree\n'));
      const written = content('user\nagent\nthree\n');
      note('/tree/a', { by: 'agent', content: Promise.resolve(written) });
      files.put('/tree/a', written);
      const disk = files.disk.bind(files);
      files.disk = async (path) => {
        files.disk = disk;
        const later = content('user\nagent\nthree\nsaved\n');
        files.put('/tree/a', later);
        files.saves.set('/tree/a', later);
        return disk(path);
      };
    });
    files.saves.delete('/tree/a');
    const hunks = modifiedFiles.file('/tree/a')?.hunks ?? [];
    assert.deepEqual(
      hunks.map(({ after }) => after),
      [{ start: 1, lines: 1 }],
    );
  });

  it('leaves the user what they create or delete in VS Code, and the agent a later change', async () => {
    files.put('/tree/gone', content('old\n'));
    files.takeSnapshot();
    files.put('/tree/new', content('pasted\n'));
    files.put('/tree/gone', undefined);
    made.set('/tree/new', 'pasted\n').set('/tree/gone', 'deleted');
    for (const path of ['/tree/new', '/tree/gone']) await tracker.trackFile(path);
    made.clear();
    assert.deepEqual([modifiedFiles.file('/tree/new'), modifiedFiles.file('/tree/gone')], [undefined, undefined]);
    files.put('/tree/new', content('pasted\nagent\n'));
    await tracker.refreshFile('/tree/new');
    const [hunk] = modifiedFiles.file('/tree/new')?.hunks ?? [];
    assert.deepEqual(hunk?.after, { start: 1, lines: 1 });
  });

  for (const [what, run] of [
    ['a file', (path: string, job: () => Promise<void>) => tracker.withFileLock(path, job)],
    ['several files', (path: string, job: () => Promise<void>) => tracker.withFileLocks([path], job)],
  ] as const) {
    it(`locks ${what} that a file system knows by two spellings, before the review knows one`, async () => {
      const [started, end] = [createDeferred<void>(), createDeferred<void>()];
      const order: string[] = [];
      const first = run('/a', async () => {
        started.resolve();
        await end.promise;
        order.push('first');
      });
      await started.promise;
      const second = run('/A', async () => void order.push('second'));
      const other = tracker.withFileLock('/other', async () => void order.push('other'));
      await other;
      end.resolve();
      await Promise.all([first, second]);
      assert.deepEqual(order, ['other', 'first', 'second']);
    });
  }

  it('edits a file under two spellings at once, and tracks it once', async () => {
    files.takeSnapshot();
    await tracker.runAgentEdit('s', ['/new', '/NEW'], async () => files.put('/new', content('agent\n')));
    assert.deepEqual(modifiedFiles.paths(), ['/new']);
  });
});
