// Imported first: later imports get this stub of `vscode`.
import { picks, resetStub, stub } from '../../vscodeStub';
import assert from 'node:assert/strict';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeTarget } from '../../../../../src/ui/chat/content/codeTarget';
import { temporaryFolder } from '../../../../kit/temporaryFolder';
import { until } from '../../../../kit/waiting';

describe('the file of a code block that names none', () => {
  let folder: string;
  const before = { window: { ...stub.window }, workspace: { ...stub.workspace } };
  const at = (name: string): string => join(folder, name);

  beforeEach(() => {
    resetStub();
    folder = realpathSync(temporaryFolder());
    for (const name of ['seen.ts', 'linked.ts']) writeFileSync(at(name), 'x\n');
    Object.assign(stub.workspace, {
      asRelativePath: ({ fsPath }: { fsPath: string }) => fsPath.slice(folder.length + 1),
    });
  });

  afterEach(() => {
    Object.assign(stub.window, before.window);
    Object.assign(stub.workspace, before.workspace);
  });

  function show(...names: string[]): void {
    const editors = names.map((name) => ({
      viewColumn: 1,
      document: { uri: { scheme: 'file', fsPath: at(name), toString: () => at(name) }, fileName: at(name) },
    }));
    Object.assign(stub.window, { activeTextEditor: editors[0], visibleTextEditors: editors });
  }

  async function target(links: readonly string[], choose?: string): Promise<string | undefined> {
    const found = codeTarget([folder], { code: 'y', info: 'ts', links });
    if (choose !== undefined) {
      await until(() => picks.length > 0);
      assert.deepEqual(picks[0]?.labels, ['seen.ts', 'linked.ts']);
      picks[0]?.accept(choose);
    }
    const result = await found;
    return result && ('problem' in result ? result.problem : result.uri.fsPath);
  }

  it('is the one in the editor, or the only one that the message links to', async () => {
    show('seen.ts');
    assert.equal(await target(['gone.ts', 'seen.ts']), at('seen.ts'));
    show();
    assert.equal(await target(['linked.ts', './linked.ts']), at('linked.ts'));
    assert.equal(await target(['/etc/passwd']), 'Open the file that you want to change, then apply the code again.');
  });

  it('is one of the visible and linked ones that the user selects', async () => {
    show('seen.ts');
    assert.equal(await target(['linked.ts'], 'linked.ts'), at('linked.ts'));
  });
});
