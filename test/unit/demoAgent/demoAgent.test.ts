import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asObject } from '../../../src/base/json';
import type { JsonObject } from '../../../src/base/json';
import { fitToCapabilities, toPrompt } from '../../../src/session/turn/promptContent';
import type { PromptCapabilities } from '../../../src/shared/state/attachments';
import type { Block } from '../../../src/shared/state/contentBlocks';
import { DemoFixture } from './fixture';
import { RawClient } from './rawClient';

/** What the golden texts of the scenes do not show. */
describe('demo agent', () => {
  const demo = DemoFixture.use();

  const usage = (session: string): JsonObject => demo.client.updates(session, 'usage_update').at(-1)!;

  it('names the error in a request', async () => {
    const session = await demo.open();
    const set = (configId: string, value: string): Promise<unknown> =>
      demo.client.request('session/set_config_option', { sessionId: session, configId, value });
    await assert.rejects(demo.client.request('session/new', { cwd: 'here', mcpServers: [] }), {
      code: -32602,
      message: /"cwd" must be an absolute path, not "here"/,
    });
    await assert.rejects(set('mode', 'nope'), { code: -32602, message: /"ask", "edits", "readonly", not "nope"/ });
    await assert.rejects(set('nope', 'x'), { code: -32602, message: /no option "nope"; there are "mode" and "speed"/ });
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

  it('answers without delay at the speed Fast', async () => {
    // Without the setting two chunks are ten seconds apart: longer than the test's timeout.
    const slow = new RawClient(demo.bundle, { PARLEY_DEMO_PACE: '10000' });
    await slow.initialize();
    const sessionId = await slow.newSession(demo.folder);
    await slow.request('session/set_config_option', { sessionId, configId: 'speed', value: 'fast' });
    assert.equal(await slow.prompt(sessionId, '/plan'), 'end_turn');
    assert.equal((await slow.end()).code, 0);
  });

  it('"long" streams several hundred chunks', async () => {
    const session = await demo.open();
    assert.equal(await demo.client.prompt(session, 'long'), 'end_turn');
    assert.ok(demo.client.updates(session, 'agent_message_chunk').length > 400);
    assert.match(demo.client.text(session), /Section 40 of 40[^]*40 sections, nothing left out/);
  });

  it('selects a scene by typed words only, not by attached text', async () => {
    const { agentCapabilities } = await demo.client.initialize();
    const { promptCapabilities } = agentCapabilities as { promptCapabilities: PromptCapabilities };
    const sessionId = await demo.client.newSession(demo.folder);
    const attached: Block = { type: 'resource', uri: 'parley:earlier', text: 'A long answer' };
    const prompt = toPrompt('plan this', fitToCapabilities([attached], promptCapabilities, 'Demo agent'));
    await demo.client.request('session/prompt', { sessionId, prompt });
    assert.ok(demo.client.updates(sessionId, 'agent_message_chunk').length < 100);
    assert.ok(demo.client.updates(sessionId, 'plan').length > 0);
  });

  it('writes a shorter text in every second git worktree, so that a race has two results', async () => {
    await demo.client.initialize();
    const texts: string[] = [];
    for (const name of ['one', 'two', 'main']) {
      const folder = await demo.workspace(`# ${name}\n`);
      if (name !== 'main') await writeFile(join(folder, '.git'), 'gitdir: /elsewhere\n');
      const session = await demo.client.newSession(folder);
      await demo.client.prompt(session, '/edit');
      texts.push(demo.editor.files.get(join(folder, 'parley-demo.md')) ?? '');
    }
    assert.deepEqual(
      texts.map((text) => /scripted demo agent/.test(text)),
      [true, false, true],
    );
  });

  it('reports the used context after each turn', async () => {
    const session = await demo.open();
    await demo.client.prompt(session, 'plan');
    const before = Number(usage(session)['used']);
    await demo.client.prompt(session, 'plan');
    assert.ok(before > 20 && Number(usage(session)['used']) > before, JSON.stringify(usage(session)));
  });

  it('resets its usage limit after a minute', async () => {
    const session = await demo.open();
    const now = Date.now() / 1000;
    await assert.rejects(demo.client.prompt(session, 'limit'));
    const info = asObject(asObject(usage(session)['_meta'])?.['_claude/rateLimit']);
    const resetsAt = Number(info?.['resetsAt']);
    assert.ok(resetsAt > now + 50 && resetsAt < now + 70, String(resetsAt - now));
  });
});
