import assert from 'node:assert/strict';
import { activityAfter, parseSummary, summaryOf, summaryOfTranscript } from '../../../src/history/sessionSummary';
import type { TranscriptContent } from '../../../src/history/transcriptFile';
import type { Action } from '../../../src/shared/state/sessionActions';
import { emptySession } from '../../../src/shared/state/sessionState';
import { stubOf } from '../../kit/stubOf';

describe('history/sessionSummary', () => {
  const file = (added: number, removed: number) =>
    ({ path: '/a', label: 'a', status: 'changed', added, removed }) as const;
  const actions: Action[] = [
    { type: 'promptSent', text: 'Fix it\nplease', blocks: [], at: 1 },
    { type: 'turnFilesTold', entry: 0, files: [file(10, 1), file(2, 0)] },
    { type: 'promptSent', text: `And ${'x'.repeat(500)}`, blocks: [], at: 2 },
    { type: 'turnFilesTold', entry: 2, files: [file(0, 5)] },
  ];

  it('sums up the changed lines of all turns, and contains the first line of the last prompt', () => {
    const activity = actions.reduce(activityAfter, {});
    assert.deepEqual([activity.added, activity.removed], [12, 6]);
    assert.match(activity.lastPrompt ?? '', /^And x{70,}…$/);
  });

  it('reads back its stored form, also from a transcript whose summary was lost', () => {
    const status = { updatedAt: 5, archived: false, ...actions.reduce(activityAfter, {}) };
    const stored = summaryOf(emptySession('s'), status);
    assert.deepEqual(parseSummary('s', JSON.parse(JSON.stringify(stored))), stored);
    const { added, removed, lastPrompt } = summaryOfTranscript(stubOf<TranscriptContent>({ id: 's', actions }), 5);
    assert.deepEqual({ updatedAt: 5, archived: false, added, removed, lastPrompt }, status);
  });

  it('is rebuilt from a transcript with actions of another form', () => {
    const odd: readonly object[] = [
      { type: 'turnFilesTold' },
      { type: 'turnFilesTold', files: [null] },
      { type: 'promptSent', text: 5 },
      { type: 'agentSessionOpened' },
      { type: 'agentNamed' },
      { type: 'titleChanged', title: { a: 1 } },
    ];
    for (const action of odd) {
      const all = [...actions.slice(0, 2), action as Action, ...actions.slice(2)];
      const content = stubOf<TranscriptContent>({ id: 's', actions: all });
      const { added, lastPrompt } = summaryOfTranscript(content, 5);
      assert.deepEqual([added, lastPrompt?.slice(0, 3)], [12, 'And'], JSON.stringify(action));
    }
  });
});
