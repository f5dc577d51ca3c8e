import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import { startServer } from './browserPage';
import { scenes } from './scenes/all';
import type { ScenePage } from './scenes/scene';
import { openScene } from './scenes/scene';

/** Every state of the page, checked by axe in four themes; the report is written to out/axe.md. */

const axeSource = readFileSync(createRequire(`${process.cwd()}/package.json`).resolve('axe-core/axe.min.js'));

/** WCAG 2.2 A and AA, and axe's best practices. */
const ALL: axe.RunOptions['runOnly'] = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** Rules whose result can differ between themes. */
const COLOURS: axe.RunOptions['runOnly'] = {
  type: 'rule',
  values: ['color-contrast', 'link-in-text-block', 'target-size'],
};

interface Found {
  /** Number of rules. */
  readonly passed: number;
  readonly violations: readonly axe.Result[];
}

const run = (page: ScenePage, runOnly: axe.RunOptions['runOnly']): Promise<Found> =>
  page.page.evaluate(async (chosen) => {
    const { axe: checker } = window as unknown as { axe: { run: typeof axe.run } };
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
      for (const theme of ['dark', 'light', 'hc', 'hc-light'] as const) {
        await page.setTheme(theme);
        const results = await run(page, theme === 'dark' ? ALL : COLOURS);
        rows.push(`| ${scene.name} | ${theme} | ${results.passed} | ${results.violations.length} |`);
        found.push(...describeViolations(theme, results));
      }
      await page.close();
      assert.deepEqual(found, []);
    });
  }
});
