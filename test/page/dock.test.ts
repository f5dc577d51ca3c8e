import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import type { Action } from '../../src/shared/state/sessionActions';
import type { Language } from './harness';
import { ChatPage, environment } from './harness';
import { NOON, changedFiles } from './sample';

const plan: Action = {
  type: 'planChanged',
  items: [
    { content: 'Find the callers', status: 'completed', priority: 'medium' },
    { content: 'Cover the deadline with a test', status: 'in_progress', priority: 'medium' },
    { content: 'Update the documentation', status: 'pending', priority: 'medium' },
  ],
};
const changes: Action = { type: 'changesChanged', changed: changedFiles.slice(0, 5), removed: [] };
const queue = Array.from({ length: 6 }, (_each, index): Action => {
  const message = { id: `q${index}`, text: `message ${index}`, attachments: [], at: NOON };
  return { type: 'messageQueued', message };
});
const background: Action = {
  type: 'backgroundTasksChanged',
  tasks: Array.from({ length: 4 }, (_each, index) => ({
    taskId: `t${index}`,
    kind: 'command',
    title: `sleep ${index}`,
  })),
};
const turn: readonly Action[] = [
  { type: 'promptSent', text: 'go', blocks: [], at: NOON },
  { type: 'turnEnded', stopReason: 'end_turn', at: NOON + 2 },
];
const pause: Action = {
  type: 'queuePaused',
  pause: { why: 'notSent', message: 'Could not read docs/upload.md: it was deleted. Remove the attachment.' },
};

const SIZES = [
  { width: 300, height: 700 },
  { width: 450, height: 500 },
  { width: 900, height: 600 },
] as const;

/** Waits until the element does not scroll any more. */
const settled = (scroller: Locator): Promise<void> =>
  scroller.evaluate(async (element) => {
    for (let before = NaN; before !== element.scrollTop;) {
      before = element.scrollTop;
      for (let frames = 0; frames < 4; frames++) await new Promise(requestAnimationFrame);
    }
  });

