import { mkdir } from 'node:fs/promises';
import { closeBrowser } from './browserPage';
import type { ThemeName } from './harness';
import { scenes } from './scenes/all';
import { openScene } from './scenes/scene';

/** `npm run pictures design`: the pictures of docs/design.md. */

const FOLDER = 'docs/pictures';

interface Picture {
  readonly name: string;
  readonly scene: string;
  readonly theme: ThemeName;
  readonly width: number;
  /** CSS pixels. */
  readonly height: number;
}

const PICTURES: readonly Picture[] = [
  { name: 'turn-dark', scene: 'page', theme: 'dark', width: 450, height: 900 },
  { name: 'turn-light', scene: 'page', theme: 'light', width: 450, height: 900 },
  { name: 'turn-high-contrast', scene: 'page', theme: 'hc', width: 450, height: 900 },
  { name: 'turn-narrow', scene: 'page', theme: 'dark', width: 300, height: 900 },
  { name: 'queue', scene: 'queue', theme: 'dark', width: 450, height: 420 },
  { name: 'error', scene: 'error', theme: 'light', width: 450, height: 420 },
  { name: 'tools', scene: 'tools', theme: 'light', width: 450, height: 520 },
  { name: 'races', scene: 'races', theme: 'light', width: 900, height: 520 },
];

async function main(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const { name, scene: wanted, theme, width, height } of PICTURES) {
    const scene = scenes.find((one) => one.name === wanted);
    if (!scene) throw new Error(`There is no scene "${wanted}".`);
    const page = await openScene(scene, { theme, width, height });
    await page.page.screenshot({ path: `${FOLDER}/${name}.png` });
    await page.close();
  }
  await closeBrowser();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
