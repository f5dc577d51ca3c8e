import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asArray, asObject } from '../../../src/base/json';
import { DemoFixture } from './fixture';
import { RawClient } from './rawClient';

describe('demo agent: config options', function () {
  const demo = DemoFixture.use();

  const option = async (sessionId: string, configId: string, value: string): Promise<unknown[]> => {
    const answer = await demo.client.request('session/set_config_option', { sessionId, configId, value });
    return asArray(asObject(answer)?.['configOptions']).map((one) => asObject(one)?.['currentValue']);
  };

  it('lists its commands, and plays the selected one', async () => {
    const session = await demo.open();
    const update = await demo.client.until(
      ({ params }) => asObject(params['update'])?.['sessionUpdate'] === 'available_commands_update',
    );
    const names = asArray(asObject(update.params['update'])?.['availableCommands']).map(
      (one) => asObject(one)?.['name'],
    );
    assert.deepEqual(names, [
      'tour',
      'plan',
      'read',
      'tools',
      'edit',
      'ask',
      'run',
      'approve',
      'form',
      'background',
      'limit',
      'long',
    ]);
    await demo.client.prompt(session, '/read please do not edit');
    assert.deepEqual(demo.client.calls(), ['fs/read_text_file']);
    await demo.client.prompt(session, '/long 3');
    assert.match(demo.client.text(session), /Section 3 of 3[^]*3 sections, nothing left out/);
  });

  it('changes its file without asking in the mode Accept edits', async () => {
    const session = await demo.open();
    assert.deepEqual(await option(session, 'mode', 'edits'), ['edits', 'reading']);
    await demo.client.prompt(session, '/edit');
    assert.deepEqual(demo.client.calls(), ['fs/read_text_file', 'fs/write_text_file']);
    assert.deepEqual(
      demo.client.updates(session, 'current_mode_update').map((update) => update['currentModeId']),
      ['edits'],
    );
  });

  it('changes and runs nothing in the mode Read only, and reports that', async () => {
    const session = await demo.open();
    await demo.client.request('session/set_mode', { sessionId: session, modeId: 'readonly' });
    await demo.client.prompt(session, '/tour');
    assert.deepEqual(demo.client.calls(), ['fs/read_text_file']);
    assert.match(demo.client.text(session), /Left out: "Run a harmless command"\. You chose the mode Read only\./);
    const [update] = demo.client.updates(session, 'config_option_update');
    assert.equal(asObject(asArray(update?.['configOptions'])[0])?.['currentValue'], 'readonly');
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

  it('lists the available values in the error for an unknown one', async () => {
    const session = await demo.open();
    await assert.rejects(option(session, 'mode', 'nope'), {
      code: -32602,
      message: /"ask", "edits", "readonly", not "nope"/,
    });
    await assert.rejects(option(session, 'nope', 'x'), {
      code: -32602,
      message: /no option "nope"; there are "mode" and "speed"/,
    });
  });
});
