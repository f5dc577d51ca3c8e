import assert from 'node:assert/strict';
import { ChatPage, environment } from './harness';
import { NOON } from './sample';

const roots = [
  { path: '/work/one/app', name: 'app' },
  { path: '/work/two/app', name: 'app' },
];
const folders = { roots, initial: '/work/one/app' };
const prompt = { type: 'promptSent', text: 'Hello', blocks: [], at: NOON } as const;

describe('the folder of the session', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  it('is selected from the workspace folders before the first message', async () => {
    chat = await ChatPage.with([]);
    await chat.snapshot([], { ...environment, folders });
    const box = chat.page.getByRole('combobox', { name: 'Folder' });
    assert.equal(await box.innerText(), 'app (one)');
    await box.click();
    const names = await chat.page.getByRole('option').locator('.option-name').allInnerTexts();
    assert.deepEqual(names, ['app (one)', 'app (two)', 'Other Folder…']);
    await chat.page.getByRole('option', { name: 'app (two)' }).click();
    await box.press('Enter');
    await box.press('End');
    await box.press('Enter');
    assert.deepEqual(await chat.intents(), [
      { type: 'chooseFolder', folder: '/work/two/app' },
      { type: 'chooseFolder' },
    ]);
  });

  it('is a chip after the first message', async () => {
    chat = await ChatPage.with([]);
    await chat.snapshot([], { ...environment, folders });
    await chat.act({ type: 'folderChosen', folder: '/work/two/app/packages/ä b' });
    const box = chat.page.getByRole('combobox', { name: 'Folder' });
    assert.equal(await box.innerText(), 'app (two)/packages/ä b');
    await chat.act(prompt);
    assert.equal(await box.count(), 0);
    const chip = chat.page.getByRole('group', { name: 'Folder' });
    assert.equal(await chip.innerText(), 'app (two)/packages/ä b');
    assert.equal(await chip.getAttribute('title'), '/work/two/app/packages/ä b');
  });

  it('is hidden in a workspace with one folder', async () => {
    chat = await ChatPage.with([]);
    const one = { roots: roots.slice(0, 1), initial: '/work/one/app' };
    await chat.snapshot([], { ...environment, folders: one });
    assert.equal(await chat.page.getByRole('combobox', { name: 'Folder' }).count(), 0);
    await chat.act({ type: 'folderChosen', folder: '/work/one/app/packages/a' });
    assert.equal(await chat.page.getByRole('combobox', { name: 'Folder' }).innerText(), 'packages/a');
  });

  it('in a git worktree shows the branch, and the draft can be sent to a new worktree', async () => {
    chat = await ChatPage.with([]);
    const one = { roots: roots.slice(0, 1), initial: '/work/one/app' };
    await chat.snapshot([], { ...environment, folders: one });
    await chat.act({ type: 'folderChosen', folder: '/storage/1/app', branch: 'parley/chat' });
    const middles = await chat.page.getByRole('combobox', { name: 'Folder' }).evaluate((box) =>
      [box, box.parentElement!.querySelector('.codicon')!].map((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return (top + bottom) / 2;
      }),
    );
    assert.ok(Math.abs(middles[0]! - middles[1]!) <= 1, middles.join());
    assert.equal(await chat.page.getByRole('combobox', { name: 'Folder' }).innerText(), 'parley/chat');
    await chat.act(prompt);
    await chat.act({ type: 'branchRenamed', branch: 'parley/hello' });
    const chip = chat.page.getByRole('group', { name: 'Folder' });
    assert.equal(await chip.innerText(), 'parley/hello');
    await chat.act({ type: 'turnEnded', stopReason: 'end_turn', at: NOON });
    const menu = JSON.parse((await chat.button('Send').getAttribute('data-vscode-context')) ?? '') as object;
    assert.deepEqual(menu, { webviewSection: 'send', preventDefaultContextMenuItems: true });
    await chat.box.fill('Try it differently');
    await chat.post({ type: 'sendDraft', to: 'worktree' });
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === '');
    assert.deepEqual((await chat.intents()).at(-1), { type: 'send', text: 'Try it differently', to: 'worktree' });
  });

  it('that no longer exists has a button to select another', async () => {
    chat = await ChatPage.with([]);
    await chat.act({ type: 'errorShown', message: 'Gone.', remedies: ['chooseFolder', 'retry'], at: NOON });
    await chat.button('Select Folder…').click();
    assert.deepEqual(await chat.intents(), [{ type: 'chooseFolder' }]);
  });
});
