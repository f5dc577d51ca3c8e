import assert from 'node:assert/strict';
import { lastPromptAfter, parseSummary, summaryOf, summaryOfTranscript } from '../../../src/history/sessionSummary';
import type { TranscriptContent } from '../../../src/history/transcriptFile';
import type { Action } from '../../../src/shared/state/sessionActions';
import { emptySession } from '../../../src/shared/state/sessionState';
import { stubOf } from '../../kit/stubOf';

describe('history/sessionSummary', () => {
  const actions: Action[] = [
    { type: 'promptSent', text: 'Fix it\nplease', blocks: [], at: 1 },
    { type: 'promptSent', text: `And ${'x'.repeat(500)}`, blocks: [], at: 2 },
    { type: 'turnFilesTold', entry: 2, files: [] },
  ];

  const lastPrompt = actions.reduce<string | undefined>(lastPromptAfter, undefined);

  it('contains the first line of the last prompt', () => {
    assert.match(lastPrompt ?? '', /^And x{70,}…$/);
  });

  it('reads back its stored form, also from a transcript whose summary was lost', () => {
    assert.ok(lastPrompt !== undefined);
    const status = { updatedAt: 5, archived: false, lastPrompt };
    const stored = summaryOf(emptySession('s'), status);
    assert.deepEqual(parseSummary('s', JSON.parse(JSON.stringify(stored))), stored);
    assert.deepEqual(summaryOfTranscript(stubOf<TranscriptContent>({ id: 's', actions }), 5), stored);
  });

  it('is rebuilt from a transcript with actions of another form', () => {
    const odd: readonly object[] = [
      { type: 'promptSent', text: 5 },
      { type: 'agentSessionOpened' },
      { type: 'agentNamed' },
      { type: 'titleChanged', title: { a: 1 } },
    ];
    for (const action of odd) {
      const all = [...actions.slice(0, 1), action as Action, ...actions.slice(1)];
      const content = stubOf<TranscriptContent>({ id: 's', actions: all });
      assert.equal(summaryOfTranscript(content, 5).lastPrompt, lastPrompt, JSON.stringify(action));
    }
  });
});
