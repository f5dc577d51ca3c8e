import assert from 'node:assert/strict';
import type { Action } from '../../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../../src/shared/state/sessionReducer';
import type { SessionState } from '../../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../../src/shared/state/sessionState';
import { markdownToText } from '../../../../../src/shared/text/markdownToText';
import { ConversationSearch } from '../../../../../src/webview/chat/transcript/conversationSearch';

const ask = (text: string): Action => ({ type: 'promptSent', text, blocks: [], at: 1 });
const say = (text: string): Action => ({ type: 'textAppended', role: 'agent', text, at: 1 });
const after = (state: SessionState, ...actions: readonly Action[]): SessionState => actions.reduce(reduce, state);
const never = (): boolean => false;

describe('conversation search', () => {
  let search: ConversationSearch;
  let state: SessionState;
  const find = (query: string, isCased = false): number => {
    search.setQuery(query, isCased);
    search.update(state, never);
    return search.total;
  };
  beforeEach(() => {
    search = new ConversationSearch();
    state = after(
      emptySession('s'),
      ask('one two one'),
      say('nothing'),
      ask('One'),
      say('**o**ne `one` [one](http://one)'),
      { type: 'turnEnded', stopReason: 'end_turn', at: 1 },
    );
  });

  it('counts what messages show, without markup', () => {
    assert.equal(find('one'), 6);
    assert.equal(find('one', true), 5);
    assert.equal(find(''), 0);
    assert.equal(find('.*'), 0);
  });

  it('moves through matches around both ends', () => {
    find('one');
    const all = [0, 0, 2, 3, 3, 3, 0];
    let match = search.nearest(0);
    for (const entry of all) {
      assert.equal(match?.entry, entry);
      match = match && search.after(match);
    }
    match = search.nearest(0);
    for (const entry of all.toReversed()) {
      assert.equal(match?.entry, entry);
      match = match && search.before(match);
    }
    assert.deepEqual(search.nearest(1), { entry: 2, index: 0 });
    assert.equal(search.ordinal({ entry: 3, index: 2 }), 6);
    find('two');
    assert.deepEqual(search.nearest(2), { entry: 0, index: 0 });
  });

  it('counts what changes, and what the page shows of an entry until it changes', () => {
    find('one');
    search.correct(3, 1);
    assert.equal(search.total, 4);
    state = after(state, ask('one'));
    search.update(state, never);
    assert.equal(search.total, 5);
    assert.deepEqual(search.before({ entry: 3, index: 2 }), { entry: 3, index: 0 });
    search.correct(3, 0);
    assert.deepEqual(search.before({ entry: 3, index: -1 }), { entry: 2, index: 0 });
    assert.deepEqual(search.after({ entry: 3, index: -1 }), { entry: 4, index: 0 });
  });

  it('finds the output of commands as it grows', () => {
    const patch = {
      title: 'Run',
      tool: 'execute',
      status: 'running',
      content: [{ type: 'terminal', terminalId: 't' }],
    } as const;
    state = after(
      emptySession('s'),
      { type: 'terminalCreated', terminalId: 't', command: 'run', tty: true, at: 1 },
      { type: 'toolStarted', toolCallId: 'a', patch, at: 1 },
      { type: 'terminalOutput', terminalId: 't', data: 'one\r\n' },
    );
    assert.equal(find('one'), 1);
    state = after(state, { type: 'terminalOutput', terminalId: 't', data: 'one\r\n' });
    search.update(state, never);
    assert.equal(search.total, 2);
  });

  it('works in slices', () => {
    search.setQuery('one', false);
    let slices = 1;
    while (slices < 9 && !search.update(state, () => true)) slices++;
    assert.equal(slices, 5);
    assert.equal(search.total, 6);
  });

  it('takes linear time for hostile texts', () => {
    const texts = [
      'a'.repeat(2_000_000),
      '['.repeat(500_000),
      '*'.repeat(500_000),
      '`'.repeat(500_000),
      '[a]('.repeat(100_000),
    ];
    state = after(
      emptySession('s'),
      ...[...texts, 'İe\u0301'.repeat(200_000), '\u202e'.repeat(500_000)].map(ask),
      say(texts.join('\n')),
    );
    assert.ok(find('a') > 0);
    assert.equal(find(`${'a'.repeat(999)}b`), 0);
    assert.equal(find('E\u0301'), 10_000);
    assert.ok(find('\u202e') > 0);
  });
});

describe('markdownToText', () => {
  it('keeps what a message shows', () => {
    const markdown = '## A **b**c\n> - [d](e) `f*` snake_case *g* 2 * 3\n```py\ndef h(**i):\n```\n__j__';
    assert.equal(markdownToText(markdown), 'A bc\nd f* snake_case g 2 * 3\n\ndef h(**i):\n\nj');
  });
});
