import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import { startServer } from './browserPage';
import { changeTheme } from './harness';
import type { PageWindow } from './pageWindow';
import { scenes } from './scenes/all';
import type { Scene, ScenePage } from './scenes/scene';
import { openScene } from './scenes/scene';

/**
 * Every state of the page, checked by axe in four themes, and at 200 % zoom; the report of axe is written to out/axe.md. Opening a scene
 * takes longer than its checks, so the page that axe has checked is zoomed.
 */

const axeSource = readFileSync(createRequire(`${process.cwd()}/package.json`).resolve('axe-core/axe.min.js'));

/** WCAG 2.2 A and AA, and axe's best practices. */
const ALL: axe.RunOptions['runOnly'] = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** Rules whose result can differ between themes. */
const COLOURS = { type: 'rule' as const, values: ['color-contrast', 'link-in-text-block'] };
/** High contrast adds borders, the same in both themes. */
const COLOURS_AND_BORDERS = { type: 'rule' as const, values: [...COLOURS.values, 'target-size'] };
/** The rules for each theme, in the order of the checks. */
const THEMES = [
  ['light', COLOURS],
  ['hc', COLOURS_AND_BORDERS],
  ['hc-light', COLOURS],
  ['dark', ALL],
] as const;

interface Found {
  /** Number of rules. */
  readonly passed: number;
  readonly violations: readonly axe.Result[];
}

const run = (page: ScenePage, runOnly: axe.RunOptions['runOnly']): Promise<Found> =>
  page.page.evaluate(async (chosen) => {
    const { axe: checker } = window as PageWindow<{ axe: { run: typeof axe.run } }>;
    // Program output uses the colors that the program chose from the theme's sixteen.
    const context = { exclude: ['.ansi-line'] };
    // Nodes of passed rules are not described: that took half of the time.
    const { passes, violations } = await checker.run(context, { runOnly: chosen, resultTypes: ['violations'] });
    return { passed: passes.length, violations };
  }, runOnly as axe.RunOnly);

const describeViolations = (theme: string, { violations }: Found): string[] =>
  violations.flatMap((violation) =>
    violation.nodes.map((node) => `${theme}: ${violation.id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  );

/** Icons without a glyph: the build drops the rules of icons that seem unused. */
const missingIcons = (page: ScenePage): Promise<string[]> =>
  page.page.evaluate(() =>
    Array.from(document.querySelectorAll('.codicon'))
      .filter((icon) => getComputedStyle(icon, '::before').content === 'none')
      .map((icon) => icon.className),
  );

/**
 * At 200 % a view of 450 x 1080 pixels has room for 225 x 540 (WCAG 2.2, 1.4.4 and 1.4.10). Drawn with one pixel each: four would only
 * cost more, because nothing here looks at pixels.
 */
const ZOOMED = { width: 225, height: 540 };

const CONTROLS = 'button, input, select, textarea, a, [role], [tabindex]';

interface Zoomed {
  /** Pixels that are out of sight at the side. */
  readonly wide: number;
  readonly cut: readonly string[];
  /** Of the message box; undefined if the scene has none. */
  readonly box: { readonly width: number; readonly height: number } | null | undefined;
}

/** In a narrow view these scenes are prepared differently: one has a width of its own, and one a log that does not fit and is scrolled. */
const dependsOnWidth = ({ name, options }: Scene): boolean => options?.width !== undefined || name === 'changes';

/** Of the scenes that axe has checked. */
const zoomedScenes = new Map<Scene, Zoomed>();

async function zoomed(scene: Scene): Promise<Zoomed> {
  const page = await openScene(scene, ZOOMED);
  const found = await measure(scene, page);
  await page.close();
  return found;
}

/**
 * Zooms an open scene. Its own test opens it again if something closed, because a new size closes a menu, or if this fails: then that test
 * reports why.
 */
async function zoomIfComplete(scene: Scene, page: ScenePage): Promise<void> {
  try {
    const before = await page.page.evaluate(countControls, CONTROLS);
    await page.page.setViewportSize(ZOOMED);
    await page.frame();
    const found = await measure(scene, page);
    if ((await page.page.evaluate(countControls, CONTROLS)) >= before) zoomedScenes.set(scene, found);
  } catch {
    zoomedScenes.delete(scene);
  }
}

/** Runs in the page. */
const countControls = (controls: string): number => document.querySelectorAll(controls).length;

async function measure(scene: Scene, { page }: ScenePage): Promise<Zoomed> {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  const cut = await page.evaluate(cutOff, CONTROLS);
  // An imported session has a note in its place.
  const box = 'panel' in scene ? undefined : await page.locator('.composer .message-box, .read-only').boundingBox();
  return { wide, cut, box };
}

/** Runs in the page: controls that are cut off at the side, except inside scrolling elements. */
function cutOff(controls: string): string[] {
  const scrolls = (element: Element): boolean =>
    ['auto', 'scroll'].includes(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth;
  const withinScroller = (element: Element | null): boolean =>
    element !== null && (scrolls(element) || withinScroller(element.parentElement));
  return [...document.querySelectorAll(controls)].flatMap((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    const isSeen = width > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!isSeen || (left >= -1 && right <= innerWidth + 1) || withinScroller(element.parentElement)) return [];
    return [`${element.getAttribute('aria-label') ?? element.textContent ?? element.tagName}: ${left} to ${right}`];
  });
}

describe('accessibility', () => {
  const rows: string[] = [];
  let axeUrl: string;
  before(async () => {
    axeUrl = (await startServer()).addScript('axe', axeSource);
  });
  after(async () => {
    await mkdir('out', { recursive: true });
    const head = '| state | theme | rules passed | violations |\n| --- | --- | --- | --- |\n';
    await writeFile('out/axe.md', `${head}${rows.join('\n')}\n`);
  });

  for (const scene of scenes) {
    it(`has no violation in ${scene.name}, in any theme`, async () => {
      const page = await openScene(scene, { theme: 'dark' });
      await page.page.evaluate(`import(${JSON.stringify(axeUrl)})`);
      const found: string[] = await missingIcons(page);
      for (const [theme, rules] of THEMES) {
        // No frame between: axe asks for styles and places, not for what is drawn.
        await changeTheme(page.page, theme);
        const results = await run(page, rules);
        rows.push(`| ${scene.name} | ${theme} | ${results.passed} | ${results.violations.length} |`);
        found.push(...describeViolations(theme, results));
      }
      if (!dependsOnWidth(scene)) await zoomIfComplete(scene, page);
      await page.close();
      assert.deepEqual(found, []);
    });
  }
});

describe('at 200 % zoom', () => {
  for (const scene of scenes) {
    it(`shows ${scene.name} completely`, async () => {
      const { wide, cut, box } = zoomedScenes.get(scene) ?? (await zoomed(scene));
      assert.deepEqual({ wide, cut }, { wide: 0, cut: [] });
      assert.ok(box === undefined || (box && box.width > 80 && box.height > 20), 'there is no room to write');
    });
  }
});
