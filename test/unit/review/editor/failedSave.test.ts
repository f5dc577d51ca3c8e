// Imported first: later imports get this stub of `vscode`.
import { changeText, moveCursor, open, OpenFile, saveEvents, type } from './editorStub';
import assert from 'node:assert/strict';
import { appendFileSync, lstatSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileContent } from '../../../../src/review/storage/fileContent';
import { EditorWriter } from '../../../../src/review/tracking/editorWriter';
import type { ReviewPaths } from '../../../../src/review/tracking/reviewScope';
import type { UserSaves } from '../../../../src/review/tracking/userSaves';
import { EditorFiles } from '../../../../src/review/tracking/workingFiles';
import { withDisk } from '../../../kit/fullDisk';
import { stubOf } from '../../../kit/stubOf';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('a save of VS Code that fails', () => {
  let folder: string;
  let path: string;
  const files = new EditorFiles(
    stubOf<ReviewPaths>({ real: async (given) => given }),
    stubOf<UserSaves>({ content: async () => undefined }),
  );
  const content = (bytes: string): FileContent => ({ mode: '100644', bytes });

  // Imported here, with this stub of `vscode`: the first write would import it with the stub that was loaded last.
  before(() => assert.ok(EditorWriter));

  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder, 'a.txt');
    writeFileSync(path, 'one\ntwo\nthree\n');
    open.push(new OpenFile(path));
  });

  afterEach(() => {
    open.length = 0;
  });

  function replaceByLink(): string {
    const target = join(folder, 'target.txt');
    renameSync(path, target);
    symlinkSync(target, path);
    return target;
  }

  it('restores file and buffer after VS Code truncated the file', async () => {
    const [document] = open;
    assert.ok(document);
    // A full disk: only a part was written.
    document.saves = 'on';
    const wanted = content(`one\n${'new\n'.repeat(20)}`);
    const before = content('one\ntwo\nthree\n');
    await withDisk(500, () => assert.rejects(files.write(path, wanted, before, 'save'), /disk is full/), 3, 2);
    assert.equal(readFileSync(path, 'utf8'), 'one\ntwo\nthree\n');
    assert.equal(document.getText(), 'one\ntwo\nthree\n');
  });

  it('is prevented if unsaved text in a wrong encoding would replace bytes', async () => {
    const [document] = open;
    assert.ok(document);
    type(document, 'one\ntyped\nthree\n');
    const typed = content('one\ntyped\nthree\n');
    // Latin-1.
    const write = files.write(path, content('gr\xfcn\ntyped\nthree\n'), typed);
    await assert.rejects(write, /shows the file as utf8, in which its text would lose bytes/);
    assert.equal(document.getText(), 'one\ntyped\nthree\n');
    await files.write(path, content('gr\xc3\xbcn\ntyped\nthree\n'), typed);
    assert.equal(document.getText(), 'grün\ntyped\nthree\n');
  });

  // Latin-1 in an editor that shows UTF-8, and line ends of which an editor has only one kind.
  for (const last of ['gr\xfcn\n', 'a\r\nb\n']) {
    it(`does not happen with bytes that VS Code would not save: ${JSON.stringify(last)}`, async () => {
      writeFileSync(path, `1\n${last}`, 'latin1');
      const document = new OpenFile(path);
      open.splice(0, 1, document);
      document.save = async () => assert.fail('saved');
      await files.write(path, content(`2\n${last}`), content(`1\n${last}`));
      assert.equal(readFileSync(path, 'latin1'), `2\n${last}`);
      assert(!document.isDirty);
    });
  }

  const NEXT = { 'is written': content('new\n'), 'is deleted': undefined };
  const OTHERS = {
    'appends to a file': () => appendFileSync(path, 'their line\n'),
    'deletes and creates a file': () => {
      rmSync(path);
      writeFileSync(path, 'their text\n');
    },
  };
  for (const [what, next] of Object.entries(NEXT))
    for (const [done, act] of Object.entries(OTHERS))
      it(`is not possible without an editor: what another program does stays, where it ${done} that ${what}`, async () => {
        open.length = 0;
        let calls = 0;
        // Called once more after the content was compared.
        const real = async (given: string): Promise<string> => {
          if (++calls === 3) act();
          return given;
        };
        const writer = new EditorWriter(stubOf<ReviewPaths>({ real }));
        const before = content('one\ntwo\nthree\n');
        await assert.rejects(writer.write(path, next, before), /changed in the meantime/);
        assert.match(readFileSync(path, 'utf8'), /their (line|text)/);
      });

  it('is not possible without an editor where another program creates the file that would come back', async () => {
    open.length = 0;
    rmSync(path);
    let calls = 0;
    const real = async (given: string): Promise<string> => {
      if (++calls === 3) writeFileSync(path, 'their text');
      return given;
    };
    await assert.rejects(
      new EditorWriter(stubOf<ReviewPaths>({ real })).write(path, content('new\n'), undefined),
      /changed in the meantime/,
    );
    assert.equal(readFileSync(path, 'utf8'), 'their text');
  });

  it('is not asked for where a link has replaced the file: its target stays', async () => {
    const [document] = open;
    assert.ok(document);
    type(document, 'typed\n');
    const outside = replaceByLink();
    await files.write(path, content('new\n'), content('typed\n'), 'save');
    assert.equal(readFileSync(outside, 'utf8'), 'one\ntwo\nthree\n');
    assert(!lstatSync(path).isSymbolicLink());
    assert.equal(readFileSync(path, 'utf8'), 'new\n');
    assert.equal(document.getText(), 'new\n');
    assert(!document.isDirty);
  });

  it('is not asked for where a link replaces the file meanwhile: link and text stay', async () => {
    const [document] = open;
    assert.ok(document);
    const edit = document.edit.bind(document);
    let outside: string | undefined;
    document.edit = (change) => {
      edit(change);
      outside ??= replaceByLink();
    };
    await assert.rejects(files.write(path, content('new\n'), content('one\ntwo\nthree\n')), /changed in the meantime/);
    assert.ok(outside);
    assert.equal(readFileSync(outside, 'utf8'), 'one\ntwo\nthree\n');
    assert(lstatSync(path).isSymbolicLink());
  });

  it('is completed if the bytes can be written', async () => {
    const [document] = open;
    assert.ok(document);
    document.saves = 'ne';
    await files.write(path, content('new\n'), content('one\ntwo\nthree\n'), 'save');
    assert.equal(readFileSync(path, 'utf8'), 'new\n');
  });

  it('is completed if VS Code refuses because it read the file’s time before the last write', async () => {
    const [document] = open;
    assert.ok(document);
    // Refused as long as VS Code has another text than the file.
    document.save = () => document.saveOverNewer();
    await files.write(path, content('new\n'), content('one\ntwo\nthree\n'));
    assert.deepEqual([readFileSync(path, 'utf8'), document.getText(), document.isDirty], ['new\n', 'new\n', false]);
  });

  it('keeps the text that another program writes during the edit', async () => {
    const [document] = open;
    assert.ok(document);
    document.save = () => {
      writeFileSync(path, 'by another program\n');
      return document.saveOverNewer();
    };
    const write = files.write(path, content('new\n'), content('one\ntwo\nthree\n'));
    await assert.rejects(write, /changed in the meantime/);
    assert.equal(readFileSync(path, 'utf8'), 'by another program\n');
    assert.deepEqual([document.getText(), document.isDirty], ['by another program\n', false]);
  });

  it('is no failure if the user types after VS Code has written a formatted file', async () => {
    const [document] = open;
    assert.ok(document);
    document.save = async () => {
      writeFileSync(path, 'formatted\n');
      document.text = 'formatted\ntyped\n';
      saveEvents.did.fire(document);
      return false;
    };
    await files.write(path, content('new\n'), content('one\ntwo\nthree\n'));
    assert.equal(readFileSync(path, 'utf8'), 'new\n');
    assert.deepEqual([document.getText(), document.isDirty], ['formatted\ntyped\n', true]);
  });

  describe('loses nothing that the user types', () => {
    const before = content('one\ntwo\nthree\n');

    it('between the edit and the save, which saves it, too', async () => {
      const [document] = open;
      assert.ok(document);
      const save = document.save.bind(document);
      document.save = () => {
        type(document, 'new\ntyped\n');
        return save();
      };
      await files.write(path, content('new\n'), before);
      assert.deepEqual([readFileSync(path, 'utf8'), document.isDirty], ['new\ntyped\n', false]);
    });

    for (const { way, change } of [
      { way: 'by accepting a suggestion', change: { isAtCursor: true, inserted: 'typed' } },
      { way: 'by undoing an edit', change: { reason: 1 } },
    ]) {
      it(`between the edit and the save, also ${way}`, async () => {
        const [document] = open;
        assert.ok(document);
        const save = document.save.bind(document);
        document.save = () => {
          changeText(document, 'new\ntyped\n', change);
          return save();
        };
        await files.write(path, content('new\n'), before);
        assert.deepEqual([readFileSync(path, 'utf8'), document.isDirty], ['new\ntyped\n', false]);
      });
    }

    it('and takes neither formatting nor an arrow key for typing', async () => {
      const [document] = open;
      assert.ok(document);
      const save = document.save.bind(document);
      document.save = () => {
        moveCursor(document);
        changeText(document, 'new \n', { isAtCursor: true, inserted: ' ' });
        return save();
      };
      await files.write(path, content('new\n'), before);
      assert.equal(readFileSync(path, 'utf8'), 'new\n');
    });

    it('while a formatter changes the file, which gets its exact bytes', async () => {
      const [document] = open;
      assert.ok(document);
      document.save = async () => {
        writeFileSync(path, 'formatted\n');
        saveEvents.did.fire(document);
        type(document, 'formatted\ntyped\n');
        return false;
      };
      await files.write(path, content('new\n'), before);
      assert.deepEqual([readFileSync(path, 'utf8'), document.getText()], ['new\n', 'formatted\ntyped\n']);
    });

    it('before another program’s text is found on disk', async () => {
      const [document] = open;
      assert.ok(document);
      document.save = async () => {
        type(document, 'new\ntyped\n');
        writeFileSync(path, 'by another program\n');
        return false;
      };
      await assert.rejects(files.write(path, content('new\n'), before), /changed in the meantime/);
      assert.equal(readFileSync(path, 'utf8'), 'by another program\n');
      assert.deepEqual([document.getText(), document.isDirty], ['new\ntyped\n', true]);
    });

    it('before the disk is found to be full', async () => {
      const [document] = open;
      assert.ok(document);
      document.save = async () => {
        writeFileSync(path, 'on');
        type(document, `typed one\n${'new\n'.repeat(20)}`);
        return false;
      };
      const wanted = content(`one\n${'new\n'.repeat(20)}`);
      await withDisk(500, () => assert.rejects(files.write(path, wanted, before, 'save'), /disk is full/), 3, 2);
      assert.equal(readFileSync(path, 'utf8'), 'one\ntwo\nthree\n');
      assert.match(document.getText(), /^typed one\nnew\n/);
    });
  });
});
