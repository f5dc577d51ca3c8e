import assert from 'node:assert/strict';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { Entry, SessionState } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { MAX_TERMINAL_TAIL_CHARS } from '../../../../src/shared/state/terminalState';
import { entries, play, withEntries, withEntry } from './states';

const user: Entry = { kind: 'user', text: 'go', blocks: [], at: 1 };
const open: Entry = { kind: 'agent', text: 'half', blocks: [], at: 2 };
const prompt: Action = { type: 'promptSent', text: 'go', blocks: [], at: 1 };
const say: Action = { type: 'textAppended', role: 'agent', text: 'half', at: 2 };
const image = { type: 'image', data: 'AA==', mimeType: 'image/png' } as const;
const expansion = { name: 'fix', label: 'fix.md', path: '/w/fix.md', text: 'Fix it' };
const tool: Action = { type: 'toolStarted', toolCallId: 't', patch: { status: 'running' }, at: 3 };
const turn = { status: 'running', startedAt: 1, firstEntry: 0 } as const;

const agent = { name: 'gemini', title: 'Gemini' };
const selector = { id: 'm', name: 'Mode', source: 'mode', kind: 'boolean', value: true } as const;
const command = { name: 'init', description: '' };
const named: SessionState = {
  ...emptySession('s', agent),
  agentSession: { id: 'a', cwd: '/w', updatedAt: 5 },
  choices: { m: true },
  selectors: [selector],
  commands: [command],
  title: 'Old',
};
const { agentSession: _session, choices: _choices, ...unbound } = named;
const { title: _title, ...untitled } = named;

describe('a field of the session', () => {
  const cost = { amount: 1, currency: 'EUR' };
  const cases: Record<string, [before: SessionState, action: Action, after: SessionState]> = {
    'the same agent keeps its session': [
      named,
      { type: 'agentNamed', agent: { ...agent, version: '2' } },
      { ...named, agent: { ...agent, version: '2' } },
    ],
    'another agent has no session, no choices and no offers': [
      named,
      { type: 'agentNamed', agent: { name: 'claude', title: 'Claude' } },
      { ...unbound, agent: { name: 'claude', title: 'Claude' }, selectors: [], commands: [] },
    ],
    'the session of the agent': [
      named,
      { type: 'agentSessionOpened', session: { id: 'b', cwd: '/v' } },
      { ...named, agentSession: { id: 'b', cwd: '/v' }, folder: '/v' },
    ],
    'another folder has no session and no offers': [
      named,
      { type: 'folderChosen', folder: '/v' },
      { ...unbound, folder: '/v', choices: { m: true }, selectors: [], commands: [] },
    ],
    'the default folder': [
      { ...unbound, folder: '/v' },
      { type: 'folderChosen', folder: null },
      { ...unbound, selectors: [], commands: [] },
    ],
    'its date': [
      named,
      { type: 'agentSessionDated', updatedAt: 9 },
      { ...named, agentSession: { id: 'a', cwd: '/w', updatedAt: 9 } },
    ],
    'no date any more': [
      named,
      { type: 'agentSessionDated', updatedAt: null },
      { ...named, agentSession: { id: 'a', cwd: '/w' } },
    ],
    'no date without a session': [unbound, { type: 'agentSessionDated', updatedAt: 9 }, unbound],
    'a branch': [named, { type: 'branched' }, { ...named, hasUnknownEntries: true }],
    'a title of the person': [
      named,
      { type: 'sessionRenamed', title: 'Mine' },
      { ...named, title: 'Mine', renamed: true },
    ],
    'a title of the agent': [named, { type: 'titleChanged', title: 'New' }, { ...named, title: 'New' }],
    'no title any more': [named, { type: 'titleChanged', title: null }, untitled],
    'a title of the agent after one of the person': [
      { ...named, renamed: true },
      { type: 'titleChanged', title: 'New' },
      { ...named, renamed: true },
    ],
    'a plan': [
      named,
      { type: 'planChanged', items: [{ content: 'a', priority: 'high', status: 'pending' }] },
      { ...named, plan: [{ content: 'a', priority: 'high', status: 'pending' }] },
    ],
    commands: [named, { type: 'commandsChanged', commands: [] }, { ...named, commands: [] }],
    usage: [named, { type: 'usageChanged', usage: { used: 1, size: 2 } }, { ...named, usage: { used: 1, size: 2 } }],
    'usage without the cost that was known': [
      { ...named, usage: { used: 1, size: 2, cost } },
      { type: 'usageChanged', usage: { used: 2, size: 2 } },
      { ...named, usage: { used: 2, size: 2, cost } },
    ],
    'usage with a new cost': [
      { ...named, usage: { used: 1, size: 2, cost } },
      { type: 'usageChanged', usage: { used: 2, size: 2, cost: { ...cost, amount: 3 } } },
      { ...named, usage: { used: 2, size: 2, cost: { ...cost, amount: 3 } } },
    ],
  };
  for (const [name, [before, action, after]] of Object.entries(cases)) {
    it(`is changed alone: ${name}`, () => assert.deepEqual(reduce(before, action), after));
  }

  it('stays the same object if nothing changes', () => {
    for (const action of [
      { type: 'agentSessionDated', updatedAt: 9 },
      { type: 'stopRequested', at: 1 },
      { type: 'stopOverdue' },
      { type: 'turnEnded', stopReason: 'end_turn', at: 1 },
      { type: 'replayEnded', at: 1 },
      { type: 'terminalExited', terminalId: 'none', at: 1 },
    ] as Action[])
      assert.equal(reduce(unbound, action), unbound, action.type);
  });

  it('is also changed by actions of the review and the queue', () => {
    const message = { id: 'q', text: 'later', attachments: [], at: 2 };
    assert.deepEqual(play({ type: 'messageQueued', message }).queue.messages, [message]);
    const point = { entry: 0, checkpointId: 'c', at: 1, coverage: 'touched', skipped: 0 } as const;
    assert.deepEqual(play({ type: 'checkpointsChanged', checkpoints: [point] }).checkpoints, [point]);
  });
});

