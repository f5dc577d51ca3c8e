import { ran } from './editorToolsStub';
import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/event';
import { HandleStore } from '../../../../src/mcp/builtin/common/handleStore';
import type { PlannedEdit } from '../../../../src/mcp/builtin/common/plannedEdit';
import { EditPlanner } from '../../../../src/mcp/builtin/common/plannedEdit';
import { ideServer } from '../../../../src/mcp/builtin/ide/ideServer';
import type { PreparedAction } from '../../../../src/mcp/builtin/refactor/codeActionTools';
import { applyTool } from '../../../../src/mcp/builtin/refactor/codeActionTools';
import { ToolError } from '../../../../src/mcp/contract/toolServerTypes';
import type { SessionHandle } from '../../../../src/session/sessionHandle';
import type { ApprovalRequest, ToolContext } from '../../../../src/session/toolServer';
import { stubOf, standIn } from '../../../kit/stubOf';

/** Tools that run in the editor run only with the user's permission for exactly that call (docs/security.md, row 17). */
describe('the tools of the editor', () => {
  const asked: ApprovalRequest[] = [];
  let isAllowed = true;
  beforeEach(() => {
    asked.length = 0;
    ran.length = 0;
    isAllowed = true;
  });
  const context = (id = 's1'): ToolContext => ({
    session: stubOf<SessionHandle>({ id }),
    signal: new AbortController().signal,
    progress: () => undefined,
    waitForUser: (answer) => answer,
    approve: async (question) => {
      asked.push(question);
      if (!isAllowed) throw new ToolError('it was not allowed');
    },
  });

  describe('with a handle', () => {
    const handles = new HandleStore<PreparedAction>('change');
    const tool = applyTool(handles, (_session, _path, write) => write());
    const command = { title: 'Fix', command: 'evil.run', arguments: [1] };
    const apply = (id: string, session?: string): Promise<unknown> => tool.call({ id }, context(session));

    it('always ask about commands and moved files, and ask about plain edits by the rules', async () => {
      await apply(handles.add('s1', { title: 'Fix', command }));
      assert.deepEqual(
        asked.map(({ title, always }) => [title, always]),
        [['Fix (runs the command evil.run)', true]],
      );
      assert.deepEqual(ran, [['evil.run', 1]]);
      const action = { change: 'Fix', files: [], command: command.command, arguments: [1] };
      assert.deepEqual(asked[0]?.runs, [action]);
      const change = { range: { start: { line: 0 }, end: { line: 0 } }, newText: 'x' };
      const edit = (...moves: object[]): Promise<PlannedEdit> =>
        new EditPlanner().plan(
          standIn({
            entries: () => [[{ fsPath: '/app/a.ts' }, [change]]],
            _allEntries: () => [{ _type: 2 }, ...moves],
          }),
        );
      const move = { _type: 1, from: { fsPath: '/app/a.ts' }, to: { fsPath: '/app/b.ts' } };
      await apply(handles.add('s1', { title: 'Move', edit: await edit(move) }));
      await apply(handles.add('s1', { title: 'Edit', edit: await edit() }));
      assert.deepEqual(
        asked.slice(1).map(({ title, always, paths }) => [title, always, paths]),
        [
          ['Move', true, ['/app/a.ts', '/app/b.ts']],
          ['Edit', false, ['/app/a.ts']],
        ],
      );
    });

    it('run nothing without approval, twice, or for another session, and accept no command name', async () => {
      const id = handles.add('s1', { title: 'Fix', command });
      isAllowed = false;
      await assert.rejects(apply(id), /not allowed/);
      isAllowed = true;
      await assert.rejects(apply(id, 's2'), /There is no change/);
      await assert.rejects(apply('evil.run'), /There is no change/);
      assert.deepEqual(ran, []);
      await apply(id);
      await assert.rejects(apply(id), /There is no change/);
      assert.equal(ran.length, 1);
    });
  });

  it('of VS Code and its extensions ask at each call, whatever hints they have', async () => {
    const called: unknown[] = [];
    const languageModelTools = {
      tools: [
        { name: 'rename', description: 'Renames\u200b', inputSchema: { type: 'object' }, tags: [] },
        { name: 'other', description: '', inputSchema: undefined, tags: [] },
      ],
      invokeTool: async (name: string, { input }: { input: object }) => {
        called.push([name, input]);
        return { content: [] };
      },
    };
    const server = ideServer(languageModelTools, () => ['rename'], new Emitter<void>().event);
    const [tool, ...others] = server.tools;
    assert.deepEqual([others, tool?.approval, tool?.description], [[], 'always', 'Renames\\u{200b}']);
    await tool!.call({ a: 1 }, context());
    await tool!.call({ a: 1 }, context());
    assert.deepEqual(
      asked.map(({ title }) => title),
      ['Run the editor’s tool rename', 'Run the editor’s tool rename'],
    );
    isAllowed = false;
    await assert.rejects(tool!.call({ a: 2 }, context()), /not allowed/);
    assert.deepEqual(called, [
      ['rename', { a: 1 }],
      ['rename', { a: 1 }],
    ]);
  });
});
