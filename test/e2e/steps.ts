import type { Locator, Page } from 'playwright-core';

/** VS Code's quick input once it has the focus: with a focused webview, the key that opens it takes longer to arrive. */
export function quickInput(page: Page): Locator {
  return page.locator('.quick-input-widget input.input:focus');
}

/** A row of VS Code's quick input. */
export function quickRow(page: Page, text: string | RegExp): Locator {
  return page.locator('.quick-input-list .monaco-list-row', { hasText: text });
}

/** Enters a text into the focused quick input at once, which draws its rows for each change; waits until the row with that text is the active one, and accepts it. */
export async function chooseRow(page: Page, typed: string, text: string | RegExp = typed): Promise<void> {
  await quickInput(page).waitFor();
  await page.keyboard.insertText(typed);
  await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: text }).waitFor();
  await page.keyboard.press('Enter');
}
