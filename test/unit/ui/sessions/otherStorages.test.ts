// Imported first: later imports get this stub of `vscode`.
import { dialogs } from '../../review/editor/editorStub';
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reportOtherStorages } from '../../../../src/ui/sessions/otherStorages';
import { MemoryMemento } from '../../../kit/memoryMemento';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('the storages that VS Code has for a folder', () => {
  let all: string;
  const values = new Map<string, unknown>();
  const memory = new MemoryMemento(values);

  beforeEach(() => {
    dialogs.asked.length = 0;
    values.clear();
    all = temporaryFolder();
  });

  async function add(id: string, ...sessions: readonly string[]): Promise<string> {
    const storage = join(all, id, 'parley.parley');
    await mkdir(join(storage, 'sessions'), { recursive: true });
    for (const each of sessions) await writeFile(join(storage, 'sessions', `${each}.jsonl`), '{}\n');
    return storage;
  }

  it('are named in a window that has a further one, at each start', async () => {
    await add('-7d03156b', 'one');
    const second = await add('-7d03156b-1');
    await reportOtherStorages(second, memory);
    await reportOtherStorages(second, memory);
    assert.equal(dialogs.asked.length, 2);
    assert.match(dialogs.asked.join(), /This window has a storage of its own/);
  });

  it('are named in the usual window if they have conversations, once for each that is new', async () => {
    const usual = await add('-7d03156b', 'one');
    for (const other of ['-7d03156b-10', '-7d03156bc-1', '-7d03156c-1']) await add(other, 'of-another-folder');
    await add('-7d03156b-1');
    await reportOtherStorages(usual, memory);
    assert.deepEqual(dialogs.asked, []);
    await add('-7d03156b-1', 'two');
    await add('-7d03156b-2', 'three');
    await reportOtherStorages(usual, memory);
    await reportOtherStorages(usual, memory);
    assert.equal(dialogs.asked.length, 1);
    assert.match(dialogs.asked.join(), /^2 conversations are in the storage of a second window/);
  });

  it('are none for a folder whose id ends with a number', async () => {
    await reportOtherStorages(await add('folder-1', 'one'), memory);
    assert.deepEqual(dialogs.asked, []);
  });
});
