// Imported first: later imports get this stub of `vscode`.
import { notebooks, open, OpenBuffer, openNotebook, TabInputNotebookDiff, tabs } from '../client/fs/bufferStub';
import assert from 'node:assert/strict';
import { linkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findNonTextEditor, findTextDocument, unsavedOtherFiles } from '../../../src/workbench/textDocuments';
import { temporaryFolder } from '../../kit/temporaryFolder';

describe('workbench/textDocuments', () => {
  let folder: string;
  const at = (name: string): string => join(folder, name);
  const pathOf = (name: string) => ({ name: at(name), requested: at(name), real: at(name) });

  beforeEach(function () {
    // On Windows, creating links requires a privilege.
    if (process.platform === 'win32') this.skip();
    folder = temporaryFolder();
    for (const name of ['real.txt', 'other.txt']) writeFileSync(at(name), 'one\n');
    symlinkSync('real.txt', at('symbolic.txt'));
    linkSync(at('real.txt'), at('hard.txt'));
  });

  afterEach(() => {
    open.length = 0;
    tabs.length = 0;
    notebooks.length = 0;
  });

  /** Opens a file in a text editor, with unsaved text if given. */
  function show(name: string, unsaved?: string): OpenBuffer {
    const document = new OpenBuffer(at(name));
    open.push(document);
    if (unsaved !== undefined) document.type(unsaved);
    return document;
  }

  for (const name of ['symbolic.txt', 'hard.txt']) {
    it(`finds the document of a file that is open as ${name}`, async () => {
      show('other.txt', 'not this');
      const linked = show(name);
      assert.equal(await findTextDocument(pathOf('real.txt')), linked);
    });

    it(`prefers unsaved text in ${name} to a saved document under the file’s own name`, async () => {
      const saved = show('real.txt');
      show('other.txt', 'not this');
      assert.equal(await findTextDocument(pathOf('real.txt')), saved);
      const linked = show(name, 'unsaved');
      assert.equal(await findTextDocument(pathOf('real.txt')), linked);
      saved.type('unsaved too');
      assert.equal(await findTextDocument(pathOf('real.txt')), saved);
    });

    it(`finds the notebook editor of a file that is open as ${name}`, async () => {
      openNotebook(at('other.txt'), true);
      assert.equal(await findNonTextEditor(pathOf('real.txt')), undefined);
      openNotebook(at('real.txt'), false);
      openNotebook(at(name), true);
      assert.equal((await findNonTextEditor(pathOf('real.txt')))?.isDirty, true);
    });
  }

  it('finds unsaved cells in a diff of notebooks, and in a view that is no tab', async () => {
    tabs.push({ input: new TabInputNotebookDiff(at('other.txt'), at('real.txt')), isDirty: true });
    assert.deepEqual(
      unsavedOtherFiles().map(({ fsPath }) => fsPath),
      [at('real.txt')],
    );
    assert.equal((await findNonTextEditor(pathOf('real.txt')))?.isDirty, true);
    assert.equal(await findNonTextEditor(pathOf('other.txt')), undefined);
    tabs.length = 0;
    for (const isDirty of [false, true])
      for (const scheme of ['file', 'git'])
        notebooks.push({ uri: { scheme, fsPath: at(`${scheme}.ipynb`) }, isDirty, notebookType: 'jupyter-notebook' });
    assert.deepEqual(
      unsavedOtherFiles().map(({ fsPath }) => fsPath),
      [at('file.ipynb')],
    );
  });

  it('finds nothing for a missing file', async () => {
    show('other.txt');
    assert.equal(await findTextDocument(pathOf('missing.txt')), undefined);
  });
});
