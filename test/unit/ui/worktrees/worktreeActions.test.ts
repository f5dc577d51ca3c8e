import { resetStub, stub, toasts } from '../vscodeStub';
import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/event';
import type { DiscardWorktree } from '../../../../src/ui/worktrees/discardWorktree';
import type { TakeChanges } from '../../../../src/ui/worktrees/takeChanges';
import { WorktreeActions } from '../../../../src/ui/worktrees/worktreeActions';
import { registerWorktreeContextKey } from '../../../../src/ui/worktrees/worktreeContextKey';
import type { WorktreePicker } from '../../../../src/ui/worktrees/worktreePicker';
import type { WorktreeChange } from '../../../../src/worktrees/worktreeChanges';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { stubOf } from '../../../kit/stubOf';

class FileUri {
  readonly scheme = 'file';
  readonly fsPath: string;
  constructor(fsPath: string) {
    this.fsPath = fsPath;
  }
  toString(): string {
    return `file://${this.fsPath}`;
  }
}

/** What Compare shows: a file of one attempt beside that of another. */
describe('ui/worktrees/worktreeActions', () => {
  const { Uri } = stub;
  const [LEFT, RIGHT, MAIN] = ['/storage/one/a.txt', '/storage/two/a.txt', '/work/a.txt'].map(
    (path) => new FileUri(path),
  );
  const editor = (uri: FileUri | undefined, line: number): object => ({
    document: { uri },
    selection: { active: { line } },
  });
  const records: Record<string, WorktreeRecord> = {};
  const worktrees = {
    usable: () => [{ id: 'two', branch: 'parley/x', path: '/storage/two', repository: '/work' } as WorktreeRecord],
    around: (path: string) => {
      const [, id = ''] = /^\/storage\/(\w+)/.exec(path) ?? [];
      return id === '' ? undefined : (records[id] ??= { id, path: `/storage/${id}` } as WorktreeRecord);
    },
  };
  const tabGroups = {
    activeTabGroup: { activeTab: undefined as undefined | { label: string } },
    onDidChangeTabs: () => ({ dispose() {} }),
    onDidChangeTabGroups: () => ({ dispose() {} }),
  };

  const actionsOf = (take: TakeChanges): WorktreeActions =>
    new WorktreeActions(stubOf<Worktrees>(worktrees), stubOf<WorktreePicker>({}), stubOf<DiscardWorktree>({}), take);

  beforeEach(() => {
    resetStub();
    Object.assign(stub, { Uri: FileUri });
    Object.assign(stub.window, { tabGroups });
    tabGroups.activeTabGroup.activeTab = undefined;
  });

  afterEach(() => void Object.assign(stub, { Uri }));

  it('takes the hunk at the cursor of the file whose menu was used, not of the other editor', async () => {
    const right = editor(RIGHT, 7);
    Object.assign(stub.window, { activeTextEditor: right, visibleTextEditors: [right, editor(LEFT, 2)] });
    const taken: unknown[] = [];
    const hunk = async ({ id }: WorktreeRecord, name: string, line: number): Promise<void> =>
      void taken.push([id, name, line]);
    const take = stubOf<TakeChanges>({ hunk });
    const actions = actionsOf(take);
    for (const target of [LEFT, RIGHT, undefined]) await actions.takeHunk(target);
    assert.deepEqual(taken, [
      ['one', 'a.txt', 2],
      ['two', 'a.txt', 7],
      ['two', 'a.txt', 7],
    ]);
  });

  it('takes a file from the workspace side of a comparison, but no hunk, because its lines differ', async () => {
    const main = editor(MAIN, 3);
    Object.assign(stub.window, { activeTextEditor: main, visibleTextEditors: [main] });
    const taken: unknown[] = [];
    const take = stubOf<TakeChanges>({
      file: async ({ id }: WorktreeRecord, name: string) => void taken.push([id, name]),
    });
    const actions = actionsOf(take);
    await actions.takeFile(MAIN);
    tabGroups.activeTabGroup.activeTab = { label: 'Workspace ↔ parley/x (1 file)' };
    await actions.takeFile(MAIN);
    await actions.takeHunk(MAIN);
    assert.deepEqual(taken, [['two', 'a.txt']]);
    assert.deepEqual(
      toasts.map(({ message }) => message),
      ['Open a file in a worktree first.', 'Put the cursor on a change in the file of the worktree.'],
    );
  });

  it('compares the changes of a worktree, and names those that are too large', async () => {
    const record = { id: 'two', branch: 'parley/x', path: '/storage/two', repository: '/work' } as WorktreeRecord;
    const change: WorktreeChange = {
      name: 'a.txt',
      status: 'added',
      before: undefined,
      after: '1',
      isExecutable: false,
      isModeChanged: false,
      isSpecial: false,
    };
    const large = ['b.bin', 'c.bin', 'd.bin', 'e.bin'].map((name) => ({ ...change, name, isLarge: true }) as const);
    const changes = async (): Promise<readonly WorktreeChange[]> => [change, ...large];
    const compared: unknown[] = [];
    const { executeCommand } = stub.commands;
    Object.assign(FileUri, { file: (path: string) => new FileUri(path) });
    Object.assign(stub.workspace, { fs: { stat: async () => ({ type: 1 }) } });
    stub.commands.executeCommand = async (...[, , rows]: unknown[]) => void compared.push(String(rows));
    const actions = new WorktreeActions(
      stubOf<Worktrees>({ ...worktrees, changes }),
      stubOf<WorktreePicker>({ chooseOrActive: async () => record }),
      stubOf<DiscardWorktree>({}),
      stubOf<TakeChanges>({}),
    );
    await actions.compare();
    stub.commands.executeCommand = executeCommand;
    assert.deepEqual(compared, ['file:///storage/two/a.txt,file:///work/a.txt,file:///storage/two/a.txt']);
    assert.deepEqual(
      toasts.map(({ message }) => message),
      ['Not compared, because they are larger than 100 MB: b.bin, c.bin, d.bin and 1 more'],
    );
  });

  it('offers Take only for worktree files and their comparisons', () => {
    const [activated, changed] = [new Emitter<void>(), new Emitter<void>()];
    const values: unknown[] = [];
    Object.assign(stub.window, { activeTextEditor: undefined, onDidChangeActiveTextEditor: activated.event });
    const { executeCommand } = stub.commands;
    stub.commands.executeCommand = async (...args: unknown[]) => void values.push(args.at(-1));
    const key = registerWorktreeContextKey(stubOf<Worktrees>({ ...worktrees, onDidChange: changed.event }));
    for (const uri of [MAIN, RIGHT, LEFT, MAIN, undefined]) {
      Object.assign(stub.window, { activeTextEditor: uri && editor(uri, 0) });
      activated.fire();
    }
    tabGroups.activeTabGroup.activeTab = { label: 'Workspace ↔ parley/x (1 file)' };
    activated.fire();
    tabGroups.activeTabGroup.activeTab = { label: 'Workspace ↔ parley/x-2 (1 file)' };
    activated.fire();
    key.dispose();
    stub.commands.executeCommand = executeCommand;
    assert.deepEqual(values, [true, false, true, false]);
  });
});
