import assert from 'node:assert/strict';
import type { ToolCall } from '../../../../src/mcp/calls/callGate';
import { refuseOutsideWorktree, withWorktreeNote } from '../../../../src/mcp/calls/toolCallRun';
import { ToolError } from '../../../../src/mcp/contract/toolServerTypes';
import type { SessionHandle } from '../../../../src/session/sessionHandle';
import type { ToolOrigin } from '../../../../src/shared/protocol/toolsPanelState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { stubOf } from '../../../kit/stubOf';

describe('mcp/calls/worktreeTools', () => {
  const call = (more: {
    readonly branch?: string;
    readonly server?: string;
    readonly origin?: ToolOrigin;
    readonly isReadOnly?: boolean;
  }): ToolCall =>
    stubOf<ToolCall>({
      session: stubOf<SessionHandle>({
        state: { ...emptySession('s'), ...(more.branch !== undefined && { branch: more.branch }) },
      }),
      registered: { name: more.server ?? 'refactor', origin: more.origin ?? 'builtIn' },
      tool: { name: 'rename', annotations: more.isReadOnly === undefined ? {} : { readOnlyHint: more.isReadOnly } },
    });
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
      call({ branch, origin: 'person' }),
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
