import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Action } from '../../src/shared/state/sessionActions';
import { eventually } from '../kit/waiting';
import { ChatPage } from './harness';
import type { PageOptions } from './harness';
import type { PageWindow } from './pageWindow';
import { railTurns } from './railSample';
import { NOON } from './sample';

const WIDE: PageOptions = { width: 900 };

describe('the message rail', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const rail = (): Locator => chat.page.getByRole('toolbar', { name: 'Turn timeline' });
  const marks = (): Locator => rail().getByRole('button');
  const focused = (): Promise<string> =>
    chat.page.evaluate(
      () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
    );
  const press = async (key: string): Promise<string> => {
    await chat.page.keyboard.press(key);
    return focused();
  };

  it('has a mark for each turn, described by the first line of its message and its changes', async () => {
    chat = await ChatPage.with(railTurns(4), WIDE);
    await rail().waitFor();
    assert.equal(
      await rail().ariaSnapshot(),
      `- toolbar "Turn timeline":
  - button "Turn 1"
  - button "Turn 2"
  - button "Turn 3"
  - button "Turn 4"`,
    );
    assert.deepEqual(await marks().evaluateAll((all) => all.map((mark) => mark.getAttribute('aria-description'))), [
      'Question 0',
      'Question 1. src/part1.ts +1 −0, part1.md +0 −1',
      'Question 2. src/part2.ts +2 −0, part2.md +0 −2',
      'Question 3. src/part3.ts +3 −0, part3.md +0 −3',
    ]);
    const places = await Promise.all((await marks().all()).map(async (mark) => (await mark.boundingBox())?.y ?? 0));
    const log = await chat.log.boundingBox();
    assert.ok(log);
    const gaps = places.slice(1).map((y, at) => y - (places[at] ?? 0));
    assert.ok(
      gaps.every((gap) => Math.abs(gap - (log.height - 24) / 4) <= 1),
      `${gaps.join(', ')} of ${log.height}`,
    );
  });

  it('is shown from 600 px and three messages, without moving the text', async () => {
    chat = await ChatPage.with(railTurns(2), WIDE);
    const text = chat.log.getByText('Question 0');
    const before = await text.boundingBox();
    assert.equal(await rail().count(), 0);
    await chat.act(...railTurns(1, 2));
    await rail().waitFor();
    assert.deepEqual((await text.boundingBox())?.width, before?.width);
    await chat.page.setViewportSize({ width: 599, height: 800 });
    await eventually(async () => assert.equal(await rail().count(), 0));
    await chat.page.setViewportSize({ width: 600, height: 800 });
    await rail().waitFor();
    const [mark, log, bubble] = await Promise.all([
      marks().first().boundingBox(),
      chat.log.boundingBox(),
      chat.log.locator('.bubble').first().boundingBox(),
    ]);
    assert.ok(mark && log && bubble);
    assert.ok(mark.x >= bubble.x + bubble.width, 'the mark lies beside the text');
    assert.ok(mark.x + mark.width <= log.x + log.width);
    assert.equal(await chat.log.evaluate((element) => element.scrollWidth - element.clientWidth), 0);
  });

  it('shows a preview of a message and its files on hover and focus, which Escape hides', async () => {
    chat = await ChatPage.with(railTurns(4), WIDE);
    const preview = chat.log.locator('.rail-preview');
    await marks().nth(2).hover();
    assert.deepEqual(await preview.locator('p').allInnerTexts(), [
      'Question 2',
      'part2.ts\nsrc\n+2 −0',
      'part2.md\n+0 −2',
    ]);
    await chat.page.keyboard.press('Escape');
    await eventually(async () => assert.equal(await preview.count(), 0));
    await marks().nth(1).focus();
    assert.match(await preview.innerText(), /^Question 1\n/);
    // The last mark is at the end of the page: its preview opens upwards, and does not extend the page.
    const height = await chat.log.evaluate((element) => element.scrollHeight);
    await marks().last().hover();
    assert.match(await preview.innerText(), /^Question 3\n/);
    assert.equal(await chat.log.evaluate((element) => element.scrollHeight), height);
    await chat.box.hover();
    await eventually(async () => assert.equal(await preview.count(), 0));
  });

  it('is one tab stop with arrow keys; Enter goes to the message, Escape to the message box', async () => {
    chat = await ChatPage.with(railTurns(5), WIDE);
    await rail().waitFor();
    await chat.log.focus();
    assert.equal(await press('Tab'), 'Turn 5');
    assert.equal(await press('ArrowUp'), 'Turn 4');
    assert.equal(await press('Home'), 'Turn 1');
    assert.equal(await press('ArrowUp'), 'Turn 1');
    assert.equal(await press('ArrowDown'), 'Turn 2');
    await chat.page.keyboard.press('Tab');
    assert.equal(await chat.page.evaluate(() => document.activeElement?.closest('[role="toolbar"]')), null);
    assert.equal(await press('Shift+Tab'), 'Turn 2');
    await press('Enter');
    await eventually(async () => {
      assert.equal(
        await chat.page.evaluate(() => document.activeElement?.closest('[data-entry]')?.getAttribute('data-entry')),
        '2',
      );
    });
    await marks().nth(3).focus();
    assert.equal(await press('Escape'), 'Message');
  });

  it('goes to a message on click', async () => {
    chat = await ChatPage.with(railTurns(5), WIDE);
    await marks().first().click();
    await eventually(async () => {
      const box = await chat.log.getByText('Question 0').boundingBox();
      assert.ok(box && box.y > 0 && box.y < 700);
    });
    assert.ok(await chat.button('Jump to latest').isVisible());
  });

  it('merges overlapping marks, and goes to the first of them', async () => {
    chat = await ChatPage.with(railTurns(200), WIDE);
    await rail().waitFor();
    const count = await marks().count();
    assert.ok(count > 10 && count < 40, `${count} marks`);
    assert.match((await marks().nth(1).getAttribute('aria-label')) ?? '', /^Turns \d+ to \d+$/);
    await marks().nth(1).hover();
    assert.match(await chat.log.locator('.rail-preview').innerText(), /and \d+ more$/);
  });

  it('offers Restore Checkpoint in VS Code’s menu of a message with a checkpoint', async () => {
    const checkpoint = { entry: 2, checkpointId: 'c', at: NOON, coverage: 'workspace', skipped: 0 } as const;
    chat = await ChatPage.with([...railTurns(3), { type: 'checkpointsChanged', checkpoints: [checkpoint] }], WIDE);
    await rail().waitFor();
    const contexts = await marks().evaluateAll((all) => all.map((mark) => mark.getAttribute('data-vscode-context')));
    assert.deepEqual(
      contexts.map((context) => JSON.parse(context ?? '') as unknown),
      [
        { webviewSection: 'entry', entry: 0 },
        { webviewSection: 'entry', entry: 2, checkpoint: true },
        { webviewSection: 'entry', entry: 4 },
      ],
    );
  });

  it('offers Restore Checkpoint of the first message in the menu of a merged mark', async () => {
    const at = (entry: number) =>
      ({ entry, checkpointId: `c${entry}`, at: NOON, coverage: 'workspace', skipped: 0 }) as const;
    const checkpoints = Array.from({ length: 200 }, (_, turn) => at(turn * 2));
    chat = await ChatPage.with([...railTurns(200), { type: 'checkpointsChanged', checkpoints }], WIDE);
    await rail().waitFor();
    const mark = marks().nth(1);
    const [, first = ''] = /^Turns (\d+) to/.exec((await mark.getAttribute('aria-label')) ?? '') ?? [];
    assert.deepEqual(JSON.parse((await mark.getAttribute('data-vscode-context')) ?? ''), {
      webviewSection: 'entry',
      entry: (Number(first) - 1) * 2,
      checkpoint: true,
    });
  });

  it('keeps the focus in the conversation when the focused mark is removed', async () => {
    chat = await ChatPage.with(railTurns(4), WIDE);
    await marks().nth(2).focus();
    await chat.page.setViewportSize({ width: 500, height: 800 });
    await eventually(async () => assert.equal(await focused(), 'Conversation'));
  });

  it('escapes hidden characters of a message, and shows markup as text', async () => {
    const hostile = '<img src=x onerror=alert(1)> \u202Eevil';
    const sent: Action = { type: 'promptSent', text: hostile, blocks: [], at: NOON };
    chat = await ChatPage.with([...railTurns(3), sent, { type: 'turnEnded', stopReason: 'end_turn', at: NOON }], WIDE);
    await marks().last().hover();
    assert.equal(await chat.log.locator('.rail-preview').innerText(), '<img src=x onerror=alert(1)> \\u{202e}evil');
  });

  it('is not updated while an answer streams', async () => {
    chat = await ChatPage.with(railTurns(4), WIDE);
    await rail().waitFor();
    const start: Action = { type: 'promptSent', text: 'Tell me more', blocks: [], at: NOON };
    await chat.act(start);
    await eventually(async () => assert.equal(await marks().count(), 5));
    await rail().evaluate((element) => {
      const counted = { changes: 0 };
      Object.assign(window, { counted });
      new MutationObserver((changes) => (counted.changes += changes.length)).observe(element, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      });
    });
    const changes = (): Promise<number> =>
      chat.page.evaluate(() => (window as PageWindow<{ counted: { changes: number } }>).counted.changes);
    for (let chunk = 0; chunk < 50; chunk++) {
      await chat.act({
        type: 'textAppended',
        role: 'agent',
        text: 'Some words of a long answer.\n\n'.repeat(5),
        at: NOON,
      });
    }
    assert.equal(await changes(), 0);
    await chat.act({ type: 'turnEnded', stopReason: 'end_turn', at: NOON });
    await eventually(async () => assert.ok((await changes()) > 0));
  });
});