describe('an entry that is appended', () => {
  const cases: [Action, Entry][] = [
    [
      { type: 'noticeShown', severity: 'info', title: 'N', text: 'n', at: 3 },
      { kind: 'notice', severity: 'info', title: 'N', text: 'n', at: 3 },
    ],
    [
      { type: 'errorShown', message: 'E', remedies: ['retry'], at: 3 },
      { kind: 'error', message: 'E', remedies: ['retry'], at: 3 },
    ],
    [
      { type: 'rawReceived', label: 'R', value: 1, at: 3 },
      { kind: 'raw', label: 'R', value: 1, at: 3 },
    ],
    [
      { type: 'permissionAsked', permissionId: 'p', tool: 9, title: 'W', options: [], at: 3 },
      { kind: 'permission', permissionId: 'p', tool: 9, title: 'W', options: [], at: 3 },
    ],
    [
      { type: 'textAppended', role: 'thought', text: 'hm', messageId: 'm', at: 3 },
      { kind: 'thought', text: 'hm', blocks: [], messageId: 'm', at: 3 },
    ],
    [
      { type: 'textAppended', role: 'user', text: 'typed', expansion, at: 3 },
      { kind: 'user', text: 'typed', expansion, blocks: [], at: 3 },
    ],
    [
      { type: 'textAppended', role: 'thought', text: 'typed', expansion, at: 3 },
      { kind: 'thought', text: 'typed', blocks: [], at: 3 },
    ],
    [
      { type: 'blockAppended', role: 'user', block: image, at: 3 },
      { kind: 'user', text: '', blocks: [image], at: 3 },
    ],
    [
      { type: 'promptSent', text: 'more', blocks: [image], expansion, at: 3 },
      { kind: 'user', text: 'more', blocks: [image], expansion, at: 3 },
    ],
    [
      { type: 'compactionStarted', compactionId: 'c', patch: {}, at: 3 },
      { kind: 'compaction', compactionId: 'c', status: 'in_progress', text: '', blocks: [], at: 3 },
    ],
  ];
  for (const [action, entry] of cases) {
    it(`closes the message before it: ${action.type} of ${entry.kind}`, () => {
      const state = play(prompt, say);
      const next = reduce(state, action);
      assert.deepEqual(entries(next), [user, { ...open, endedAt: 3 }, entry]);
    });
  }

  it('closes the message before it also for a tool call or a form', () => {
    const form = {
      type: 'elicitationAsked',
      elicitationId: 'e',
      agent: 'A',
      message: '?',
      question: { mode: 'form', fields: [] },
    };
    for (const action of [tool, { ...form, at: 3 } as Action])
      assert.deepEqual(entries(reduce(play(say), action))[0], { ...open, endedAt: 3 });
  });

  it('does not close a message twice, or one that continues', () => {
    const twice = play(say, tool, { type: 'replayEnded', at: 9 });
    assert.deepEqual(entries(twice)[0], { ...open, endedAt: 3 });
    const ended = play(say, { type: 'replayEnded', at: 5 });
    assert.equal(reduce(ended, { type: 'replayEnded', at: 9 }), ended);
    const state = play(say);
    for (const action of [
      { type: 'planUpdated', plan: { planId: 'p', kind: 'markdown', text: '' } },
      { type: 'terminalCreated', terminalId: 't', command: 'ls', at: 3 },
    ] as Action[])
      assert.deepEqual(entries(reduce(state, action)), [open], action.type);
  });
});

