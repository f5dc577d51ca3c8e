import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Emitter } from '../../../src/base/event';
import type { Disposable } from '../../../src/base/lifecycle';
import { DisposableStore } from '../../../src/base/lifecycle';
import { nullLogger } from '../../../src/base/logger';
import type { LazyBuiltIns } from '../../../src/mcp/builtin/lazyBuiltIns';
import type { CallGate } from '../../../src/mcp/calls/callGate';
import type { HostedServers } from '../../../src/mcp/hostedServers';
import { NewServerRestarter, trackSessions } from '../../../src/mcp/sessionLifecycle';
import { stubOf } from '../../kit/stubOf';
import { SessionBench } from '../session/sessionBench';

describe('tool servers that change while a chat is open', () => {
  let bench: SessionBench;
  let changed: Emitter<void>;
  let tracked: Disposable;
  let isLate: boolean;

  beforeEach(async () => {
    const first = await SessionBench.open();
    await first.closeWindow();
    const capabilities = JSON.stringify({ sessionCapabilities: { resume: {} } });
    const env = { FAKE_CAPABILITIES: capabilities, FAKE_STORE: join(first.folder, 'agent') };
    bench = await SessionBench.open({ folder: first.folder, env });
    changed = new Emitter();
    isLate = false;
    const store = new DisposableStore();
    const gate = stubOf<CallGate>({ onDidChange: changed.event });
    const hostedServers = stubOf<HostedServers>({ isOutdated: () => isLate, close: async () => undefined });
    const builtIns = stubOf<LazyBuiltIns>({ value: undefined });
    const restarter = store.add(new NewServerRestarter(gate, hostedServers, bench.agents, nullLogger));
    store.add(trackSessions(bench.sessions, builtIns, hostedServers, restarter));
    tracked = store;
  });

  afterEach(async () => {
    tracked.dispose();
    await bench.close();
  });

  it('are declared to a new connection before a message that is sent at once', async () => {
    await bench.send('hello');
    isLate = true;
    changed.fire();
    await bench.send('recall');
    assert.deepEqual(bench.methods(), ['session/new', 'session/prompt', 'session/resume', 'session/prompt']);
    assert.match(bench.text, /hello/);
  });

  it('do not end the connection before a message if nothing changed', async () => {
    await bench.send('hello');
    changed.fire();
    await bench.send('recall');
    assert.deepEqual(bench.methods(), ['session/new', 'session/prompt', 'session/prompt']);
  });
});
