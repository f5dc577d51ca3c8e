import { diagnostics, picks, resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/event';
import type { SessionListItem } from '../../../../src/history/sessionSummary';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import { RaceBoard } from '../../../../src/ui/worktrees/raceBoard';
import type { RaceBoardDeps } from '../../../../src/ui/worktrees/raceBoard';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';

const nothing = async (): Promise<void> => undefined;
const item = (id: string, status: SessionListItem['status']): SessionListItem =>
  ({ id, status, agent: { name: id, title: id } }) as SessionListItem;
const record = (session: string): WorktreeRecord => ({
  id: session,
  repository: '/work/app',
  path: `/store/${session}/app`,
  prefix: '',
  branch: `parley/${session}`,
  head: '',
  createdAt: 1,
  isReady: true,
  isDiscarded: false,
  session,
  race: { id: 'r', title: 'Improve it' },
});
/** A turn that was cut, or that has ended after a time. */
const turn = (id: string, stopReason?: string): SessionState => {
  const started = reduce(emptySession(id), { type: 'promptSent', text: 'go', blocks: [], at: 1_000 });
  return stopReason === undefined ? started : reduce(started, { type: 'turnEnded', stopReason, at: 6_000 });
};

describe('ui/worktrees/raceBoard', () => {
  beforeEach(() => {
    resetStub();
    const [file, message] = [{ scheme: 'file', fsPath: '/store/ended/app/a.ts' }, 'wrong'];
    diagnostics.splice(0, Infinity, [file, [0, 3].map((severity) => ({ severity, message }))]);
    Object.assign(stub.workspace, { workspaceFolders: [{ uri: { scheme: 'file', fsPath: '/store/ended/app' } }] });
  });

  it('shows how each attempt stands, also of a chat that is not open, its time and its new problems', async () => {
    const states = new Map([
      ['cut', turn('cut')],
      ['ended', turn('ended', 'end_turn')],
      ['broken', turn('broken', 'error')],
      ['asking', turn('asking')],
    ]);
    const items = new Map([...states.keys()].map((id) => [id, item(id, id === 'asking' ? 'waiting' : 'idle')]));
    const changed = new Emitter<void>();
    const read: string[] = [];
    const deps: RaceBoardDeps = {
      worktrees: {
        all: () => [...states.keys(), 'gone'].map(record),
        changes: async () => [],
        onDidChange: changed.event,
      },
      catalog: {
        item: (id) => items.get(id),
        transcript: async (id) => {
          read.push(id);
          return states.get(id);
        },
        onDidChange: changed.event,
      },
      open: () => undefined,
      onDidChangeSession: changed.event,
      actions: { show: nothing, compare: nothing, takeAll: nothing, openInNewWindow: nothing, discard: nothing },
    };
    const board = new RaceBoard(deps);
    board.show();
    // The states are read in the background, and the rows drawn again.
    const rows = (): readonly string[] => picks[0]?.rows ?? [];
    while (!rows().some((row) => row.includes('interrupted'))) await new Promise((again) => setTimeout(again, 20));
    assert.deepEqual(rows(), [
      '— Improve it',
      '$(circle-slash) cut | interrupted · 0 files · problems not checked · parley/cut',
      '$(pass) ended | done · 0 files · 1 new problem · 5 s · parley/ended',
      '$(error) broken | failed · 0 files · problems not checked · 5 s · parley/broken',
      '$(bell-dot) asking | waiting for you · 0 files · problems not checked · parley/asking',
      '$(git-branch) parley/gone | no chat · 0 files · problems not checked · parley/gone',
    ]);
    assert.deepEqual(read.toSorted(), ['asking', 'broken', 'cut', 'ended', 'gone'], 'each is read once');
    board.dispose();
  });
});
