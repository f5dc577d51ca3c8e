import { resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { countChanged, gitChanges } from '../../../../src/ui/attachments/gitChanges';
import { temporaryFolder } from '../../../kit/temporaryFolder';

interface Uri {
  readonly scheme: string;
  readonly fsPath: string;
}
const file = (fsPath: string): Uri => ({ scheme: 'file', fsPath });

describe('ui/attachments: changes of git', () => {
  let top: string;

  beforeEach(() => {
    resetStub();
    top = temporaryFolder();
    for (const name of ['project/lib/nested', 'private']) mkdirSync(join(top, name), { recursive: true });
  });

  /** A repository as the git extension has it, with one changed file in each of the folders. */
  function repository(root: string, folders: readonly string[]): unknown {
    const diff = (kind: string, path = root): Promise<string> => Promise.resolve(`${kind} ${path}`);
    const [staged, ...others] = folders.map((folder) => ({ uri: file(join(folder, 'changed.txt')), status: 5 }));
    return {
      rootUri: file(root),
      state: { workingTreeChanges: others, indexChanges: [staged] },
      diff: (cached = false) => diff(cached ? 'staged' : 'unstaged'),
      diffIndexWithHEAD: (path: string) => diff('staged', path),
      diffWithHEAD: (path: string) => diff('unstaged', path),
    };
  }

  function open(folders: readonly string[], repositories: readonly unknown[]): void {
    const exports = { getAPI: () => ({ repositories }) };
    Object.assign(stub, { Uri: { file } });
    stub.extensions.getExtension = () => ({ isActive: true, exports });
    Object.assign(stub.workspace, { workspaceFolders: folders.map((path) => ({ uri: file(path), name: path })) });
  }

  const both = (path: string): string => `staged ${path}\nunstaged ${path}`;

  it('are those of repositories of the workspace, of one inside of it, and of none elsewhere', async () => {
    const [project, nested, secret] = [join(top, 'project'), join(top, 'project/lib/nested'), join(top, 'private')];
    open(
      [project],
      [repository(secret, [secret]), repository(project, [project]), repository(nested, [nested, nested])],
    );
    assert.equal(await gitChanges(), `${both(project)}\n${both(nested)}`);
    assert.equal(countChanged(), 3);
  });

  it('are only those in the folders of the workspace, where the repository is larger', async () => {
    const [project, lib] = [join(top, 'project'), join(top, 'project/lib')];
    symlinkSync(lib, join(top, 'link'), 'junction');
    open([join(top, 'link')], [repository(project, [project, lib, lib, project])]);
    assert.equal(await gitChanges(), both(lib));
    assert.equal(countChanged(), 2);
  });

  it('are none where only others have a repository', async () => {
    open([join(top, 'project')], [repository(join(top, 'private'), [top])]);
    assert.equal(await gitChanges(), 'There are no changes that are not committed.');
    assert.equal(countChanged(), 0);
  });
});
