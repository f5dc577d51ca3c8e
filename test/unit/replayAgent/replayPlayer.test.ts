import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/base/json';
import { ReplayPlayer } from '../../../src/replayAgent/replayPlayer';
import type { RecordedLine } from '../../../src/shared/traffic/trafficRecording';
import { settled } from '../../kit/waiting';

describe('replayAgent/replayPlayer', () => {
  let sent: JsonObject[];
  let said: string[];

  function player(...lines: (readonly ['in' | 'out', JsonObject])[]): ReplayPlayer {
    sent = [];
    said = [];
    const recorded: RecordedLine[] = lines.map(([dir, msg], t) => ({ dir, t, msg: { jsonrpc: '2.0', ...msg } }));
    return new ReplayPlayer(recorded, {
      send: (message) => void sent.push(message),
      print: (line) => void said.push(line),
    });
  }

  const opening = [
    ['out', { id: 0, method: 'session/new', params: { cwd: '/workspace' } }],
    ['in', { id: 0, result: { sessionId: 's' } }],
  ] as const;
  const ask = { id: 5, method: 'session/request_permission', params: { sessionId: 's', options: [] } };
  const prompt = (id: number): JsonObject => ({ id, method: 'session/prompt', params: { sessionId: 's' } });
  const update = (text: string): JsonObject => ({ method: 'session/update', params: { sessionId: 's', text } });

  it('returns an error for an unrecorded request, and names it', async () => {
    player(...opening).receive({ id: 9, method: 'session/set_mode', params: { sessionId: 's' } });
    await settled();
    assert.equal(sent[0]?.['id'], 9);
    assert.match(JSON.stringify(sent[0]), /-32601.*The recording has no \\"session\/set_mode\\"/);
    assert.match(said.join(), /^Deviation: The recording has no/);
  });

  it('reports more prompts than were recorded', async () => {
    const replay = player(...opening, ['out', prompt(1)], ['in', { id: 1, result: { stopReason: 'end_turn' } }]);
    replay.receive(prompt(7));
    replay.receive(prompt(8));
    await settled();
    assert.deepEqual(
      sent.map(({ id, result }) => [id, result !== undefined]),
      [
        [7, true],
        [8, false],
      ],
    );
    assert.match(JSON.stringify(sent[1]), /has only 1/);
  });

  it('waits for the answer to a request, and reports a different answer', async () => {
    const replay = player(
      ...opening,
      ['out', prompt(1)],
      ['in', ask],
      ['out', { id: 5, result: { outcome: { outcome: 'selected', optionId: 'yes' } } }],
      ['in', update('after')],
      ['in', { id: 1, result: { stopReason: 'end_turn' } }],
    );
    replay.receive(prompt(3));
    await settled();
    assert.deepEqual(
      sent.map(({ method }) => method),
      ['session/request_permission'],
    );
    replay.receive({ id: 5, result: { outcome: { outcome: 'selected', optionId: 'no' } } });
    await settled();
    assert.deepEqual(
      sent.slice(1).map(({ method, id }) => method ?? id),
      ['session/update', 3],
    );
    assert.match(said.join(), /answered “no”, in the recording “yes”/);
  });

  it('reads, writes and runs nothing', async () => {
    const requests = ['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'x/unknown', 'mcp/connect'];
    const lines = requests.map((method, n) => ['in', { id: n + 10, method, params: { sessionId: 's' } }] as const);
    const terminal = { id: 'a', type: 'terminal', args: ['x'] };
    const meta = { id: 'b', _meta: { 'terminal-auth': { command: 'x' } } };
    const replay = player(
      ['out', { id: 0, method: 'initialize' }],
      ['in', { id: 0, result: { authMethods: [terminal, meta, { id: 'c' }] } }],
      ...opening,
      ['out', prompt(1)],
      ...lines,
      ['in', { id: 1, result: { stopReason: 'end_turn' } }],
    );
    replay.receive({ id: 1, method: 'initialize' });
    replay.receive(prompt(2));
    await settled();
    assert.deepEqual(
      sent.map(({ id, result }) => [id, result]),
      [
        [1, { authMethods: [] }],
        [2, { stopReason: 'end_turn' }],
      ],
    );
    assert.equal(said.length, requests.length);
  });

  it('sends no recorded line that is not marked as a message', async () => {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'terminal/create', params: { command: 'x' } });
    sent = [];
    said = [];
    const lines: RecordedLine[] = [
      { dir: 'out', t: 0, msg: prompt(1) },
      { dir: 'in', t: 1, noise: request },
      { dir: 'in', t: 2, msg: { id: 1, result: { stopReason: 'end_turn' } } },
    ];
    const output = {
      send: (message: JsonObject) => void sent.push(message),
      print: (line: string) => void said.push(line),
    };
    new ReplayPlayer(lines, output).receive(prompt(2));
    await settled();
    assert.deepEqual(
      sent.map(({ id }) => id),
      [2],
    );
    assert.deepEqual(said, [request]);
  });

  it('replaces the recorded folder by the client’s', async () => {
    const replay = player(
      ...opening,
      ['out', prompt(1)],
      ['in', update('/workspace/a.ts')],
      ['in', { id: 1, result: {} }],
    );
    replay.receive({ id: 1, method: 'session/new', params: { cwd: '/here' } });
    await settled();
    replay.receive(prompt(2));
    await settled();
    assert.match(JSON.stringify(sent), /"\/here\/a\.ts"/);
  });

  it('plays two turns at the same time without mixing them', async () => {
    const inB = { method: 'session/update', params: { sessionId: 'b', text: 'of b' } };
    const replay = player(
      ['out', prompt(1)],
      ['out', { ...prompt(2), params: { sessionId: 'b' } }],
      ['in', inB],
      ['in', update('of s')],
      ['in', { id: 2, result: { stopReason: 'b' } }],
      ['in', { id: 1, result: { stopReason: 's' } }],
    );
    replay.receive(prompt(11));
    await settled();
    assert.deepEqual(
      sent.map(({ id, params }) => id ?? (params as JsonObject)['text']),
      ['of s', 11],
    );
    replay.receive({ ...prompt(12), params: { sessionId: 'b' } });
    await settled();
    assert.deepEqual(
      sent.slice(2).map(({ id, params }) => id ?? (params as JsonObject)['text']),
      ['of b', 12],
    );
  });

  it('ends an unfinished turn when it is canceled, and plays one without a beginning', async () => {
    const replay = player(['out', prompt(1)], ['in', update('half')]);
    replay.receive({ id: 1, method: 'initialize' });
    replay.receive({ id: 2, method: 'session/new', params: { cwd: '/here' } });
    replay.receive(prompt(3));
    await settled();
    replay.receive({ method: 'session/cancel', params: { sessionId: 's' } });
    assert.deepEqual(
      sent.map(({ id, method }) => id ?? method),
      [1, 2, 'session/update', 3],
    );
    assert.match(JSON.stringify(sent), /"sessionId":"s".*"stopReason":"cancelled"/);
    assert.match(said.join(), /ends before "session\/prompt" was answered/);
  });
});
