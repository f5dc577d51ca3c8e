// Imported first: later imports get this stub of `vscode`.
import { OpenFile, type } from '../review/editor/editorStub';
import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { savedFile } from '../../../src/workbench/editorWrites';
import { saveDocument } from '../../../src/workbench/textDocuments';
import { standIn } from '../../kit/stubOf';
import { temporaryFolder } from '../../kit/temporaryFolder';

describe('saveDocument', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder, 'a.txt');
    writeFileSync(path, 'own\n');
  });

  function openFile(name: string): { document: OpenFile; text: vscode.TextDocument } {
    const document = new OpenFile(join(folder, name));
    type(document, 'typed\n');
    return { document, text: standIn(document) };
  }

  for (const target of ['other.txt', 'missing.txt']) {
    it(`does not save through a link that replaces the file: to ${target}`, async () => {
      writeFileSync(join(folder, 'other.txt'), 'private\n');
      const { document, text } = openFile('a.txt');
      const file = savedFile(text);
      const saved = await saveDocument(text, file, () => {
        renameSync(path, join(folder, 'old.txt'));
        symlinkSync(join(folder, target), path);
      });
      assert.equal(saved.isSaved, false);
      assert.equal(readFileSync(join(folder, 'other.txt'), 'utf8'), 'private\n');
      assert.equal(document.getText(), 'typed\n');
      assert(document.isDirty);
    });
  }

  for (const target of ['other.txt', 'missing.txt']) {
    it(`takes back what VS Code saves through a link that replaces the file during the save: to ${target}`, async () => {
      writeFileSync(join(folder, 'other.txt'), 'private\n');
      const { document, text } = openFile('a.txt');
      const save = document.save.bind(document);
      document.save = async () => {
        renameSync(path, join(folder, 'old.txt'));
        symlinkSync(join(folder, target), path);
        // A formatter works. The looks are due before, however late both are.
        await new Promise((resolve) => setTimeout(resolve, 100));
        return save();
      };
      const saved = await saveDocument(text, savedFile(text));
      assert.equal(saved.isSaved, false);
      assert.equal(readFileSync(join(folder, 'other.txt'), 'utf8'), 'private\n');
      assert.equal(readFileSync(join(folder, 'old.txt'), 'utf8'), 'own\n');
      assert(!existsSync(join(folder, 'missing.txt')));
    });
  }

  it('saves through a link that was there before', async () => {
    symlinkSync(path, join(folder, 'link.txt'));
    const { text } = openFile('link.txt');
    assert.equal(savedFile(text), path);
    assert((await saveDocument(text, path)).isSaved);
    assert.equal(readFileSync(path, 'utf8'), 'typed\n');
  });
});
