import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createDeferred } from '../../../../src/base/async';
import { forkSession } from '../../../../src/session/commands/forkSession';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { render } from '../../../replay/render';
import { SessionBench } from '../sessionBench';

describe('the code that talks to agents', () => {
  let bench: SessionBench;
  afterEach(() => bench.close());

  it('is loaded once, for the first agent, before the message is sent', async () => {
    const read = createDeferred<void>();
    let times = 0;
    const load = (): Promise<void> => {
      times += 1;
      return read.promise;
    };
    bench = await SessionBench.open({ load });
    assert.equal(times, 0);
    const sent = bench.send('text Hello');
    const opened = bench.session.reopen();
    read.resolve();
    await Promise.all([sent, opened]);
    assert.equal(times, 1);
    assert.match(bench.text, /Hello/);
  });

  it('is loaded again after a failure, which the chat shows', async () => {
    let fails = true;
    bench = await SessionBench.open({
      load: () => (fails ? Promise.reject(new Error('The file is not there')) : Promise.resolve()),
    });
    await bench.send('text Hello').catch(() => undefined);
    await bench.until(({ turn }) => turn.status !== 'running');
    assert.match(bench.text, /The file is not there/);
    fails = false;
    await bench.send('text Hello again');
    assert.match(bench.text, /Hello again/);
  });
});

describe('an agent that gives a new session the id of another one', () => {
  let bench: SessionBench;
  afterEach(() => bench.close());

  it('is reported, and the first session continues', async () => {
    bench = await SessionBench.open({ env: { FAKE_SAME_ID: '1' } });
    await bench.send('text One');
    const first = bench.session;
    bench.sessions.newChat();
    await bench.send('text Two').catch(() => undefined);
    await bench.until(({ turn }) => turn.status !== 'running');
    assert.notEqual(bench.session, first);
    assert.match(bench.text, /did not return a new session ID/);
    await first.send('text Three');
    assert.match(render(first.state), /Three/);
    assert.doesNotMatch(bench.text, /Three/);
  });

  it('is reported when it forks a session, and the first session continues', async () => {
    const folder = temporaryFolder();
    bench = await SessionBench.open({ folder, env: { ...stored(folder), FAKE_SAME_ID: '1' } });
    await bench.send('text One');
    const first = bench.session;
    await assert.rejects(forkSession(first, bench.sessions), /did not return the new session ID/);
    assert.deepEqual(bench.sessions.allOpen(), [first]);
    await first.send('text Two');
    assert.match(render(first.state), /Two/);
  });

  it('after a restart does not mix the stored session of that id with the new one', async () => {
    const folder = temporaryFolder();
    bench = await SessionBench.open({ folder, env: stored(folder) });
    await bench.send('text One');
    const { session: first } = bench;
    const { agent, agentSession } = first.state;
    assert.ok(agent && agentSession);
    const second = bench.sessions.newChat();
    second.dispatch({ type: 'agentNamed', agent });
    second.dispatch({ type: 'agentSessionOpened', session: agentSession });
    assert.equal(await second.reopen(), false);
    await Promise.all([first.send('text Three'), second.send('text Two')]);
    assert.match(render(first.state), /Three/);
    assert.doesNotMatch(render(first.state), /Two/);
    assert.match(render(second.state), /Two/);
    assert.doesNotMatch(render(second.state), /Three/);
    assert.notEqual(second.state.agentSession?.id, agentSession.id);
  });
});

/** The agent keeps sessions in the folder, and offers all that can be done with them. */
function stored(folder: string): Record<string, string> {
  const sessionCapabilities = { list: {}, resume: {}, close: {}, fork: {} };
  return {
    FAKE_STORE: join(folder, 'agent'),
    FAKE_CAPABILITIES: JSON.stringify({ loadSession: true, sessionCapabilities }),
  };
}
