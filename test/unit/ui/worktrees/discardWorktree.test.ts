import { resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Emitter } from '../../../../src/base/event';
import type { Session } from '../../../../src/session/session';
import type { Sessions } from '../../../../src/session/sessions';
import type { Window } from '../../../../src/ui/window';
import { DiscardWorktree } from '../../../../src/ui/worktrees/discardWorktree';
import { registerWorktrees } from '../../../../src/ui/worktrees/registerWorktrees';
import type { WorktreeSetup } from '../../../../src/ui/worktrees/worktreeSetup';
import type { WorktreeWork } from '../../../../src/worktrees/worktreeChanges';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';
import type { DiscardOutcome, Worktrees } from '../../../../src/worktrees/worktrees';
import { stubOf } from '../../../kit/stubOf';

describe('discarding a worktree', () => {
  const path = join('/store', 'w', 'app');
  const record = { id: 'w', path, branch: 'parley/x' } as WorktreeRecord;
  let steps: string[];
  let work: WorktreeWork;
  let outcomes: DiscardOutcome[];
  let discarding: DiscardWorktree;

  beforeEach(() => {
    resetStub();
    [steps, work, outcomes] = [[], { uncommitted: ['a.txt'], commits: [], begun: [], ignored: [] }, ['discarded']];
    const ended = new Emitter<void>();
    const session = {
      cwd: path,
      state: { turn: { status: 'running' }, entries: { count: 1 } },
      onDidDispatch: ended.event,
      turn: {
        stop: () => {
          steps.push('stop');
          session.state.turn.status = 'idle';
          ended.fire();
        },
      },
      setFolder: (folder: string | undefined, branch?: string) => steps.push(`folder ${folder}, ${branch}`),
    };
    const worktrees = {
      around: () => record,
      workingFolder: () => path,
      work: async () => {
        steps.push('read');
        return work;
      },
      discard: async (_id: string, agreed: WorktreeWork | undefined) => {
        steps.push(`discard ${agreed?.uncommitted.join()}`);
        const outcome = outcomes.shift() ?? assert.fail('no more');
        if (outcome === 'changed') work = { uncommitted: ['a.txt', 'b.txt'], commits: [], begun: [], ignored: [] };
        return outcome;
      },
    };
    discarding = new DiscardWorktree(
      stubOf<Worktrees>(worktrees),
      stubOf<Sessions>({ allOpen: () => [stubOf<Session>(session as object)] }),
      stubOf<WorktreeSetup>({ stop: async () => void steps.push('end setup') }),
      { show: (notice) => void steps.push(notice?.text ?? '') },
    );
    Object.assign(stub.workspace, { textDocuments: [] });
    Object.assign(stub.window, { tabGroups: { all: [] } });
  });

  /** The items that each dialog named. */
  function answer(text: string | undefined): string[] {
    const asked: string[] = [];
    Object.assign(stub.window, {
      showWarningMessage: async (_message: string, { detail }: { detail: string }) => {
        steps.push('ask');
        asked.push(detail);
        return text;
      },
    });
    return asked;
  }
  const { showWarningMessage } = stub.window;
  afterEach(() => Object.assign(stub.window, { showWarningMessage }));

  it('stops the agent and the setup before it lists what would be lost', async () => {
    answer('Discard');
    await discarding.discard(record);
    const end = ['discard a.txt', `folder ${path}, parley/x (discarded)`, 'Discarded the worktree “parley/x”.'];
    assert.deepEqual(steps, ['stop', 'end setup', 'read', 'ask', ...end]);
  });

  it('does not ask for what the user has agreed to lose, only if there is more now', async () => {
    const asked = answer('Discard');
    await discarding.discard(record, { uncommitted: ['a.txt'], commits: [], begun: [], ignored: [] });
    assert.deepEqual([asked, steps.includes('discard a.txt')], [[], true]);
    outcomes = ['discarded'];
    await discarding.discard(record, { uncommitted: [], commits: [], begun: [], ignored: [] });
    assert.match(asked.join(), /a\.txt/);
  });

  it('asks again if more changes appeared meanwhile', async () => {
    outcomes = ['changed', 'noRepository'];
    const asked = answer('Discard');
    await discarding.discard(record);
    assert.equal(asked.length, 2);
    assert.match(asked[1] ?? '', /• a\.txt\n• b\.txt/);
    assert.ok(steps.includes('discard a.txt,b.txt'));
    assert.match(steps.at(-1) ?? '', /the branch may still exist/);
  });

  it('names unsaved editors, also those that appear while it asks', async () => {
    const dirty = (name: string): object => ({ isDirty: true, uri: { scheme: 'file', fsPath: join(path, name) } });
    Object.assign(stub.workspace, { textDocuments: [dirty('one.txt')] });
    const asked = answer('Discard');
    const ask = Reflect.get(stub.window, 'showWarningMessage') as (...args: unknown[]) => unknown;
    Object.assign(stub.window, {
      showWarningMessage: (...args: unknown[]) => {
        Object.assign(stub.workspace, { textDocuments: [dirty('one.txt'), dirty('two.txt')] });
        return ask(...args);
      },
    });
    await discarding.discard(record);
    assert.match(asked[0] ?? '', /Unsaved editors:\n• one\.txt\n\n/);
    assert.match(asked[1] ?? '', /• one\.txt\n• two\.txt/);
    assert.equal(steps.filter((step) => step.startsWith('discard')).length, 1);
  });

  it('names unsaved notebooks and custom editors, which are no text documents', async () => {
    const input = (name: string): object =>
      Object.assign(new stub.TabInputCustom(), { uri: { scheme: 'file', fsPath: join(path, name) } });
    const tabs = ['a.ipynb', 'saved.bin'].map((name) => ({ input: input(name), isDirty: name === 'a.ipynb' }));
    Object.assign(stub.window, { tabGroups: { all: [{ tabs: [...tabs, ...tabs] }] } });
    const asked = answer(undefined);
    await discarding.discard(record);
    assert.match(asked[0] ?? '', /Unsaved editors:\n• a\.ipynb\n\n/);
  });

  const ignored = (name: string, files: number, bytes: number): WorktreeWork['ignored'][number] => ({
    name,
    files,
    bytes,
    changedAt: 1,
    isPartial: false,
  });
  const ignoredLists: readonly (readonly [WorktreeWork['ignored'], string])[] = [
    [[ignored('.env.local', 1, 3)], '1 ignored file, 3 B:\n• .env.local\n\n'],
    [[ignored('.env.local', 1, 3), ignored('build/', 2, 1021)], '3 ignored files, 1.0 kB:\n• .env.local\n• build/\n\n'],
    [[{ ...ignored('build/', 2, 6), isPartial: true }], 'Ignored files, at least 2 (6 B):\n• build/\n\n'],
  ];
  for (const [list, text] of ignoredLists) {
    it(`names ignored files with their number and size: ${text.split('\n')[0]}`, async () => {
      work = { uncommitted: [], commits: [], begun: [], ignored: list };
      const asked = answer(undefined);
      await discarding.discard(record);
      assert.equal(asked[0], `${text}${path}`);
    });
  }

  it('deletes nothing without confirmation', async () => {
    answer(undefined);
    await discarding.discard(record);
    assert.deepEqual(steps, ['stop', 'end setup', 'read', 'ask']);
  });
});

