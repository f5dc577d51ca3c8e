import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { eventually } from '../kit/waiting';
import { ChatPage } from './harness';
import type { PageWindow } from './pageWindow';
import { NOON } from './sample';
import { bars, command, output, terminals } from './terminalSample';

describe('a terminal card', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());
  const card = (line: string): Locator => chat.page.getByRole('group', { name: `Terminal: ${line}`, exact: true });
  const lines = async (line: string): Promise<string> =>
    (await card(line).locator('.ansi-line:not([hidden])').allTextContents()).join('');
  const has = (line: string, text: string): Promise<void> =>
    eventually(async () => assert.equal((await lines(line)).trimEnd(), text));

  it('shows each status of a command once', async () => {
    chat = await ChatPage.with(terminals(NOON));
    await card('git status --short').getByText('notes.md').waitFor();
    const aria = await chat.log.locator('.tool').evaluateAll((rows) => rows.length);
    assert.equal(aria, 4);
    const snapshot = async (line: string): Promise<string> =>
      (await card(line).ariaSnapshot()).replace(/\d+ (?:h|min)(?: \d+ (?:min|s))?/, '…').replaceAll(/━+/g, '━');
    await card('docker compose build').getByText('80%').waitFor();
    assert.equal(
      await snapshot('docker compose build'),
      `- 'group "Terminal: docker compose build"':
  - text: …
  - button "Stop command"
  - button "Show in Terminal"
  - button "Copy Output"
  - text: "[+] Building 2 images api ━ 100% web ━ 80%"`,
    );
    assert.equal(
      await snapshot('python -m http.server'),
      `- 'group "Terminal: python -m http.server"':
  - text: no pseudo-terminal exit SIGTERM 6 s
  - button "Show in Terminal"
  - button "Copy Output"
  - text: Serving HTTP on 0.0.0.0 port 8000`,
    );
    assert.equal(
      await snapshot('git status --short'),
      `- 'group "Terminal: git status --short"':
  - text: …
  - button "Show in Terminal"
  - button "Copy Output"
  - text: M src/retry.ts ?? notes.md`,
    );
    assert.deepEqual(await chat.violations(), []);
  });

  it('says why a command ran unasked, where there is space', async () => {
    chat = await ChatPage.with(command('b', 'build', NOON), { width: 450 });
    const reason = 'it stays inside the workspace';
    const created = { type: 'terminalCreated', command: 'build', at: NOON } as const;
    await chat.act({ ...created, terminalId: 'b', allowed: reason });
    const shown = card('build').getByText(`allowed: ${reason}`);
    assert.ok(((await shown.boundingBox())?.width ?? 0) > 150);
    const long = `make ${'very-long-target '.repeat(9)}`.trim();
    await chat.act({ ...created, terminalId: 'b', command: long, allowed: reason });
    const [box, stop] = [await card(long).boundingBox(), await chat.button('Show in Terminal').boundingBox()];
    assert.ok(box && stop && stop.x + stop.width <= box.x + box.width, 'the buttons stay in the card');
  });

  it('names the program first, and leaves out a reason that has no room', async () => {
    const line = '/opt/tools/node/versions/24.21.0/bin/node --test test/upload.test.js';
    const allowed = 'it stays inside the workspace';
    chat = await ChatPage.with(command('b', 'List files', NOON), { width: 420 });
    const exit = { type: 'terminalExited', terminalId: 'b', code: 0, at: NOON } as const;
    await chat.act({ type: 'terminalCreated', terminalId: 'b', command: line, allowed, at: NOON }, exit);
    const shown = card(line).locator('.terminal-command');
    assert.equal(await shown.innerText(), 'node --test test/upload.test.js');
    assert.equal(await shown.getAttribute('title'), line);
    const isCut = await shown.evaluate((element) => element.scrollWidth > element.clientWidth);
    const reason = card(line).getByText(allowed);
    const { width } = (await reason.boundingBox()) ?? { width: 1 };
    assert.deepEqual([isCut, width], [false, 0]);
    await card(line).getByTitle(allowed).waitFor();
  });

  it('asks for one frame for each part of a long output', async () => {
    chat = await ChatPage.with(command('b', 'build', NOON));
    const part = (at: number): string => Array.from({ length: 40 }, (_, line) => `line ${at}.${line}\r\n`).join('');
    await chat.act(output('b', part(0)));
    await card('build').getByRole('button', { name: 'Show all' }).waitFor();
    await chat.frame();
    await chat.page.evaluate(() => {
      const ask = globalThis.requestAnimationFrame;
      const side = globalThis as PageWindow<{ asked: number }>;
      side.asked = 0;
      globalThis.requestAnimationFrame = (run) => (side.asked++, ask(run));
    });
    const asked = async (text: string): Promise<number> => {
      await chat.page.evaluate(() => ((globalThis as PageWindow<{ asked: number }>).asked = 0));
      await chat.act(output('b', text));
      await chat.frame();
      await chat.frame();
      return chat.page.evaluate(() => (globalThis as PageWindow<{ asked: number }>).asked);
    };
    const none = await asked('');
    assert.equal((await asked(part(1))) - none, 1);
    await has('build', part(0).concat(part(1)).replaceAll('\r', '').trimEnd());
  });

  it('redraws progress bars in place, for any chunks', async () => {
    chat = await ChatPage.with(command('b', 'build', NOON));
    const all = bars(10);
    for (let at = 0; at < all.length; at += 97) await chat.act(output('b', all.slice(at, at + 97)));
    const full = '━'.repeat(20);
    await has('build', `api ${full} 100%\nweb ${full} 80%`);
    await chat.act(output('b', '\u001b[2A\u001b[Jdone\r\n'));
    await has('build', 'done');
  });

  it('removes the output of a full-screen program when it ends', async () => {
    chat = await ChatPage.with(command('v', 'git commit', NOON));
    await chat.act(output('v', 'hint\r\n\u001b[?1049h\u001b[H~ editor\r\n~\r\n'));
    await has('git commit', 'hint\n~ editor\n~');
    await chat.act(output('v', '\u001b[?1049l[main 1a2b3c] done\r\n'));
    await has('git commit', 'hint\n[main 1a2b3c] done');
  });

  it('collapses long output, shows it on request, and collapses it again', async () => {
    chat = await ChatPage.with(terminals(NOON));
    const test = card('npm test');
    await test.getByText('retry gives up').waitFor();
    const height = async (): Promise<number> => (await test.boundingBox())?.height ?? 0;
    const folded = await height();
    const more = test.getByRole('button', { name: 'Show all' });
    await more.click();
    assert.ok((await height()) > 3 * folded, 'everything is there');
    const less = test.getByRole('button', { name: 'Show less' });
    assert.equal(await less.getAttribute('aria-expanded'), 'true');
    await less.press('Enter');
    await more.waitFor();
    assert.equal(await height(), folded);
    assert.equal(await card('git status --short').getByRole('button', { name: 'Show all' }).count(), 0);
  });

  it('posts the actions of its buttons, also by keyboard', async () => {
    chat = await ChatPage.with(terminals(NOON));
    const build = card('docker compose build');
    await build.getByRole('button', { name: 'Stop command' }).press('Enter');
    await card('npm test').getByRole('button', { name: 'Show in Terminal' }).press('Space');
    await card('git status --short').getByRole('button', { name: 'Show in Terminal' }).click();
    assert.deepEqual(await chat.intents(), [
      { type: 'stopCommand', terminalId: 'build' },
      { type: 'showTerminal', terminalId: 'test' },
      { type: 'showTerminal', terminalId: 'own' },
    ]);
    await chat.act({ type: 'terminalExited', terminalId: 'build', signal: 'SIGKILL', at: NOON });
    await build.getByText('exit SIGKILL').waitFor();
    assert.equal(await build.getByRole('button', { name: 'Stop command' }).count(), 0);
  });
});
