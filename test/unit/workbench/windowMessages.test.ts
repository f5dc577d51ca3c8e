import { resetStub, stub } from '../ui/vscodeStub';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import {
  showErrorMessage,
  showInformationMessage,
  showInputBox,
  showWarningMessage,
  withProgress,
} from '../../../src/workbench/windowMessages';
import { standIn } from '../../kit/stubOf';

describe('workbench/windowMessages', () => {
  const hostile = 'Open [the file](command:evil) now';
  const shown: unknown[] = [];

  beforeEach(() => {
    resetStub();
    shown.length = 0;
    const show = async (...args: readonly unknown[]): Promise<undefined> => void shown.push(args);
    Object.assign(stub.window, {
      showInformationMessage: show,
      showWarningMessage: show,
      showErrorMessage: show,
      withProgress: (options: unknown, task: (progress: object) => unknown) => {
        shown.push(options);
        return task({ report: (step: unknown) => shown.push(step) });
      },
    });
  });

  it('shows links as text in messages and their details, and passes on buttons', async () => {
    for (const show of [showInformationMessage, showWarningMessage, showErrorMessage]) {
      await show(hostile, 'Yes', 'No');
      await show(hostile, { modal: true, detail: hostile }, { title: 'Yes' });
    }
    const safe = 'Open [the file] (command:evil) now';
    const both = [
      [safe, 'Yes', 'No'],
      [safe, { modal: true, detail: safe }, { title: 'Yes' }],
    ];
    assert.deepEqual(shown, [...both, ...both, ...both]);
  });

  it('shows links as text in the prompt and the validation of an input box', async () => {
    let given: vscode.InputBoxOptions = {};
    Object.assign(stub.window, {
      showInputBox: async (options: vscode.InputBoxOptions): Promise<string> => {
        given = options;
        return 'typed';
      },
    });
    const options = { title: 'Secret', prompt: hostile, password: true, validateInput: (text: string) => text };
    assert.equal(await showInputBox(options), 'typed');
    const safe = 'Open [the file] (command:evil) now';
    assert.deepEqual([given.title, given.prompt, given.password], ['Secret', safe, true]);
    assert.equal(await given.validateInput?.(hostile), safe);
    const problem: vscode.InputBoxValidationMessage = { message: hostile, severity: standIn(3) };
    await showInputBox({ validateInput: async () => problem });
    assert.deepEqual(await given.validateInput?.(''), { message: safe, severity: 3 });
    await showInputBox({ validateInput: () => undefined });
    assert.equal(await given.validateInput?.(''), undefined);
  });

  it('shows links as text in the title and the reports of a progress', async () => {
    const options = { location: vscode.ProgressLocation?.Notification ?? 15, title: hostile };
    await withProgress(options, async (progress) => progress.report({ message: hostile, increment: 5 }));
    assert.ok(!JSON.stringify(shown).includes('](command:') && shown.length === 2);
  });
});
