import assert from 'node:assert/strict';
import { createDeferred } from '../../../../src/base/async';
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
});
