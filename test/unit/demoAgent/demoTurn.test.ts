import assert from 'node:assert/strict';
import { join } from 'node:path';
import { asString } from '../../../src/base/json';
import { DemoFixture } from './fixture';
import { RawClient } from './rawClient';

describe('demo agent: turns', function () {
  const demo = DemoFixture.use();

  describe('cancel', () => {
    it('stops a streaming answer, and the next prompt starts again from the beginning', async () => {
      const session = await demo.open();
      const turn = demo.client.prompt(session, 'long');
      await demo.client.until(({ params }) => JSON.stringify(params['update'] ?? '').includes('Section'));
      demo.client.cancel(session);
      assert.equal(await turn, 'cancelled');
      assert.doesNotMatch(demo.client.text(session), /That was the long answer/);
      assert.equal(await demo.client.prompt(session, 'plan'), 'end_turn');
    });

    it('works in the same chunk as its prompt', async () => {
      const session = await demo.open();
      demo.client.child.stdin.cork();
      const turn = demo.client.prompt(session, 'long');
      demo.client.cancel(session);
      demo.client.child.stdin.uncork();
      assert.equal(await turn, 'cancelled');
    });

    it('works as $/cancel_request too, and is ignored between turns', async () => {
      const session = await demo.open();
      demo.client.cancel(session);
      demo.client.cancel('nobody');
      demo.editor.choice = undefined;
      const turn = demo.client.prompt(session, 'ask');
      await demo.client.untilMethod('session/request_permission');
      demo.client.write({ method: '$/cancel_request', params: { requestId: 2 } });
      assert.equal(await turn, 'cancelled');
      assert.equal(demo.client.stderr, '');
    });
  });

  describe('sessions', () => {
    it('run simultaneously, each in its own folder', async () => {
      const session = await demo.open();
      const second = await demo.workspace('# Second\n');
      demo.editor.files.set(join(second, 'README.md'), '# Second\n');
      const other = await demo.client.newSession(second);
      const ends = await Promise.all([demo.client.prompt(session, 'Hello'), demo.client.prompt(other, 'Hello')]);
      assert.deepEqual(ends, ['end_turn', 'end_turn']);

      const order = demo.client.received.flatMap(({ params }) => asString(params['sessionId']) ?? []);
      assert.ok(order.lastIndexOf(session) > order.indexOf(other), 'they overlapped');
      assert.ok(order.lastIndexOf(other) > order.indexOf(session), 'they overlapped');
      for (const [id, own, foreign] of [
        [session, demo.folder, second],
        [other, second, demo.folder],
      ] as const) {
        const mine = demo.client.received.filter(({ params }) => params['sessionId'] === id);
        assert.ok(JSON.stringify(mine).includes(JSON.stringify(own).slice(1, -1)));
        assert.ok(!JSON.stringify(mine).includes(JSON.stringify(foreign).slice(1, -1)));
        assert.match(demo.client.text(id), /without a model/);
        assert.ok(demo.editor.files.has(join(own, 'parley-demo.md')));
      }
    });

    it('are canceled one by one', async () => {
      const session = await demo.open();
      const other = await demo.client.newSession(demo.folder);
      demo.editor.choice = undefined;
      const turns = [demo.client.prompt(session, 'ask'), demo.client.prompt(other, 'ask')];
      const asked = (id: string) =>
        demo.client.until(
          ({ method, params }) => method === 'session/request_permission' && params['sessionId'] === id,
        );
      await asked(session);
      const request = await asked(other);
      demo.client.cancel(session);
      assert.equal(await turns[0], 'cancelled');
      demo.client.respond(request, { outcome: { outcome: 'selected', optionId: 'once' } });
      assert.equal(await turns[1], 'end_turn');
    });
  });

  describe('end of stdin', () => {
    it('ends the process between turns', async () => {
      await demo.open();
      assert.deepEqual(await demo.client.end(), { code: 0, signal: null });
      assert.equal(demo.client.stderr, '');
    });

    it('ends the process in the middle of a turn that waits', async () => {
      const session = await demo.open();
      demo.editor.choice = undefined;
      const turn = demo.client.prompt(session, 'ask');
      turn.catch(() => undefined);
      await demo.client.untilMethod('session/request_permission');
      assert.deepEqual(await demo.client.end(), { code: 0, signal: null });
      await assert.rejects(turn, /the agent ended with 0/);
    });

    it("ends the process while it streams at a user's pace", async () => {
      const slow = new RawClient(demo.bundle, { PARLEY_DEMO_PACE: '10000' });
      await slow.initialize();
      const turn = slow.prompt(await slow.newSession(demo.folder), 'long');
      turn.catch(() => undefined);
      await slow.untilMethod('session/update');
      assert.deepEqual(await slow.end(), { code: 0, signal: null });
    });
  });
});
