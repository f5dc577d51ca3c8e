import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../../src/base/clock';
import { nullLogger } from '../../../../src/base/logger';
import {
  IDLE_TIMEOUT_MS,
  IdleAgentMonitor,
  LARGE_IDLE_TIMEOUT_MS,
  openCompactions,
} from '../../../../src/session/agents/idleAgents';
import { entriesFrom, entryAt } from '../../../../src/shared/state/entryPages';
import { TestClock } from '../../../kit/testClock';
import { untilEvent } from '../../../kit/waiting';
import { SessionBench } from '../sessionBench';

const MINUTE = 60_000;
const RESUME = { sessionCapabilities: { resume: {} } };

describe('an unused agent', function () {
  let bench: SessionBench;
  let clock: TestClock;
  let watch: IdleAgentMonitor;

  async function open(capabilities: object): Promise<void> {
    const first = await SessionBench.open();
    await first.closeWindow();
    clock = new TestClock();
    const env = { FAKE_CAPABILITIES: JSON.stringify(capabilities), FAKE_STORE: join(first.folder, 'agent') };
    // Replays use the real clock; only the idle timeout uses this one.
    bench = await SessionBench.open({ folder: first.folder, env, sessions: { clock: systemClock } });
    watch = new IdleAgentMonitor(bench.agents, bench.sessions.onDidChange, clock, nullLogger);
  }

  afterEach(async () => {
    watch?.dispose();
    await bench?.close();
  });

  const status = (): string => bench.session.state.connection.status;
  const isCompacting = (): boolean => openCompactions(bench.session.state).length > 0;

  it('is suspended after half an hour, and resumed with the next prompt', async () => {
    await open(RESUME);
    await bench.send('hello');
    clock.advance(IDLE_TIMEOUT_MS - 1);
    assert.equal(status(), 'ready');
    clock.advance(1);
    await bench.until(({ connection }) => connection.status === 'idle');
    assert.equal(bench.agents.get('fake'), undefined);
    await bench.send('recall');
    assert.match(bench.text, /\[remembers \["hello"\]\]/);
    assert.equal(bench.methods('initialize').length, 2);
    assert.doesNotMatch(bench.text, /Agent restarted/);
  });

  it('is suspended after an hour with a large context, which it may compact first', async () => {
    await open(RESUME);
    await bench.send('hello');
    bench.session.dispatch({ type: 'usageChanged', usage: { used: 150_000, size: 200_000 } });
    clock.advance(LARGE_IDLE_TIMEOUT_MS - 6 * MINUTE);
    assert.equal(status(), 'ready');
    const patch = { status: 'completed' } as const;
    bench.session.dispatch({ type: 'compactionStarted', compactionId: 'c1', patch, at: 1 });
    bench.session.dispatch({ type: 'usageChanged', usage: { used: 9_000, size: 200_000 } });
    clock.advance(IDLE_TIMEOUT_MS - 1);
    assert.equal(status(), 'ready', 'the compaction counts as use');
    clock.advance(IDLE_TIMEOUT_MS);
    await bench.until(({ connection }) => connection.status === 'idle');
    assert.equal(bench.session.state.turn.status, 'idle');
  });

  const compaction = (): unknown => {
    const { entries } = bench.session.state;
    const entry = entryAt(entries, entries.count - 1);
    return entry?.kind === 'compaction' ? { status: entry.status, text: entry.text } : entry?.kind;
  };
  const update = (fields: object): string =>
    `session-update ${JSON.stringify({ sessionUpdate: 'compaction_update', compactionId: 'c1', ...fields })}`;
  const summary = [{ type: 'text', text: 'What was said' }];

  it('that compacts an idle session is suspended after that, and the session has no turn of it', async () => {
    await open(RESUME);
    const usage = JSON.stringify({ sessionUpdate: 'usage_update', used: 9_000, size: 200_000 });
    const done = join(bench.folder, 'done');
    const end = [`until-file ${done}`, update({ status: 'completed', summary }), `session-update ${usage}`];
    await bench.send('text Hello', 'stop end_turn', update({ status: 'in_progress' }), ...end);
    await bench.until(() => isCompacting());
    const listed = bench.sessions.store.get(bench.session.id);
    bench.sessions.newChat();
    clock.advance(3 * IDLE_TIMEOUT_MS);
    assert.equal(bench.agents.get('fake')?.connection.state.status, 'ready', 'it still compacts');
    const hidden = bench.sessions.getOpen(listed?.id ?? '');
    assert.ok(hidden);
    assert.equal(hidden.canClose, false);
    writeFileSync(done, '');
    await untilEvent(hidden.onDidDispatch, () => hidden.state.usage?.used === 9_000);
    assert.equal(hidden.canClose, true);
    assert.deepEqual([hidden.state.turns.length, hidden.state.turn.status], [1, 'idle']);
    assert.deepEqual(bench.sessions.store.get(hidden.id), listed, 'neither unread nor newer');
    clock.advance(2 * IDLE_TIMEOUT_MS);
    await untilEvent(hidden.onDidDispatch, () => hidden.state.connection.status === 'idle');
    await bench.sessions.flush();
    const stored = await bench.sessions.store.readToOpen(hidden.id);
    assert.match(JSON.stringify(stored?.actions.slice(-2)), /"status":"completed".*What was said.*"used":9000/);
  });

  it('that ends while it compacts leaves no compaction that seems to run', async () => {
    await open(RESUME);
    const running = update({ status: 'in_progress' });
    await bench.send('text Hello', 'stop end_turn', running);
    await bench.until(() => isCompacting());
    await bench.agents.stop('fake');
    assert.deepEqual(compaction(), { status: 'cancelled', text: '' });
    assert.equal(status(), 'idle');
    await bench.send('text Again', 'stop end_turn', running.replace('c1', 'c2'), 'exit 3');
    await bench.until(({ connection }) => connection.status === 'exited');
    assert.match(bench.text, /\[compaction\] cancelled[^]*\[compaction\] cancelled[^]*exited \(code 3\)/);
  });

  it('leaves none after a reload either', async () => {
    await open(RESUME);
    await bench.send('text Hello', 'stop end_turn', update({ status: 'in_progress' }));
    await bench.until(() => isCompacting());
    await bench.sessions.flush();
    const stored = await bench.sessions.store.readToOpen(bench.session.id);
    assert.ok(stored);
    await bench.sessions.open.close(bench.session, () => undefined);
    const restored = bench.sessions.open.restore(stored);
    assert.deepEqual(
      Array.from(entriesFrom(restored.state.entries), ([, entry]) => entry.kind === 'compaction' && entry.status),
      [false, false, 'cancelled'],
    );
  });

  it('is suspended half an hour after the last event', async () => {
    await open(RESUME);
    await bench.send('hello');
    clock.advance(20 * MINUTE);
    await bench.send('hello again');
    clock.advance(20 * MINUTE);
    assert.equal(status(), 'ready');
    clock.advance(10 * MINUTE);
    await bench.until(({ connection }) => connection.status === 'idle');
  });

  it('is not suspended during a turn, a pending request or a running command', async () => {
    await open(RESUME);
    const turn = bench.send('permission t1 allow_once:Yes');
    await bench.until((state) => state.waiting.length > 0);
    clock.advance(3 * IDLE_TIMEOUT_MS);
    assert.equal(status(), 'ready');
    bench.session.turn.stop();
    await turn;
    bench.session.dispatch({ type: 'terminalCreated', terminalId: 'c1', command: 'sleep', at: 1 });
    clock.advance(3 * IDLE_TIMEOUT_MS);
    assert.equal(status(), 'ready');
    bench.session.dispatch({ type: 'terminalExited', terminalId: 'c1', code: 0, at: 2 });
    clock.advance(2 * IDLE_TIMEOUT_MS);
    await bench.until(({ connection }) => connection.status === 'idle');
  });

  it('is not suspended if it could not resume its sessions', async () => {
    await open({});
    await bench.send('hello');
    clock.advance(5 * IDLE_TIMEOUT_MS);
    assert.equal(status(), 'ready');
    await bench.send('recall');
    assert.match(bench.text, /\[remembers \["hello"\]\]/);
  });
});
