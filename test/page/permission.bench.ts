import { mkdir } from 'node:fs/promises';
import type { ThemeName } from './harness';
import { ChatPage, closeBrowser } from './harness';
import { states } from './permissionStates';

/** Pictures of every state of a permission: `npm run pictures permission` writes them to out/pictures. */

const FOLDER = 'out/pictures';
const THEMES: readonly ThemeName[] = ['dark', 'light', 'hc', 'hc-light'];

async function picture(name: string, theme: ThemeName, width: number): Promise<void> {
  const chat = await ChatPage.with(states[name] ?? [], { theme, width, height: 640, reducedMotion: true });
  const waits = await chat.page.locator('.question').count();
  if (waits > 0) await chat.page.locator('.question .button:not([aria-disabled="true"])').first().waitFor();
  if (name === 'remembered') await chat.page.getByRole('button', { name: /^Remembered for/ }).click();
  await chat.page.evaluate(() => document.fonts.ready);
  await chat.page.screenshot({ path: `${FOLDER}/permission-${name}-${theme}-${width}.png` });
  await chat.close();
}

async function main(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const only = process.argv[2];
  for (const name of Object.keys(states)) {
    if (only !== undefined && only !== name) continue;
    for (const theme of THEMES) for (const width of [300, 900]) await picture(name, theme, width);
  }
  await closeBrowser();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
