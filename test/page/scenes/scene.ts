import type { ChatPage, PageOptions } from '../harness';

/** A state of the page by name: pictures are made of it, and it is checked for accessibility and for clipped text. */
export interface Scene {
  readonly name: string;
  readonly options?: PageOptions;
  readonly prepare: (page: ChatPage) => Promise<void>;
}

/** A scene for each entry of a table of preparations. */
export function scenesOf(table: Readonly<Record<string, Scene['prepare']>>): Scene[] {
  return Object.entries(table).map(([name, prepare]) => ({ name, prepare }));
}

/** Opens a page of this scene at rest: its fonts are loaded, and nothing waits to be drawn. */
export async function openScene(
  open: (options: PageOptions) => Promise<ChatPage>,
  scene: Scene,
  options: PageOptions,
): Promise<ChatPage> {
  const page = await open({ height: 1080, reducedMotion: true, ...scene.options, ...options });
  await scene.prepare(page);
  await page.frame();
  await page.page.evaluate(async () => {
    await document.fonts.ready;
    const passing = document.getAnimations().filter((one) => one.effect?.getTiming().iterations !== Infinity);
    await Promise.all(passing.map(({ finished }) => finished.catch(() => undefined)));
  });
  return page;
}
