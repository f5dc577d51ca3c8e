import type { Locator, Page } from 'playwright-core';
import { patience } from './workbench';

/** Asserts again and again until it holds: what somebody else writes or draws is there when they get to it. */
export async function eventually(assertion: () => void | Promise<void>): Promise<void> {
  const end = performance.now() + patience;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((again) => setTimeout(again, 50));
    }
  }
}

/** The box of VS Code's quick input, once what is typed goes there: a key that opens it goes a long way when a webview has the focus. */
export function quickInput(page: Page): Locator {
  return page.locator('.quick-input-widget input.input:focus');
}

/** A row of VS Code's quick input. */
export function quickRow(page: Page, text: string | RegExp): Locator {
  return page.locator('.quick-input-list .monaco-list-row', { hasText: text });
}

/** Types into the quick input that has the focus, and takes the row with that text, which must have come to be the chosen one. */
export async function chooseRow(page: Page, typed: string, text: string | RegExp = typed): Promise<void> {
  await quickInput(page).waitFor();
  await page.keyboard.type(typed);
  await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: text }).waitFor();
  await page.keyboard.press('Enter');
}
