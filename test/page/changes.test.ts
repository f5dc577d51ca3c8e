import assert from 'node:assert/strict';
import type { ChangedFile } from '../../src/shared/state/reviewState';
import type { Action } from '../../src/shared/state/sessionActions';
import type { PageOptions } from './harness';
import { ChatPage, environment } from './harness';
import { NOON, changedFiles, reviewed } from './sample';

describe('changes', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const region = () => chat.page.getByRole('region', { name: 'Changes' });
  const open = async (actions: readonly Action[] = reviewed(NOON), options: PageOptions = {}): Promise<void> => {
    chat = await ChatPage.with(actions, options);
    for (const folded of await region().locator('[aria-expanded="false"]').all()) await folded.click();
  };
  const bar = () => region().getByRole('button', { name: /files? changed/ });
  const put = (files: readonly ChangedFile[]): Action => ({ type: 'changesChanged', changed: files, removed: [] });

  it('appear with the first change and disappear with the last', async () => {
    await open([]);
    assert.equal(await region().count(), 0);
    await chat.act(put(changedFiles));
    await bar().click();
    assert.equal(await region().ariaSnapshot(), REGION);
    await chat.act({ type: 'changesChanged', changed: [], removed: changedFiles.map(({ path }) => path) });
    assert.equal(await region().count(), 0);
  });

  it('have buttons to review, keep and undo all or one, with unique names', async () => {
    await open();
    for (const name of ['Review', 'Keep All', 'Undo All', 'Keep src/upload.ts', 'Undo src/old/backoff.ts']) {
      await region().getByRole('button', { name, exact: true }).click();
    }
    await region().getByRole('button', { name: 'src/retry.ts', exact: true }).click();
    assert.deepEqual(await chat.intents(), [
      { type: 'reviewChanges' },
      { type: 'keepAll' },
      { type: 'undoAll' },
      { type: 'keepFile', path: '/work/src/upload.ts' },
      { type: 'undoFile', path: '/work/src/old/backoff.ts' },
      { type: 'openChange', path: '/work/src/retry.ts' },
    ]);
  });

  it('say of which files the agent may not be the author, at every width', async () => {
    const file: ChangedFile = {
      path: '/work/a.txt',
      label: 'a.txt',
      status: 'created',
      added: 1,
      removed: 0,
      binary: false,
    };
    await open([
      put([
        { ...file, isUnsure: true },
        { ...file, path: '/work/b.txt', label: 'b.txt' },
      ]),
    ]);
    const rows = region().getByRole('listitem');
    assert.doesNotMatch(await rows.last().innerText(), /author/);
    await chat.page.setViewportSize({ width: 300, height: 600 });
    const note = rows.first().getByText('new, author unknown', { exact: true });
    assert.ok(await note.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth));
    const name = rows.first().locator('.path-name');
    assert.ok(await name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth));
    const undo = rows.first().getByRole('button', { name: 'Undo a.txt', exact: true });
    assert.ok(((await undo.boundingBox())?.x ?? 300) < 290);
  });

  it('collapse to one line, and stay collapsed when files are added or removed', async () => {
    await open();
    await bar().click();
    assert.equal(await region().getByRole('listitem').count(), 0);
    await chat.act({ type: 'changesChanged', changed: [], removed: ['/work/README.md'] });
    assert.equal(await bar().getAttribute('aria-expanded'), 'false');
    assert.match(await bar().innerText(), /5 files changed/);
    await bar().press('Enter');
    assert.equal(await region().getByRole('listitem').count(), 5);
  });

  it('show up to five files, and only the total of more', async () => {
    chat = await ChatPage.with([put(changedFiles.slice(0, 5))]);
    assert.equal(await region().getByRole('listitem').count(), 5);
    await chat.act(put(changedFiles));
    assert.equal(await region().getByRole('listitem').count(), 0);
    assert.equal(await region().getByRole('button', { name: 'Keep All' }).isVisible(), true);
  });

  it('move the focus to the next row when the focused row is removed, and to the message box after the last', async () => {
    await open();
    const focused = () => chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await region().getByRole('button', { name: 'Keep src/upload.ts', exact: true }).focus();
    await chat.act({ type: 'changesChanged', changed: [], removed: ['/work/src/upload.ts'] });
    assert.equal(await focused(), 'src/transport/http.ts');
    await region().getByRole('button', { name: 'Undo All', exact: true }).focus();
    await chat.act({ type: 'changesChanged', changed: [], removed: changedFiles.map(({ path }) => path) });
    assert.equal(await focused(), 'Message');
    await chat.act(put(changedFiles.slice(0, 1)));
    assert.equal(await focused(), 'Message');
  });

  it('can be used by keyboard alone', async () => {
    await open();
    await region().getByRole('button', { name: 'Undo All' }).focus();
    await chat.page.keyboard.press('Enter');
    await chat.page.keyboard.press('Shift+Tab');
    await chat.page.keyboard.press('Space');
    assert.deepEqual(await chat.intents(), [{ type: 'undoAll' }, { type: 'keepAll' }]);
  });

  it('show 1,000 files: the first hundred, all on request, within a limited height', async () => {
    const files = Array.from({ length: 1000 }, (_, at): ChangedFile => {
      const label = `src/file${String(at).padStart(4, '0')}.ts`;
      return { path: `/work/${label}`, label, status: 'changed', added: 1, removed: 1, binary: false };
    });
    await open([put(files)]);
    assert.match(await region().innerText(), /1000 files changed[\s\S]*\+1000[\s\S]*−1000/);
    assert.equal(await region().getByRole('listitem').count(), 100);
    await region().getByRole('button', { name: 'Show all 1000 files' }).click();
    assert.equal(await region().getByRole('listitem').count(), 1000);
    const list = await region().getByRole('list').locator('..').boundingBox();
    assert.ok(list && list.height < 300, `${list?.height} px`);
    assert.ok(await chat.box.isVisible());
  });

  it('show the names of files in the narrowest side bar', async () => {
    await open(reviewed(NOON), { width: 170 });
    const names = chat.page.locator('.changed-path');
    await names.first().waitFor({ state: 'attached' });
    const widths = await names.evaluateAll((all) => all.map((name) => Math.round(name.getBoundingClientRect().width)));
    assert.ok(Math.min(...widths) >= 20, `${widths.join(', ')} px`);
  });

  it('are not cut at 300 pixels', async () => {
    await open(reviewed(NOON), { width: 300 });
    const outside = await region()
      .getByRole('button')
      .evaluateAll((buttons) =>
        buttons
          .filter((button) => {
            const { left, right, width } = button.getBoundingClientRect();
            return width === 0 || left < 0 || right > window.innerWidth;
          })
          .map((button) => button.textContent),
      );
    assert.deepEqual(outside, []);
  });

  it('show a folder only if some letters and an ellipsis fit', async () => {
    const label = 'packages/server/src/parley-demonstration.md';
    await open([put([{ path: `/work/${label}`, label, status: 'created', added: 1204, removed: 0, binary: false }])]);
    const folder = region().locator('.path-folder');
    const seen = (): Promise<number> =>
      folder.evaluate((element) => {
        const line = element.parentElement?.getBoundingClientRect();
        const own = element.getBoundingClientRect();
        const isInLine = line && own.top < line.bottom - 2;
        return isInLine ? Math.max(0, Math.min(own.right, line.right) - own.left) : 0;
      });
    for (let width = 560; width >= 280; width -= 10) {
      await chat.page.setViewportSize({ width, height: 600 });
      await chat.frame();
      const pixels = await seen();
      assert.ok(pixels === 0 || pixels >= 30, `${pixels} px of the folder at ${width} px`);
      assert.equal(await region().locator('.path-name').isVisible(), true);
    }
    await chat.page.setViewportSize({ width: 900, height: 600 });
    await chat.frame();
    assert.ok(await folder.evaluate((element) => element.scrollWidth <= element.clientWidth));
  });

  it('show a folder without a trailing separator, like mentions', async () => {
    await open([
      put([{ path: '/work/src/a.ts', label: 'src/a.ts', status: 'changed', added: 1, removed: 0, binary: false }]),
    ]);
    const [shown, words] = await region()
      .locator('.path-folder')
      .evaluate((folder) => {
        const wide = folder.getBoundingClientRect().width;
        folder.textContent = 'src';
        return [wide, folder.getBoundingClientRect().width];
      });
    assert.equal(shown, words);
  });

  it('name a change of the mode alone', async () => {
    const file = { path: '/work/build.sh', label: 'build.sh', status: 'changed', added: 0, removed: 0, binary: false };
    await open([put([{ ...file, mode: 'mode 0644 → 0755' } as ChangedFile])]);
    await region().getByText('mode 0644 → 0755').waitFor();
  });

  it('show hostile names as text', async () => {
    const label = '<img src=x onerror=alert(1)>/\u202egnp.exe';
    await open([put([{ path: `/work/${label}`, label, status: 'created', added: 1, removed: 0, binary: false }])]);
    const shown = '<img src=x onerror=alert(1)>/⟨U+202E⟩gnp.exe';
    const file = region().getByRole('button', { name: shown, exact: true });
    assert.equal(await file.locator('.path-folder').innerText(), '<img src=x onerror=alert(1)>/');
    assert.equal(await file.locator('.path-name').innerText(), '⟨U+202E⟩gnp.exe');
    for (const name of [`Keep ${shown}`, `Undo ${shown}`])
      assert.equal(await region().getByRole('button', { name, exact: true }).count(), 1);
    assert.equal(await region().locator('img').count(), 0);
    assert.deepEqual([chat.dialogs, chat.strangers], [[], []]);
  });

  describe('of a diff in the transcript', () => {
    const card = () => chat.page.getByRole('group', { name: 'Diff: src/upload.ts' });

    it('can be kept and undone there after they are applied', async () => {
      await open();
      await card().getByRole('button', { name: 'Keep', exact: true }).click();
      await card().getByRole('button', { name: 'Undo', exact: true }).click();
      assert.deepEqual(await chat.intents(), [
        { type: 'keepDiff', diffId: 'diff-1' },
        { type: 'undoDiff', diffId: 'diff-1' },
      ]);
      await chat.act({ type: 'changesChanged', changed: [], removed: ['/work/src/upload.ts'] });
      assert.equal(
        await card()
          .getByRole('button', { name: /^(Keep|Undo)$/ })
          .count(),
        0,
      );
      assert.equal(await card().getByRole('button', { name: 'Open Diff' }).count(), 1);
    });

    it('are not offered before the edit is made', async () => {
      const [, prompt, edit] = reviewed(NOON);
      assert.ok(prompt && edit?.type === 'toolStarted');
      await open([prompt, { ...edit, patch: { ...edit.patch, status: 'running' } }, put(changedFiles)]);
      assert.equal(
        await card()
          .getByRole('button', { name: /^(Keep|Undo)$/ })
          .count(),
        0,
      );
      await chat.act({ type: 'toolChanged', entry: 1, patch: { status: 'done' }, at: NOON });
      assert.equal(
        await card()
          .getByRole('button', { name: /^(Keep|Undo)$/ })
          .count(),
        2,
      );
    });
  });

  describe('checkpoints', () => {
    const you = (text: string) => chat.page.getByRole('article', { name: 'You' }).filter({ hasText: text });
    const restore = (text: string) => you(text).getByRole('button', { name: 'Restore Checkpoint', exact: true });

    it('are restored from the message, also by the keyboard, and only where there is one', async () => {
      await open();
      await chat.act({ type: 'promptSent', text: 'And now?', blocks: [], at: NOON });
      await restore('retry').focus();
      await chat.page.keyboard.press('Enter');
      assert.deepEqual(await chat.intents(), [{ type: 'restoreCheckpoint', entry: 0 }]);
      assert.equal(await restore('And now?').count(), 0);
    });

    it('mark the outdated part of the conversation until the restore is undone', async () => {
      await open();
      const note = chat.page.getByRole('note', { name: 'Checkpoint restored' });
      assert.match(await note.innerText(), /restored to the state before this message/);
      const dimmed = () =>
        chat.page.locator('.rewound').evaluateAll((slots) => slots.map((slot) => slot.getAttribute('data-entry')));
      assert.deepEqual(await dimmed(), ['3', '4']);
      await note.getByRole('button', { name: 'Undo Restore' }).click();
      assert.deepEqual(await chat.intents(), [{ type: 'undoRestore', undoId: 'u' }]);
      await chat.act({ type: 'restoreUndone', undoId: 'u' });
      assert.equal(await note.count(), 0);
      assert.deepEqual(await dimmed(), []);
    });

    it('list what they do not include', async () => {
      const mark = { checkpointId: 'c', entry: 0, at: NOON, coverage: 'touched', skipped: 2 } as const;
      await open([...reviewed(NOON), { type: 'checkpointsChanged', checkpoints: [mark] }]);
      const title = await restore('retry').getAttribute('title');
      assert.match(title ?? '', /Without Git/);
      assert.match(title ?? '', /2 large files/);
    });
  });

  describe('follow', () => {
    const button = () => chat.page.getByRole('button', { name: 'Follow', exact: true });

    it('shows whether the editor follows, and can be switched by its button', async () => {
      chat = await ChatPage.open();
      await chat.snapshot([], { ...environment, follow: 'following' });
      assert.equal(await button().getAttribute('aria-pressed'), 'true');
      await button().click();
      assert.deepEqual(await chat.intents(), [{ type: 'toggleFollow' }]);
      for (const follow of ['paused', 'off'] as const) {
        await chat.post({ type: 'environment', environment: { ...environment, follow } });
        await chat.frame();
        assert.equal(await button().getAttribute('aria-pressed'), 'false');
      }
      await chat.post({ type: 'environment', environment });
      await chat.frame();
      assert.equal(await button().count(), 0);
    });
  });

  describe('a note from the editor', () => {
    it('is inserted below the draft, with the cursor after it, and is not sent', async () => {
      await open([]);
      await chat.box.fill('Please look:');
      await chat.post({ type: 'insertText', text: 'src/a.ts:3: ' });
      await chat.frame();
      await chat.page.keyboard.type('why?');
      assert.equal(await chat.box.inputValue(), 'Please look:\nsrc/a.ts:3: why?');
      assert.deepEqual(await chat.intents(), []);
    });

    it('is delivered to a page that is still loading, two of them in order', async () => {
      chat = await ChatPage.open({ isJoined: false });
      await chat.postTogether(
        { type: 'snapshot', seq: 0, state: chat.state, environment },
        { type: 'insertText', text: 'a.ts:1: ' },
        { type: 'insertText', text: 'b.ts:2: ' },
      );
      await chat.frame();
      assert.equal(await chat.box.inputValue(), 'a.ts:1:\nb.ts:2: ');
    });
  });
});

