import assert from 'node:assert/strict';
import type { TranscriptContent } from '../../../../src/history/transcriptFile';
import { forkCut, transcriptBefore } from '../../../../src/session/commands/forkFromEntry';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { hostile } from '../../../kit/hostile';
import { play } from '../../shared/state/states';

const prompt = (at: number): Action => ({ type: 'promptSent', text: 'go', blocks: [], at });
const say = (at: number): Action => ({ type: 'textAppended', role: 'agent', text: 'done', at });
const tool = (at: number): Action => ({ type: 'toolStarted', toolCallId: 't', patch: {}, at });
const end: Action = { type: 'turnEnded', stopReason: 'end_turn', at: 9 };
const transcript = (...actions: Action[]): TranscriptContent => ({ id: 's', actions, diffs: new Map(), damaged: 1 });

describe('a transcript up to an entry', () => {
  it('contains the actions up to there, and everything else of the transcript', () => {
    const whole = transcript(prompt(1), say(2), end, prompt(3));
    assert.deepEqual(transcriptBefore(whole, 2), { ...whole, actions: whole.actions.slice(0, 3) });
    assert.deepEqual(transcriptBefore(whole, 0), { ...whole, actions: [] });
  });

  it('contains neither the agent session nor checkpoints', () => {
    const own: Action[] = [
      { type: 'agentSessionOpened', session: { id: 'x', cwd: '/w' } },
      { type: 'agentSessionDated', updatedAt: 1 },
      { type: 'checkpointRestored', entry: 0, undoId: 'u', at: 1 },
      { type: 'restoreUndone', undoId: 'u' },
    ];
    for (const action of own)
      assert.deepEqual(transcriptBefore(transcript(prompt(1), action, end), 1).actions, [prompt(1), end], action.type);
  });

  it('ends a running turn at the time of its last entry', () => {
    const ended = (at: number): Action => ({ type: 'turnEnded', stopReason: 'cancelled', at });
    const { actions } = transcriptBefore(transcript(prompt(1), tool(5), tool(7)), 2);
    assert.deepEqual(actions, [prompt(1), tool(5), ended(5)]);
  });

  it('keeps actions that cannot be applied', () => {
    const unknown: Action = hostile({ type: 'fromTheFuture' });
    assert.throws(() => play(unknown));
    const { actions } = transcriptBefore(transcript(prompt(1), unknown, say(2), end), 2);
    assert.deepEqual(actions, [prompt(1), unknown, say(2), end]);
  });
});

describe('the entry at which a fork ends', () => {
  const cases: [what: string, actions: Action[], cuts: number[]][] = [
    ['a message of the person is left out', [prompt(1), prompt(2)], [0, 1]],
    ['no answer follows in the turn: all of it', [tool(1), tool(2), prompt(3)], [2, 2, 2]],
    ['an answer follows: only up to here', [tool(1), tool(2), say(3), tool(4)], [1, 2, 4, 4]],
    ['nothing follows', [say(1)], [1]],
  ];
  for (const [what, actions, cuts] of cases) {
    it(what, () => {
      const state = play(...actions);
      const found = cuts.map((_, entry) => forkCut(state, entry));
      assert.deepEqual(found, cuts);
    });
  }
});
