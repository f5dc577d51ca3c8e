// Imported first: later imports get this stub of `vscode`.
import { OpenFile, saveEvents } from './editorStub';
import assert from 'node:assert/strict';
import { realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReviewPaths } from '../../../../src/review/tracking/reviewScope';
import type { UserSave } from '../../../../src/review/tracking/userSaves';
import { UserSaves } from '../../../../src/review/tracking/userSaves';
import { stubOf } from '../../../kit/stubOf';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('saves of the user', () => {
  let folder: string;
  let document: OpenFile;
  let saves: UserSaves;

  beforeEach(() => {
    folder = temporaryFolder();
    const path = join(folder, 'a.txt');
    writeFileSync(path, 'text\n');
    document = new OpenFile(path);
    saves = new UserSaves(
      stubOf<ReviewPaths>({ nameOf: async (given) => realpathSync(given), real: async (given) => given }),
    );
  });

  afterEach(() => {
    saves.dispose();
  });

  const content = (): Promise<{ readonly bytes: string } | undefined> => saves.content(document.uri.fsPath);

  /** Settles when VS Code would go on with the save. */
  const willSave = async (saved: OpenFile): Promise<void> => {
    const waits: Promise<unknown>[] = [];
    saveEvents.will.fire({ document: saved, waitUntil: (promise) => void waits.push(promise) });
    await Promise.all(waits);
  };

  it('are known before VS Code reports them', async () => {
    await willSave(document);
    const asked = content();
    document.text = 'formatted\n';
    saveEvents.did.fire(document);
    assert.equal((await asked)?.bytes, 'formatted\n');
  });

  it('stay known until their listener has handled them', async () => {
    const done = new Promise<UserSave>((resolve) => saves.onDidSave(resolve));
    await willSave(document);
    saveEvents.did.fire(document);
    const save = await done;
    assert.equal((await content())?.bytes, 'text\n');
    saves.deleteSave(save);
    assert.equal(await content(), undefined);
  });

  it('are known for the file, also if it is open by a folder that is a link', async function () {
    if (process.platform === 'win32') this.skip();
    symlinkSync(folder, join(folder, 'link'));
    const linked = new OpenFile(join(folder, 'link', 'a.txt'));
    const done = new Promise<UserSave>((resolve) => saves.onDidSave(resolve));
    await willSave(linked);
    const asked = content();
    saveEvents.did.fire(linked);
    const save = await done;
    assert.equal((await asked)?.bytes, 'text\n');
    assert.equal(save.path, document.uri.fsPath);
    saves.deleteSave(save);
    assert.equal(await content(), undefined);
  });

  it('know what they replace: an agent may have written just before', async () => {
    document.text = 'typed\n';
    await willSave(document);
    writeFileSync(document.uri.fsPath, document.text);
    saveEvents.did.fire(document);
    assert.equal((await saves.content(document.uri.fsPath))?.replaced?.content?.bytes, 'text\n');
  });

  it('end all waits when they are disposed', async () => {
    await willSave(document);
    const asked = content();
    saves.dispose();
    assert.equal(await asked, undefined);
  });
});
