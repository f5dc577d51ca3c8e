import assert from 'node:assert/strict';
import { fakeAgent } from '../fakeAgent/definition';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';

describe('an agent of the settings that cannot be used', () => {
  let workbench: Workbench;

  const settings = (defaultAgent: string): Record<string, unknown> => {
    const { command, args, env } = fakeAgent({});
    return {
      'parley.agents': { Usable: { command, args, env }, tilde: { command: './bin/agent' } },
      'parley.defaultAgent': defaultAgent,
    };
  };

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => ({ settings: settings('Usable') }),
  );

  it('is named in the chat, and Send opens Select Agent: no other agent gets the message', async () => {
    await workbench.replace(settings('tilde'), {});
    await workbench.startOver();
    const chat = workbench.chat();
    const message = chat.getByRole('textbox', { name: 'Message' });
    await chat.getByRole('alert').getByText('The agent “tilde” cannot be used.').waitFor();
    await message.fill('text walnut');
    await message.press('Enter');
    await workbench.page.locator('.quick-input-title', { hasText: 'Select Agent' }).waitFor();
    assert.equal(await message.inputValue(), 'text walnut');
    assert.equal(await chat.getByRole('article').count(), 0);
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Usable' }).first().click();
    await chat.getByRole('status', { name: 'Agent' }).getByText('Usable: ready').waitFor({ state: 'attached' });
    await message.press('Enter');
    await chat.getByRole('article', { name: 'Agent' }).getByText('walnut').waitFor();
  });
});
