import assert from 'node:assert/strict';
import type { Mention } from '../../../../src/shared/state/attachments';
import { joinGroups } from '../../../../src/ui/attachments/joinMentionGroups';

const path = (group: string, label: string): Mention => ({
  label: label.slice(label.lastIndexOf('/') + 1),
  group,
  gives: { kind: 'file', uri: `file:///work/${label}`, label },
});
const context = ['Problems', 'Terminal selection'].map((label): Mention => ({
  label,
  group: 'Context',
  gives: { kind: 'problems', label },
}));

describe('groups of mentions', () => {
  const labels = (groups: readonly (readonly Mention[])[], query: string) =>
    joinGroups(groups, query).map(({ label }) => label);

  it('show a file with a matching name before an open editor with matching letters', () => {
    const editors = [path('Open editors', 'src/features/auth/oauthTokenRefreshStrategy.ts')];
    const files = [path('Files', 'src/todo.ts'), path('Files', 'test/todo.spec.ts')];
    const all = [[], editors, files];
    assert.deepEqual(labels(all, 'todo'), ['todo.ts', 'todo.spec.ts', 'oauthTokenRefreshStrategy.ts']);
  });

  it('show a file with a matching name before a context with matching letters', () => {
    const files = [path('Files', 'src/tests.ts')];
    assert.deepEqual(labels([[context[1] as Mention], [], files], 'tes'), ['tests.ts', 'Terminal selection']);
  });

  it('keep their order for equal matches, and without a query', () => {
    const editors = [path('Open editors', 'a/very/long/path/of/folders/todo.spec.ts')];
    const files = [path('Files', 'todo.ts'), path('Files', 'src/todo.ts')];
    assert.deepEqual(labels([[], editors, files], 'tod'), ['todo.spec.ts', 'todo.ts', 'todo.ts']);
    assert.deepEqual(labels([context, editors, files], '').slice(0, 3), [
      'Problems',
      'Terminal selection',
      'todo.spec.ts',
    ]);
  });
});
