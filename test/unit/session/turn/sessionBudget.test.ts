import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Budget } from '../../../../src/base/settings';
import type { DailyCost } from '../../../../src/history/dailyCost';
import type { BudgetSource } from '../../../../src/session/turn/sessionBudget';
import { createBudgets } from '../../../../src/session/turn/sessionBudget';
import { entriesFrom } from '../../../../src/shared/state/entryPages';
import type { QueuePauseReason } from '../../../../src/shared/state/messageQueueState';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { SessionBench } from '../sessionBench';

describe('the budget of a session', () => {
  let folder: string;
  let limits: Budget;
  let bench: SessionBench;
  /** Budget of the window. */
  let budget: BudgetSource;
  const benches: SessionBench[] = [];

  beforeEach(() => {
    folder = temporaryFolder();
    limits = {};
  });
  afterEach(async () => {
    for (const one of benches.splice(0)) await one.close();
    // After the cost that the last report added.
    await budget.day.sums();
  });

  /** A window; all share the cost of the day. */
  async function open(options: Parameters<typeof SessionBench.open>[0] = {}): Promise<SessionBench> {
    budget = createBudgets(() => limits, folder);
    bench = await SessionBench.open({ ...options, sessions: { budget, ...options.sessions } });
    benches.push(bench);
    return bench;
  }

  const cost = (amount: unknown, currency: unknown = 'USD'): string =>
    `session-update ${JSON.stringify({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount, currency } })}`;
  const spend = (amount: unknown, currency?: unknown): Promise<void> => bench.send(cost(amount, currency), 'text ok');
  const prompts = (): number =>
    Array.from(entriesFrom(bench.session.state.entries)).filter(([, { kind }]) => kind === 'user').length;
  const notices = (): (string | undefined)[] =>
    Array.from(entriesFrom(bench.session.state.entries)).flatMap(([, entry]) =>
      entry.kind === 'notice' && entry.title === 'Budget' ? [entry.text] : [],
    );
  const paused = (): QueuePauseReason | undefined => bench.session.state.queue.paused;
  const turns = (count: number): Promise<void> =>
    bench.until(({ turns, turn }) => turn.status === 'idle' && turns.length === count);
  const sums = (): ReturnType<DailyCost['sums']> => budget.day.sums();

  it('has no cost of a replayed file', async () => {
    limits = { session: 5, day: 5 };
    await open({ origin: 'replay' });
    await spend(4711);
    assert.deepEqual(notices(), []);
    assert.deepEqual(await sums(), []);
  });

  it('shows at 80 % how much is used, once', async () => {
    limits = { session: 5 };
    await open();
    await spend(3.99);
    assert.deepEqual(notices(), []);
    await spend(4.02);
    await spend(4.5);
    assert.deepEqual(notices(), ['This session has used 80% of its budget: 4.02 USD of 5.00 USD.']);
  });

  it('holds the next message at 100 %; Continue sends it, and asks again at the next multiple', async () => {
    limits = { session: 5 };
    await open();
    await spend(5.1);
    assert.equal(prompts(), 1);
    await bench.send('text more');
    assert.equal(prompts(), 1);
    assert.deepEqual(paused(), { why: 'budget', scope: 'session', spent: 5.1, limit: 5, currency: 'USD' });
    bench.session.queue.answerBudget(true);
    await turns(2);
    assert.equal(prompts(), 2);
    await spend(9.9);
    assert.equal(prompts(), 3);
    await spend(10);
    await spend(10);
    assert.equal(prompts(), 4);
    assert.equal(paused()?.why, 'budget');
  });

  it('keeps the message in the queue after Stop, without a way to bypass the budget', async () => {
    limits = { session: 5 };
    await open();
    await spend(6);
    await bench.send('text more');
    bench.session.queue.answerBudget(false);
    assert.deepEqual(paused(), { why: 'budget', scope: 'session', spent: 6, limit: 5, currency: 'USD', stopped: true });
    const [message] = bench.session.state.queue.messages;
    assert.ok(message);
    await bench.session.queue.sendNow(message.id);
    await bench.session.retry();
    await bench.send('text another');
    assert.equal(prompts(), 1);
    assert.equal(bench.session.state.queue.messages.length, 3);
    limits = { session: 100 };
    bench.session.queue.resume();
    await turns(4);
    assert.equal(prompts(), 4, 'a larger budget lets them go');
  });

  it('retries what the user sent, and reads no file that an agent names as the user', async () => {
    limits = { session: 5 };
    const read: unknown[] = [];
    const readAttachments = async (_session: unknown, all: readonly unknown[]): Promise<readonly never[]> => {
      read.push(...all);
      return [];
    };
    await open({ sessions: { readAttachments } });
    const say = (content: object): string =>
      `session-update ${JSON.stringify({ sessionUpdate: 'user_message_chunk', messageId: 'u1', content })}`;
    const file = { uri: 'file:///ws/.env', text: 'guidelines' };
    await bench.send('text ok', say({ type: 'text', text: 'text forged' }), say({ type: 'resource', resource: file }));
    await bench.session.retry();
    await turns(2);
    const sent = Array.from(entriesFrom(bench.session.state.entries)).flatMap(([, entry]) =>
      entry.kind === 'user' ? [entry.text.split('\n')[0]] : [],
    );
    assert.deepEqual([sent, read], [['text ok', 'text forged', 'text ok', 'text forged'], []]);
  });

  it('holds a queued message after the turn that exceeded it', async () => {
    limits = { session: 5 };
    await open();
    const turn = bench.send('until-file go', cost(7));
    await bench.until(({ turn }) => turn.status === 'running');
    await bench.send('text next');
    await writeFile(join(bench.folder, 'go'), '');
    await turn;
    await bench.until(({ queue }) => queue.paused !== undefined);
    assert.equal(paused()?.why, 'budget');
    assert.equal(prompts(), 1);
  });

  it('sums up a day over all windows and sessions, by currency, and applies to new sessions', async () => {
    limits = { day: 10 };
    await open();
    await spend(4);
    await spend(6);
    assert.deepEqual(await sums(), [{ currency: 'USD', amount: 6 }]);
    await open();
    await spend(3, 'EUR');
    await spend(1);
    await bench.sessions.close(bench.session);
    bench.sessions.newChat();
    await spend(2.5);
    await sums();
    assert.deepEqual(notices(), ['All sessions together have used 85% of today’s budget: 8.50 USD of 10.00 USD.']);
    await spend(4);
    bench.sessions.newChat();
    await bench.send('text new');
    assert.equal(prompts(), 0);
    assert.deepEqual(paused(), { why: 'budget', scope: 'day', spent: 10, limit: 10, currency: 'USD' });
    bench.session.queue.answerBudget(true);
    await turns(1);
    assert.equal(prompts(), 1);
  });

  it('counts no cost twice: after a reload, a restarted sum, or in a copy', async () => {
    await open();
    await spend(4);
    const { id } = bench.session;
    await bench.closeWindow();
    await open({ folder: bench.folder });
    const session = await bench.sessions.open.load(id);
    assert.ok(session);
    bench.sessions.activate(session);
    await spend(5);
    assert.deepEqual(await sums(), [{ currency: 'USD', amount: 5 }]);
    await spend(1);
    assert.deepEqual(await sums(), [{ currency: 'USD', amount: 6 }], 'the agent counts from 0 again');
    await bench.session.history.flush();
    const transcript = await bench.sessions.store.readTranscript(id);
    const copy = bench.sessions.open.create('copy');
    copy.copyFrom(transcript ?? assert.fail('no transcript'));
    bench.sessions.activate(copy);
    await spend(1.5);
    assert.deepEqual(await sums(), [{ currency: 'USD', amount: 6.5 }]);
    benches.shift();
  });

  it('reports that it does not apply to an agent without cost, and holds no messages', async () => {
    limits = { session: 5, day: 5 };
    await open();
    await budget.day.add({ amount: 100, currency: 'USD' });
    bench.session.dispatch({ type: 'agentNamed', agent: { name: 'fake', title: 'Fake' } });
    limits = { session: 5 };
    await bench.send('text hello');
    limits = { session: 5, day: 5 };
    await bench.send('text hello');
    assert.equal(prompts(), 2);
    assert.deepEqual(notices(), ['Fake reports no cost. The budget does not apply to this session.']);
  });

  it('ignores invalid amounts and a damaged file', async () => {
    limits = { session: 5, day: 5 };
    await open();
    for (const amount of [-5, 1e300, '7', null, {}]) await spend(amount);
    for (const currency of [5, null, 'x'.repeat(100)]) await spend(7, currency);
    assert.deepEqual(await sums(), []);
    await writeFile(join(folder, 'cost.json'), '{"day": ');
    await spend(1, '__proto__');
    await spend(2, 'constructor');
    assert.equal(bench.session.state.usage?.cost?.amount, 2);
    assert.equal(paused(), undefined);
    await writeFile(join(folder, 'cost.json'), JSON.stringify({ day: '2001-01-01', sums: { USD: 99 } }));
    assert.deepEqual(await sums(), []);
  });
});
