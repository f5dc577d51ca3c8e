import assert from 'node:assert/strict';
import { join } from 'node:path';
import { systemClock } from '../../../../src/base/clock';
import { nullLogger } from '../../../../src/base/logger';
import { IDLE_TIMEOUT_MS, IdleAgentMonitor, LARGE_IDLE_TIMEOUT_MS } from '../../../../src/session/agents/idleAgents';
import { TestClock } from '../../../kit/testClock';
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
