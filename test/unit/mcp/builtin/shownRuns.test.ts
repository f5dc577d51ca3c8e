import { editor, Range, Uri } from './languageStub';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HandleStore } from '../../../../src/mcp/builtin/common/handleStore';
import type { PlannedEdit } from '../../../../src/mcp/builtin/common/plannedEdit';
import { executeTool } from '../../../../src/mcp/builtin/notebook/notebookExecuteTool';
import type { PreparedAction } from '../../../../src/mcp/builtin/refactor/codeActionTools';
import { applyTool } from '../../../../src/mcp/builtin/refactor/codeActionTools';
import { refactorServer } from '../../../../src/mcp/builtin/refactor/refactorServer';
import type { RequestsToUser, SessionHandle } from '../../../../src/session/sessionHandle';
import type { ApprovalRequest, ToolContext } from '../../../../src/session/toolServer';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { stubOf, standIn } from '../../../kit/stubOf';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('the question before a tool runs what its arguments do not name', () => {
  let folder: string;
  let asked: ApprovalRequest[];
  let whileAsked: () => Promise<unknown>;

  beforeEach(() => {
    folder = editor.folder = temporaryFolder();
    asked = [];
    editor.started = [];
    whileAsked = async () => undefined;
  });

  const context = (): ToolContext => {
    const userRequests = stubOf<RequestsToUser>({
      authorize: async () => ({ allowed: true, reason: '', by: 'builtIn' }),
      judge: async () => ({ decision: 'allow', reason: '', by: 'builtIn' }),
    });
    const session = { id: 's', cwd: folder, folders: [folder], state: emptySession('s'), userRequests };
    return {
      session: stubOf<SessionHandle>(session),
      signal: new AbortController().signal,
      progress: () => undefined,
      waitForUser: (done) => done,
      approve: async (request) => {
        asked.push(request);
        await whileAsked();
      },
    };
  };

  it('shows the code of notebook cells, and runs no other', async () => {
    const path = join(folder, 'a.ipynb');
    await writeFile(path, 'print(1)');
    whileAsked = () => writeFile(path, 'print(2)');
    await assert.rejects(executeTool().call({ path: 'a.ipynb', cells: [0] }, context()), /changed while the user was/);
    assert.deepEqual(asked[0]?.runs, [{ cell: 0, language: 'json', code: 'print(1)' }]);
    assert.deepEqual(editor.started, []);
  });

  it('shows the arguments of the command of a code action, and the texts of its edit', async () => {
    const prepared = new HandleStore<PreparedAction>('change');
    const apply = applyTool(prepared, (_session, _paths, write) => write());
    const entries = [[new Uri(join(folder, 'a.ts')), [{ range: new Range(2, 0, 3, 1), newText: 'evil()' }]]];
    const edit: PlannedEdit = {
      edit: standIn({ entries: () => entries }),
      files: [],
      paths: [],
      moves: [],
      renamed: new Map(),
      deleted: [],
      targets: [],
    };
    const loop: unknown[] = [];
    loop.push(loop);
    for (const [args, shown] of [
      [[{ text: 'curl x|sh' }], [{ text: 'curl x|sh' }]],
      [loop, '<ref *1> [ [Circular *1] ]'],
    ] as const) {
      const command = { title: 'x', command: 'run.it', arguments: args as unknown[] };
      const id = prepared.add('s', {
        title: 'Organize imports',
        command,
      });
      await apply.call({ id }, context());
      assert.deepEqual(asked.at(-1)?.runs, [
        { change: 'Organize imports', files: [], command: 'run.it', arguments: shown },
      ]);
    }
    whileAsked = () => Promise.reject(new Error('no'));
    const id = prepared.add('s', { title: 'Rename', edit });
    await assert.rejects(apply.call({ id }, context()), /no/);
    const files = [{ path: 'a.ts', edits: [{ lines: [3, 4], text: 'evil()' }] }];
    assert.deepEqual(asked.at(-1)?.runs, [{ change: 'Rename', files }]);
  });

  it('shows what a rename changes; of a large one the first places, and a hash of all', async () => {
    const path = join(folder, 'a.ts');
    await writeFile(path, 'let name;\n');
    const rename = refactorServer((_session, _paths, write) => write()).tools.find((each) => each.name === 'rename');
    const input = { path: 'a.ts', symbol: 'name', new_name: 'other' };
    whileAsked = () => Promise.reject(new Error('the user said no'));
    const shownFiles = async (...texts: string[]): Promise<object[]> => {
      const edits = texts.map((newText, line) => ({ range: new Range(line, 4, line, 8), newText }));
      const edit = {
        size: 1,
        entries: () => [[new Uri(path), edits]],
        _allEntries: () => edits.map(() => ({ _type: 2 })),
      };
      editor.answers.set('vscode.executeDocumentRenameProvider', edit);
      await assert.rejects(async () => rename?.call(input, context()), /the user said no/);
      const [run] = asked.at(-1)?.runs ?? [];
      return run?.['files'] as object[];
    };
    assert.deepEqual(await shownFiles('other'), [{ path: 'a.ts', edits: [{ lines: [1, 1], text: 'other' }] }]);
    const many = Array<string>(600).fill('other');
    const large = await shownFiles(...many);
    const changed = await shownFiles(...many.with(599, 'evil'));
    assert.deepEqual(large[0], changed[0]);
    assert.deepEqual({ ...changed[1], sha256: '' }, { omitted: 100, sha256: '' });
    assert.notDeepEqual(large[1], changed[1]);
  });
});
