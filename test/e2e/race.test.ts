import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { runGit } from '../kit/runGit';
import { becomes } from '../kit/waiting';
import { shareWorkbench } from './sharedWorkbench';
import type { Workbench } from './workbench';
import { TAB_FRAMES, VIEW_FRAME } from './workbench';

/** The demo agent races against itself, as every user can try; scripted agents are interrupted. */
describe('a race in the workbench', () => {
  let workbench: Workbench;
  let outside: string;

  before(async () => {
    outside = await makeTemporaryFolder('race');
    const scripts = {
      racer: { 'Work on it': 'write made.txt mine\nterminal node host.cjs' },
      ann: { 'Improve it': `write poem.txt ${inScript(poem([2, 'ann two'], [8, 'ann eight']))}` },
      ben: { 'Improve it': `write poem.txt ${inScript(poem([2, 'ben two'], [8, 'ben eight']))}` },
    };
    for (const [name, script] of Object.entries(scripts)) await writeFile(scriptsOf(name), JSON.stringify(script));
  });

  shareWorkbench(
    (opened) => (workbench = opened),
    () => {
      const agent = (name: string): object => {
        const { command, args, env } = fakeAgent({ FAKE_SCRIPTS: scriptsOf(name) });
        return { command, args, env };
      };
      const agents = { Racer: agent('racer'), Ann: agent('ann'), Ben: agent('ben') };
      return {
        settings: { 'parley.agents': agents, 'parley.defaultAgent': 'Demo agent', 'files.autoSave': 'off' },
        workspaceFiles: {
          'poem.txt': poem(),
          'host.cjs': `require('node:fs').appendFileSync(${JSON.stringify(join(outside, 'hosts'))}, process.ppid + ' ' + process.pid + '\\n');
setInterval(() => undefined, 1000);`,
        },
      };
    },
  );

  after(() => removeFolder(outside));

  const scriptsOf = (name: string): string => join(outside, `${name}.json`);
  const rows = (): Locator => workbench.page.locator('.quick-input-list .monaco-list-row');
  const git = (...args: string[]): string => runGit(workbench.folder, ...args);
  const left = (): unknown => ({
    worktrees: git('worktree', 'list').trim().split('\n').length,
    branches: git('branch', '--list', 'parley/*'),
  });

  /** Transcripts on disk that contain the edit. */
  async function written(): Promise<number> {
    const names = (await readdir(workbench.data, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
    const texts = await Promise.all(names.map((name) => readFile(join(workbench.data, name), 'utf8').catch(() => '')));
    return texts.filter((text) => text.includes('promptSent') && text.includes('made.txt')).length;
  }

  /** Starts a race of several agents, or of one agent with itself. */
  async function race(text: string, ...agents: readonly string[]): Promise<void> {
    await workbench.runCommand('Parley: Race…');
    const chat = workbench.page.frameLocator(VIEW_FRAME).frameLocator('iframe#active-frame');
    await chat.getByRole('status', { name: 'Race' }).waitFor();
    await chat.getByRole('textbox', { name: 'Message' }).fill(text);
    await chat.getByRole('button', { name: 'Send', exact: true }).click();
    for (const [at, hasText] of agents.entries()) {
      const row = rows().filter({ hasText });
      if (agents.indexOf(hasText) === at) await row.click();
      else await row.getByRole('button', { name: 'One more attempt' }).click();
    }
    await workbench.screenshot('e2e-race-agents');
    await workbench.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
  }

  const board = (): FrameLocator => workbench.page.frameLocator(TAB_FRAMES).frameLocator('iframe#active-frame');
  /** Attempts on the board with this state or text. */
  const attempts = (...texts: readonly string[]): Locator =>
    texts.reduce((found, hasText) => found.filter({ hasText }), board().getByRole('article'));

  /** After a reload, which VS Code does not always leave with the same tabs: it stores them a moment after they change. */
  const showBoard = (): Promise<void> => workbench.runCommand('Parley: Show Races');

  /** Discards both attempts with this state and confirms dialogs with these texts. */
  async function discardBoth(state: string, ...words: readonly [first: string, second: string]): Promise<void> {
    let count = await attempts().count();
    for (const hasText of words) {
      count -= 1;
      await attempts(state).first().getByRole('button', { name: 'Discard' }).click();
      const dialog = workbench.page.getByRole('dialog').filter({ hasText });
      await dialog.getByRole('button', { name: 'Discard' }).click();
      await becomes(() => git('worktree', 'list').trim().split('\n').length, count + 1);
      await becomes(() => attempts().count(), count);
    }
  }

  /** Starts another race and kills the window during it: agents and commands end with it. */
  async function killWhileTwoRun(): Promise<void> {
    await race('Work on it', 'Racer', 'Racer');
    await attempts('Running', '1 file').nth(1).waitFor();
    const started = async (): Promise<string[][]> =>
      (await readFile(join(outside, 'hosts'), 'utf8').catch(() => ''))
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [line.split(' ')]));
    await becomes(async () => (await started()).length, 2);
    await becomes(written, 2);
    const processes = await started();
    const host = processes[0]?.[0] ?? '';
    const commands = (): string[] =>
      processes.flatMap(([, pid = '']) => (commandLine(pid).includes('host.cjs') ? [pid] : []));
    assert.equal(commands().length, 2, 'the command of each attempt');
    const children = readFileSync(`/proc/${host}/task/${host}/children`, 'utf8').trim().split(' ');
    const agents = (): string[] => children.filter((pid) => commandLine(pid).includes('fakeAgent'));
    assert.equal(agents().length, 1, 'the process that both attempts share');
    process.kill(Number(host), 'SIGKILL');
    await becomes(agents, []);
    await becomes(commands, []);
    await workbench.reload();
  }

  it('starts two attempts, asks for each, takes one, survives a kill of its window, and leaves nothing behind', async () => {
    await race('edit', 'Demo agent', 'Demo agent');

    await attempts('Waiting for you').nth(1).waitFor();
    await workbench.screenshot('e2e-race-board');
    const chat = workbench.page.frameLocator(VIEW_FRAME).frameLocator('iframe#active-frame');
    const allow = chat
      .getByRole('group', { name: /^Permission: / })
      .getByRole('button', { name: 'Allow', exact: true });
    for (const done of [1, 2]) {
      const waiting = attempts('Waiting for you').first();
      if (done === 1) {
        await waiting.getByRole('button', { name: 'Open', exact: true }).click();
        await allow.click();
      } else {
        await waiting
          .getByRole('group', { name: /^Permission: / })
          .getByRole('button', { name: 'Allow', exact: true })
          .click();
        await attempts().nth(1).getByRole('button', { name: 'Open', exact: true }).click();
      }
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
    const card = attempts('1 file taken');
    await card.waitFor();
    await workbench.screenshot('e2e-race-taken');
    await card.getByRole('button', { name: 'Review Changes' }).click();
    await workbench.page.getByRole('tab', { name: /^parley-demo\.md \(/ }).waitFor();
    await workbench.screenshot('e2e-race-review');

    await killWhileTwoRun();
    await showBoard();
    await attempts('Interrupted', '1 file').nth(1).waitFor();
    await attempts('Done', '1 file').nth(1).waitFor();
    await workbench.screenshot('e2e-race-interrupted');
    await discardBoth('Interrupted', '• made.txt', '• made.txt');
    await discardBoth('Done', '• parley-demo.md', 'no work that would be lost');
    await board().getByText('There are no worktrees.').waitFor();
    await becomes(left, { worktrees: 1, branches: '' });
    const storage = join(workbench.data, 'User', 'globalStorage', 'parley.parley', 'worktrees');
    await becomes(async () => (await readdir(storage)).filter((name) => name !== '.locks'), []);
    assert.match(await readFile(taken, 'utf8'), /^# Written by the demo/, 'what was taken stays');
  });

  /** Compares an attempt on the board with the workspace, and takes the change of a line through its context menu. */
  async function takeHunk(agent: string, line: string, branch: string): Promise<void> {
    const { page } = workbench;
    await showBoard();
    await board().getByRole('article', { name: agent }).getByRole('button', { name: 'Compare' }).click();
    await rows().filter({ hasText: 'Workspace' }).click();
    const changed = page
      .locator('.editor-instance .editor.modified .view-line', { hasText: new RegExp(line.replace(' ', '.')) })
      .first();
    await changed.click();
    const take = page.getByRole('menuitem', { name: 'Take Hunk' });
    // The first menu may be older than the state of the editor.
    const isOffered = async (): Promise<boolean> => {
      await changed.click({ button: 'right' });
      const isShown = await take.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
      if (!isShown) await page.keyboard.press('Escape');
      return isShown;
    };
    await becomes(isOffered, true);
    await workbench.screenshot(`e2e-race-take-${agent}`);
    await take.click();
    await notice(`Took 1 change from “${branch}”`).waitFor();
    await workbench.runCommand('View: Close Editor');
  }

  /** In the chat view; the board is in a tab. */
  const notice = (hasText: string): Locator =>
    workbench.page
      .frameLocator(VIEW_FRAME)
      .frameLocator('iframe#active-frame')
      .getByRole('status', { name: 'Notice', exact: true })
      .filter({ hasText });

  it('takes a hunk into a file with unsaved text from the menu of the diff, and undoes it from the notice', async () => {
    const { page } = workbench;
    const inEditor = async (): Promise<string> =>
      (await page.locator('.editor-instance .view-line').evaluateAll(textsByHeight)).join('\r\n');
    const lines = { mine: [5, 'line 5 mine'], ann: [2, 'ann two'] } as const;
    await workbench.openFile('poem.txt');
    await page.keyboard.press('Control+Home');
    for (let line = 1; line < 5; line++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.type(' mine');
    await workbench.focusChat();
    await race('Improve it', 'Ann', 'Ben');
    await attempts('Done', '1 file').nth(1).waitFor();

    await takeHunk('Ann', 'ann two', 'parley/improve-it');
    await workbench.openFile('poem.txt');
    await becomes(inEditor, poem(lines.mine, lines.ann));
    await workbench.screenshot('e2e-race-hunks');
    await notice('“parley/improve-it”').getByRole('button', { name: 'Undo' }).click();
    await becomes(inEditor, poem(lines.mine));
    assert.equal(await readFile(join(workbench.folder, 'poem.txt'), 'utf8'), poem(), 'nothing is saved for the user');
  });
});

/** Lines of a file with CRLF, without a final newline. */
function poem(...changes: readonly (readonly [line: number, text: string])[]): string {
  const lines = Array.from({ length: 9 }, (_, at) => `line ${at + 1}`);
  for (const [line, text] of changes) lines[line - 1] = text;
  return lines.join('\r\n');
}

/** Runs in the page: VS Code renders lines in arbitrary order, and spaces as no-break spaces. */
function textsByHeight(lines: readonly Element[]): string[] {
  const top = (line: Element): number => line.getBoundingClientRect().top;
  const ordered = lines.toSorted((a, b) => top(a) - top(b));
  return ordered.map((line) => (line.textContent ?? '').replaceAll('\u00a0', ' ').trimEnd());
}

function inScript(text: string): string {
  return text.replaceAll('\r\n', '\\n');
}

/** Empty for an ended process. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
