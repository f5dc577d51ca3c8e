import { asked, fields } from '../elicitationSample';
import type { ChatPage } from '../harness';
import { states } from '../permissionStates';
import type { ChatScene } from './scene';
import { scenesOf } from './scene';

/** Until the options of a question can be used: they are shown otherwise before that. */
async function usable(page: ChatPage): Promise<void> {
  if ((await page.page.locator('.question').count()) === 0) return;
  await page.page.locator('.question [aria-keyshortcuts]:not([aria-disabled="true"])').first().waitFor();
}

/** Every state of a question about what the agent wants to do. */
export const permissionScenes: readonly ChatScene[] = Object.entries(states).map(([name, actions]) => ({
  name: `permission-${name}`,
  prepare: async (page) => {
    await page.act(...actions);
    await usable(page);
    if (name === 'remembered') await page.page.locator('.remembered button').first().click();
  },
}));

/** What an agent asks for by a form or an address. */
export const elicitationScenes = scenesOf({
  'elicitation-form': async (page) => {
    await page.act(asked({ mode: 'form', title: 'About you', fields }));
    await page.page.locator('form button:not([aria-disabled="true"])').first().waitFor();
  },
  'elicitation-invalid': async (page) => {
    await page.act(asked({ mode: 'form', title: 'About you', fields }));
    await page.page.locator('form button:not([aria-disabled="true"])').first().waitFor();
    await page.button('Submit').click();
  },
  'elicitation-declined': async (page) => {
    await page.act(asked({ mode: 'form', fields }));
    await page.act({ type: 'elicitationAnswered', entry: 0, outcome: { type: 'declined' } });
  },
});