const REGION = `- region "Changes":
  - button "6 files changed 51 added 35 removed" [expanded]:
    - text: 6 files changed
    - img "51 added": "+51"
    - img "35 removed": −35
  - button "Keep All"
  - button "Undo All"
  - button "Review"
  - list:
    - listitem:
      - button "README.md"
      - text: conflict
      - img "5 added": "+5"
      - img "4 removed": −4
      - button "Keep README.md"
      - button "Undo README.md"
    - listitem:
      - button "media/logo.png"
      - text: binary
      - button "Keep media/logo.png"
      - button "Undo media/logo.png"
    - listitem:
      - button "src/old/backoff.ts"
      - text: deleted
      - img "0 added": "+0"
      - img "28 removed": −28
      - button "Keep src/old/backoff.ts"
      - button "Undo src/old/backoff.ts"
    - listitem:
      - button "src/retry.ts"
      - text: new
      - img "41 added": "+41"
      - img "0 removed": −0
      - button "Keep src/retry.ts"
      - button "Undo src/retry.ts"
    - listitem:
      - button "src/transport/http.ts"
      - text: renamed
      - img "2 added": "+2"
      - img "2 removed": −2
      - button "Keep src/transport/http.ts"
      - button "Undo src/transport/http.ts"
    - listitem:
      - button "src/upload.ts"
      - text: changed
      - img "3 added": "+3"
      - img "1 removed": −1
      - button "Keep src/upload.ts"
      - button "Undo src/upload.ts"`;
