import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDeferred } from '../../../../src/base/async';
import { ParleyError } from '../../../../src/base/errors';
import { RpcError } from '../../../../src/base/jsonRpc';
import { invalidParams } from '../../../../src/base/jsonRpc';
import { fakeAgent } from '../../../fakeAgent/definition';
import { settled, until } from '../../../kit/waiting';
import type { BenchOptions } from '../agentBench';
import { Bench, feature, runs } from '../agentBench';

describe('agent connection', function () {
  const benches: Bench[] = [];
  const make = (options?: BenchOptions): Bench => {
    const bench = new Bench(options);
    benches.push(bench);
    return bench;
  };
  afterEach(async () => {
    for (const bench of benches.splice(0)) await bench.close();
  });

  describe('order on the wire (I3)', () => {
    // Verified by mutation: without the gate after a response "update three" comes before "response"; a dispatcher that delivers updates
    // immediately fails as well.
    it('applies update, permission, update, response, update of one chunk in exactly that order', async () => {
      const bench: Bench = make({
        features: [
          feature('session/request_permission', async () => {
            bench.events.push('permission');
            await settled();
            return { outcome: { outcome: 'cancelled' } };
          }),
        ],
      });
      await bench.open();
      await bench.prompt(
        'burst',
        'text one',
        'permission t1 allow_once:Allow',
        'text two',
        'stop end_turn',
        'text three',
        'end',
        'request parley/last {}',
      );
      await answered(bench, 'parley/last');
      const expected = ['update one', 'permission', 'update two', 'response', 'update three'];
      assert.deepEqual(bench.events.slice(0, 5), expected);
      assert.ok(bench.events.includes('update [permission t1: cancelled]'));
    });

    it('resolves a response before the next update is applied', async () => {
      const bench = await make().open();
      const turn = bench.prompt('burst', 'text one', 'stop end_turn', 'text two', 'end');
      await turn;
      assert.equal(bench.updates.length, 1);
    });

    it('keeps the order of 2,000 updates and the requests between them', async () => {
      const bench: Bench = make({
        features: [
          feature('parley/mark', () => {
            bench.events.push('mark');
            return Promise.resolve({});
          }),
        ],
      });
      await bench.open();
      await bench.prompt('burst', 'chunks 1000 20', 'request parley/mark {}', 'chunks 1000 20', 'stop end_turn', 'end');
      assert.equal(bench.events.indexOf('mark'), 1000);
      assert.equal(bench.events.indexOf('response'), 2001);
    });
  });

  it('tells when the process runs, so that other code loads while the agent starts', async () => {
    const statuses: string[] = [];
    const bench: Bench = make({
      features: [
        { capabilities: {}, handlers: [], onDidLaunch: () => void statuses.push(bench.connection.state.status) },
      ],
    });
    await bench.connection.start();
    assert.deepEqual(statuses, ['starting']);
  });

  describe('faulty messages of agents', () => {
    it('logs noise and continues', async () => {
      const bench = await make({ env: { FAKE_NOISE: 'Welcome to the agent' } }).open();
      await bench.prompt(
        'noise plain words',
        'noise {broken json',
        'noise [1,2]',
        'noise {"no":"version"}',
        'noise null',
        'text still here',
      );
      assert.equal(bench.text, 'still here');
      const noise = bench.log.lines.filter((line) => line.includes('Received an invalid line'));
      assert.equal(noise.length, 6, noise.join('\n'));
      assert.ok(JSON.stringify(bench.connection.traffic.entries()).includes('"noise":"plain words"'));
      assert.deepEqual(
        bench.received().filter((message) => 'error' in message),
        [],
        'nothing is written into the agent for noise',
      );
    });

    it('reads the messages of a batch in their order, and answers its requests', async () => {
      const bench = await make().open();
      const update = (text: string): string =>
        `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$SESSION","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"${text}"}}}}`;
      const request = '{"jsonrpc":"2.0","id":900,"method":"no/such"}';
      const batch = `raw [${update('one ')},7,${request},${update('two ')}]`;
      await bench.prompt(batch, 'request parley/barrier {}', 'text still here');
      assert.match(bench.text, /^one two .*still here$/s);
      const answers = bench.received().filter(({ id }) => id === 900);
      assert.deepEqual(
        answers.map(({ error }) => (error as { code: number }).code),
        [-32601],
      );
      assert.equal(bench.log.lines.filter((line) => line.includes('Received a batch of 3 messages')).length, 1);
    });

    it('logs only the first batch of a connection', async () => {
      const bench = await make().open();
      const batch = 'raw [{"jsonrpc":"2.0","method":"no/such"}]';
      await bench.prompt(batch, batch, batch);
      assert.equal(bench.log.lines.filter((line) => line.includes('Received a batch')).length, 1);
      assert.equal(bench.log.lines.filter((line) => line.includes('Ignored the unknown notification')).length, 3);
    });

    it('reads nonstandard forms of agents, and logs each form once', async () => {
      const bench = await make().open();
      const raw = (update: unknown): string =>
        `raw ${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: '$SESSION', update } })}`;
      const hello = { sessionUpdate: 'agent_message_chunk', content: [{ type: 'text', text: 'a' }, 'b'] };
      await bench.prompt(
        raw(hello),
        raw([hello, hello]),
        raw({ sessionUpdate: 'current_mode_update', modeId: 'plan' }),
      );
      assert.equal(bench.text, 'ababab');
      assert.equal(bench.updates.at(-1)?.['currentModeId'], 'plan');
      assert.equal(bench.log.lines.filter((line) => line.includes('Not the form of ACP')).length, 3);
    });

    it('accepts a line of 4 MiB', async () => {
      const bench = await make().open();
      await bench.prompt('bigline 4194304', 'text .');
      assert.equal(bench.text.length, 4_194_305);
    });

    it('keeps an update of an unknown kind unchanged', async () => {
      const bench = await make().open();
      await bench.prompt('session-update {"sessionUpdate":"hologram","content":{"type":"smell","x":[1]},"extra":true}');
      assert.deepEqual(bench.updates, [{ sessionUpdate: 'hologram', content: { type: 'smell', x: [1] }, extra: true }]);
    });

    it('passes an unknown option kind to the handler', async () => {
      const seen: unknown[] = [];
      const permissions = feature('session/request_permission', async (params) => {
        seen.push(...(params as { options: unknown[] }).options);
        return { outcome: { outcome: 'selected', optionId: 'odd' } };
      });
      const bench = await make({ features: [permissions] }).open();
      await bench.prompt('permission t1 odd=allow_until_noon:Until_noon');
      assert.deepEqual(seen, [{ optionId: 'odd', kind: 'allow_until_noon', name: 'Until noon' }]);
      assert.equal(bench.text, '[permission t1: odd]\n');
    });

    it('is not stopped by unexpected responses or malformed messages', async () => {
      const bench = await make().open();
      await bench.prompt(
        'burst',
        'raw {"jsonrpc":"2.0","id":4711,"result":{}}',
        'raw {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
        'raw {"jsonrpc":"2.0","result":{}}',
        'raw {"jsonrpc":"2.0","error":{"code":1,"message":"no id"}}',
        'raw {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}',
        'raw {"jsonrpc":"2.0","id":"2","result":{"stopReason":"not yours"}}',
        'raw {"jsonrpc":"2.0","id":{"a":1},"method":"fs/read_text_file"}',
        'raw {"jsonrpc":"2.0","id":7,"method":12}',
        'raw {"jsonrpc":"2.0","method":"session/update","params":{"update":{}}}',
        'raw {"jsonrpc":"2.0","method":"session/update"}',
        'raw {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":99}}',
        'raw {"jsonrpc":"2.0","method":"_vendor/news","params":[1]}',
        'raw {"jsonrpc":"2.0"}',
        'end',
        'request parley/barrier {}',
        'text still here',
      );
      assert.match(bench.text, /still here$/);
      const errors = bench.received().filter((message) => 'error' in message);
      assert.deepEqual(
        errors.map(({ id, error }) => [id, (error as { code: number }).code]),
        [
          [null, -32600],
          [7, -32600],
          [0, -32601],
        ],
      );
    });

    it('uses only the first of two responses to a request', async () => {
      const bench = await make().open();
      const answer = '{"jsonrpc":"2.0","id":$PROMPT,"result":{"stopReason":"refusal"}}';
      const result = await bench.prompt('burst', `raw ${answer}`, `raw ${answer}`, 'end');
      assert.deepEqual(result, { stopReason: 'refusal' });
      assert.deepEqual(await bench.prompt('text two'), { stopReason: 'end_turn' });
    });

    it('reads unusual responses: error null beside a result, an error without code', async () => {
      const bench = await make().open();
      const result = await bench.prompt(
        'raw {"jsonrpc":"2.0","id":$PROMPT,"result":{"stopReason":"end_turn"},"error":null}',
      );
      assert.deepEqual(result, { stopReason: 'end_turn' });
      const failed = bench.prompt('raw {"jsonrpc":"2.0","id":$PROMPT,"error":{"message":"quota"}}');
      await assert.rejects(failed, (error: RpcError) => error.code === -32603 && error.message === 'quota');
    });
  });

  describe('requests of the agent', () => {
    it('are answered -32601 when there is no handler', async () => {
      const bench = await make().open();
      await bench.prompt('request elicitation/create {"mode":"form"}', 'request craft/drain {}', 'text ok');
      assert.match(bench.text, /elicitation\/create: error -32601 .*elicitation\/create/);
      assert.match(bench.text, /craft\/drain: error -32601/);
      assert.match(bench.text, /ok$/);
    });

    it('may have strings as ids', async () => {
      const bench = await make({
        env: { FAKE_STRING_IDS: '1' },
        features: [feature('parley/echo', (params) => Promise.resolve(params))],
      }).open();
      await bench.prompt('request parley/echo {"a":[1]}');
      assert.equal(bench.text, '[parley/echo: {"a":[1]}]\n');
    });

    it('receive the error of the client with its code, message and data', async () => {
      const bench = await make({
        features: [
          feature('parley/rpc', () => Promise.reject(new RpcError(-32002, 'Not there', { path: '/x' }))),
          feature('parley/sync', () => {
            throw new TypeError('Sentence\n    at stack');
          }),
          feature(
            'parley/parse',
            () => Promise.resolve({}),
            () => {
              throw invalidParams('"path" must be a string');
            },
          ),
        ],
      }).open();
      await bench.prompt('request parley/rpc {}', 'request parley/sync {}', 'request parley/parse {}');
      const errors = bench.received().flatMap((message) => ('error' in message ? [message['error']] : []));
      assert.deepEqual(errors, [
        { code: -32002, message: 'Not there', data: { path: '/x' } },
        { code: -32603, message: 'Sentence' },
        { code: -32602, message: '"path" must be a string' },
      ]);
    });

    it('can be canceled by $/cancel_request', async () => {
      const bench = await make({
        features: [
          feature(
            'parley/slow',
            (_, { signal }) =>
              new Promise((_resolve, reject) => {
                signal.addEventListener('abort', () => reject(new DOMException('stop', 'AbortError')));
              }),
          ),
        ],
      }).open();
      await bench.prompt('request-cancel parley/slow {}');
      assert.match(bench.text, /parley\/slow: error -32800/);
    });

    it('are rejected if a running request has the same id; its abort signal stays valid', async () => {
      const signals: AbortSignal[] = [];
      const wait = feature('parley/slow', (_, { signal }) => {
        signals.push(signal);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve({})));
      });
      const bench = await make({ features: [wait] }).open();
      const slow = 'raw {"jsonrpc":"2.0","id":"twice","method":"parley/slow","params":{}}';
      const cancel = 'raw {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"twice"}}';
      const answers = (): unknown[] =>
        bench.received().flatMap(({ id, error, result }) => (id === 'twice' ? [error ?? result] : []));
      await bench.prompt('burst', slow, slow, 'end', 'request parley/barrier {}');
      const message = 'The id "twice" belongs to a request that is not answered yet';
      assert.deepEqual(answers(), [{ code: -32600, message }]);
      assert.equal(signals.length, 1);
      await bench.prompt(cancel, 'request parley/barrier {}');
      assert.equal(signals[0]?.aborted, true);
      await bench.prompt(slow, 'request parley/barrier {}', cancel, 'request parley/barrier {}');
      // A response takes a moment after the request is canceled, so the agent repeats the request until it has both.
      while (answers().length < 3) await bench.prompt('request parley/barrier {}');
      assert.deepEqual(answers().slice(1), [{}, {}], 'once it is answered its id may come again');
      await bench.prompt('burst', slow, slow, 'end', 'request parley/barrier {}');
      await bench.close();
      assert.deepEqual(
        signals.map(({ aborted }) => aborted),
        [true, true, true],
      );
    });

    it('are aborted when the agent exits', async () => {
      const aborted = createDeferred<void>();
      const bench = await make({
        features: [
          feature('parley/slow', (_, { signal }) => {
            signal.addEventListener('abort', () => aborted.resolve());
            return new Promise(() => {});
          }),
        ],
      }).open();
      await assert.rejects(bench.prompt('burst', 'request parley/slow {}', 'end', 'kill'));
      await aborted.promise;
    });

    it('receive an error if the answer cannot be written as JSON', async () => {
      const bench = await make({ features: [feature('parley/big', () => Promise.resolve({ n: 1n }))] }).open();
      await bench.prompt('request parley/big {}');
      assert.match(bench.text, /parley\/big: error -32603/);
    });
  });

  describe('requests of the client', () => {
    it('reject with the error of the agent', async () => {
      const bench = await make().open();
      await assert.rejects(bench.prompt('error -32000 Sign in first'), (error: unknown) => {
        assert.ok(error instanceof RpcError);
        assert.deepEqual([error.code, error.message], [-32000, 'Sign in first']);
        return true;
      });
    });

    it('can be canceled, which notifies the agent', async () => {
      const bench = await make().open();
      const abort = new AbortController();
      const params = { sessionId: bench.sessionId, prompt: [{ type: 'text', text: 'until-cancel' }] };
      const turn = bench.connection.request('session/prompt', params, { signal: abort.signal });
      abort.abort();
      await assert.rejects(turn, (error) => ParleyError.is(error, 'canceled'));
      assert.deepEqual(await bench.prompt('text after'), { stopReason: 'end_turn' });
      assert.ok(bench.received().some(({ method }) => method === '$/cancel_request'));
    });

    it('are rejected before the start, with a next step', async () => {
      const bench = make();
      await assert.rejects(bench.connection.request('session/new', {}), (error: ParleyError) => {
        assert.equal(error.message, 'Fake is not running');
        assert.ok(error.nextStep);
        return true;
      });
    });
  });

  describe('handshake', () => {
    it('advertises the merged capabilities of all features', async () => {
      const bench = make({
        features: [
          { capabilities: { fs: { readTextFile: true } }, handlers: [] },
          { capabilities: { fs: { writeTextFile: true }, terminal: true }, handlers: [] },
        ],
      });
      await bench.connection.start();
      assert.deepEqual(bench.received()[0]?.['params'], {
        protocolVersion: 1,
        clientInfo: { name: 'parley', title: 'Parley', version: '0.0.0' },
        clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
      });
    });

    it('fills in missing fields of the response', async () => {
      const info = await make({ env: { FAKE_BARE: '1' } }).connection.start();
      assert.deepEqual(info, { protocolVersion: 1, capabilities: {}, authMethods: [] });
    });

    it('starts only once, however often it is requested', async () => {
      const bench = make();
      const [one, two] = await Promise.all([bench.connection.start(), bench.connection.start()]);
      assert.equal(one, two);
      assert.equal(await bench.connection.start(), one);
      assert.deepEqual(
        bench.states.map(({ status }) => status),
        ['starting', 'ready'],
      );
    });

    it('closes for another protocol version, reports both versions, and sends nothing else', async () => {
      const bench = make({ env: { FAKE_PROTOCOL: '99' } });
      await assert.rejects(bench.connection.start(), (error: ParleyError) => {
        assert.equal(error.kind, 'agentProtocol');
        assert.match(error.message, /99.*Parley supports version 1/);
        return true;
      });
      assert.equal(bench.connection.state.status, 'failed');
      await bench.connection.stop();
      assert.deepEqual(
        bench.received().map(({ method }) => method),
        ['initialize'],
      );
    });

    it('reports the error of the agent', async () => {
      const bench = make({ env: { FAKE_INITIALIZE_ERROR: '-32603 No licence' } });
      await assert.rejects(bench.connection.start(), (error: ParleyError) => {
        assert.deepEqual([error.kind, error.message], ['agentRefused', 'Fake could not be initialized: No licence']);
        return true;
      });
    });

    it('reports a slow start, then fails with the output of the agent', async () => {
      const bench = make({
        env: { FAKE_NO_INITIALIZE: '1', FAKE_NOISE: 'Login?', FAKE_STDERR: 'waiting for a key' },
        deadlines: { slow: 300, initialize: 1500 },
      });
      const hint = createDeferred<string>();
      bench.connection.onSlow((text) => hint.resolve(text));
      await assert.rejects(bench.connection.start(), (error: ParleyError) => {
        assert.match(error.message, /did not respond to "initialize"/);
        assert.match(error.detail ?? '', /Login\?[\s\S]*waiting for a key/);
        return true;
      });
      assert.match(await hint.promise, /Fake has not responded/);
    });
  });

  describe('faults', () => {
    it('reports the command that was not found, and the setting', async () => {
      const definition = { ...fakeAgent(), command: 'no-such-agent-anywhere' };
      const bench = make({ definition });
      await assert.rejects(bench.connection.start(), (error: ParleyError) => {
        assert.equal(error.kind, 'agentNotFound');
        assert.equal(error.message, 'Cannot start Fake: command "no-such-agent-anywhere" was not found');
        assert.match(error.nextStep ?? '', /parley\.agents/);
        return true;
      });
      assert.equal(bench.connection.state.status, 'failed');
    });

    it('reports the file that is not executable', async function () {
      if (process.platform === 'win32') this.skip();
      const bench = make();
      const file = join(bench.folder, 'agent');
      writeFileSync(file, '#!/bin/sh\n');
      chmodSync(file, 0o644);
      const other = make({ definition: { ...fakeAgent(), command: file } });
      await assert.rejects(other.connection.start(), (error: ParleyError) => {
        assert.deepEqual(
          [error.kind, error.message],
          ['agentNotFound', `Cannot start Fake: command "${file}" is not executable`],
        );
        return true;
      });
    });

    it('reports the folder that does not exist', async () => {
      const bench = make({ definition: { ...fakeAgent(), cwd: '/no/such/folder' } });
      await assert.rejects(bench.connection.start(), /the folder \/no\/such\/folder does not exist/);
    });

    it('reports an exit during a turn after all earlier messages, with the end of stderr', async () => {
      const bench = await make().open();
      const turn = bench.prompt('text last words', 'stderr \\u001b[31mout of memory', 'exit 3');
      await assert.rejects(turn, (error: ParleyError) => {
        assert.equal(error.kind, 'agentExited');
        assert.match(error.message, /Fake stopped unexpectedly \(exit code 3\)/);
        assert.match(error.detail ?? '', /out of memory/);
        return true;
      });
      assert.deepEqual(bench.events[0], 'update last words');
      const state = await bench.reaches('exited');
      assert.ok(state.status === 'exited' && state.code === 3 && state.stderr.includes('out of memory'));
    });

    it('reports an exit during the start', async () => {
      const bench = make({ env: { FAKE_EXIT_ON_START: '4', FAKE_STDERR: 'bad flag' } });
      await assert.rejects(bench.connection.start(), (error: ParleyError) => {
        assert.match(error.message, /exit code 4/);
        assert.match(error.detail ?? '', /bad flag/);
        return true;
      });
      const state = await bench.reaches('exited');
      assert.ok(state.status === 'exited' && state.code === 4);
    });

    it('reports the signal that ended the agent, which can be started again', async () => {
      const bench = await make().open();
      await assert.rejects(bench.prompt('kill'), /signal SIGKILL/);
      await bench.reaches('exited');
      await bench.open();
      await bench.prompt('text again');
      assert.equal(bench.text, 'again');
    });

    it('keeps reading from an agent that closed its input', async () => {
      const bench = await make({ env: { FAKE_IGNORE_EOF: '1' }, deadlines: { silentExit: 300 } }).open();
      const turn = bench.prompt('close-stdin', 'text I am deaf', 'wait 400', 'text but I speak');
      await turn;
      await assert.rejects(bench.prompt('text x'), /Fake stopped reading input \(session\/prompt/);
      assert.equal(bench.text, 'I am deafbut I speak');
      assert.equal(bench.connection.state.status, 'ready');
    });

    it('ends an agent that closed its output', async () => {
      const bench = await make({ env: { FAKE_IGNORE_EOF: '1' }, deadlines: { silentExit: 200, eof: 100 } }).open();
      await assert.rejects(bench.prompt('close-stdout', 'hang'), /stopped unexpectedly/);
    });
  });

  describe('stop', () => {
    it('is not reported as an exit, and cancels pending requests', async () => {
      const bench = await make().open();
      const turn = bench.prompt('until-cancel');
      const rejected = assert.rejects(turn, (error) => ParleyError.is(error, 'canceled'));
      await bench.connection.stop();
      await rejected;
      assert.deepEqual(bench.states.at(-1), { status: 'stopped' });
    });

    for (const flags of ['', 'detached', 'stubborn', 'detached stubborn']) {
      it(`leaves no process behind: child ${flags}`, async function () {
        if (process.platform === 'win32') this.skip();
        const bench = await make({ deadlines: { eof: 500, term: 500 } }).open();
        await bench.prompt(`spawn-child ${flags}`);
        const child = Number(/\[child (\d+)\]/.exec(bench.text)?.[1]);
        assert.ok(runs(child));
        await bench.connection.stop();
        assert.ok(!runs(child), 'the child is gone when stop() resolves');
      });
    }

    it('ends an agent that ignores the end of its input and SIGTERM', async function () {
      if (process.platform === 'win32') this.skip();
      const env = { FAKE_IGNORE_EOF: '1', FAKE_IGNORE_TERM: '1' };
      const bench = await make({ env, deadlines: { eof: 200, term: 200 } }).open();
      const pid = Number(/^fake-(\d+)/.exec(bench.sessionId)?.[1]);
      assert.ok(runs(pid));
      await bench.connection.stop();
      assert.ok(!runs(pid));
      assert.equal(bench.connection.state.status, 'stopped');
    });

    it('ends processes that an exited agent left in its group', async function () {
      if (process.platform === 'win32') this.skip();
      const bench = await make({ deadlines: { eof: 200, term: 200 } }).open();
      await assert.rejects(bench.prompt('spawn-child stubborn', 'kill'));
      const child = Number(/\[child (\d+)\]/.exec(bench.text)?.[1]);
      await bench.connection.stop();
      assert.ok(!runs(child));
    });

    it('also works during the start', async () => {
      const bench = make({ env: { FAKE_NO_INITIALIZE: '1' } });
      const start = bench.connection.start();
      const rejected = assert.rejects(start, (error) => ParleyError.is(error, 'canceled'));
      await bench.connection.stop();
      await rejected;
      assert.equal(bench.connection.state.status, 'stopped');
    });
  });
});

/** Resolves when the agent has received our response to this method, which it reports as text. */
async function answered(bench: Bench, method: string): Promise<void> {
  await until(() => bench.text.includes(`[${method}:`));
}
