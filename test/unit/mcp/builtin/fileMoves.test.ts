import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { editor, Range, Uri } from './languageStub';
import { EditPlanner } from '../../../../src/mcp/builtin/common/plannedEdit';

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

describe('an edit of a language server', () => {
  let folder: string;
  beforeEach(async () => {
    folder = editor.folder = await realpath(await mkdtemp(join(tmpdir(), 'parley-moves-')));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const at = (name: string): Uri => new Uri(join(folder, name));
  const text = (): Edit =>
    new Edit().add(2, { uri: at('README.md'), edit: { range: new Range(0, 0, 0, 0), newText: 'x' } });

  it('names the files that it creates, renames or deletes, which count as its paths', async () => {
    const edit = text()
      .add(1, { from: at('x.json'), to: at('.vscode/tasks.json') })
      .add(1, { from: at('.env') })
      .add(1, { to: at('new.ts') });
    const { paths, moves } = await new EditPlanner().plan(edit as never);
    assert.deepEqual(moves, ['rename x.json to .vscode/tasks.json', 'delete .env', 'create new.ts']);
    const names = ['README.md', 'x.json', '.vscode/tasks.json', '.env', 'new.ts'];
    assert.deepEqual(
      paths,
      names.map((name) => join(folder, name)),
    );
  });

  it('is refused with parts that no question could show', async () => {
    await assert.rejects(
      new EditPlanner().plan(text().add(6, { uri: at('a.ts') }) as never),
      /neither texts nor files/,
    );
  });
});
