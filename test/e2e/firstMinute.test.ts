import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { installVsix } from '../host/server.mjs';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { eventually } from '../kit/waiting';
import type { Workbench } from './workbench';
import { closeAfter, openWorkbench } from './workbench';

/** A step of a first-time user, and its duration in milliseconds. */
interface Step {
  readonly what: string;
  readonly ms: number;
}

/**
 * The first minutes of a user without an agent, from the package to the first answer; steps and times are written to
 * out/first-minute.md.
 */
describe('the first minute', () => {
  const steps: Step[] = [];
  let workbench: Workbench;
  let extensions: string;

  afterEach(async function () {
    await closeAfter(this.currentTest, workbench);
    await removeFolder(extensions);
  });

  async function step(what: string, work: () => Promise<unknown>): Promise<void> {
    const start = performance.now();
    await work();
    steps.push({ what, ms: performance.now() - start });
  }

  it('installs the package, and the demo agent answers, asks and edits as shown', async () => {
    extensions = await makeTemporaryFolder('first-minute');
    const chat = (): FrameLocator => workbench.chat();
    await step('Install the package', () => installVsix(join('dist', 'parley.vsix'), extensions));
    await step('Open a project in a new window', async () => {
      workbench = await openWorkbench({ extensions, allBuiltIns: true });
    });
    await step('Parley shows itself and offers agents', () =>
      chat()
        .getByRole('button', { name: /Demo agent/ })
        .waitFor(),
    );
    await workbench.screenshot('e2e-first-start');
    await step('Choose the demo agent: it starts', async () => {
      await chat()
        .getByRole('button', { name: /Demo agent/ })
        .click();
      await chat().getByRole('status', { name: 'Agent' }).getByText('Demo agent: ready').waitFor();
    });
    await step('Take what is suggested, and send it', async () => {
      await chat().getByRole('button', { name: 'Show me what you can do' }).click();
      await chat().getByRole('button', { name: 'Send' }).click();
    });
    await step('The first answer', () => chat().getByRole('article', { name: 'Agent' }).first().waitFor());
    await writeSteps(steps);

    const permission = chat().getByRole('group', { name: /^Permission: / });
    const allow = permission.getByRole('button', { name: /allow/i, disabled: false }).first();
    await allow.waitFor();
    for (const tool of ['problems__list', 'code__outline']) {
      await chat()
        .getByRole('group', { name: `Tool: ${tool}` })
        .getByRole('status')
        .getByText('Done')
        .waitFor();
    }
    await workbench.screenshot('e2e-demo-permission');
    await allow.click();
    await chat()
      .getByRole('group', { name: /^Terminal: / })
      .waitFor();
    await chat().getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    await workbench.screenshot('e2e-demo-done');
    assert.match(await readFile(join(workbench.folder, 'parley-demo.md'), 'utf8'), /^# Written by the demo agent$/m);
    assert.equal(await chat().getByRole('alert').count(), 0);
    await looksAtFirstSteps();
  });

  /** The walkthrough with its completed steps. */
  async function looksAtFirstSteps(): Promise<void> {
    const { page } = workbench;
    // Wide enough for the pictures.
    await page.setViewportSize({ width: 1800, height: 900 });
    await workbench.runCommand('Parley: Get Started');
    const started = page.locator('.gettingStartedContainer');
    await started.getByText('Get Started with Parley').first().waitFor();
    for (const done of ['agent', 'ask', 'approve']) {
      await started.locator(`[data-done-step-id$="#${done}"].complete`).waitFor();
    }
    await started.locator('[data-done-step-id$="#tools"]:not(.complete)').waitFor();
    await workbench.screenshot('e2e-first-steps');
    for (const id of ['agent', 'ask', 'approve', 'review', 'race', 'tools']) {
      await started.locator(`.getting-started-step[data-step-id$="#${id}"] .step-title`).click();
      const words = wordsOf(await readFile(join('media', 'walkthrough', `${id}.svg`), 'utf8'));
      await eventually(async () => {
        const shown = await drawing();
        assert.deepEqual(shown.words, words, `The picture of the step "${id}" is shown`);
        assert.ok(shown.width > 200 && shown.height > 200, `The picture of the step "${id}" is drawn`);
      });
    }
  }

  /** The rendered picture. Rejects quickly while VS Code replaces the frame by the next one. */
  function drawing(): Promise<{ words: string[]; width: number; height: number }> {
    return workbench.page
      .locator('iframe.webview.ready:not([src*="parley.parley"])')
      .contentFrame()
      .locator('iframe#active-frame')
      .contentFrame()
      .locator('svg')
      .first()
      .evaluate(
        (svg) => {
          const { width, height } = svg.getBoundingClientRect();
          return { words: [...svg.querySelectorAll('text')].map((one) => one.textContent), width, height };
        },
        undefined,
        { timeout: 2000 },
      );
  }
});

/** The words in a picture. */
function wordsOf(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^]*?)<\/text>/g)].map(([, words = '']) => words);
}

async function writeSteps(steps: readonly Step[]): Promise<void> {
  let sum = 0;
  const rows = steps.map(({ what, ms }, index) => {
    sum += ms;
    return `| ${index + 1} | ${what} | ${(ms / 1000).toFixed(1)} | ${(sum / 1000).toFixed(1)} |`;
  });
  const text = [
    '# From the package to a first answer',
    '',
    'What a new user without any agent does, as an end-to-end test did it in a new profile: test/e2e/firstMinute.test.ts.',
    '',
    '| | step | seconds | since the start |',
    '| ---: | --- | ---: | ---: |',
    ...rows,
    '',
  ].join('\n');
  await mkdir('out', { recursive: true });
  await writeFile(join('out', 'first-minute.md'), text);
  console.log(text);
}
