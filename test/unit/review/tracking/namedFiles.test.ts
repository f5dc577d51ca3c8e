import assert from 'node:assert/strict';
import { namedFiles } from '../../../../src/review/tracking/namedFiles';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import { emptySession } from '../../../../src/shared/state/sessionState';
import type { ToolPatch } from '../../../../src/shared/state/toolCallState';

describe('files that the tool calls of a turn name', () => {
  const call = (patch: ToolPatch): Action => ({ type: 'toolStarted', toolCallId: 'call', patch, at: 0 });
  const named = (patch: ToolPatch, withOutput = false): string[] => {
    const state = reduce(emptySession('s'), call({ status: 'done', tool: 'execute', ...patch }));
    return ['/w/src/a.ts', '/w/lib/a.ts', '/w/a b.txt'].filter(namedFiles(state, 0, withOutput));
  };

  const cases: readonly (readonly [string, ToolPatch, readonly string[]])[] = [
    ['relative to the workspace', { title: 'sed -i s/x/y/ src/a.ts' }, ['/w/src/a.ts']],
    ['relative to another folder', { title: 'cd src && rm ./a.ts' }, ['/w/src/a.ts', '/w/lib/a.ts']],
    ['absolute', { rawInput: { command: ['tee', '/w/lib/a.ts'] } }, ['/w/lib/a.ts']],
    ['as Windows writes them', { rawInput: { command: 'del src\\a.ts' } }, ['/w/src/a.ts']],
    ['in quotes and after a redirection', { title: 'echo x >"src/a.ts"' }, ['/w/src/a.ts']],
    ['not as a part of a longer name', { title: 'rm src/a.ts.orig data.ts' }, []],
  ];
  for (const [what, patch, expected] of cases) it(what, () => assert.deepEqual(named(patch), expected));

  it('in results only where asked for', () => {
    const patch: ToolPatch = { title: 'format', rawOutput: { output: 'src/a.ts 12ms\nlib/b.ts' } };
    assert.deepEqual([named(patch), named(patch, true)], [[], ['/w/src/a.ts']]);
  });
});
