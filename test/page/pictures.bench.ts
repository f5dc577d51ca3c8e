import { mkdir, readFile } from 'node:fs/promises';
import type { ThemeName } from './harness';
import { closeBrowser, launch } from './harness';
import { scenes } from './scenes/all';
import type { Scene } from './scenes/scene';
import { openScene } from './scenes/scene';

/**
 * Pictures of every state of the page, to be looked at: `npm run pictures` writes them to out/pictures, and a sheet for
 * each state with all themes and widths side by side to out/pictures/sheets. `npm run pictures pictures -- tools page`
 * draws only these states.
 */

const FOLDER = 'out/pictures';
const SHEETS = `${FOLDER}/sheets`;
const THEMES: readonly ThemeName[] = ['dark', 'light', 'hc', 'hc-light'];
const WIDTHS = [300, 450, 900] as const;
const GAP = 12;

async function picture(scene: Scene, theme: ThemeName, width: number): Promise<string> {
  const page = await openScene(scene, { theme, width, scale: 1.5 });
  const path = `${FOLDER}/${scene.name}-${theme}-${width}.png`;
  await page.page.screenshot({ path });
  await page.close();
  return path;
}

/** One picture with a row for each theme and a column for each width. */
async function sheet(name: string, rows: readonly (readonly string[])[]): Promise<void> {
  const width = WIDTHS.reduce((sum, column) => sum + column + GAP, GAP);
  const page = await (await launch()).newPage({ viewport: { width, height: 600 } });
  const cells = await Promise.all(
    rows.map(async (row) => {
      const images = await Promise.all(row.map(async (path) => (await readFile(path)).toString('base64')));
      return images.map((data, at) => `<img width="${WIDTHS[at]}" src="data:image/png;base64,${data}">`).join('');
    }),
  );
  const style = `margin:0;padding:${GAP}px;background:#777;display:grid;gap:${GAP}px`;
  const lines = cells.map((row) => `<div style="display:flex;gap:${GAP}px;align-items:start">${row}</div>`);
  await page.setContent(`<body style="${style}">${lines.join('')}</body>`);
  await page.screenshot({ path: `${SHEETS}/${name}.png`, fullPage: true });
  await page.close();
}

async function main(): Promise<void> {
  await mkdir(SHEETS, { recursive: true });
  const only = process.argv.slice(2);
  for (const scene of scenes) {
    if (only.length > 0 && !only.includes(scene.name)) continue;
    const rows: string[][] = [];
    for (const theme of THEMES) {
      const row: string[] = [];
      for (const width of WIDTHS) row.push(await picture(scene, theme, width));
      rows.push(row);
    }
    await sheet(scene.name, rows);
  }
  await closeBrowser();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
