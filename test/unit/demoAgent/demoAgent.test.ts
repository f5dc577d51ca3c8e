import assert from 'node:assert/strict';
import { asArray, asObject } from '../../../src/base/json';
import { DemoFixture } from './fixture';
import { RawClient } from './rawClient';

describe('demo agent', function () {
  const demo = DemoFixture.use();

  describe('handshake', () => {
    it('reports its name and advertises only supported capabilities', async () => {
      const answer = await demo.client.initialize();
      assert.equal(answer['protocolVersion'], 1);
      assert.equal(asObject(answer['agentInfo'])!['title'], 'Demo agent');
      const capabilities = asObject(answer['agentCapabilities'])!;
      assert.equal(capabilities['loadSession'], false);
      assert.deepEqual(capabilities['promptCapabilities'], { image: false, audio: false, embeddedContext: false });
      assert.deepEqual(Object.keys(await newSession()), ['sessionId', 'modes', 'configOptions']);
    });

    async function newSession(): Promise<object> {
      return (await demo.client.request('session/new', { cwd: demo.folder, mcpServers: [] })) as object;
    }

    it('names the error in a request', async () => {
      const session = await demo.open();
      await assert.rejects(demo.client.request('session/new', { cwd: 'here', mcpServers: [] }), {
        code: -32602,
        message: /"cwd" must be an absolute path, not "here"/,
      });
      await assert.rejects(demo.client.prompt('nobody', 'hello'), { code: -32002, data: { sessionId: 'nobody' } });
      demo.editor.choice = undefined;
      void demo.client.prompt(session, 'ask').catch(() => undefined);
      await demo.client.untilMethod('session/request_permission');
      await assert.rejects(demo.client.prompt(session, 'hello'), { code: -32600, message: /still running/ });
    });

    it('reports an invalid PARLEY_DEMO_PACE and continues', async () => {
      const slow = new RawClient(demo.bundle, { PARLEY_DEMO_PACE: 'fast' });
      await slow.initialize();
      assert.equal((await slow.end()).code, 0);
      assert.match(slow.stderr, /PARLEY_DEMO_PACE must be a number .* not "fast"/);
    });
  });

  describe('words', () => {
    const parts: readonly (readonly [string, readonly string[]])[] = [
      ['Show me a PLAN!', []],
      ['read', ['fs/read_text_file']],
      ['please edit it', ['fs/read_text_file', 'session/request_permission', 'fs/write_text_file']],
      ['ask', ['session/request_permission']],
      ['run', ['terminal/create', 'terminal/wait_for_exit', 'terminal/output', 'terminal/release']],
    ];
    for (const [prompt, calls] of parts) {
      it(`"${prompt}" plays only that part`, async () => {
        const session = await demo.open();
        if (prompt === 'ask') demo.editor.choice = 'once';
        assert.equal(await demo.client.prompt(session, prompt), 'end_turn');
        assert.deepEqual(demo.client.calls(), calls);
        assert.doesNotMatch(demo.client.text(session), /What just happened/);
      });
    }

    it('matches whole words only', async () => {
      const session = await demo.open();
      await demo.client.prompt(session, 'explain my running crashes and the failure');
      assert.match(demo.client.text(session), /What just happened/);
    });

    it('"plan" moves every entry through its states', async () => {
      const session = await demo.open();
      await demo.client.prompt(session, 'plan');
      assert.deepEqual(demo.client.plans(session), ['ippp', 'cipp', 'ccip', 'ccci', 'cccc']);
    });

    it('"ask" offers all four option kinds and does nothing else', async () => {
      const session = await demo.open();
      demo.editor.choice = 'never';
      await demo.client.prompt(session, 'ask');
      const { params } = await demo.client.untilMethod('session/request_permission');
      assert.deepEqual(
        asArray(params['options']).map((option) => asObject(option)!['kind']),
        ['allow_once', 'allow_always', 'reject_once', 'reject_always'],
      );
      assert.match(demo.client.text(session), /You answered “Never ring it”/);
    });

    it('"long" streams several hundred chunks', async () => {
      const session = await demo.open();
      assert.equal(await demo.client.prompt(session, 'long'), 'end_turn');
      assert.ok(demo.client.updates(session, 'agent_message_chunk').length > 400);
      const numbers = [...demo.client.text(session).matchAll(/\n\n## Section (\d+) of 40\n\n/g)].map(([, number]) =>
        Number(number),
      );
      assert.deepEqual(
        numbers,
        Array.from({ length: 40 }, (_each, index) => index + 1),
      );
    });

    it('"fail" ends with an error that gives the reason, and the session continues', async () => {
      const session = await demo.open();
      await assert.rejects(demo.client.prompt(session, 'fail'), {
        code: -32603,
        message: /your message begins with "fail"/,
      });
      assert.equal(await demo.client.prompt(session, 'plan'), 'end_turn');
    });

    for (const prompt of ['Why does the test fail?', 'Did it crash?']) {
      it(`"${prompt}" gets the answer of any other question`, async () => {
        const session = await demo.open();
        assert.equal(await demo.client.prompt(session, prompt), 'end_turn');
      });
    }

    it('"crash" ends the process with code 1 and a line on stderr', async () => {
      const session = await demo.open();
      await assert.rejects(demo.client.prompt(session, 'crash'), /the agent ended with 1/);
      assert.deepEqual(await demo.client.exited, { code: 1, signal: null });
      assert.match(demo.client.stderr, /^Demo agent: crashing because .*\n$/);
      assert.match(demo.client.text(session), /no model/, 'what it said before is not lost');
    });
  });
});
