import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/clock';
import { isCancellation, errorMessage } from '../../../../src/base/errors';
import { asObject } from '../../../../src/base/json';
import { nullLogger } from '../../../../src/base/logger';
import { promptOnce } from '../../../../src/session/agents/oneShotPrompt';
import { until } from '../../../kit/waiting';
import { SessionBench } from '../sessionBench';

describe('a one-shot prompt', function () {
  let bench: SessionBench;
  let opened: string[];

  beforeEach(() => {
    opened = [];
  });
  afterEach(async () => bench?.close());

  function ask(script: readonly string[], signal = new AbortController().signal): Promise<string> {
    return promptOnce(script.join('\n'), {
      agents: bench.agents,
      agentName: 'fake',
      cwd: bench.folder,
      clock: systemClock,
      log: nullLogger,
      signal,
      onDidOpen: (id) => opened.push(id),
    });
  }

  it('returns the text after the last tool call, and leaves no session behind', async () => {
    bench = await SessionBench.open({ env: { FAKE_CAPABILITIES: '{"sessionCapabilities":{"close":{},"delete":{}}}' } });
    const before = bench.sessions.allOpen().length;
    const answer = await ask(['text Let me look.', 'tool t1 read Look', 'thought hm', 'text fix:', 'text \\nthe loop']);
    assert.equal(answer, 'fix:\nthe loop');
    await until(() => bench.methods().includes('session/delete'));
    const session = bench.received().find(({ method }) => method === 'session/new');
    assert.deepEqual(asObject(session?.['params'])?.['mcpServers'], []);
    assert.deepEqual(bench.methods(), ['session/new', 'session/prompt', 'session/close', 'session/delete']);
    assert.deepEqual(bench.closed, opened);
    assert.equal(bench.sessions.allOpen().length, before);
  });

  it('ignores updates after the end of the turn', async () => {
    bench = await SessionBench.open();
    const late = ['burst', 'text fix: it', 'stop end_turn', 'tool t1 edit Late', 'text more', 'end'];
    assert.equal(await ask(late), 'fix: it');
  });

  it('rejects permission requests with their reject option, and declines forms', async () => {
    bench = await SessionBench.open();
    const schema = { type: 'object', properties: { name: { type: 'string' } } };
    const form = { mode: 'form', message: 'Which?', requestedSchema: schema };
    const answer = await ask([
      'permission t1 allow_once:Yes reject_always:Never reject_once:No',
      'permission t2 allow_once:Yes',
      `request elicitation/create ${JSON.stringify({ ...form, sessionId: '$SESSION' })}`,
    ]);
    assert.match(answer, /\[permission t1: reject_once\]/);
    assert.match(answer, /\[permission t2: cancelled\]/);
    assert.match(answer, /elicitation\/create: \{"action":"decline"\}/);
  });

  it('notifies the agent when it is canceled, and does not wait for a response', async () => {
    bench = await SessionBench.open();
    for (const script of [
      ['text half', 'until-cancel'],
      ['ignore-cancel', 'text half', 'hang'],
    ]) {
      const abort = new AbortController();
      const asked = ask(script, abort.signal);
      await until(() => opened.length > 0);
      abort.abort();
      await assert.rejects(asked, isCancellation);
      opened = [];
    }
    await bench.agents.stop('fake');
    assert.equal(bench.methods().filter((method) => method === 'session/cancel').length, 2);
  });

  it('closes a session that the agent opens after the cancellation', async () => {
    bench = await SessionBench.open({ env: { FAKE_CAPABILITIES: '{"sessionCapabilities":{"close":{},"delete":{}}}' } });
    const abort = new AbortController();
    const { connection } = bench.agents.acquire('fake');
    const request = connection.request.bind(connection);
    connection.request = (method, ...more) => {
      const answered = request(method, ...more);
      if (method === 'session/new') abort.abort();
      return answered;
    };
    await assert.rejects(ask(['text never'], abort.signal), isCancellation);
    await until(() => bench.methods().includes('session/delete'));
    assert.deepEqual(bench.methods(), ['session/new', 'session/close', 'session/delete']);
    assert.equal(opened.length, 1);
    assert.deepEqual(bench.closed, opened);
  });

  it('reports why there is no answer', async () => {
    bench = await SessionBench.open({ env: { FAKE_AUTH_REQUIRED: 'session/new' } });
    await assert.rejects(ask(['text never']), /requires sign-in/);
    await bench.close();
    bench = await SessionBench.open();
    await assert.rejects(ask(['stop refusal']), /Refused/);
    await assert.rejects(ask(['exit 3']), (error) => /exit code 3/.test(errorMessage(error)));
    const asked = ask(['hang']);
    await until(() => opened.length >= 3);
    for (const session of bench.agents.get('fake')?.sessions ?? []) session.onProcessEnd();
    await assert.rejects(asked, /restarted/);
  });
});
