import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AgentConnection } from '../../../../src/agent/connection/agentConnection';
import { createDeferred } from '../../../../src/base/async';
import { ParleyError, isCancellation } from '../../../../src/base/errors';
import { nullLogger } from '../../../../src/base/logger';
import { fakeAgent } from '../../../fakeAgent/definition';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('agent/connection: approval before each start', function () {
  let folder: string;
  /** Created by the agent at its first message. */
  const log = (): string => join(folder, 'received.jsonl');
  beforeEach(() => (folder = temporaryFolder()));

  function connect(allow: () => Promise<void>): AgentConnection {
    return new AgentConnection({
      definition: fakeAgent({ FAKE_LOG: log() }),
      cwd: process.cwd(),
      clientInfo: { name: 'parley', title: 'Parley', version: '0.0.0' },
      features: [],
      log: nullLogger,
      allow,
      onUpdate() {},
    });
  }

  it('does not start a rejected agent, and asks again at the next start', async () => {
    let answer: Promise<void> = Promise.reject(new ParleyError('untrusted', 'Fake was not started: refused'));
    const connection = connect(() => answer);
    await assert.rejects(connection.start(), /refused/);
    assert.deepEqual([connection.state.status, connection.traffic.size, existsSync(log())], ['failed', 0, false]);
    answer = Promise.resolve();
    await connection.start();
    assert.deepEqual([connection.state.status, existsSync(log())], ['ready', true]);
    await connection.stop();
  });

  it('starts nothing if it was stopped before the answer', async () => {
    const answer = createDeferred<void>();
    const connection = connect(() => answer.promise);
    const starting = connection.start();
    await connection.stop();
    answer.resolve();
    await assert.rejects(starting, (error) => isCancellation(error));
    assert.deepEqual([connection.state.status, existsSync(log())], ['stopped', false]);
  });
});
