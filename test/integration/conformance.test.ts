import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { nullLogger } from '../../src/base/logger';
import { FileSystemFeature } from '../../src/client/fs/fileSystemFeature';
import { TerminalFeature } from '../../src/client/terminal/terminalFeature';
import type { MoreFeatures } from '../conformance/bench';
import { conformanceSuite } from '../conformance/suite';
import { makeInside, remove, workspaceFolder } from './clientHelp';

/** Features that only VS Code has: the relay of test/conformance with real files and terminals. */
describe('conformance in the extension host', () => {
  let folder = '';

  before(async () => {
    folder = await makeInside('conformance');
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await remove(folder);
  });

  conformanceSuite('host', () => ({ more, editor: { folder: folder || workspaceFolder(), type } }));
});

const more: MoreFeatures = (lookup) => {
  const files = new FileSystemFeature(lookup, nullLogger);
  const terminals = new TerminalFeature(lookup, nullLogger, () => 1024 * 1024);
  const dispose = (): void => {
    files.dispose();
    terminals.dispose();
  };
  return { features: [files, terminals], services: { dispose } };
};

async function type(path: string, text: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  await vscode.workspace.applyEdit(edit);
}
