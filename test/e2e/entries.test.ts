import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import { becomes } from '../kit/waiting';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';

const BEFORE = `export function one(): number {
  return 1;
}

export function two(): number {
  return 2;
}
`;
const CODE = 'export function two(): number {\n  return 22;\n}';

/** Links and buttons of transcript entries. */
describe('entries in the real workbench', () => {
  let workbench: Workbench;

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => {
      const { command, args, env } = fakeAgent();
      return {
        settings: { 'parley.agents': { Coder: { command, args, env } }, 'parley.defaultAgent': 'Coder' },
        workspaceFiles: { 'src/sums.ts': BEFORE, 'notes.md': 'one\ntwo\nthree\n' },
      };
    },
  );

  const chat = (name: string): Locator => workbench.chat().getByRole('button', { name, exact: true });
  const changes = (): Locator => workbench.chat().getByRole('region', { name: 'Changes' });
  /** The status bar shows the cursor position. */
  const cursorAt = (place: string): Promise<void> =>
    workbench.page.locator('.statusbar-item', { hasText: place }).first().waitFor();

  /** Waits until the file has the expected content. */
  const holds = (wanted: string): Promise<void> =>
    becomes(() => readFile(join(workbench.folder, 'src/sums.ts'), 'utf8'), wanted);

  async function ask(...script: readonly string[]): Promise<void> {
    const box = workbench.chat().getByRole('textbox', { name: 'Message' });
    await box.click();
    await box.fill(script.join('\n'));
    await box.press('Enter');
  }

  it('opens search results and file references at their lines', async () => {
    await ask(
      'tool s search Search for return',
      'update s completed src/sums.ts:2:  return 1;\\nsrc/sums.ts:6:  return 2;',
      'text See `notes.md:3` and sums.ts:5, not `missing.ts`.',
    );
    await chat('Search for return').click();
    await workbench.chat().getByRole('button', { name: '6 return 2;' }).click();
    await cursorAt('Ln 6, Col 1');
    await workbench.chat().getByRole('link', { name: 'notes.md:3' }).click();
    await cursorAt('Ln 3, Col 1');
    // A path suffix is enough if it is unique.
    await workbench.chat().getByRole('link', { name: 'sums.ts:5' }).click();
    await cursorAt('Ln 5, Col 1');
    assert.equal(await workbench.chat().getByRole('link', { name: 'missing.ts' }).count(), 0);
    await workbench.screenshot('e2e-entries-links');
  });

  it('draws a diagram in a preview of VS Code, which closes without a question', async () => {
    await ask(`text \`\`\`mermaid\\ngraph LR; Here --> There["Two \`\`\`\` fences"]\\n\`\`\`\\n`);
    await chat('Show Diagram').click();
    const { page } = workbench;
    const tab = page.locator('.tab', { hasText: 'Preview Diagram.md' });
    await tab.waitFor();
    const drawn = (): Promise<number[]> =>
      Promise.all(page.frames().map((frame) => frame.locator('svg[aria-roledescription^=flowchart]').count()));
    // Frames come and go while the preview opens.
    await becomes(async () => (await drawn().catch((): number[] => [])).includes(1), true);
    await workbench.screenshot('e2e-entries-diagram');
    await tab.click({ button: 'middle' });
    await tab.waitFor({ state: 'detached' });
    assert.equal(await page.locator('.monaco-dialog-box').count(), 0);
  });

  it('applies a code block as an edit that can be undone', async () => {
    await ask(`text \`\`\`ts src/sums.ts\\n${CODE.replaceAll('\n', '\\n')}\\n\`\`\`\\n`);
    await chat('Apply to File').click();
    await changes().getByRole('button', { name: 'src/sums.ts', exact: true }).waitFor();
    await holds(BEFORE.replace('return 2;', 'return 22;'));
    await workbench.page.locator('.monaco-editor .view-line', { hasText: 'return 22;' }).waitFor();
    await workbench.screenshot('e2e-entries-applied');
    await chat('Undo All').click();
    await holds(BEFORE);
    await changes().waitFor({ state: 'detached' });
  });

  it('shows a diff first if the place is uncertain, and applies it only after approval', async () => {
    await ask('text ```ts src/sums.ts\\nconsole.log(two());\\n```\\n');
    await chat('Apply to File').click();
    await workbench.page.locator('.tab', { hasText: 'sums.ts (proposed)' }).waitFor();
    const toast = workbench.toast(/Apply this code to src\/sums\.ts\?/);
    await toast.getByRole('button', { name: 'Cancel' }).click();
    await workbench.page.locator('.tab', { hasText: 'sums.ts (proposed)' }).waitFor({ state: 'detached' });
    assert.equal(await readFile(join(workbench.folder, 'src/sums.ts'), 'utf8'), BEFORE);
    await chat('Apply to File').click();
    await workbench
      .toast(/Apply this code/)
      .getByRole('button', { name: 'Apply' })
      .click();
    await holds(`${BEFORE}console.log(two());\n`);
    await changes().getByRole('button', { name: 'src/sums.ts', exact: true }).waitFor();
  });
});
