import assert from 'node:assert/strict';
import type { SessionListItem } from '../../../../src/history/sessionSummary';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { attemptOf, racesOf } from '../../../../src/ui/worktrees/raceRows';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';

const record = (id: string, race?: string): WorktreeRecord =>
  ({
    id,
    branch: `parley/${id}`,
    ...(race !== undefined && { race: { id: race, title: `race ${race}` } }),
  }) as WorktreeRecord;
const item = (status: SessionListItem['status']): SessionListItem =>
  ({ status, agent: { name: 'x', title: 'Claude' }, added: 12, removed: 4 }) as SessionListItem;
const played = (...actions: readonly Action[]): SessionState => actions.reduce(reduce, emptySession('one'));
const at = 1000;
const file = { path: '/a', label: 'a', status: 'changed', added: 3, removed: 1 } as const;
const SENT: Action = { type: 'promptSent', text: 'go', blocks: [], at };
const ended = (stopReason: string): Action => ({ type: 'turnEnded', stopReason, at: at + 5000 });

describe('ui/worktrees/raceFeed: race rows', () => {
  it('lists the newest race first, and worktrees without a race last', () => {
    const records = [record('a', '1'), record('b'), record('c', '2'), record('d', '1')];
    const races = racesOf(records, (one) => attemptOf(one, undefined, undefined, 0, 0));
    assert.deepEqual(
      races.map(({ id, title, attempts }) => [id, title, attempts.map((one) => one.id)]),
      [
        ['2', 'race 2', ['c']],
        ['1', 'race 1', ['a', 'd']],
        [undefined, 'Other Worktrees', ['b']],
      ],
    );
  });

  it('shows a running turn with its start, and the activity of the agent', () => {
    const patch = { title: 'npm test\nand more', status: 'running' } as const;
    const tool: Action = { type: 'toolStarted', toolCallId: 't', patch, at };
    const { status, since, activity, ms, agent } = attemptOf(
      record('a'),
      item('running'),
      played(SENT, tool),
      undefined,
      undefined,
    );
    assert.deepEqual([status, since, activity, ms, agent], ['running', at, 'npm test', 0, 'Claude']);
  });

  it('counts the lines of all turns, and not what is under review, which is also in files that were taken', () => {
    const told: Action = { type: 'turnFilesTold', entry: 0, files: [file, file] };
    const { added, removed } = attemptOf(record('a'), item('idle'), played(SENT, ended('end_turn'), told), 1, 0);
    assert.deepEqual([added, removed], [6, 2]);
  });

  for (const [reason, status, outcome] of [
    ['end_turn', 'done', undefined],
    ['cancelled', 'stopped', 'Canceled'],
    ['interrupted', 'stopped', 'Interrupted'],
    ['error', 'stopped', 'Failed'],
    ['unknown_reason', 'stopped', 'Stopped: unknown_reason'],
  ] as const)
    it(`shows a turn that ended with ${reason} as ${outcome ?? status}`, () => {
      const said: Action = { type: 'textAppended', role: 'agent', text: 'First.\n\nAll tests pass.\n', at };
      const shown = attemptOf(record('a'), item('idle'), played(SENT, said, ended(reason)), 2, 1);
      assert.deepEqual(
        [shown.status, shown.outcome, shown.activity, shown.ms, shown.files, shown.since],
        [status, outcome, 'All tests pass.', 5000, 2, undefined],
      );
    });

  it('shows a stored transcript that ends within a turn as Interrupted', () => {
    const { status, outcome, since } = attemptOf(record('a'), item('idle'), played(SENT), 0, 0);
    assert.deepEqual([status, outcome, since], ['stopped', 'Interrupted', undefined]);
  });

  it('shows a worktree without a chat by its branch', () => {
    const { status, agent, files } = attemptOf(record('a'), undefined, undefined, undefined, undefined);
    assert.deepEqual([status, agent, files], ['none', 'parley/a', undefined]);
  });
});
