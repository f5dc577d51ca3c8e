import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/clock';
import { Emitter } from '../../../src/base/event';
import { nullLogger } from '../../../src/base/logger';
import type { TranscriptWriter } from '../../../src/history/transcriptWriter';
import type { AuditLog } from '../../../src/permissions/auditLog';
import type { AuditEntry } from '../../../src/permissions/auditLog';
import { EditApprovalMemory } from '../../../src/permissions/editApprovalMemory';
import type { LiveSession } from '../../../src/session/liveSession';
import { SessionModel } from '../../../src/session/sessionModel';
import { UnaskedCalls } from '../../../src/session/unaskedCalls';
import { UserRequests } from '../../../src/session/userRequests/userRequests';
import { entriesFrom } from '../../../src/shared/state/entryPages';
import type { Action } from '../../../src/shared/state/sessionActions';
import { MemoryMemento } from '../../kit/memoryMemento';
import { stubOf } from '../../kit/stubOf';
import { emptyPolicy } from '../permissions/emptyPolicy';

const history = stubOf<TranscriptWriter>({ append: () => undefined, appendDiff: () => undefined });
const OPTIONS = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

describe('calls that ran without a request', () => {
  let model: SessionModel;
  let requests: UserRequests;
  let calls: UnaskedCalls;
  let watch: () => void;
  let log: AuditEntry[];
  let recorded: [string, boolean][];
  const decided = new Emitter<AuditEntry>();
  const { signal } = new AbortController();

  beforeEach(() => {
    [log, recorded] = [[], []];
    model = new SessionModel({
      id: 's',
      folders: ['/w'],
      history,
      log: nullLogger,
      clock: { ...systemClock, now: () => 5 },
    });
    const append = (entry: AuditEntry): void => {
      log.push(entry);
      decided.fire(entry);
    };
    const policy = {
      ...emptyPolicy(),
      audit: stubOf<AuditLog>({ append, onDidDecide: decided.event }),
      editApprovals: stubOf<EditApprovalMemory>({ record: (agent, asks) => void recorded.push([agent, asks]) }),
    };
    model.dispatch({ type: 'agentNamed', agent: { name: 'fake', title: 'Fake' } });
    requests = new UserRequests(model, { isTrusted: true, definition: undefined }, policy, () => undefined);
    const { onDidDispatch } = model;
    const session = stubOf<LiveSession>({
      id: 's',
      get state() {
        return model.state;
      },
      dispatch: (action: Action) => model.dispatch(action),
      onDidDispatch,
      userRequests: requests,
    });
    watch = () => {
      calls = new UnaskedCalls(session, policy);
    };
    watch();
    begin();
  });

  afterEach(() => calls.dispose());

  const begin = (): void => model.dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
  const end = (): void => model.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 4 });
  const call = (toolCallId: string, fields: object): void =>
    model.applyUpdate({ sessionUpdate: 'tool_call', toolCallId, status: 'completed', title: toolCallId, ...fields });
  const edit = (id: string, path: string): void => call(id, { kind: 'edit', locations: [{ path }] });
  const run = (id: string, command: string): void => call(id, { kind: 'execute', rawInput: { command } });
  async function ask(toolCallId: string, fields: object, optionId: string, sessionId?: string): Promise<void> {
    const toolCall = { toolCallId, title: toolCallId, ...fields };
    const asks = sessionId === undefined ? {} : { sessionId };
    const answered = requests.requestPermission({ toolCall, options: OPTIONS, signal, ...asks });
    const [, entry] =
      Array.from(entriesFrom(model.state.entries)).findLast(([, one]) => one.kind === 'permission') ?? [];
    assert.ok(entry?.kind === 'permission');
    requests.answer(entry.permissionId, optionId);
    await answered;
  }
  const unasked = (): string[] =>
    Array.from(entriesFrom(model.state.entries)).flatMap(([, entry]) =>
      entry.kind === 'tool' && entry.unasked ? [entry.title] : [],
    );

  it('are edits, deletions, moves and commands; they are marked, counted and logged', () => {
    edit('a', '/w/a');
    run('b', 'rm b');
    call('c', { kind: 'delete', locations: [{ path: '/w/c' }] });
    call('d', { kind: 'move', locations: [{ path: '/w/d' }] });
    call('e', { kind: 'other', content: [{ type: 'diff', path: '/w/e', oldText: '', newText: 'x' }] });
    call('read', { kind: 'read', locations: [{ path: '/w/a' }] });
    end();
    assert.deepEqual(unasked(), ['a', 'b', 'c', 'd', 'e']);
    assert.equal(model.state.turns.at(-1)?.unasked, 5);
    assert.deepEqual(
      log.map(({ title, kind, by, decision, reason }) => [title, kind, by, decision, reason]).slice(0, 2),
      [
        ['a', 'edit', 'agent', 'allowed', 'ran without asking'],
        ['b', 'execute', 'agent', 'allowed', 'ran without asking'],
      ],
    );
    assert.deepEqual(recorded, [['fake', false]]);
  });

  it('include edits that the agent reports as another kind or with the name of an MCP tool', () => {
    const content = [{ type: 'diff', path: '/w/e', oldText: '', newText: 'x' }];
    call('read', { kind: 'read', content });
    call('think', { kind: 'think', content });
    call('mcp__files__write', { kind: 'other', content });
    call('mcp__files__list', { kind: 'other' });
    end();
    assert.deepEqual(unasked(), ['read', 'think', 'mcp__files__write']);
    assert.deepEqual(recorded, [['fake', false]]);
  });

  it('include those with a terminal that does not exist, whatever its id', () => {
    for (const terminalId of ['constructor', '__proto__', 'toString'])
      call(terminalId, { kind: 'execute', content: [{ type: 'terminal', terminalId }] });
    end();
    assert.deepEqual(unasked(), ['constructor', '__proto__', 'toString']);
  });

  it('include those of a subagent whose calls name their parent call', () => {
    const ofTask = { _meta: { claudeCode: { toolName: 'Edit', parentToolUseId: 'task' } } };
    call('task', { kind: 'think', _meta: { claudeCode: { toolName: 'Task' } } });
    call('edit of task', { kind: 'edit', locations: [{ path: '/w/a' }], ...ofTask });
    call('read of task', { kind: 'read', locations: [{ path: '/w/a' }], ...ofTask });
    end();
    assert.deepEqual(unasked(), ['edit of task']);
    assert.equal(model.state.turns.at(-1)?.unasked, 1);
  });

  it('exclude the history, which is replayed before the first message', () => {
    calls.dispose();
    watch();
    edit('history', '/w/h');
    model.dispatch({ type: 'turnEnded', stopReason: 'interrupted', at: 9 });
    run('replayed', 'rm r');
    assert.deepEqual(unasked(), []);
    assert.deepEqual(log, []);
  });

  it('include background work that ends between turns or in a later turn', async () => {
    const pending = (id: string, fields: object): void => call(id, { status: 'in_progress', ...fields });
    const done = (toolCallId: string): void =>
      model.applyUpdate({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
    const child = 'child';
    model.applyUpdate({
      sessionUpdate: 'subagent_update',
      sessionId: child,
      title: 'Helper',
      state: { state: 'running' },
    });
    const inChild = (update: object): void => model.applyUpdate({ ...update }, child);
    const start = (toolCallId: string, command: string): void =>
      inChild({ sessionUpdate: 'tool_call', toolCallId, title: toolCallId, kind: 'execute', rawInput: { command } });
    start('slow', 'rm slow');
    start('slower', 'rm slower');
    start('allowed', 'npm test');
    const base = { time: '', session: 's', agent: 'fake', decision: 'allowed', by: 'builtIn', ms: 0 } as const;
    decided.fire({ ...base, kind: 'execute', title: 'Run', command: 'npm test' });
    end();
    assert.equal(model.state.turns.at(-1)?.unasked, undefined);
    run('between', 'rm b');
    pending('later', { kind: 'edit', locations: [{ path: '/w/l' }] });
    assert.equal(log.at(-1)?.command, 'rm b');
    inChild({ sessionUpdate: 'tool_call_update', toolCallId: 'slow', status: 'completed' });
    await ask('asked', { kind: 'edit', locations: [{ path: '/w/b' }] }, 'yes');
    edit('asked', '/w/b');
    done('later');
    assert.deepEqual(unasked(), ['between', 'later']);
    assert.equal(model.state.turns.at(-1)?.unasked, 3);
    assert.deepEqual(recorded.at(-1), ['fake', false]);
    begin();
    for (const toolCallId of ['slower', 'allowed'])
      inChild({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
    run('of the turn', 'rm t');
    assert.deepEqual(
      log.filter(({ by }) => by === 'agent').map(({ command, paths }) => command ?? paths?.join()),
      ['rm b', 'rm slow', '/w/l', 'rm slower'],
    );
    end();
    assert.deepEqual(
      model.state.turns.map((turn) => turn.unasked),
      [4, 1],
    );
  });

  it('exclude calls with a request and failed calls', async () => {
    edit('earlier', '/w/a');
    end();
    begin();
    await ask('asked', { kind: 'edit', locations: [{ path: '/w/b' }] }, 'yes');
    edit('asked', '/w/b');
    await ask('refused', { kind: 'execute', rawInput: { command: 'rm c' } }, 'no');
    call('failed', { kind: 'delete', status: 'failed' });
    end();
    assert.deepEqual(unasked(), ['earlier']);
    assert.deepEqual(recorded, [
      ['fake', false],
      ['fake', true],
    ]);
  });

  it('include a call with the id of one that was allowed', async () => {
    await ask('shell', { kind: 'execute', rawInput: { command: 'rm b' } }, 'yes');
    run('shell', 'rm b');
    run('shell', 'rm c');
    end();
    assert.deepEqual(
      log.filter(({ reason }) => reason === 'ran without asking').map(({ command }) => command),
      ['rm c'],
    );
  });

  it('exclude calls that Parley ran, or that were allowed under another id', () => {
    const base = { time: '', session: 's', agent: 'fake', decision: 'allowed', by: 'builtIn', ms: 0 } as const;
    decided.fire({ ...base, kind: 'edit', title: 'Write', paths: ['/w/a'] });
    decided.fire({ ...base, kind: 'execute', title: 'Run', command: 'npm test' });
    decided.fire({ ...base, kind: 'edit', title: 'Rename', tool: 'refactor__rename' });
    decided.fire({ ...base, session: 'other', kind: 'edit', title: 'Write', paths: ['/w/b'] });
    edit('a', '/w/a');
    run('b', 'npm test');
    call('mcp__refactor__rename', { kind: 'edit' });
    edit('of another session', '/w/b');
    end();
    assert.deepEqual(unasked(), ['of another session']);
  });

  it('exclude kinds that the user always allows', async () => {
    await ask('asked', { kind: 'execute', rawInput: { command: 'npm test' } }, 'always');
    end();
    begin();
    run('later', 'npm run other');
    edit('another kind', '/w/a');
    end();
    assert.deepEqual(unasked(), ['another kind']);
  });

  it('include calls in child sessions, except those that they asked about', async () => {
    model.applyUpdate({ sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Helper' });
    const inChild = (toolCallId: string, fields: object): void =>
      model.applyUpdate(
        { sessionUpdate: 'tool_call', toolCallId, status: 'completed', title: toolCallId, ...fields },
        'child',
      );
    inChild('unasked', { kind: 'execute', rawInput: { command: 'rm x' } });
    await ask('asked', { kind: 'execute', rawInput: { code: '1' } }, 'yes', 'child');
    inChild('asked', {});
    await ask('other', { kind: 'execute', rawInput: { code: '2' } }, 'yes');
    inChild('other', { kind: 'execute', rawInput: { code: '3' } });
    await ask('edit', { kind: 'edit', locations: [{ path: '/w/a' }] }, 'yes', 'child');
    end();
    const child = Array.from(entriesFrom(model.state.entries)).find(([, { kind }]) => kind === 'subagent')?.[1];
    assert.ok(child?.kind === 'subagent');
    const marks = Array.from(entriesFrom(child.child.entries)).flatMap(([, entry]) =>
      entry.kind === 'tool' ? [[entry.toolCallId, entry.unasked === true]] : [],
    );
    assert.deepEqual(marks, [
      ['unasked', true],
      ['asked', false],
      ['other', true],
      ['edit', false],
    ]);
    assert.deepEqual(
      log.filter(({ by }) => by === 'agent').map(({ command, title }) => command ?? title),
      ['rm x', 'other'],
    );
    assert.deepEqual(recorded, [['fake', true]]);
    assert.equal(model.state.turns.at(-1)?.unasked, 2, 'in the turn line of the session itself');
  });
});

describe('the record whether an agent asks before edits', () => {
  it('is kept until its command changes; an edit without a request has priority', () => {
    const memory = new MemoryMemento();
    let launch: string | undefined = 'agent --v1';
    const asking = new EditApprovalMemory(memory, () => launch);
    assert.equal(asking.asksBeforeEdits('a'), undefined);
    asking.record('a', true);
    assert.equal(asking.asksBeforeEdits('a'), true);
    asking.record('a', false);
    asking.record('a', true);
    assert.equal(asking.asksBeforeEdits('a'), false);
    assert.equal(asking.asksBeforeEdits('__proto__'), undefined);
    launch = 'agent --v2';
    assert.equal(asking.asksBeforeEdits('a'), undefined);
    memory.values.set('parley.asksBeforeEdits', 'broken');
    assert.equal(asking.asksBeforeEdits('a'), undefined);
  });
});