describe('a message that continues', () => {
  const texts = (...actions: Action[]): unknown[] =>
    entries(play(...actions)).map((entry) =>
      'text' in entry ? [entry.text, 'blocks' in entry && entry.blocks] : entry,
    );
  const id = (messageId: string | undefined, text: string): Action => ({
    ...say,
    text,
    ...(messageId !== undefined && { messageId }),
  });

  it('accepts text and blocks with the same id or without an id', () => {
    assert.deepEqual(texts(id('a', 'x'), id('a', 'y'), id(undefined, 'z')), [['xyz', []]]);
    assert.deepEqual(texts(id(undefined, 'x'), id('b', 'y')), [['xy', []]]);
    assert.deepEqual(texts(id('a', 'x'), id('b', 'y')), [
      ['x', []],
      ['y', []],
    ]);
    assert.deepEqual(
      texts(
        say,
        { type: 'blockAppended', role: 'agent', block: image, at: 3 },
        {
          type: 'blockAppended',
          role: 'agent',
          block: image,
          at: 3,
        },
      ),
      [['half', [image, image]]],
    );
  });

  it('changes only its entry', () => {
    const state = { ...play(prompt, say), title: 'T' };
    const grown = { ...open, text: 'half done' };
    assert.deepEqual(reduce(state, { ...say, text: ' done' }), withEntries(state, user, grown));
    const block: Action = { type: 'blockAppended', role: 'agent', block: image, at: 3 };
    assert.deepEqual(reduce(state, block), withEntries(state, user, { ...open, blocks: [image] }));
  });

  it('is a new entry after the end or with another role', () => {
    const ended = play(say, { type: 'replayEnded', at: 3 });
    assert.equal(reduce(ended, say).entries.count, 2);
    assert.equal(reduce(play(say), { ...say, role: 'thought' }).entries.count, 2);
    // User messages have no end marker.
    assert.deepEqual(texts(prompt, { ...say, role: 'user', text: '!' }), [['go!', []]]);
  });
});

describe('an error', () => {
  const error: Action = { type: 'errorShown', message: 'Exited', remedies: ['restart', 'retry'], at: 2 };
  const connection = (status: 'exited' | 'starting' | 'ready'): Action => ({
    type: 'connectionChanged',
    connection: { status },
  });
  const remedies = (state: SessionState) => entries(state).map((entry) => entry.kind === 'error' && entry.remedies);

  it('does not offer Restart Agent after the agent runs again', () => {
    const exited = play(error, connection('exited'), connection('starting'));
    assert.deepEqual(remedies(exited), [['restart', 'retry']]);
    assert.deepEqual(remedies(reduce(exited, connection('ready'))), [['retry']]);
  });

  it('of a running agent still offers Restart Agent', () => {
    const running = play(connection('ready'), error);
    assert.deepEqual(remedies(reduce(running, connection('ready'))), [['restart', 'retry']]);
  });
});

