import type { FrameLocator, Locator } from 'playwright-core';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';

/** What a user without an installed agent can try. The tour is in firstMinute.test.ts. */
describe('the demo agent in the workbench', () => {
  let workbench: Workbench;

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => ({ settings: { 'parley.defaultAgent': 'Demo agent' } }),
  );

  const chat = (): FrameLocator => workbench.chat();
  const answer = (): Locator => chat().getByRole('article', { name: 'Agent' });

  async function send(text: string): Promise<void> {
    const message = chat().getByRole('textbox', { name: 'Message' });
    await message.fill(text);
    await message.press('Enter');
  }

  it('shows a form, a plan for editing, background work and a usage limit', async () => {
    await send('form');
    const form = chat().getByRole('form', { name: 'How should the demo agent greet you?' });
    await form.getByRole('textbox', { name: 'Name' }).fill('Ada');
    await workbench.screenshot('e2e-demo-form');
    await form.getByRole('button', { name: 'Submit', disabled: false }).click();
    await answer().getByText('"name": "Ada"').waitFor();

    await send('approve');
    const question = chat().getByRole('group', { name: 'Permission: Approve the plan' });
    await question.getByRole('button', { name: 'Edit Plan' }).waitFor();
    await workbench.screenshot('e2e-demo-plan');
    await question.getByRole('button', { name: 'Start', disabled: false }).click();
    await answer().getByText('The plan is approved').waitFor();

    await send('background');
    await answer().getByText('It goes on after this turn').waitFor();
    const work = chat().getByRole('region', { name: 'Background work' });
    await workbench.screenshot('e2e-demo-background');
    await work.getByRole('button', { name: 'Stop command' }).click();
    await work.waitFor({ state: 'detached' });

    await send('limit');
    await chat()
      .getByRole('button', { name: /^Retry at / })
      .waitFor();
    await workbench.screenshot('e2e-demo-limit');
  });
});
