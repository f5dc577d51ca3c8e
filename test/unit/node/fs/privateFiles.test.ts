import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { Redactor } from '../../../../src/base/redactor';
import { TranscriptWriter } from '../../../../src/history/transcriptWriter';
import { acquireLock } from '../../../../src/node/fs/fileLock';
import { closeToOthers } from '../../../../src/node/fs/privateFiles';
import { WorkspaceStateFile } from '../../../../src/node/fs/workspaceStateFile';
import { AuditLog } from '../../../../src/permissions/auditLog';
import { BlobStore } from '../../../../src/review/storage/blobStore';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('stored files', function () {
  let folder = '';

  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => (folder = temporaryFolder()));

  /** All paths below that other users can access, without links. */
  async function open(): Promise<string[]> {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true });
    assert.ok(entries.length > 0);
    const found = await Promise.all(
      entries.map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        const { mode } = await lstat(path);
        return entry.isSymbolicLink() || (mode & 0o077) === 0 ? [] : [`${(mode & 0o777).toString(8)} ${path}`];
      }),
    );
    return found.flat();
  }

  async function write(): Promise<void> {
    const history = new TranscriptWriter(join(folder, 'sessions'), 'one', (error) => assert.fail(String(error)));
    history.append({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
    await history.close();
    const state = await WorkspaceStateFile.open(join(folder, 'state', 'state.json'), nullLogger);
    await state.update('key', 'value');
    await new BlobStore(join(folder, 'review', 'blobs')).put(Buffer.from('text'));
    const audit = new AuditLog(join(folder, 'audit'), new Redactor(), nullLogger);
    const said = { agent: 'a', kind: 'read', title: '', decision: 'allowed', by: 'person', ms: 0 } as const;
    audit.append({ time: '', session: 's', ...said });
    await audit.flush();
    audit.dispose();
    acquireLock(join(folder, 'claims'), 'one');
  }

  it('are accessible to this user only', async () => {
    await write();
    assert.deepEqual(await open(), []);
  });

  it('lose permissions for others that an older version set, in all subfolders, without following links', async () => {
    await write();
    const elsewhere = temporaryFolder();
    await writeFile(join(elsewhere, 'file'), '');
    await chmod(join(elsewhere, 'file'), 0o644);
    await symlink(elsewhere, join(folder, 'link'));
    await symlink(join(elsewhere, 'file'), join(folder, 'sessions', 'link.jsonl'));
    await writeFile(join(folder, 'sessions', 'tool'), '', { mode: 0o755 });
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isSymbolicLink()) await chmod(path, entry.isDirectory() || entry.name === 'tool' ? 0o755 : 0o644);
    }
    await chmod(folder, 0o755);
    assert.ok((await open()).length >= 10);
    await closeToOthers(folder);
    assert.deepEqual(await open(), []);
    assert.equal((await lstat(folder)).mode & 0o777, 0o700);
    assert.equal((await lstat(join(folder, 'sessions', 'tool'))).mode & 0o777, 0o700);
    assert.equal((await lstat(join(elsewhere, 'file'))).mode & 0o777, 0o644);
    await rm(elsewhere, { recursive: true });
  });

  it('lose permissions for others when a transcript or a folder is opened', async () => {
    await mkdir(join(folder, 'sessions'));
    await writeFile(join(folder, 'sessions', 'one.jsonl'), '');
    await mkdir(join(folder, 'state'));
    await writeFile(join(folder, 'state', 'state.json'), '{}');
    const modes = { sessions: 0o755, 'sessions/one.jsonl': 0o644, state: 0o755, 'state/state.json': 0o644 };
    for (const [name, mode] of Object.entries(modes)) await chmod(join(folder, name), mode);
    await write();
    assert.deepEqual(await open(), []);
  });

  it('may be missing', async () => {
    await closeToOthers(join(folder, 'none'));
    assert.deepEqual(await readdir(folder), []);
  });
});