describe('page/dock', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  /** Pixels from the top of the first panel to the end of the last, without the padding of the dock. */
  const height = (): Promise<number> =>
    chat.page.evaluate(() => {
      const dock = document.querySelector('.dock');
      const box = document.querySelector('.composer');
      if (!dock || !box) throw new Error('There is no dock.');
      const { paddingTop, borderTopWidth, rowGap } = getComputedStyle(dock);
      const around = [paddingTop, borderTopWidth, rowGap].reduce((sum, each) => sum + Number.parseFloat(each), 0);
      return box.getBoundingClientRect().top - dock.getBoundingClientRect().top - around;
    });

  /** Buttons and fields of the panels that cannot be focused, or do not scroll into view when focused. */
  const unreachable = (): Promise<string[]> =>
    chat.page.evaluate(async () => {
      const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
      const controls = [...document.querySelectorAll<HTMLElement>('.dock section :is(button, textarea)')];
      const lost: string[] = [];
      for (const control of controls) {
        control.focus();
        await nextFrame();
        const { left, top, width, height: high } = control.getBoundingClientRect();
        const shown = document.elementFromPoint(left + width / 2, top + high / 2);
        if (document.activeElement !== control || !shown || !control.contains(shown)) lost.push(control.outerHTML);
      }
      return controls.length === 0 ? ['There are no controls.'] : lost;
    });

  const assertFits = async (limit: number): Promise<void> => {
    const taken = await height();
    assert.ok(taken <= limit / 3, `${taken} px of ${limit}`);
  };

  for (const size of SIZES) {
    for (const editing of [false, true]) {
      const state = editing ? ' while a message is edited' : '';
      it(`takes at most a third of ${size.width} x ${size.height}${state}, with every control reachable`, async () => {
        chat = await ChatPage.with([...turn, plan, changes, ...queue], size);
        await chat.page.getByRole('list', { name: 'Queued messages' }).waitFor();
        if (editing) {
          await chat.page.getByRole('button', { name: 'Edit', exact: true }).nth(3).click();
          await chat.page.getByRole('textbox', { name: 'Edit queued message' }).waitFor();
        }
        await assertFits(size.height);
        await chat.act(pause);
        await assertFits(size.height);
        await chat.act(background);
        await assertFits(size.height);
        await chat.page.getByRole('region', { name: 'Plan' }).getByRole('button').click();
        await assertFits(size.height);
        assert.deepEqual(await unreachable(), []);
      });
    }
  }

  for (const tag of ['en', 'de', 'zh-cn']) {
    it(`leaves the height to the conversation with a plan in progress, three changed files and the active file in ${tag}`, async () => {
      const files: Action = { type: 'changesChanged', changed: changedFiles.slice(0, 3), removed: [] };
      const language = tag === 'en' ? {} : { language: await languageOf(tag) };
      chat = await ChatPage.with([...turn, plan, files], { width: 420, height: 738, ...language });
      const editor = { kind: 'file', uri: 'file:///w/a.ts', label: 'a.ts' } as const;
      await chat.post({ type: 'environment', environment: { ...environment, editor } });
      await chat.page.locator('.editor-chip').waitFor();
      for (const width of [300, 420, 900]) {
        await chat.page.setViewportSize({ width, height: 738 });
        await chat.frame();
        const lines = await chat.log.evaluate((log) => log.clientHeight);
        assert.ok(lines >= 560, `${lines} px at ${width}`);
        const invitation = await chat.page.locator('.invitation').evaluate((line) => line.clientHeight);
        assert.ok(invitation < 36, `the message box has one line at ${width}`);
        const bar = await chat.page.locator('.changes-bar').evaluate((line) => line.clientHeight);
        assert.ok(bar < 30, `the bar of changes has one line at ${width}`);
      }
      await chat.page.setViewportSize({ width: 252, height: 738 });
      const bar = await chat.page.locator('.changes-bar').evaluate((line) => line.clientHeight);
      assert.ok(bar < 30, 'the bar of changes has one line at 252');
    });
  }

  it('moves neither the message box nor what is read when panels and chips come and go', async () => {
    const text = Array.from({ length: 80 }, (_each, index) => `Paragraph ${index}`).join('\n\n');
    const talk: Action = { type: 'textAppended', role: 'agent', text, at: NOON };
    chat = await ChatPage.with([...turn, talk], { width: 420, height: 738 });
    const top = async (locator: Locator): Promise<number> => (await locator.boundingBox())?.y ?? NaN;
    await chat.log.hover();
    await chat.page.mouse.wheel(0, -600);
    await chat.button('Jump to latest').waitFor();
    await settled(chat.log);
    const line = chat.page.getByText('Paragraph 55', { exact: true });
    const places = async (): Promise<number[]> => [await chat.textTop(), await top(line)];
    const before = await places();
    const { editor: _none, ...without } = environment;
    const withFile = { ...without, editor: { kind: 'file', uri: 'file:///w/a.ts', label: 'a.ts' } as const };
    await chat.act(plan);
    assert.deepEqual(await places(), before);
    await chat.act(changes);
    assert.deepEqual(await places(), before);
    await chat.post({ type: 'environment', environment: withFile });
    await chat.page.getByRole('group', { name: 'Editor context' }).waitFor();
    assert.deepEqual(await places(), before);
    await chat.post({ type: 'environment', environment: without });
    await chat.page.getByRole('group', { name: 'Editor context' }).waitFor({ state: 'detached' });
    await chat.act({ type: 'planChanged', items: [] });
    assert.deepEqual(await places(), before);
  });

  it('shows the files after the turn, and folds them while the user writes or reads far up', async () => {
    const text = Array.from({ length: 80 }, (_each, index) => `Paragraph ${index}`).join('\n\n');
    const talk: Action = { type: 'textAppended', role: 'agent', text, at: NOON };
    const [prompt, end] = turn as [Action, Action];
    chat = await ChatPage.with([prompt, talk, changes], { width: 420, height: 738 });
    const region = chat.page.getByRole('region', { name: 'Changes' });
    const bar = region.getByRole('button', { expanded: false });
    const rows = region.getByRole('listitem');
    assert.equal(await rows.count(), 0);
    await chat.act(end);
    assert.equal(await rows.count(), 5);
    await chat.box.press('a');
    assert.equal(await rows.count(), 0);
    await bar.click();
    assert.equal(await rows.count(), 5);
    await chat.log.hover();
    await chat.page.mouse.wheel(0, -900);
    await rows.first().waitFor({ state: 'detached' });
  });

  for (const height of [220, 320]) {
    it(`keeps lines of the conversation and the whole message box reachable at ${height} px`, async () => {
      chat = await ChatPage.with([...turn, plan, changes, ...queue], { width: 250, height });
      await chat.page.getByRole('list', { name: 'Queued messages' }).waitFor();
      const lines = await chat.log.evaluate((log) => log.clientHeight);
      assert.ok(lines >= 72, `${lines} px`);
      const isInView = (element: Element): boolean => {
        element.scrollIntoView();
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= window.innerHeight + 1;
      };
      assert.ok(await chat.page.locator('.composer').evaluate(isInView));
      assert.ok(await chat.log.evaluate(isInView));
    });
  }

  it('opens a long plan at its current step', async () => {
    const items = Array.from({ length: 40 }, (_each, index) => {
      const status = index < 17 ? 'completed' : 'pending';
      return { content: `Step ${index}`, status: index === 17 ? 'in_progress' : status, priority: 'medium' } as const;
    });
    chat = await ChatPage.with([...turn, { type: 'planChanged', items }], { width: 300, height: 700 });
    const region = chat.page.getByRole('region', { name: 'Plan' });
    await region.getByRole('button').click();
    await chat.frame();
    const [list, step] = [region.getByRole('list'), region.getByText('Step 17').first()];
    const [around, inside] = [await list.boundingBox(), await step.boundingBox()];
    assert.ok(around && inside && inside.y >= around.y && inside.y + inside.height <= around.y + around.height);
  });

  it('always shows the actions of Changes', async () => {
    chat = await ChatPage.with([...turn, changes, ...queue, background, pause], { width: 300, height: 500 });
    await chat.page.getByRole('button', { name: 'Send now' }).last().focus();
    for (const name of ['Review', 'Keep All', 'Undo All']) {
      const isOnTop = await chat.button(name).evaluate((button) => {
        const { left, top, width, height: high } = button.getBoundingClientRect();
        return button.contains(document.elementFromPoint(left + width / 2, top + high / 2));
      });
      assert.ok(isOnTop, name);
    }
  });
});

async function languageOf(tag: string): Promise<Language> {
  return { tag, table: JSON.parse(await readFile(`l10n/bundle.l10n.${tag}.json`, 'utf8')) as Record<string, string> };
}
