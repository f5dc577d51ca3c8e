import { workspaceFolders } from '../editorToolsStub';
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveWorkspaceFile } from '../../../../../src/mcp/builtin/common/workspaceFile';
import { ToolError } from '../../../../../src/mcp/contract/toolServerTypes';
import type { SessionHandle } from '../../../../../src/session/sessionHandle';
import { emptySession } from '../../../../../src/shared/state/sessionState';
import { stubOf } from '../../../../kit/stubOf';
import { temporaryFolder } from '../../../../kit/temporaryFolder';

/** The check that every tool with a file path uses. */
describe('files that tools name', () => {
  const base = temporaryFolder();
  const root = join(base, 'ws');
  const session = stubOf<SessionHandle>({ cwd: root, folders: [root], state: emptySession('s') });

  before(() => {
    for (const folder of ['ws/src', 'ws-evil', 'elsewhere']) mkdirSync(join(base, folder), { recursive: true });
    for (const file of ['ws/src/a.ts', 'ws-evil/a.ts', 'elsewhere/a.ts', 'x']) writeFileSync(join(base, file), '');
    symlinkSync(join(base, 'elsewhere'), join(root, 'out'));
    symlinkSync(join(base, 'elsewhere/a.ts'), join(root, 'out.ts'));
    symlinkSync(join(root, 'src'), join(root, 'in'));
    symlinkSync(root, join(base, 'alias'));
  });
  beforeEach(() => workspaceFolders.push(root));
  afterEach(() => workspaceFolders.splice(0));

  const path = (name: string): string => resolveWorkspaceFile(name, session).uri.fsPath;

  it('are found in the workspace, also through its own links and before they exist', () => {
    assert.equal(path('src/a.ts'), join(root, 'src/a.ts'));
    assert.equal(path(join(root, 'src/a.ts')), join(root, 'src/a.ts'));
    assert.equal(path(`${root}/src/../src/./a.ts`), join(root, 'src/a.ts'));
    assert.equal(path('in/a.ts'), join(root, 'in/a.ts'));
    assert.equal(path('src/new/b.ts'), join(root, 'src/new/b.ts'));
    workspaceFolders.splice(0, 1, join(base, 'alias'));
    assert.equal(path(join(base, 'alias/src/a.ts')), join(base, 'alias/src/a.ts'));
  });

  const ways = ['/../x', '/src/../../x', '/../ws-evil/a.ts', '/out/a.ts', '/out.ts', '/out/new.ts', '/in/../out/a.ts'];
  for (const way of ways) {
    it(`are rejected outside: ${way}`, () => {
      assert.throws(() => path(root + way), ToolError);
      assert.throws(() => path(way.slice(1)), ToolError);
    });
  }
});
