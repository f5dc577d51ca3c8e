import { mkdir, readFile } from 'node:fs/promises';
import type { Language } from './harness';
import { closeBrowser, launch } from './harness';
import { scenes } from './scenes/all';
import type { Scene } from './scenes/scene';
import { openScene } from './scenes/scene';

/**
 * Pictures of every state of the page in each language there is, and from right to left: `npm run pictures languages` writes a sheet for
 * each state to out/pictures/languages. `npm run pictures languages -- tools page` draws only these states.
 */

const FOLDER = 'out/pictures/languages';
const WIDTHS = [300, 900] as const;
const GAP = 12;

async function tableOf(tag: string): Promise<Language> {
  return { tag, table: JSON.parse(await readFile(`l10n/bundle.l10n.${tag}.json`, 'utf8')) as Record<string, string> };
}

/** There is no translation of ours that is written from the right: its layout is shown with English words. */
const fromRight: Language = { tag: 'he', table: {} };

async function picture(scene: Scene, language: Language | undefined, width: number): Promise<string> {
  const options = { theme: 'dark', width, ...(language && { language }) } as const;
  const page = await openScene(scene, options);
  const image = await page.page.screenshot();
  await page.close();
  return `<img width="${width}" src="data:image/png;base64,${image.toString('base64')}">`;
}

/** One picture with a row for each language and a column for each width. */
async function sheet(scene: Scene, languages: readonly (Language | undefined)[]): Promise<void> {
  const rows: string[] = [];
  for (const language of languages) {
    const images: string[] = [];
    for (const width of WIDTHS) images.push(await picture(scene, language, width));
    rows.push(`<div style="display:flex;gap:${GAP}px">${images.join('')}</div>`);
  }
  const width = WIDTHS.reduce((sum, column) => sum + column + GAP, GAP);
  const page = await (await launch()).newPage({ viewport: { width, height: 600 } });
  await page.setContent(
    `<body style="margin:0;padding:${GAP}px;background:#777;display:grid;gap:${GAP}px">${rows.join('')}</body>`,
  );
  await page.screenshot({ path: `${FOLDER}/${scene.name}.png`, fullPage: true });
  await page.close();
}

async function main(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const languages = [undefined, await tableOf('zh-cn'), await tableOf('de'), fromRight];
  const only = process.argv.slice(2);
  for (const scene of scenes) if (only.length === 0 || only.includes(scene.name)) await sheet(scene, languages);
  await closeBrowser();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
