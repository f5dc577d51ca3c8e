import { readFile } from 'node:fs/promises';
import { launch } from './browserPage';
import { scenes } from './scenes/all';
import type { Scene } from './scenes/scene';

/** CSS pixels between two pictures of a sheet. */
const GAP = 12;
/** Number of scenes in parallel: while one waits for its page another one is drawn. */
const AT_ONCE = 4;

/** Runs `draw` for every scene, or for those that the command names; several in parallel, in one browser. */
export async function drawScenes(draw: (scene: Scene) => Promise<void>): Promise<void> {
  const only = process.argv.slice(2);
  const unknown = only.filter((name) => !scenes.some((scene) => scene.name === name));
  if (unknown.length > 0)
    throw new Error(`No scene is named ${unknown.join(', ')}. There is: ${scenes.map(({ name }) => name).join(', ')}.`);
  const waiting = scenes.filter(({ name }) => only.length === 0 || only.includes(name)).values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const scene of waiting) await draw(scene);
    }),
  );
}

/**
 * Combines pictures into one at `path`.
 * @param rows Picture files.
 * @param widths Column widths in CSS pixels.
 */
export async function drawSheet(
  path: string,
  widths: readonly number[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const width = widths.reduce((sum, column) => sum + column + GAP, GAP);
  const page = await (await launch()).newPage({ viewport: { width, height: 600 } });
  const lines = await Promise.all(
    rows.map(async (row) => {
      const images = await Promise.all(row.map(async (file) => (await readFile(file)).toString('base64')));
      const cells = images.map((data, at) => `<img width="${widths[at]}" src="data:image/png;base64,${data}">`);
      return `<div style="display:flex;gap:${GAP}px;align-items:start">${cells.join('')}</div>`;
    }),
  );
  const style = `margin:0;padding:${GAP}px;background:#777;display:grid;gap:${GAP}px`;
  await page.setContent(`<body style="${style}">${lines.join('')}</body>`);
  await page.screenshot({ path, fullPage: true });
  await page.close();
}
