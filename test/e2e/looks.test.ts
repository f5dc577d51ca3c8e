import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import { eventually } from '../kit/waiting';
import { shareAmongSuites } from './sharedWorkbench';
import { chooseRow } from './steps';
import type { Workbench } from './workbench';

/** Each theme of VS Code with the body class that pages get. */
const THEMES = [
  ['Dark Modern', 'vscode-dark'],
  ['Light Modern', 'vscode-light'],
  ['Dark High Contrast', 'vscode-high-contrast'],
  ['Light High Contrast', 'vscode-high-contrast-light'],
] as const;

/** Part of the chat → CSS property → theme color of VS Code. */
const COLOURS = [
  ['body', 'color', '--vscode-foreground'],
  ['.composer', 'backgroundColor', '--vscode-input-background'],
  ['.message-box', 'color', '--vscode-input-foreground'],
  ['.composer', 'borderTopColor', '--vscode-focusBorder'],
  ['.round.primary', 'backgroundColor', '--vscode-button-background'],
] as const;

/** The chat matches the window's theme (part 5). */
describe('colors and motion in the real workbench', () => {
  let workbench: Workbench;

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => {
      const { command, args, env } = fakeAgent();
      return {
        settings: { 'parley.agents': { Painter: { command, args, env } }, 'parley.defaultAgent': 'Painter' },
      };
    },
  );

  const chat = (): ReturnType<Workbench['chat']> => workbench.chat();
  const body = (kind: string): Locator => chat().locator(`body.${kind}`);

  async function chooseTheme(name: string): Promise<void> {
    await workbench.runCommand('Preferences: Color Theme');
    await chooseRow(workbench.page, name);
    await workbench.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  /** The chat's colors, and the theme colors that they should have. */
  async function colours(): Promise<{ readonly shown: readonly string[]; readonly wanted: readonly string[] }> {
    const shown = await chat()
      .locator('body')
      .evaluate(
        (_, parts) =>
          parts.map(([part, property]) => {
            const element = document.querySelector(part);
            return element ? getComputedStyle(element)[property] : `no ${part}`;
          }),
        COLOURS,
      );
    const wanted = await workbench.page.evaluate((parts) => {
      const probe = document.createElement('i');
      document.querySelector('.monaco-workbench')?.append(probe);
      const found = parts.map(([, , variable]) => {
        probe.style.color = `var(${variable})`;
        return getComputedStyle(probe).color;
      });
      probe.remove();
      return found;
    }, COLOURS);
    return { shown, wanted };
  }

  it('follow the theme of the window: dark, light and high contrast', async () => {
    const box = chat().getByRole('textbox', { name: 'Message', exact: true });
    for (const [theme, kind] of THEMES) {
      await chooseTheme(theme);
      await body(kind).waitFor();
      await box.fill('text something');
      await eventually(async () => {
        // VS Code restores the focus when its list closes.
        await box.focus();
        const { shown, wanted } = await colours();
        assert.deepEqual(shown, wanted, theme);
      });
      await workbench.screenshot(`e2e-looks-${kind}`);
    }
  });

  it('include no animations with reduced motion in VS Code', async () => {
    const box = chat().getByRole('textbox', { name: 'Message', exact: true });
    await box.fill('tool t execute Wait for it\nuntil-cancel');
    await box.press('Enter');
    const sign = chat().locator('.codicon-loading').first();
    await sign.waitFor();
    await body('vscode-reduce-motion').waitFor();
    assert.equal(await sign.evaluate((one) => one.getAnimations().length), 0);
    await chat().getByRole('button', { name: 'Stop', exact: true }).press('Enter');
    await sign.waitFor({ state: 'detached' });
  });
});
