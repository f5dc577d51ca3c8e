import assert from 'node:assert/strict';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeProtection } from '../../../../../src/ui/chat/content/writeProtection';
import { temporaryFolder } from '../../../../kit/temporaryFolder';

describe('code for a file that can run code', () => {
  let folder: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    await mkdir(join(folder, '.vscode'));
    await writeFile(join(folder, '.vscode', 'tasks.json'), '{}');
    await writeFile(join(folder, 'a.ts'), '');
  });

  const because = async (name: string, real = name): Promise<string | undefined> =>
    writeProtection(join(folder, name), await realpath(join(folder, real)), [folder]);

  it('is reviewed first, by the name of the file and of a link’s target', async function () {
    assert.equal(await because('a.ts'), undefined);
    assert.match((await because('.vscode/tasks.json')) ?? '', /is read by a tool that can run code from it/);
    if (process.platform === 'win32') this.skip();
    await symlink('.vscode/tasks.json', join(folder, 'notes.md'));
    await symlink('.vscode', join(folder, 'docs'));
    assert.match((await because('notes.md')) ?? '', /is read by a tool that can run code from it/);
    assert.match((await because('docs/new.json', 'docs')) ?? '', /is read by a tool that can run code from it/);
  });

  it('is not reviewed only because of the location of the folder', async function () {
    if (process.platform === 'win32') this.skip();
    const inside = join(folder, '.vscode', 'project');
    await mkdir(inside);
    await writeFile(join(inside, 'b.ts'), '');
    const link = join(folder, 'link');
    await symlink(inside, link);
    assert.equal(await writeProtection(join(link, 'b.ts'), await realpath(join(link, 'b.ts')), [link]), undefined);
    const file = join(inside, 'b.ts');
    assert.equal(await writeProtection(file, await realpath(file), [folder + '-other', inside]), undefined);
    const hidden = join(folder, '.config');
    await mkdir(hidden);
    await writeFile(join(hidden, 'c.ts'), '');
    const other = await realpath(join(hidden, 'c.ts'));
    assert.equal(await writeProtection(join(hidden, 'c.ts'), other, [inside, hidden]), undefined);
  });
});
