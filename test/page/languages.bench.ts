import { mkdir, readFile } from 'node:fs/promises';
import { closeBrowser } from './browserPage';
import type { Language } from './harness';
import type { Scene } from './scenes/scene';
import { openScene } from './scenes/scene';
import { drawScenes, drawSheet } from './sheets';

/**
 * Screenshots of every state of the page in each language, and from right to left: `npm run pictures languages` writes them and a
 * sheet for each state to out/pictures/languages. `npm run pictures languages tools page` draws only these states.
 */

const FOLDER = 'out/pictures/languages';
const WIDTHS = [300, 900] as const;

async function tableOf(tag: string): Promise<Language> {
  return { tag, table: JSON.parse(await readFile(`l10n/bundle.l10n.${tag}.json`, 'utf8')) as Record<string, string> };
}

const english: Language = { tag: 'en', table: {} };
/** No translation is written from right to left: the layout is shown with English texts. */
const fromRight: Language = { tag: 'he', table: {} };

async function picture(scene: Scene, language: Language, width: number): Promise<string> {
  const path = `${FOLDER}/${scene.name}-${language.tag}-${width}.png`;
  const page = await openScene(scene, { theme: 'dark', width, language });
  await page.page.screenshot({ path });
  await page.close();
  return path;
}

async function main(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const languages = [english, await tableOf('zh-cn'), await tableOf('de'), fromRight];
  await drawScenes(async (scene) => {
    const rows: string[][] = [];
    for (const language of languages) {
      const row: string[] = [];
      for (const width of WIDTHS) row.push(await picture(scene, language, width));
      rows.push(row);
    }
    await drawSheet(`${FOLDER}/${scene.name}.png`, WIDTHS, rows);
  });
  await closeBrowser();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
