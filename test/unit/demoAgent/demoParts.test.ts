import assert from 'node:assert/strict';
import { asArray, asObject } from '../../../src/base/json';
import type { JsonObject } from '../../../src/base/json';
import type { RpcError } from '../../../src/base/jsonRpc';
import { DemoFixture } from './fixture';

/** Scenes that are not part of the tour. */
describe('demo agent: parts', () => {
  const demo = DemoFixture.use();

  const usage = (session: string): JsonObject => demo.client.updates(session, 'usage_update').at(-1)!;

  it('reports the used context after each turn', async () => {
    const session = await demo.open();
    await demo.client.prompt(session, 'plan');
    const before = Number(usage(session)['used']);
    await demo.client.prompt(session, 'plan');
    assert.ok(before > 20 && Number(usage(session)['used']) > before, JSON.stringify(usage(session)));
  });

  it('requests approval of a plan, and follows the steps of an edited plan', async () => {
    const session = await demo.open();
    demo.editor.choice = 'revise';
    await demo.client.prompt(session, 'approve');
    const { params } = await demo.client.untilMethod('session/request_permission');
    const { kind, rawInput } = asObject(params['toolCall'])!;
    assert.deepEqual([kind, String(asObject(rawInput)?.['plan']).split('\n').length], ['switch_mode', 5]);
    assert.match(demo.client.text(session), /The plan is rejected/);
    await demo.client.prompt(session, 'Follow this plan instead:\n\n1. Look\n2. Leap\n');
    const entries = asArray(demo.client.updates(session, 'plan').at(-1)?.['entries']);
    assert.deepEqual(
      entries.map((entry) => asObject(entry)?.['content']),
      ['Look', 'Leap'],
    );
    demo.editor.choice = 'start';
    await demo.client.prompt(session, '/approve');
    assert.match(demo.client.text(session), /The plan is approved/);
  });

  it('requests input with a form, reports the values, and reports a client without forms', async () => {
    const session = await demo.open();
    demo.client.answers['elicitation/create'] = () => ({ action: 'accept', content: { name: 'Ann', times: 2 } });
    await demo.client.prompt(session, 'form');
    assert.match(demo.client.text(session), /"name": "Ann",\s+"times": 2/);
    demo.client.answers['elicitation/create'] = () => ({ action: 'decline' });
    await demo.client.prompt(session, 'form');
    assert.match(demo.client.text(session), /You entered nothing/);
    const other = await demo.open({ terminal: true });
    await demo.client.prompt(other, 'form');
    assert.match(demo.client.text(other), /does not offer `elicitation.form`/);
  });

  it('leaves a command running after the turn, and releases its terminal when the command ends', async () => {
    const session = await demo.open();
    let end: ((exit: object) => void) | undefined;
    demo.client.answers['terminal/create'] = () => ({ terminalId: 'back' });
    demo.client.answers['terminal/wait_for_exit'] = () => new Promise((resolve) => (end = resolve));
    assert.equal(await demo.client.prompt(session, 'background'), 'end_turn');
    assert.deepEqual(demo.client.calls(), ['terminal/create', 'terminal/wait_for_exit']);
    end?.({ exitCode: 0 });
    const { params } = await demo.client.untilMethod('terminal/release');
    assert.equal(params['terminalId'], 'back');
  });

  it('fails with a usage limit and the time of its reset', async () => {
    const session = await demo.open();
    const now = Date.now() / 1000;
    for (const _turn of [1, 2]) {
      const turn = demo.client.prompt(session, 'limit');
      const error = await turn.then(
        () => assert.fail('did not fail'),
        (reason: RpcError) => reason,
      );
      assert.deepEqual([error.code, asObject(error.data)?.['errorKind']], [-32603, 'rate_limit']);
    }
    const info = asObject(asObject(usage(session)['_meta'])?.['_claude/rateLimit']);
    assert.equal(info?.['status'], 'rejected');
    const resetsAt = Number(info?.['resetsAt']);
    assert.ok(resetsAt > now + 50 && resetsAt < now + 70, String(resetsAt - now));
    assert.equal(await demo.client.prompt(session, 'What is the limit of this?'), 'end_turn', 'only as the first word');
  });
});
