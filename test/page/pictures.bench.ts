import { mkdir } from 'node:fs/promises';
import { closeBrowser } from './browserPage';
import type { ThemeName } from './harness';
import type { Scene } from './scenes/scene';
import { openScene } from './scenes/scene';
import { drawScenes, drawSheet } from './sheets';

/**
 * Screenshots of every state of the page, for review: `npm run pictures` writes them to out/pictures, and a sheet for each state
 * with all themes and widths side by side to out/pictures/sheets. `npm run pictures pictures tools page` draws only these states.
 */

const FOLDER = 'out/pictures';
const SHEETS = `${FOLDER}/sheets`;
const THEMES: readonly ThemeName[] = ['dark', 'light', 'hc', 'hc-light'];
const WIDTHS = [300, 450, 900] as const;

const fileOf = (scene: Scene, theme: ThemeName, width: number): string =>
  `${FOLDER}/${scene.name}-${theme}-${width}.png`;

/** One page shows all themes, as when the user changes the theme. */
async function pictures(scene: Scene, width: number): Promise<void> {
  const page = await openScene(scene, { theme: 'dark', width, scale: 1.5 });
  for (const theme of THEMES) {
    await page.setTheme(theme);
    await page.page.screenshot({ path: fileOf(scene, theme, width) });
  }
  await page.close();
}

async function main(): Promise<void> {
  await mkdir(SHEETS, { recursive: true });
  await drawScenes(async (scene) => {
    for (const width of WIDTHS) await pictures(scene, width);
    const rows = THEMES.map((theme) => WIDTHS.map((width) => fileOf(scene, theme, width)));
    await drawSheet(`${SHEETS}/${scene.name}.png`, WIDTHS, rows);
  });
  await closeBrowser();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
