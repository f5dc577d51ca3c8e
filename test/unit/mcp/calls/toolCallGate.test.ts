import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { createDeferred } from '../../../../src/base/async';
import type { Clock } from '../../../../src/base/clock';
import { CallRateLimit, MAX_PER_SECOND } from '../../../../src/mcp/calls/callLimits';
import type { RegisteredServer } from '../../../../src/mcp/contract/toolServerRegistry';
import { ToolError } from '../../../../src/mcp/contract/toolServerTypes';
import type { SessionHandle } from '../../../../src/session/sessionHandle';
import type { ToolResult } from '../../../../src/session/toolServer';
import { stubOf } from '../../../kit/stubOf';
import { settled } from '../../../kit/waiting';
import { GateBench, registered, toolOf } from './gateBench';

const MINUTE = 60_000;
const done: ToolResult = { text: 'done' };

/** The state of a promise, without waiting for it. */
async function outcome<T>(promise: Promise<T>): Promise<T | 'open'> {
  await settled();
  return Promise.race([promise, Promise.resolve('open' as const)]);
}

describe('mcp/calls/callLimits', () => {
  let bench: GateBench;
  beforeEach(() => (bench = new GateBench()));

  it('calls a tool without approval, and records its result', async () => {
    const result = await bench.call(
      toolOf(() => ({ text: 'done', structured: { a: 1 } })),
      { x: 1 },
    );
    assert.deepEqual(result, { text: 'done', structured: { a: 1 } });
    assert.deepEqual(bench.questions, []);
    const [{ tool, decision, outcome: came, bytes, arguments: given, agent }] = bench.audit as [
      (typeof bench.audit)[number],
    ];
    assert.deepEqual(
      [tool, decision, came, bytes, given, agent],
      ['sample__do', 'allowed', 'done', 7, { x: 1 }, 'agent'],
    );
  });

  it('rejects a tool that is not available at the time of the call', async () => {
    const tool = toolOf(() => assert.fail('must not run'));
    for (const rules of [
      { isTrusted: false },
      { deny: ['sample__do'] },
      { allow: [['other__*']] },
      { isOn: () => false },
    ]) {
      bench.rules = { isTrusted: true, isOn: () => true, deny: [], allow: [], ...rules };
      assert.deepEqual(await bench.call(tool), { text: 'sample__do is not offered here.', isError: true });
    }
    assert.deepEqual(bench.audit, []);
  });

  it('does not call a third-party tool or server that changed while the user was asked', async () => {
    const approved = toolOf(() => done, { approval: 'policy' });
    const changes: [string, Partial<RegisteredServer['server']>, calls: boolean][] = [
      ['nothing', {}, true],
      ['an equal list', { tools: [approved] }, true],
      ['the description', { tools: [{ ...approved, description: 'Other' }] }, false],
      ['the list', { tools: [] }, false],
      ['the command', { identity: 'other' }, false],
    ];
    for (const [what, change, calls] of changes) {
      const { server, name } = registered(approved);
      const called = bench.gate.call({
        session: bench.session(),
        registered: { name, server, origin: 'person' },
        tool: approved,
        input: {},
        signal: new AbortController().signal,
        progress: () => undefined,
      });
      await settled();
      Object.assign(server, change);
      bench.answer();
      const { text, isError } = await called;
      assert.equal(isError !== true, calls, what);
      if (!calls) assert.match(text, /changed while the user was asked/, what);
    }
  });

  it('does not offer a server without offered tools', () => {
    const tool = toolOf(() => done);
    const other = toolOf(() => done, { name: 'other' });
    const isAvailable = (...allow: string[]): boolean => {
      bench.rules = { ...bench.rules, allow: [allow] };
      return bench.gate.isServerAvailable(stubOf<SessionHandle>({ state: bench.state }), registered(tool, other));
    };
    assert.deepEqual([isAvailable(), isAvailable('sample__other'), isAvailable('code__*')], [true, true, false]);
    assert.equal(bench.gate.isServerAvailable(stubOf<SessionHandle>({ state: bench.state }), registered()), true);
  });

  it('does not offer a server that is temporarily unavailable', () => {
    const { server, ...rest } = registered(toolOf(() => done));
    let why: string | undefined = 'connecting';
    const waiting = { ...rest, server: { ...server, unavailableReason: () => why } };
    assert.equal(bench.gate.isServerAvailable(stubOf<SessionHandle>({ state: bench.state }), waiting), false);
    why = undefined;
    assert.equal(bench.gate.isServerAvailable(stubOf<SessionHandle>({ state: bench.state }), waiting), true);
  });

  it('passes an argument “handle” to a tool of another server', async () => {
    const tool = toolOf((input) => ({ text: JSON.stringify(input) }), {
      input: { type: 'object' },
      approval: 'policy',
    });
    const call = bench.gate.call({
      session: bench.session(),
      registered: { ...registered(tool), origin: 'person' },
      tool,
      input: { handle: 'h1' },
      signal: new AbortController().signal,
      progress: () => undefined,
    });
    await settled();
    bench.answer();
    assert.equal((await call).text, '{"handle":"h1"}');
  });

  it('never treats a call as read-only because of a hint of a third-party server', async () => {
    const tool = toolOf(() => done, { approval: 'policy', annotations: { readOnlyHint: true } });
    for (const origin of ['builtIn', 'person', 'a2a'] as const) {
      const call = bench.gate.call({
        session: bench.session(),
        registered: { ...registered(tool), origin },
        tool,
        input: {},
        signal: new AbortController().signal,
        progress: () => undefined,
      });
      await settled();
      bench.answer();
      await call;
    }
    assert.deepEqual(
      bench.questions.map(({ kind }) => kind),
      ['read', 'other', 'other'],
    );
  });

  it('fires an event when the rules change', () => {
    let times = 0;
    bench.gate.onDidChange(() => (times += 1));
    bench.changed.fire();
    bench.gate.invalidate();
    assert.equal(times, 2);
  });

  it('accepts 20 calls a second of a session, reports the limit, and lets running calls end', async () => {
    const end = createDeferred<ToolResult>();
    const tool = toolOf(() => end.promise);
    const running = Array.from({ length: MAX_PER_SECOND }, () => bench.call(tool));
    const refused = await bench.call(tool);
    assert.equal(refused.isError, true);
    assert.match(refused.text, /20 tool calls a second/);
    const other = bench.call(tool, {}, { session: bench.session('other') });
    await bench.clock.pass(1_000);
    const later = bench.call(tool);
    end.resolve(done);
    assert.deepEqual(
      await Promise.all([...running, other, later]),
      Array.from({ length: 22 }, () => done),
    );
  });

  it('counts the calls of a whole second, and none of a closed session', async () => {
    const tool = toolOf(() => Promise.resolve(done));
    const isAccepted = async (): Promise<boolean> => (await bench.call(tool)).isError !== true;
    for (let count = 0; count < MAX_PER_SECOND; count++) assert.ok(await isAccepted());
    await bench.clock.pass(999);
    assert.equal(await isAccepted(), false);
    await bench.clock.pass(1);
    for (let count = 0; count < MAX_PER_SECOND; count++) assert.ok(await isAccepted());
    assert.equal(await isAccepted(), false);
    bench.gate.closeSession(bench.session().id);
    assert.ok(await isAccepted());
  });

  it('converts every error to a result', async () => {
    const failing = toolOf(() => {
      throw new ToolError('There is no such file.', 'Name another one.');
    });
    assert.deepEqual(await bench.call(failing), { text: 'There is no such file. Name another one.', isError: true });
    const broken = toolOf(() => Promise.reject(new TypeError('x is undefined')));
    const { text, isError } = await bench.call(broken);
    assert.equal(isError, true);
    assert.match(text, /^sample__do failed: x is undefined/);
    assert.ok(!text.includes('at '), 'the stack is for the log');
    assert.deepEqual(
      bench.audit.map((entry) => entry.outcome),
      ['error', 'error'],
    );
  });

  it('reports ended calls to the panel', async () => {
    const ended: unknown[] = [];
    bench.gate.onDidEnd(({ id, toolMs, isError }) => ended.push([id, toolMs, isError]));
    const end = createDeferred<ToolResult>();
    const call = bench.call(toolOf(() => end.promise));
    await bench.clock.pass(250);
    end.resolve(done);
    await call;
    assert.deepEqual(ended, [['sample__do', 250, false]]);
  });
});

