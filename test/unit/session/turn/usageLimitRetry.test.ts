import assert from 'node:assert/strict';
import { RpcError } from '../../../../src/base/jsonRpc';
import { limitResetAt } from '../../../../src/session/turn/usageLimitRetry';
import { entriesFrom } from '../../../../src/shared/state/entryPages';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { TestClock } from '../../../kit/testClock';
import { settled } from '../../../kit/waiting';
import { SessionBench } from '../sessionBench';

const HOUR = 3_600_000;

describe('a retry after a limit', () => {
  let clock: TestClock;
  let bench: SessionBench;
  beforeEach(() => (clock = new TestClock()));
  afterEach(() => bench.close());

  const open = async (folder?: string): Promise<SessionBench> =>
    (bench = await SessionBench.open({ ...(folder !== undefined && { folder }), sessions: { clock, isShared: true } }));

  /**
   * A turn that fails because of a limit.
   * @returns The entry of its error.
   */
  async function fail(inMs = HOUR): Promise<number> {
    const resetsAt = (clock.now() + inMs) / 1000;
    const info = { status: 'rejected', rateLimitType: 'five_hour', utilization: 1, resetsAt };
    const update = { sessionUpdate: 'usage_update', used: 1, size: 2, _meta: { '_claude/rateLimit': info } };
    await bench.send(`session-update ${JSON.stringify(update)}`, 'error -32603 You have hit your limit');
    return bench.session.state.entries.count - 1;
  }
  const all = (): SessionState['entries'] => bench.session.state.entries;
  const prompts = (): number => Array.from(entriesFrom(all())).filter(([, { kind }]) => kind === 'user').length;
  const retryAt = (entry: number): number | undefined => {
    const error = Array.from(entriesFrom(all()))[entry]?.[1];
    return error?.kind === 'error' ? error.retryAt : assert.fail('no error');
  };
  /** Starts the retry, and waits for its end. */
  async function passed(ms: number): Promise<void> {
    await clock.pass(ms);
    await bench.until(({ turn }) => turn.status === 'idle');
    await settled();
  }

  it('is scheduled for the reset, and sends the message again once', async () => {
    await open();
    const now = clock.now();
    const entry = await fail();
    assert.equal(retryAt(entry), now + HOUR);
    bench.session.limitRetry.schedule(entry);
    assert.equal(bench.session.state.retryAt, now + HOUR);
    assert.equal(bench.session.canClose, false, 'it stays open for the retry');
    await clock.pass(HOUR);
    assert.equal(prompts(), 1, 'clocks differ a little');
    await passed(HOUR);
    assert.equal(prompts(), 2);
    assert.equal(bench.session.state.retryAt, undefined);
    await passed(100 * HOUR);
    assert.equal(prompts(), 2);
  });

  it('is canceled by the user or another message, and does not exist in a copy of the session', async () => {
    await open();
    bench.session.limitRetry.schedule(await fail());
    bench.session.limitRetry.cancel();
    await passed(2 * HOUR);
    assert.equal(prompts(), 1);
    const entry = await fail();
    bench.session.limitRetry.schedule(entry);
    await bench.send('text other');
    assert.equal(bench.session.state.retryAt, undefined);
    bench.session.limitRetry.schedule(entry);
    assert.equal(bench.session.state.retryAt, undefined, 'the error is about an earlier message');
    await passed(2 * HOUR);
    assert.equal(prompts(), 3);

    bench.session.limitRetry.schedule(await fail());
    await bench.session.history.flush();
    const transcript = await bench.sessions.store.readTranscript(bench.session.id);
    assert.ok(transcript);
    const copy = bench.sessions.open.create('copy');
    copy.copyFrom(transcript);
    assert.equal(copy.state.retryAt, undefined);
  });

  it('continues after a reload in a hidden session, but not in a second window', async () => {
    const { folder } = await open();
    bench.session.limitRetry.schedule(await fail());
    const { id } = bench.session;
    bench.sessions.newChat();
    await bench.closeWindow();
    await open(folder);
    await bench.sessions.openRetries();
    const session = bench.sessions.getOpen(id);
    assert.ok(session?.state.retryAt !== undefined);
    const other = await SessionBench.open({ folder, sessions: { clock, isShared: true } });
    await other.sessions.openRetries();
    await clock.pass(HOUR + 60_000);
    await settled();
    assert.equal(session.state.turns.length + (session.state.turn.status === 'running' ? 1 : 0), 2);
    const sent = other.sessions.allOpen().flatMap(({ state }) => [...entriesFrom(state.entries)]);
    assert.deepEqual(sent, []);
    await other.closeWindow();
    bench.sessions.activate(session);
    await bench.until(({ turn }) => turn.status === 'idle');
  });

  it('is sent immediately if the window opens up to a day late, but not later', async () => {
    for (const [late, count] of [
      [20 * HOUR, 2],
      [26 * HOUR, 1],
    ] as const) {
      const { folder } = await open();
      bench.session.limitRetry.schedule(await fail());
      const { id } = bench.session;
      await bench.closeWindow();
      await clock.pass(late);
      await open(folder);
      const session = await bench.sessions.open.load(id);
      assert.ok(session);
      bench.sessions.activate(session);
      await passed(60_000);
      assert.equal(prompts(), count);
      assert.equal(/The message was not sent again/.test(bench.text), count === 1);
      if (count === 2) await bench.close();
    }
  });

  it('is offered only for a limit with a valid time', () => {
    const now = 1_000_000;
    const reached = (resetsAt: number) => [{ id: 'five_hour', resetsAt, isReached: true as const }];
    const limit = new RpcError(-32603, 'limit', { errorKind: 'rate_limit' });
    assert.equal(limitResetAt(limit, reached(now + 5), now), now + 5);
    assert.equal(limitResetAt(limit, [...reached(now + 5), ...reached(now + 9)], now), now + 9, 'all must be reset');
    assert.equal(limitResetAt(limit, reached(now - 5), now), undefined);
    assert.equal(limitResetAt(limit, reached(now + 40 * 24 * HOUR), now), undefined);
    assert.equal(limitResetAt(limit, [{ id: 'five_hour', resetsAt: now + 5 }], now), undefined);
    assert.equal(limitResetAt(limit, undefined, now), undefined);
    assert.equal(limitResetAt(new Error('connection lost'), reached(now + 5), now), undefined);
    assert.equal(limitResetAt(new RpcError(-32603, '', { errorKind: 'overloaded' }), reached(now + 5), now), undefined);
  });

  it('is not offered for a reset in the far future', async () => {
    await open();
    assert.equal(retryAt(await fail(1e12)), undefined);
  });
});
