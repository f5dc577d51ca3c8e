import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TrafficRecorder } from '../../../../src/agent/traffic/trafficRecorder';
import { StderrBuffer } from '../../../../src/node/process/stderrBuffer';
import { collectGarbage } from '../../../kit/collectGarbage';

describe('traffic', () => {
  it('keeps the last 2,000 messages', () => {
    const ring = new TrafficRecorder();
    for (let n = 0; n < 5_000; n++) ring.message('in', { n }, '{"n":0}');
    const kept = ring.entries().map((entry) => ('message' in entry ? (entry.message as { n: number }).n : -1));
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [2_000, 3_000, 4_999]);
  });

  it('is limited in bytes, and stores only the beginning of a large message', () => {
    const ring = new TrafficRecorder();
    const line = JSON.stringify({ text: 'x'.repeat(400_000) });
    for (let n = 0; n < 100; n++) ring.message('in', JSON.parse(line), line);
    assert.ok(JSON.stringify(ring.entries()).length < 20 * 1024 * 1024);
    assert.ok(ring.size > 10 && ring.size < 100);
    const huge = 'y'.repeat(10_000_000);
    ring.message('out', { huge }, huge);
    const last = ring.entries().at(-1);
    assert.ok(last && 'beginning' in last && last.bytes === 10_000_000 && last.beginning.length < 10_000);
  });

  it('releases the messages that it drops', async () => {
    const ring = new TrafficRecorder();
    const line = JSON.stringify({ text: 'x'.repeat(400_000) });
    await collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < 200; n++) ring.message('in', JSON.parse(line), line);
    await collectGarbage();
    const grown = process.memoryUsage().heapUsed - before;
    assert.ok(grown > 10_000_000 && grown < 20_000_000, String(grown));
  });

  it('keeps of messages that repeat the one before only the last whole', () => {
    const ring = new TrafficRecorder();
    const all = Array.from({ length: 100 }, (_, at) => ({ text: 'x'.repeat(400_000 + at) }));
    const lineOf = (message: object): string => JSON.stringify(message);
    for (const [at, message] of all.entries()) {
      const before = all[at - 1];
      if (before) ring.repeated(before, message, Buffer.from(lineOf(message)));
      else ring.message('in', message, lineOf(message));
    }
    const entries = ring.entries();
    assert.equal(entries.length, 100);
    assert.deepEqual(
      entries.map(({ bytes }) => bytes),
      all.map((message) => lineOf(message).length),
    );
    assert.ok(entries.slice(0, -1).every((entry) => 'beginning' in entry && entry.beginning.startsWith('{"text":"xx')));
    assert.deepEqual(entries.at(-1), { ...entries.at(-1), message: all.at(-1) });
  });

  it('counts the bytes that were sent', () => {
    const ring = new TrafficRecorder();
    ring.message('in', { text: 'ä😀' }, '{"text":"ä😀"}');
    ring.invalidLine('ä😀');
    ring.stderr('ä😀');
    ring.message('out', {}, '漢'.repeat(200_000));
    assert.deepEqual(
      ring.entries().map(({ bytes }) => bytes),
      [17, 6, 6, 600_000],
    );
    assert.ok('beginning' in (ring.entries().at(-1) ?? {}), 'more than 512 KiB on the wire');
  });

  it('returns new messages, with numbers that continue when the oldest are dropped', () => {
    const ring = new TrafficRecorder();
    let told = 0;
    ring.onDidAdd(() => told++);
    for (let n = 0; n < 2_500; n++) ring.invalidLine(`line ${n}`);
    assert.deepEqual([told, ring.firstSeq], [2_500, 500]);
    assert.deepEqual(
      ring.entries(2_498).map((entry) => [entry.seq, 'noise' in entry && entry.noise]),
      [
        [2_498, 'line 2498'],
        [2_499, 'line 2499'],
      ],
    );
    assert.deepEqual(
      ring.entries(0, 2).map(({ seq }) => seq),
      [500, 501],
    );
    assert.deepEqual(ring.entries(2_500), []);
  });

  it('keeps nothing while recording is off', () => {
    let recording = false;
    const ring = new TrafficRecorder({}, undefined, () => recording);
    ring.invalidLine('a');
    recording = true;
    ring.invalidLine('b');
    assert.equal(ring.size, 1);
  });

  it('redacts values entered for secret inputs, whatever their names', () => {
    const ring = new TrafficRecorder({ PLACE: '${input:where}', MODE: 'plain' });
    ring.addSecrets({ PLACE: 'hushhush', MODE: 'plain' });
    ring.stderr('going to hushhush in plain mode');
    assert.match(JSON.stringify(ring.entries()), /going to \[redacted\] in plain mode/);
  });

  it('redacts secrets', () => {
    const ring = new TrafficRecorder({ SOME_KEY: 'sk-12345678', API_TOKEN: 'tok1', DEBUG: '1' });
    const message = {
      params: {
        apiKey: 'plain-secret-1',
        text: 'my key is sk-12345678, Authorization: Bearer abc.def-1',
        mcpServers: [
          { name: 'a', env: [{ name: 'X', value: 'plain-secret-2' }] },
          { name: 'b', headers: [{ name: 'Authorization', value: 'plain-secret-3' }] },
        ],
        env: { Y: 'plain-secret-4' },
        usage: { inputTokens: 12, tokenCount: 3 },
        sessionId: 's1',
      },
    };
    ring.message('out', message, JSON.stringify(message));
    ring.stderr('using tok1 now, DEBUG=1');
    ring.invalidLine('sk-12345678');
    const text = JSON.stringify(ring.entries());
    assert.doesNotMatch(text, /plain-secret|sk-1234|abc\.def|tok1/);
    assert.match(text, /"sessionId":"s1"/);
    assert.match(text, /"inputTokens":12,"tokenCount":3/);
    assert.match(text, /DEBUG=1/);
    assert.match(text, /"name":"Authorization"/);
  });

  describe('answers of forms', () => {
    const ask = { jsonrpc: '2.0', id: 7, method: 'elicitation/create', params: { message: 'Who?' } };
    const reply = (content: unknown, id: unknown = 7) => ({
      jsonrpc: '2.0',
      id,
      result: { action: 'accept', content },
    });
    const record = (ring: TrafficRecorder, dir: 'in' | 'out', message: unknown) =>
      ring.message(dir, message, JSON.stringify(message));
    const last = (ring: TrafficRecorder) => ring.entries().at(-1) as { message: { result: { content: unknown } } };

    it('hides what was entered, whatever the names of the fields', () => {
      const ring = new TrafficRecorder();
      record(ring, 'in', ask);
      const content = { pet: 'Rex', size: 42, sure: true, none: null, tags: ['a', 7], more: { mother: ['Ann'] } };
      record(ring, 'out', reply(content));
      const hidden = '[redacted]';
      assert.deepEqual(last(ring).message.result.content, {
        pet: hidden,
        size: hidden,
        sure: true,
        none: null,
        tags: [hidden, hidden],
        more: hidden,
      });
    });

    for (const [form, params, envelope] of [
      ['on a connection', { connectionId: 'c' }, (result: object) => result],
      ['without a connection', { serverId: 'user', requestId: 'r' }, (result: object) => ({ result })],
    ] as const) {
      it(`hides the answer to the tool "ask" ${form}`, () => {
        const ring = new TrafficRecorder();
        const call = (name: string, id: number): object => ({
          jsonrpc: '2.0',
          id,
          method: 'mcp/message',
          params: { ...params, method: 'tools/call', params: { name, arguments: { question: 'Which password?' } } },
        });
        const result = envelope({
          content: [{ type: 'text', text: 'plain-words' }],
          structuredContent: { answer: 'plain-words', dismissed: false },
        });
        for (const [name, id] of [
          ['ask', 1],
          ['user__ask', 2],
          ['outline', 3],
        ] as const) {
          record(ring, 'in', call(name, id));
          record(ring, 'out', { jsonrpc: '2.0', id, result });
          assert.equal(/plain-words/.test(JSON.stringify(ring.entries().at(-1))), name === 'outline', name);
        }
        assert.match(JSON.stringify(ring.entries()), /Which password.*"dismissed":false/);
      });
    }

    it('hides every text and number in them', () => {
      fc.assert(
        fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (content) => {
          const ring = new TrafficRecorder();
          record(ring, 'in', ask);
          record(ring, 'out', reply(content));
          const shown = last(ring).message.result.content as Record<string, unknown>;
          for (const value of Object.values(shown).flat(20))
            assert.ok(typeof value === 'boolean' || value === null || value === '[redacted]');
        }),
      );
    });

    const inputs = { where: { action: 'accept', content: { pet: 'plain-words' } }, model: { role: 'assistant' } };
    for (const [way, method, params] of [
      ['in MCP', 'tools/call', { name: 'pet', inputResponses: inputs }],
      [
        'over ACP',
        'mcp/message',
        { connectionId: 'c', method: 'prompts/get', params: { name: 'p', inputResponses: inputs } },
      ],
    ] as const) {
      it(`hides what a repeated request carries ${way}`, () => {
        for (const dir of ['in', 'out'] as const) {
          const ring = new TrafficRecorder();
          record(ring, dir, { jsonrpc: '2.0', id: 1, method, params });
          const text = JSON.stringify(ring.entries());
          assert.doesNotMatch(text, /plain-words/);
          assert.match(text, /"action":"accept","content":\{"pet":"\[redacted\]"\}\},"model":\{"role":"assistant"\}/);
        }
      });
    }

    it('hides the answer to a question of Cursor', () => {
      const ring = new TrafficRecorder();
      record(ring, 'in', { jsonrpc: '2.0', id: 5, method: 'cursor/ask_question', params: {} });
      const answers = [{ questionId: 'password', selectedOptionIds: ['plain-words'] }];
      record(ring, 'out', { jsonrpc: '2.0', id: 5, result: { outcome: { outcome: 'answered', answers } } });
      const text = JSON.stringify(ring.entries());
      assert.match(text, /"questionId":"password","selectedOptionIds":"\[redacted\]"/);
    });

    it('hides an answer of which only the beginning is kept', () => {
      const ring = new TrafficRecorder();
      record(ring, 'in', ask);
      record(ring, 'out', reply({ pet: 'Rex', long: 'x'.repeat(600_000) }));
      const [, entry] = ring.entries();
      assert.ok(entry && 'beginning' in entry && entry.bytes > 600_000);
      assert.doesNotMatch(entry.beginning, /Rex|xxx/);
    });

    it('hides it where recording began after the request, ids repeat, or another response comes first', () => {
      let isRecording = false;
      const ring = new TrafficRecorder({}, undefined, () => isRecording);
      record(ring, 'in', ask);
      record(ring, 'in', ask);
      record(ring, 'in', { ...ask, method: 'fs/read_text_file' });
      isRecording = true;
      record(ring, 'out', { jsonrpc: '2.0', id: 7, result: { content: 'text of a file' } });
      record(ring, 'out', reply({ pet: 'Rex' }));
      record(ring, 'out', reply({ pet: 'Tom' }));
      const text = JSON.stringify(ring.entries());
      assert.match(text, /text of a file/);
      assert.doesNotMatch(text, /Rex|Tom/);
    });

    it('leaves other messages and refusals as they are', () => {
      const ring = new TrafficRecorder();
      record(ring, 'in', ask);
      record(ring, 'out', { id: 7, method: 'session/prompt', params: { content: { text: 'own request' } } });
      record(ring, 'out', reply({ text: 'other id' }, '7'));
      record(ring, 'out', { id: 7, result: { action: 'decline' } });
      record(ring, 'out', reply({ text: 'after the answer' }));
      const text = JSON.stringify(ring.entries());
      for (const kept of ['own request', 'other id', 'decline', 'after the answer'])
        assert.ok(text.includes(kept), kept);
    });
  });
});

describe('stderr', () => {
  it('keeps the last lines without colors, within its limit', () => {
    const lines: string[] = [];
    const ring = new StderrBuffer((line) => lines.push(line));
    for (let n = 0; n < 20_000; n++) ring.push(Buffer.from(`\u001b[31mline ${n}\u001b[0m\n`));
    ring.push(Buffer.from('the '));
    ring.push(Buffer.from('end'));
    ring.end();
    assert.equal(ring.tail(2), 'line 19999\nthe end');
    assert.equal(lines.length, 20_001);
    assert.ok(ring.tail(100_000).length < 150_000);
  });

  it('does not grow with an endless line', () => {
    const ring = new StderrBuffer(() => {});
    for (let n = 0; n < 1_000; n++) ring.push(Buffer.alloc(1_000, 'x'));
    ring.push(Buffer.from('\nafter\n'));
    assert.equal(ring.tail(), '(a line of 1000000 bytes was left out)\nafter');
  });
});
