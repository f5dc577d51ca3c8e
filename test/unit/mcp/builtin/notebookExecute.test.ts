import { editor, notebookChanges, Uri } from './languageStub';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { executeTool } from '../../../../src/mcp/builtin/notebook/notebookExecuteTool';
import { BuiltInBench } from './builtInBench';

describe('a run of cells', () => {
  let window: BuiltInBench;
  let texts: string[];

  beforeEach(async () => {
    texts = ['print(1)', 'print(2)'];
    editor.started = [];
    const tools = [executeTool()];
    window = await BuiltInBench.open([{ name: 'notebook', title: 'Notebook', description: '', tools }], () => []);
    editor.folder = window.folder;
    const path = join(window.folder, 'a.ipynb');
    writeFileSync(path, '{}');
    editor.notebook = {
      uri: Uri.file(path),
      cellCount: 2,
      getCells: () => cells,
      cellAt: (index: number) => cells[index],
    };
  });
  afterEach(async () => {
    editor.notebook = undefined;
    editor.answers.clear();
    await window.close();
  });

  const cells = [0, 1].map((index) => ({
    index,
    kind: 2,
    document: { getText: () => texts[index] ?? '', languageId: 'python' },
    outputs: [],
    executionSummary: undefined as object | undefined,
  }));
  const change = (...changed: (typeof cells)[number][]): void =>
    notebookChanges.fire({
      notebook: editor.notebook,
      cellChanges: changed.map((cell) => ({ cell, executionSummary: cell.executionSummary })),
    });

  it('stops if a cell changes before its turn', async () => {
    window.answer = 'allowOnce';
    editor.answers.set('notebook.cell.execute', () => {
      const [first, second] = cells;
      assert(first && second);
      first.executionSummary = { success: true };
      change(first);
      texts[1] = 'evil()';
      change(second);
    });
    const { text } = await window.call('notebook', 'execute', { path: 'a.ipynb', cells: [1, 0] });
    assert.match(text, /^Stopped/);
    assert.deepEqual(
      editor.started.filter((one) => typeof one === 'string'),
      ['notebook.cell.execute', 'notebook.cell.cancelExecution'],
    );
  });
});
