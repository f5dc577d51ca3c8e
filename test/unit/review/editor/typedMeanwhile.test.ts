// Imported first: later imports get this stub of `vscode`.
import { open, OpenFile } from './editorStub';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileContent } from '../../../../src/review/storage/fileContent';
import { EditorWriter } from '../../../../src/review/tracking/editorWriter';
import type { ReviewPaths } from '../../../../src/review/tracking/reviewScope';
import type { UserSaves } from '../../../../src/review/tracking/userSaves';
import { EditorFiles } from '../../../../src/review/tracking/workingFiles';
import { stubOf } from '../../../kit/stubOf';
import { temporaryFolder } from '../../../kit/temporaryFolder';

const content = (bytes: string): FileContent => ({ mode: '100644', bytes });

describe('what the user types while the review writes a file', () => {
  let folder: string;
  let path: string;
  let document: OpenFile;
  /** Runs when the file has been compared, before it is written. */
  let compared: () => void;
  let files: EditorFiles;

  // Imported here, with this stub of `vscode`: the first write would import it with the stub that was loaded last.
  before(() => assert.ok(EditorWriter));

  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder, 'a.txt');
    writeFileSync(path, 'one\n');
    document = new OpenFile(path);
    open.push(document);
    compared = () => undefined;
    let count = 0;
    const real = async (given: string): Promise<string> => {
      if (++count === 2) compared();
      return given;
    };
    files = new EditorFiles(stubOf<ReviewPaths>({ real }), stubOf<UserSaves>({ content: async () => undefined }));
  });

  afterEach(() => {
    open.length = 0;
  });

  const types = (): void => {
    document.text += 'typed\n';
    document.isDirty = true;
  };

  for (const unsaved of [false, true]) {
    it(`stays, and nothing is written, before the edit of a file with ${unsaved ? 'un' : ''}saved text`, async () => {
      if (unsaved) [document.text, document.isDirty] = ['one\nmine\n', true];
      const before = document.text;
      compared = types;
      await assert.rejects(files.write(path, content('new\n'), content(before)), /changed in the meantime/);
      assert.equal(document.text, `${before}typed\n`);
      assert.equal(readFileSync(path, 'utf8'), 'one\n');
    });
  }

  it('stays in the editor, unsaved, before the save', async () => {
    const edit = document.edit.bind(document);
    document.edit = (edits) => {
      edit(edits);
      types();
    };
    await files.write(path, content('new\n'), content('one\n'));
    assert.deepEqual([document.text, document.isDirty], ['new\ntyped\n', true]);
    assert.equal(readFileSync(path, 'utf8'), 'one\n');
  });

  it('stays, and restored unsaved text is not written over it', async () => {
    types();
    await assert.rejects(files.writeUnsaved(path, content('unsaved\n'), content('one\n')), /changed in the meantime/);
    assert.equal(document.text, 'one\ntyped\n');
  });
});
