import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { shareWorkbench } from './sharedWorkbench';
import type { Workbench } from './workbench';
import { TAB_FRAMES, VIEW_FRAME, becomes } from './workbench';

/** The demo agent races itself, as everyone can try it; scripted agents are cut in the middle. */
describe('a race in the workbench', () => {
  let workbench: Workbench;
  let outside: string;

  before(async () => {
    outside = await makeTemporaryFolder('race');
    const script = 'write made.txt mine\nterminal node host.cjs\nhang';
    await writeFile(join(outside, 'scripts.json'), JSON.stringify({ 'Work on it': script }));
  });

  shareWorkbench(
    (opened) => (workbench = opened),
    () => {
      const { command, args, env } = fakeAgent({ FAKE_SCRIPTS: join(outside, 'scripts.json') });
      return {
        settings: { 'parley.agents': { Racer: { command, args, env } }, 'parley.defaultAgent': 'Demo agent' },
        workspaceFiles: {
          'host.cjs': `require('node:fs').appendFileSync(${JSON.stringify(join(outside, 'hosts'))}, process.ppid + '\\n')`,
        },
      };
    },
  );

  after(() => removeFolder(outside));

  const rows = (): Locator => workbench.page.locator('.quick-input-list .monaco-list-row');
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: workbench.folder, encoding: 'utf8' });
  const left = (): unknown => ({
    worktrees: git('worktree', 'list').trim().split('\n').length,
    branches: git('branch', '--list', 'parley/*'),
  });

  /** Transcripts on disk that have the edit. */
  async function written(): Promise<number> {
    const names = (await readdir(workbench.data, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
    const texts = await Promise.all(names.map((name) => readFile(join(workbench.data, name), 'utf8').catch(() => '')));
    return texts.filter((text) => text.includes('promptSent') && text.includes('made.txt')).length;
  }

  /** Starts a race of an agent with itself. */
  async function race(text: string, agent: string): Promise<void> {
    await workbench.focusChat();
    await workbench.runCommand('Parley: Race…');
    const input = workbench.page.locator('.quick-input-widget input[type=text]').first();
    await input.fill(text);
    await input.press('Enter');
    const both = rows().filter({ hasText: agent });
    for (const at of [0, 1]) await both.nth(at).click();
    await workbench.screenshot('e2e-race-agents');
    await workbench.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
  }

  const board = (): FrameLocator => workbench.page.frameLocator(TAB_FRAMES).frameLocator('iframe#active-frame');
  /** The attempts on the board that are in this state, or have this text. */
  const attempts = (...texts: readonly string[]): Locator =>
    texts.reduce((found, hasText) => found.filter({ hasText }), board().getByRole('article'));

  /** Its tab is there again after a reload. */
  const showBoard = (): Promise<void> => workbench.page.locator('.tabs-container .tab', { hasText: 'Races' }).click();

  /** Discards both attempts on the board. */
  async function discardBoth(file: string): Promise<void> {
    for (const count of [1, 0]) {
      await attempts().first().getByRole('button', { name: 'Discard' }).click();
      const dialog = workbench.page.getByRole('dialog').filter({ hasText: file });
      await dialog.getByRole('button', { name: 'Discard' }).click();
      await becomes(() => git('worktree', 'list').trim().split('\n').length, count + 1);
      await becomes(() => attempts().count(), count);
    }
    await board().getByText('There are no worktrees.').waitFor();
    await becomes(left, { worktrees: 1, branches: '' });
  }

  it('starts two attempts, asks for each, takes one, is there after a reload, and leaves nothing behind', async () => {
    await race('edit', 'Demo agent');

    await attempts('Waiting for you').nth(1).waitFor();
    await workbench.screenshot('e2e-race-board');
    const chat = workbench.page.frameLocator(VIEW_FRAME).frameLocator('iframe#active-frame');
    const allow = chat
      .getByRole('group', { name: /^Permission: / })
      .getByRole('button', { name: 'Allow', exact: true });
    for (const done of [1, 2]) {
      await attempts('Waiting for you').first().getByRole('button', { name: 'Open', exact: true }).click();
      await allow.click();
      await attempts('Done')
        .nth(done - 1)
        .waitFor();
      await chat.getByRole('region', { name: 'Race: edit' }).getByRole('article').nth(1).waitFor();
      await chat.getByRole('group', { name: 'Folder' }).getByText('parley/edit').waitFor();
    }
    await attempts('1 file').nth(1).getByRole('button', { name: 'Take All' }).click();
    const taken = join(workbench.folder, 'parley-demo.md');
    await becomes(
      () =>
        readFile(taken, 'utf8').then(
          (text) => text.startsWith('# Written by the demo'),
          () => false,
        ),
      true,
    );
    await workbench.screenshot('e2e-race-taken');

    await workbench.reload();
    await showBoard();
    await attempts('Done', '1 file').nth(1).waitFor();
    await workbench.screenshot('e2e-race-reloaded');
    await discardBoth('parley-demo.md');
    assert.match(await readFile(taken, 'utf8'), /^# Written by the demo/, 'what was taken stays');
  });

  it('a window killed in mid-race: the board is back, nothing runs, nothing is left after Discard', async () => {
    await race('Work on it', 'Racer');
    await attempts('Running', '1 file').nth(1).waitFor();
    const hosts = async (): Promise<string[]> => (await readFile(join(outside, 'hosts'), 'utf8')).trim().split('\n');
    await becomes(
      () =>
        hosts().then(
          (all) => all.length,
          () => 0,
        ),
      2,
    );
    await becomes(written, 2);
    const [host = ''] = await hosts();
    const children = readFileSync(`/proc/${host}/task/${host}/children`, 'utf8').trim().split(' ');
    const agents = (): string[] => children.filter((pid) => commandLine(pid).includes('fakeAgent'));
    assert.equal(agents().length, 1, 'the process that both attempts share');
    process.kill(Number(host), 'SIGKILL');
    await becomes(agents, []);

    await workbench.reload();
    // VS Code keeps a tab over a reload only while its extension runs.
    await workbench.runCommand('Parley: Show Races');
    await attempts('Interrupted', '1 file').nth(1).waitFor();
    await workbench.screenshot('e2e-race-interrupted');
    await discardBoth('made.txt');
    const storage = join(workbench.data, 'User', 'globalStorage', 'parley.parley', 'worktrees');
    await becomes(async () => (await readdir(storage)).filter((name) => name !== '.locks'), []);
  });
});

/** Empty for a process that has ended. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