describe('a session in a worktree', () => {
  it('is selected from the start, and is rejected while another window uses the worktree', async () => {
    resetStub();
    const register = (): object => ({ dispose() {} });
    Object.assign(stub.window, {
      onDidChangeActiveTextEditor: register,
      registerFileDecorationProvider: register,
      tabGroups: { onDidChangeTabs: register, onDidChangeTabGroups: register, activeTabGroup: {} },
    });
    const used: string[] = [];
    const worktrees = {
      reserve: (folder: string) => {
        used.push(folder);
        return folder !== '/store/theirs';
      },
      around: () => undefined,
      usable: () => [],
      onDidChange: register,
    };
    const [changed, active, inView] = [new Emitter<object>(), new Emitter<object>(), new Emitter<object>()];
    const sessions = {
      allOpen: () => [{ cwd: '/store/mine' }],
      onDidChange: changed.event,
      onDidChangeActive: active.event,
      onDidChangeInView: inView.event,
    };
    const ui = registerWorktrees(stubOf<Window>({ worktrees, sessions, chat: {} } as object));
    active.fire({ cwd: '/store/opened' });
    assert.deepEqual(used, ['/store/mine', '/store/opened']);
    const session = (cwd: string): Session => stubOf<Session>({ cwd });
    await ui.beforePrompt(session('/store/mine'), 1);
    await assert.rejects(ui.beforePrompt(session('/store/theirs'), 1), /Another window is using this worktree/);
    ui.dispose();
  });
});
