import assert from 'node:assert/strict';
import { createDeferred } from '../../../../src/base/async';
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
