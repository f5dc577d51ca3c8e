import type { WorkspaceEdit } from './languageStub';
import { editor, Range, Uri } from './languageStub';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlannedEdit } from '../../../../src/mcp/builtin/common/plannedEdit';
import { EditPlanner, requireUnchanged } from '../../../../src/mcp/builtin/common/plannedEdit';
import { standIn } from '../../../kit/stubOf';
import { temporaryFolder } from '../../../kit/temporaryFolder';

/** As in VS Code, where `size` and `entries()` tell of texts only. */
class Edit {
  readonly #all: ({ readonly _type: number } & Record<string, unknown>)[] = [];

  add(_type: number, fields: Record<string, unknown>): this {
    this.#all.push({ _type, ...fields });
    return this;
  }

  _allEntries(): unknown {
    return this.#all;
  }

  entries(): unknown[] {
    return this.#all.flatMap(({ _type, uri, edit }) => (_type === 2 ? [[uri, [edit]]] : []));
  }

  get size(): number {
    return this.entries().length;
  }
}

const planOf = (edit: Edit): Promise<PlannedEdit> => new EditPlanner().plan(standIn(edit));

describe('an edit of a language server', () => {
  let folder: string;
  beforeEach(() => {
    folder = editor.folder = temporaryFolder();
  });

  const at = (name: string): Uri => new Uri(join(folder, name));
  const text = (): Edit =>
    new Edit().add(2, { uri: at('README.md'), edit: { range: new Range(0, 0, 0, 0), newText: 'x' } });

  it('names the files that it creates, renames or deletes, which count as its paths', async () => {
    const edit = text()
      .add(1, { from: at('x.json'), to: at('.vscode/tasks.json') })
      .add(1, { from: at('.env') })
      .add(1, { to: at('new.ts') });
    const { paths, moves } = await planOf(edit);
    assert.deepEqual(moves, ['rename x.json to .vscode/tasks.json', 'delete .env', 'create new.ts']);
    const names = ['README.md', 'x.json', '.vscode/tasks.json', '.env', 'new.ts'];
    assert.deepEqual(
      paths,
      names.map((name) => join(folder, name)),
    );
  });

  const change = { range: new Range(0, 0, 0, 0), newText: 'x' };

  it('changes a text before its file moves, and that of a new file after it', async () => {
    await writeFile(join(folder, 'a.ts'), 'a');
    // In the order of VS Code's commands.
    const edit = new Edit()
      .add(1, { from: at('a.ts'), to: at('b.ts') })
      .add(1, { to: at('new.ts') })
      .add(2, { uri: at('a.ts'), edit: change })
      .add(2, { uri: at('new.ts'), edit: change });
    const plan = await planOf(edit);
    const { parts } = standIn<WorkspaceEdit>(plan.edit);
    assert.deepEqual(parts, ['text a.ts', 'rename a.ts b.ts', 'create new.ts', 'text new.ts']);
    assert.deepEqual([...plan.renamed], [[join(folder, 'a.ts'), join(folder, 'b.ts')]]);
  });

  it('replaces no file, and only creates one where none is', async () => {
    await writeFile(join(folder, 'a.ts'), 'a');
    await writeFile(join(folder, 'b.ts'), 'b');
    const plan = (fields: object) => planOf(new Edit().add(1, { ...fields }));
    await assert.rejects(plan({ from: at('a.ts'), to: at('b.ts'), options: { overwrite: true } }), /replace b\.ts/);
    await assert.rejects(plan({ to: at('b.ts') }), /replace b\.ts/);
    await plan({ to: at('b.ts'), options: { ignoreIfExists: true } });
  });

  it('is not applied after a file that it moves or deletes has changed on disk', async () => {
    for (const [fields, name] of [
      [{ from: at('a.bin') }, 'a.bin'],
      [{ from: at('a.bin'), to: at('b.bin') }, 'b.bin'],
    ] as const) {
      await writeFile(join(folder, 'a.bin'), 'a');
      const plan = await planOf(new Edit().add(1, fields));
      // As VS Code, which opens no binary file as a text.
      const targets = plan.targets.map((target) => ({ ...target, hash: undefined }));
      requireUnchanged({ ...plan, targets });
      await writeFile(join(folder, name), 'changed');
      assert.throws(() => requireUnchanged({ ...plan, targets }), /has changed/, name);
    }
  });

  it('is refused with parts that no question could show', async () => {
    await assert.rejects(planOf(text().add(6, { uri: at('a.ts') })), /neither texts nor files/);
  });
});
