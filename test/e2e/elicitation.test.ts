import assert from 'node:assert/strict';
import { fakeAgent } from '../fakeAgent/definition';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';

const ADDRESS = 'https://login.example.test/start?redirect_uri=https%3A%2F%2Fa.test%2Fb%26c&state=1';

/** Form and URL requests of an agent while the user works in another editor. */
describe('elicitation in the workbench', () => {
  let workbench: Workbench;

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => {
      const { command, args, env } = fakeAgent();
      return { settings: { 'parley.agents': { Fake: { command, args, env } }, 'parley.defaultAgent': 'Fake' } };
    },
  );

  it('counts a form as pending, opens it from the status bar, and opens a URL exactly as shown', async () => {
    const chat = workbench.chat();
    const message = chat.getByRole('textbox', { name: 'Message' });
    const answer = chat.getByRole('article', { name: 'Agent' });
    const schema = { type: 'object', properties: { name: { type: 'string', title: 'Name' } }, required: ['name'] };
    const form = { message: 'Who are you?', mode: 'form', requestedSchema: schema };
    const address = { message: 'Please log in', mode: 'url', elicitationId: 'e', url: ADDRESS };
    const asked = [form, address].map((params) => {
      return `request elicitation/create {"sessionId":"$SESSION",${JSON.stringify(params).slice(1)}`;
    });
    await message.fill(asked.join('\n'));
    await message.press('Enter');
    await workbench.page.locator('#parley\\.parley\\.parley\\.status').getByText('1 waiting').waitFor();
    const first = chat.getByRole('form', { name: 'Who are you?' });
    await workbench.screenshot('e2e-elicitation');
    await first.getByRole('textbox', { name: 'Name' }).fill('Ada');
    await first.getByRole('button', { name: 'Submit', disabled: false }).click();
    await answer.getByText('{"action":"accept","content":{"name":"Ada"}}').waitFor();
    const second = chat.getByRole('form', { name: 'Please log in' });
    await second.getByText(ADDRESS).waitFor();
    await second.getByRole('button', { name: 'Open in Browser', disabled: false }).click();
    const question = workbench.page.locator('.monaco-dialog-box', { hasText: 'login.example.test' });
    await question.waitFor();
    assert.ok((await question.innerText()).includes(ADDRESS), await question.innerText());
    await question.getByRole('button', { name: 'Cancel' }).click();
    await second.getByRole('button', { name: 'Decline' }).click();
    await answer.getByText('{"action":"decline"}').waitFor();
  });
});