describe('a turn', () => {
  it('starts with the prompt', () => {
    const before = { ...play(say), hasUnknownEntries: true as const };
    const { hasUnknownEntries: _shared, ...rest } = withEntries(before, { ...open, endedAt: 1 }, user);
    assert.deepEqual(reduce(before, prompt), { ...rest, turn: { ...turn, firstEntry: 1 } });
  });

  it('stops on request, and is overdue only after that', () => {
    const running = play(prompt, tool);
    assert.equal(reduce(running, { type: 'stopOverdue' }), running);
    const stopped = reduce(running, { type: 'stopRequested', at: 4 });
    const [, call] = entries(running);
    const canceled = { ...call, status: 'canceled', endedAt: 4 } as Entry;
    assert.deepEqual(stopped, { ...withEntries(running, user, canceled), turn: { ...turn, stopping: true } });
    assert.equal(reduce(stopped, { type: 'stopRequested', at: 5 }), stopped);
    const overdue = { ...stopped, turn: { ...turn, stopping: true, overdue: true } };
    assert.deepEqual(reduce(stopped, { type: 'stopOverdue' }), overdue);
  });

  it('closes its message and calls at the end, with a summary', () => {
    const running = play(prompt, say);
    const ended = reduce(running, { type: 'turnEnded', stopReason: 'refusal', at: 9 });
    assert.deepEqual(ended, {
      ...withEntries(running, user, { ...open, endedAt: 9 }),
      turn: { status: 'idle', stopReason: 'refusal' },
      turns: [{ entry: 0, end: 2, ms: 8, tools: 0, stopReason: 'refusal' }],
    });
  });

  it('does not close calls of earlier turns', () => {
    const state = play(tool, prompt, { type: 'turnEnded', stopReason: 'error', at: 9 });
    assert.deepEqual(
      entries(state).map((entry) => ('status' in entry ? entry.status : entry.kind)),
      ['running', 'user'],
    );
  });

  it('is not ended by the end of a replay, which closes replayed entries', () => {
    const replayed = play(tool, say, { type: 'replayEnded', at: 9 });
    const [call, message] = entries(replayed);
    assert.ok(call?.kind === 'tool' && message?.kind === 'agent');
    assert.deepEqual([call.status, call.endedAt, message.endedAt], ['done', 9, 9]);
    assert.deepEqual(replayed.turn, { status: 'idle' });
  });
});

describe('a terminal', () => {
  const created: Action = { type: 'terminalCreated', terminalId: 't', command: 'ls', cwd: '/w', at: 3 };
  const output = (data: string): Action => ({ type: 'terminalOutput', terminalId: 't', data });
  const terminal = { terminalId: 't', command: 'ls', cwd: '/w', output: '', truncated: false, startedAt: 3 };

  it('starts empty, collects output, and has an exit', () => {
    const state = play({ ...created, terminalId: 'other' });
    const all = (fields: object): SessionState => ({
      ...state,
      terminals: { ...state.terminals, t: { ...terminal, ...fields } },
    });
    const one = reduce(state, created);
    assert.deepEqual(one, all({}));
    const two = [output('a'), output('b')].reduce(reduce, one);
    assert.deepEqual(two, all({ output: 'ab' }));
    const exit: Action = { type: 'terminalExited', terminalId: 't', code: 1, at: 5 };
    assert.deepEqual(reduce(two, exit), all({ output: 'ab', exit: { code: 1, at: 5 } }));
  });

  it('drops the beginning of long output in blocks, and counts it, for any chunks', () => {
    const text = Array.from({ length: 2 * MAX_TERMINAL_TAIL_CHARS + 1 }, (_, index) =>
      String.fromCharCode(97 + (index % 26)),
    ).join('');
    for (const size of [text.length, MAX_TERMINAL_TAIL_CHARS, 100_000]) {
      const pieces: Action[] = [];
      for (let at = 0; at < text.length; at += size) pieces.push(output(text.slice(at, at + size)));
      const state = play(created, ...pieces);
      const kept = { output: text.slice(MAX_TERMINAL_TAIL_CHARS), dropped: MAX_TERMINAL_TAIL_CHARS, truncated: true };
      assert.deepEqual(state.terminals['t'], { ...terminal, ...kept });
      const more = 'x'.repeat(MAX_TERMINAL_TAIL_CHARS);
      const later = {
        output: text.slice(2 * MAX_TERMINAL_TAIL_CHARS) + more,
        dropped: 2 * MAX_TERMINAL_TAIL_CHARS,
        truncated: true,
      };
      assert.deepEqual(reduce(state, output(more)).terminals['t'], { ...terminal, ...later });
    }
    const full = text.slice(0, -1);
    assert.deepEqual(play(created, output(full)).terminals['t'], { ...terminal, output: full });
  });
});

it('appending an entry changes nothing else', () => {
  const state = { ...named, ...play(prompt) };
  const notice: Action = { type: 'noticeShown', severity: 'info', title: 'N', at: 3 };
  assert.deepEqual(reduce(state, notice), withEntry(state, { kind: 'notice', severity: 'info', title: 'N', at: 3 }));
});