describe('mcp/calls/toolCallRun', () => {
  let bench: GateBench;
  beforeEach(() => (bench = new GateBench()));

  it('asks before a tool of `policy`, and does not run it without approval', async () => {
    let runs = 0;
    const tool = toolOf(() => ((runs += 1), done), { approval: 'policy' });
    const first = bench.call(tool, { a: 1 });
    assert.equal(await outcome(first), 'open');
    assert.equal(runs, 0);
    const [question] = bench.questions;
    assert.deepEqual(
      [question?.tool, question?.title, question?.otherwise, question?.always, question?.input],
      ['sample__do', 'Do it', 'ask', undefined, { a: 1 }],
    );
    bench.answer();
    assert.deepEqual(await first, done);
    const second = bench.call(tool, { a: 1 });
    await settled();
    bench.answer(false);
    assert.deepEqual(await second, {
      text: 'sample__do was not allowed: the user rejected it. Go on without it, or ask the user.',
      isError: true,
    });
    assert.equal(runs, 1);
    // The rejection is recorded where it was decided.
    assert.equal(bench.audit.length, 1);
  });

  it('asks about an `always` tool even if a rule allows it', async () => {
    void bench.call(toolOf(() => done, { approval: 'always' }));
    await settled();
    assert.match(String(bench.questions[0]?.always), /asked about every time/);
  });

  it('does not ask again about a call that the agent asked about, but only once', async () => {
    const tool = toolOf(() => done, { approval: 'policy' });
    bench.agreed = agreed(bench, 'mcp__sample__do', { a: 1 });
    // The session still decides: a rule may deny the tool.
    for (const isAgreed of [true, undefined]) {
      void bench.call(tool, { a: 1 });
      await settled();
      assert.equal(bench.questions.at(-1)?.isAgreed, isAgreed);
      assert.equal(bench.questions.at(-1)?.otherwise, isAgreed ? 'allow' : 'ask');
    }
  });

  it('covers a tool of another server only by an answer that has shown its name', async () => {
    const tool = toolOf(() => done, { approval: 'policy', title: 'Read file' });
    for (const origin of ['builtIn', 'person', 'a2a', 'extension'] as const)
      for (const [title, isCovered] of [
        ['Read file', origin === 'builtIn'],
        ['mcp__sample__do', true],
      ] as const) {
        bench.agreed = agreed(bench, title, { path: 'notes.md' });
        void bench.call(tool, { path: 'notes.md' }, { origin });
        await settled();
        assert.equal(bench.questions.at(-1)?.isAgreed === true, isCovered, `${origin} ${title}`);
      }
  });

  it('names the tool of another server in its question, and not only the title that the server chose', async () => {
    const tool = toolOf(() => done, { approval: 'policy', title: 'Read file' });
    const titles: unknown[] = [];
    for (const origin of ['builtIn', 'person', 'a2a', 'extension'] as const) {
      void bench.call(tool, {}, { origin });
      await settled();
      titles.push(bench.questions.at(-1)?.title);
    }
    assert.deepEqual(titles, ['Read file', ...Array(3).fill('Read file (sample__do)')]);
  });

  it('passes only the trace context on to a tool, which the user does not see', async () => {
    const tool = toolOf((_input, { meta }) => ({ text: JSON.stringify(meta) }));
    const trace = { traceparent: '00-a-b-01', tracestate: 'x=1', baggage: 'k=v' };
    const others = { force: true, 'vendor/target': '/etc', progressToken: 'theirs', 'io.modelcontextprotocol/x': {} };
    assert.deepEqual(await bench.call(tool, {}, { meta: { ...trace, ...others } }), { text: JSON.stringify(trace) });
    const odd = { traceparent: { force: true }, tracestate: 'x'.repeat(8_193), baggage: 'k=v' };
    assert.deepEqual(await bench.call(tool, {}, { meta: odd }), { text: '{"baggage":"k=v"}' });
  });

  it('asks about what a call will run, which the agent’s own request has not shown', async () => {
    const runs = [{ task: 'unit', command: 'touch UNSEEN' }];
    const tool = toolOf(async (_input, { approve }) => (await approve({ title: 'Run', runs }), done), {
      approval: 'policy',
      asksItself: true,
    });
    bench.agreed = agreed(bench, 'mcp__sample__do', { task: 'unit' });
    void bench.call(tool, { task: 'unit' });
    await settled();
    const [question] = bench.questions;
    assert.deepEqual([question?.otherwise, question?.input], ['ask', { task: 'unit', runs }]);
  });

  it('asks about riskier files that the agent did not ask about', async () => {
    const paths = ['/project/.env'];
    const tool = toolOf(async (_input, { approve }) => (await approve({ title: 'Change 1 file', paths }), done), {
      approval: 'policy',
      asksItself: true,
    });
    bench.agreed = agreed(bench, 'mcp__sample__do', {});
    const call = bench.call(tool);
    await settled();
    assert.deepEqual([bench.questions[0]?.otherwise, bench.questions[0]?.paths], ['allow', paths]);
    bench.answer();
    assert.deepEqual(await call, done);
    const risky = toolOf(async (_input, { approve }) => (await approve({ title: 'Run', always: true }), done), {
      approval: 'policy',
      asksItself: true,
    });
    bench.agreed = agreed(bench, 'mcp__sample__do', {});
    void bench.call(risky);
    await settled();
    assert.equal(bench.questions[1]?.otherwise, 'ask');
    assert.ok(bench.questions[1]?.always);
  });

  it('ends a call after its time limit, and aborts it', async () => {
    let signal: AbortSignal | undefined;
    const tool = toolOf((_input, context) => ((signal = context.signal), new Promise(() => undefined)), {
      timeout: 5_000,
    });
    const call = bench.call(tool);
    await bench.clock.pass(4_999);
    assert.equal(await outcome(call), 'open');
    await bench.clock.pass(1);
    const result = await call;
    assert.equal(result.isError, true);
    assert.match(result.text, /longer than 5 seconds/);
    assert.equal(signal?.aborted, true);
    assert.equal(bench.clock.waiting, 0);
  });

  it('has a time limit of one minute by default', async () => {
    const call = bench.call(toolOf(() => new Promise(() => undefined)));
    await bench.clock.pass(MINUTE - 1);
    assert.equal(await outcome(call), 'open');
    await bench.clock.pass(1);
    assert.match((await call).text, /60 seconds/);
  });

  it('does not count the time while the user is asked', async () => {
    const go = createDeferred<void>();
    const tool = toolOf(
      async (_input, { approve, waitForUser }) => {
        await go.promise;
        await Promise.all([approve({ title: 'First' }), waitForUser(approve({ title: 'Second' }))]);
        return new Promise(() => undefined);
      },
      { approval: 'policy', asksItself: true, timeout: 10_000 },
    );
    const call = bench.call(tool);
    await bench.clock.pass(6_000);
    go.resolve();
    await settled();
    await bench.clock.pass(30_000);
    bench.answer();
    await bench.clock.pass(10_000);
    bench.answer();
    await bench.clock.pass(3_999);
    assert.equal(await outcome(call), 'open');
    await bench.clock.pass(1);
    assert.match((await call).text, /longer than 10 seconds/);
    const [entry] = bench.audit;
    assert.deepEqual([entry?.toolMs, entry?.ms], [10_000, 40_000]);
  });

  it('has no time limit while a tool of another server reports progress, and says that the effect is unknown', async () => {
    for (const origin of ['person', 'extension', 'a2a'] as const) {
      let report: (message: string) => void = () => undefined;
      const tool = toolOf((_input, { progress }) => ((report = progress), new Promise(() => undefined)), {
        timeout: 5_000,
      });
      const call = bench.call(tool, {}, { origin });
      for (let count = 0; count < 15; count += 1) {
        await bench.clock.pass(4_999);
        report(`${count}`);
      }
      await bench.clock.pass(4_999);
      assert.equal(await outcome(call), 'open', origin);
      await bench.clock.pass(1);
      const { text, isError } = await call;
      assert.equal(isError, true);
      assert.match(text, /reported nothing for 5 seconds.*not known whether the call had its effect/);
      assert.equal(bench.clock.waiting, 0);
    }
    assert.equal(bench.progress.length, 45, 'the agent gets the progress');
  });

  it('has its time limit whatever a tool of Parley reports', async () => {
    let report: (message: string) => void = () => undefined;
    const call = bench.call(
      toolOf((_input, { progress }) => ((report = progress), new Promise(() => undefined)), { timeout: 5_000 }),
    );
    await bench.clock.pass(4_999);
    report('on it');
    await bench.clock.pass(1);
    assert.match((await call).text, /longer than 5 seconds/);
  });

  it('has no timer while it waits for the user', async () => {
    void bench.call(toolOf(() => done, { approval: 'policy', timeout: 1 }));
    await bench.clock.pass(2);
    // Only progress and the handle.
    assert.equal(bench.clock.waiting, 2);
  });

  it('aborts the tool when the agent cancels the call', async () => {
    const abort = new AbortController();
    let signal: AbortSignal | undefined;
    const tool = toolOf((_input, context) => ((signal = context.signal), new Promise(() => undefined)));
    void bench.call(tool, {}, { signal: abort.signal });
    await settled();
    abort.abort();
    assert.equal(signal?.aborted, true);
  });

  it('leaves no listener on the agent’s signal, which may outlive many calls', async () => {
    const { signal } = new AbortController();
    for (let count = 0; count < 3; count += 1)
      await bench.call(
        toolOf(() => done),
        {},
        { signal },
      );
    await bench.call(
      toolOf(() => Promise.reject(new ToolError('no'))),
      {},
      { signal },
    );
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});

describe('mcp/calls/pendingCalls', () => {
  let bench: GateBench;
  let runs = 0;
  const tool = toolOf(() => ((runs += 1), done), { approval: 'policy' });
  beforeEach(() => {
    bench = new GateBench();
    runs = 0;
  });

  /** A call that was answered with a handle. */
  async function handedOut(input: object = { a: 1 }): Promise<string> {
    const call = bench.call(tool, input);
    await bench.clock.pass(50_000);
    const { structured, isError, text } = await call;
    assert.equal(isError, undefined);
    assert.equal(structured?.['status'], 'awaiting_approval');
    assert.match(text, /^awaiting_approval: /);
    return String(structured?.['handle']);
  }

  it('report progress every 15 seconds, and return a handle after 50', async () => {
    const call = bench.call(tool);
    await bench.clock.pass(14_999);
    assert.equal(bench.progress.length, 0);
    await bench.clock.pass(1);
    assert.equal(bench.progress.length, 1);
    await bench.clock.pass(34_999);
    assert.equal(bench.progress.length, 3);
    assert.equal(await outcome(call), 'open');
    await bench.clock.pass(1);
    assert.equal((await call).structured?.['status'], 'awaiting_approval');
    assert.equal(bench.clock.waiting, 0);
  });

  it('are continued by the handle or by the same call, and ask the user once', async () => {
    const handle = await handedOut();
    const byHandle = bench.call(tool, { handle });
    const bySame = bench.call(tool, { a: 1 });
    await settled();
    assert.equal(bench.questions.length, 1);
    bench.answer();
    assert.deepEqual(await Promise.all([byHandle, bySame]), [done, done]);
    assert.equal(runs, 1);
  });

  it('keep an answer that came while no call waited for it', async () => {
    const handle = await handedOut();
    bench.answer();
    await bench.clock.pass(10 * MINUTE);
    assert.deepEqual(await bench.call(tool, { handle }), done);
    assert.match((await bench.call(tool, { handle })).text, /no call of sample__do with the handle/);
    assert.equal(runs, 1);
  });

  it('do not pass the handle to the tool as an argument', async () => {
    const inputs: object[] = [];
    const noting = toolOf((input) => (inputs.push(input as object), done), { approval: 'policy' });
    const call = bench.call(noting, { a: 1 });
    await settled();
    bench.answer();
    await call;
    assert.deepEqual(inputs.slice(), [{ a: 1 }]);
    // A tool without approval never waits: a field of this name is its own.
    const free = toolOf((input) => (inputs.push(input as object), done));
    await bench.call(free, { handle: 'mine' });
    assert.deepEqual(inputs[1], { handle: 'mine' });
  });

  it('reject a handle of another session or tool', async () => {
    const handle = await handedOut();
    const stranger = await bench.call(tool, { handle }, { session: bench.session('other') });
    assert.match(stranger.text, /no call of sample__do with the handle/);
    const other = toolOf(() => done, { approval: 'policy', name: 'do2' });
    assert.match((await bench.call(other, { handle })).text, /no call of sample__do2 with the handle/);
    assert.equal((await bench.call(tool, { handle: 'made up' })).isError, true);
  });

  it('reject the handle and the same call of another caller', async () => {
    const handle = await handedOut();
    const session = { ...bench.session(), state: bench.state, caller: 'A2A client 1' };
    assert.match((await bench.call(tool, { handle }, { session })).text, /no call of sample__do with the handle/);
    const same = bench.call(tool, { a: 1 }, { session });
    await settled();
    assert.equal(bench.questions.length, 2);
    bench.answer();
    assert.equal(await outcome(same), 'open');
    bench.answer();
    assert.deepEqual(await same, done);
    assert.equal(runs, 2);
  });

  it('ask separately for simultaneous equal calls', async () => {
    const both = [bench.call(tool, { a: 1 }), bench.call(tool, { a: 1 })];
    await settled();
    assert.equal(bench.questions.length, 2);
    bench.answer();
    bench.answer();
    assert.deepEqual(await Promise.all(both), [done, done]);
    assert.equal(runs, 2);
  });

  it('return no handle for a call that runs long after its approval', async () => {
    const slow = toolOf(() => new Promise(() => undefined), { approval: 'policy', timeout: 10 * MINUTE });
    const call = bench.call(slow);
    await settled();
    bench.answer();
    await bench.clock.pass(5 * MINUTE);
    assert.equal(await outcome(call), 'open');
    await bench.clock.pass(5 * MINUTE);
    assert.match((await call).text, /600 seconds/);
  });
});

describe('mcp/calls/toolCallGate: call rate', () => {
  it('property: allows at most the limit in any second, and calls again after a pause of a second', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 120 }), (gaps) => {
        let now = 0;
        const rate = new CallRateLimit(stubOf<Clock>({ elapsed: () => now }));
        const entered: number[] = [];
        for (const gap of gaps) {
          now += gap;
          if (rate.enter('s')) entered.push(now);
        }
        for (const from of entered) {
          const inWindow = entered.filter((at) => at >= from && at < from + 1_000);
          assert.ok(inWindow.length <= MAX_PER_SECOND);
        }
        now += 1_000;
        assert.ok(rate.enter('s'));
      }),
    );
  });
});

/** Approvals that count once the user has also answered the agent's own request for this call. */
function agreed(bench: GateBench, title: string, rawInput: object): GateBench['agreed'] {
  const permissionId = `p${bench.agreed.length}`;
  return [...bench.agreed, { permissionId, title, rawInput, at: bench.clock.elapsed() }];
}
