import type { Action } from '../../../src/shared/actions';
import type { ElicitationQuestion, FormField } from '../../../src/shared/elicitation';
import type { ChatPage } from '../harness';
import { states } from '../permissionStates';
import { NOON } from '../sample';
import type { Scene } from './scene';
import { scenesOf } from './scene';

const fields: readonly FormField[] = [
  { key: 'mail', label: 'Mail', description: 'To reach you', required: true, type: 'text', format: 'email' },
  { key: 'age', label: 'Age', required: false, type: 'number', whole: true, minimum: 0, initial: 30 },
  { key: 'sure', label: 'Sure', required: false, type: 'boolean' },
  {
    key: 'size',
    label: 'Size',
    required: true,
    type: 'choice',
    choices: [
      { value: 's', label: 'Small' },
      { value: 'l', label: 'Large' },
    ],
    initial: 'l',
  },
  {
    key: 'tags',
    label: 'Tags',
    required: false,
    type: 'choices',
    choices: [
      { value: 'a', label: 'One' },
      { value: 'b', label: 'Two' },
    ],
    maxItems: 1,
  },
];

const elicited = (question: ElicitationQuestion): Action => ({
  type: 'elicitationAsked',
  elicitationId: 'e1',
  agent: 'Claude',
  message: 'Who are you?',
  question,
  at: NOON,
});

/** Until the options of a question can be used: they are shown otherwise before that. */
async function usable(page: ChatPage): Promise<void> {
  if ((await page.page.locator('.question').count()) === 0) return;
  await page.page.locator('.question [aria-keyshortcuts]:not([aria-disabled="true"])').first().waitFor();
}

/** Every state of a question about what the agent wants to do. */
export const permissionScenes: readonly Scene[] = Object.entries(states).map(([name, actions]) => ({
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
    await page.act(elicited({ mode: 'form', title: 'About you', fields }));
    await page.page.locator('form button:not([aria-disabled="true"])').first().waitFor();
  },
  'elicitation-invalid': async (page) => {
    await page.act(elicited({ mode: 'form', title: 'About you', fields }));
    await page.page.locator('form button:not([aria-disabled="true"])').first().waitFor();
    await page.button('Submit').click();
  },
  'elicitation-declined': async (page) => {
    await page.act(elicited({ mode: 'form', fields }));
    await page.act({ type: 'elicitationAnswered', entry: 0, outcome: { type: 'declined' } });
  },
});
