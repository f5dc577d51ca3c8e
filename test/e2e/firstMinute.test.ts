import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workbench } from './workbench';
import { closeAfter, openWorkbench } from './workbench';

/** What somebody sees who has just installed Parley and has no agent. */
describe('the first minute', function () {
  this.timeout(180_000);
  let workbench: Workbench;

  afterEach(async function () {
    await closeAfter(this.currentTest, workbench);
  });

  it('shows the chat without being asked; the demo agent answers, asks, and does what it shows', async () => {
    workbench = await openWorkbench();
    const chat = workbench.chat();
    await chat.getByRole('button', { name: /Demo agent/ }).click();
    await chat.getByRole('status', { name: 'Agent' }).getByText('Demo agent: ready').waitFor();
    await workbench.screenshot('e2e-first-start');
    await chat.getByRole('textbox', { name: 'Message' }).fill('Show me');
    await chat.getByRole('button', { name: 'Send' }).click();
    const permission = chat.getByRole('group', { name: /^Permission: / });
    const allow = permission.getByRole('button', { name: /allow/i, disabled: false }).first();
    await allow.waitFor();
    await workbench.screenshot('e2e-demo-permission');
    await allow.click();
    await chat.getByRole('group', { name: /^Terminal: / }).waitFor();
    await chat.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    await workbench.screenshot('e2e-demo-done');
    assert.match(await readFile(join(workbench.folder, 'parley-demo.md'), 'utf8'), /Parley/i);
    assert.equal(await chat.getByRole('alert').count(), 0);
  });
});
