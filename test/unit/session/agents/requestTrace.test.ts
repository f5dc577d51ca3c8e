import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../src/base/json';
import { asObject } from '../../../../src/base/json';
import { nullLogger } from '../../../../src/base/logger';
import { lastEntry } from '../../../../src/shared/state/entryPages';
import { SessionBench } from '../sessionBench';

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-01$/;

describe('the trace of a request', function () {
  let bench: SessionBench;
  afterEach(() => bench.close());

  const metaOf = (method: string): JsonObject[] =>
    bench
      .received()
      .filter((message) => message['method'] === method)
      .map((message) => asObject(asObject(message['params'])?.['_meta']) ?? {});

  it('is new for each prompt, has version 00, and is logged', async () => {
    const logged: string[] = [];
    const log = { ...nullLogger, info: (_tag: string, line: string) => void logged.push(line) };
    bench = await SessionBench.open({ sessions: { log } });
    await bench.send('one');
    await bench.send('two');
    const traces = metaOf('session/prompt').map(({ traceparent }) => String(traceparent));
    assert.equal(new Set(traces).size, 2);
    for (const trace of traces) {
      assert.match(trace, TRACEPARENT);
      assert.ok(
        logged.some((line) => line.includes(trace.slice(3, 35))),
        trace,
      );
    }
  });

  it('goes with what opens a session, sets an option and joins a turn', async () => {
    const options = [
      { value: 'a', name: 'A' },
      { value: 'b', name: 'B' },
    ];
    const mode = { id: 'mode', name: 'Mode', type: 'select', currentValue: 'a', options };
    const result = JSON.stringify({ configOptions: [mode] });
    bench = await SessionBench.open({ env: { FAKE_NEW_RESULT: result, FAKE_STEERING: 'injected' } });
    const turn = bench.send('text working', 'until-cancel');
    await bench.until((state) => lastEntry(state.entries)?.kind === 'agent');
    await bench.session.configOptions.choose('mode', 'b');
    await bench.session.send('use tabs', [], { now: true });
    bench.session.turn.stop();
    await turn;
    for (const method of ['session/new', 'session/set_config_option', '_session/steering'])
      assert.match(String(metaOf(method)[0]?.['traceparent']), TRACEPARENT, method);
    assert.ok(metaOf('_session/steering')[0]?.['steering'], 'the metadata of the message is kept');
  });

  it('belongs to the trace of the environment, with its state and baggage', async () => {
    const traceId = 'a'.repeat(32);
    const env = { TRACEPARENT: `00-${traceId}-${'b'.repeat(16)}-00`, TRACESTATE: 'vendor=1', BAGGAGE: 'user=7' };
    const features = [{ capabilities: {}, handlers: [], promptMeta: (sessionId: string) => ({ seen: sessionId }) }];
    bench = await SessionBench.open({
      env,
      more: () => ({ features, services: { mcpServers: async () => [], dispose: () => undefined } }),
    });
    await bench.send('one');
    await bench.send('two');
    const metas = metaOf('session/prompt');
    assert.equal(new Set(metas.map(({ traceparent }) => traceparent)).size, 2, 'each request is a span of its own');
    for (const { traceparent, ...more } of metas) {
      assert.match(String(traceparent), new RegExp(`^00-${traceId}-(?!b{16})[0-9a-f]{16}-00$`));
      assert.deepEqual(more, { tracestate: 'vendor=1', baggage: 'user=7', seen: bench.session.state.agentSession?.id });
    }
    assert.equal(metaOf('session/new')[0]?.['seen'], undefined, 'only messages carry what extensions add');
  });
});
