import assert from 'node:assert/strict';
import { refuseOutsideWorktree, withWorktreeNote } from '../../../../src/mcp/calls/worktreeTools';
import { ToolError } from '../../../../src/mcp/contract/toolServerTypes';

type Call = Parameters<typeof refuseOutsideWorktree>[0];

describe('mcp/calls/worktreeTools', () => {
  const call = (more: {
    readonly branch?: string;
    readonly server?: string;
    readonly origin?: string;
    readonly isReadOnly?: boolean;
  }): Call =>
    ({
      session: { state: 'branch' in more ? { branch: more.branch } : {} },
      registered: { name: more.server ?? 'refactor', origin: more.origin ?? 'builtIn' },
      tool: { name: 'rename', annotations: more.isReadOnly === undefined ? {} : { readOnlyHint: more.isReadOnly } },
    }) as unknown as Call;
  const branch = 'parley/fix';

  it('reject calls that would change the main folder, and name the branch', () => {
    const isMeant = (error: unknown): boolean =>
      error instanceof ToolError &&
      /works in the git worktree parley\/fix\. rename works in the main folder/.test(error.message);
    assert.throws(() => refuseOutsideWorktree(call({ branch })), isMeant);
    assert.throws(() => refuseOutsideWorktree(call({ branch, isReadOnly: false })), isMeant);
  });

  it('allow reading tools, tools without files, tools of others, and sessions of the workspace', () => {
    const allowed = [
      call({ branch, isReadOnly: true }),
      call({ branch, server: 'user' }),
      call({ branch, server: 'ide' }),
      call({ branch, origin: 'user' }),
      call({}),
    ];
    for (const each of allowed) assert.doesNotThrow(() => refuseOutsideWorktree(each));
  });

  it('name the folder in the result', () => {
    const result = { text: '2 problems', structured: { count: 2 } };
    assert.deepEqual(withWorktreeNote(call({ branch, isReadOnly: true }), result), {
      text: 'This is about the main folder of the editor, not about the git worktree parley/fix of this session.\n2 problems',
      structured: { count: 2 },
    });
    for (const each of [call({}), call({ branch, server: 'user' })])
      assert.equal(withWorktreeNote(each, result), result);
  });
});
