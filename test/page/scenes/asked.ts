import { asked, fields } from '../elicitationSample';
import type { ChatPage } from '../harness';
import { states } from '../permissionStates';
import type { ChatScene } from './scene';
import { scenesOf } from './scene';

/** Waits until the options of a request are enabled: before that they look different. */
async function usable(page: ChatPage): Promise<void> {
  if ((await page.page.locator('.question').count()) === 0) return;
  await page.page.locator('.question [aria-keyshortcuts]:not([aria-disabled="true"])').first().waitFor();
}

/** Every state of a permission request. */
export const permissionScenes: readonly ChatScene[] = Object.entries(states).map(([name, actions]) => ({
  name: `permission-${name}`,
  prepare: async (page) => {
    await page.act(...actions);
    await usable(page);
    if (name === 'remembered') await page.page.locator('.remembered button').first().click();
  },
}));

/** A request that is rejected with a reason. */
export const reasonScenes = scenesOf({
  'permission-reason': async (page) => {
    await page.act(...(states['command'] ?? []));
    await usable(page);
    await page.button('Reject and Explain…').click();
    await page.page.getByRole('textbox', { name: page.say('Reason') }).fill('Use pnpm: the lock file is its own.');
  },
});

/** Forms and URL requests of an agent. */
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
