import assert from 'node:assert/strict';
import type { PageEnvironment } from '../../../../src/shared/protocol/chatPageProtocol';
import { entriesFrom } from '../../../../src/shared/state/entryPages';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { shownPart } from '../../../../src/webview/chat/storedConversation';
import { longSession } from '../../../bench/longSession';

const environment: PageEnvironment = { agents: [], trusted: true, mac: false };

function stored(state: SessionState, anchor?: number): SessionState | undefined {
  return shownPart(state, environment, anchor, 'build')?.state;
}

const indexes = (state: SessionState | undefined): number[] =>
  state ? Array.from(entriesFrom(state.entries), ([index]) => index) : [];

describe('webview/chat/storedConversation', () => {
  it('stores the end of a long session, under the same numbers', () => {
    const state = longSession('long', 5000);
    const part = stored(state);
    assert.equal(part?.entries.count, 5000);
    assert.deepEqual([indexes(part)[0], indexes(part).at(-1)], [4976, 4999]);
    assert.ok(JSON.stringify(part).length < 20_000);
  });

  it('stores what is visible around an earlier place', () => {
    assert.deepEqual([indexes(stored(longSession('long', 5000), 40))[0]], [32]);
    assert.deepEqual([indexes(stored(longSession('long', 5000), 4999))[0]], [4976]);
  });

  it('stores no turn, request, output or agent that runs, nor the active editor', () => {
    const state = [
      { type: 'connectionChanged', connection: { status: 'ready' } },
      { type: 'promptSent', text: 'Go', blocks: [], at: 1 },
      { type: 'terminalCreated', terminalId: 't', command: 'ls', at: 1 },
      { type: 'messageQueued', message: { id: 'q', text: 'Next', attachments: [], at: 1 } },
    ].reduce((before, action) => reduce(before, action as Parameters<typeof reduce>[1]), emptySession('one'));
    const editor = { kind: 'active', uri: 'file:///secret.ts', label: 'secret.ts' } as const;
    const part = shownPart(state, { ...environment, editor }, undefined, 'build');
    assert.deepEqual(part?.state, { ...emptySession('one'), entries: state.entries });
    assert.deepEqual(part.environment, environment);
  });

  it('stores nothing that is too large', () => {
    const state = reduce(emptySession('one'), {
      type: 'textAppended',
      role: 'agent',
      text: 'x'.repeat(200_000),
      at: 1,
    });
    assert.equal(stored(state), undefined);
  });
});
