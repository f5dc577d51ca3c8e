// Imported first: later imports get this stub of `vscode`.
import type { Tab } from './editorStub';
import { TabInputText, commandIds, dialogs, pressEnter, tabs } from './editorStub';
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { Lazy } from '../../../../src/base/lazy';
import type { MultiFileReview } from '../../../../src/review/editor/openReviewDiff';
import { RestoreCheckpoint } from '../../../../src/review/editor/restoreCheckpoint';
import { ReviewCommands } from '../../../../src/review/editor/reviewCommands';
import { askToUndo } from '../../../../src/review/editor/undoQuestion';
import { ReviewScopes } from '../../../../src/review/tracking/reviewScope';
import type { Session } from '../../../../src/session/session';
import type { Sessions } from '../../../../src/session/sessions';
import type { ReviewIntent } from '../../../../src/shared/protocol/chatPageProtocol';
import { emptySession } from '../../../../src/shared/state/sessionState';
import type { Notice, ShowNotice } from '../../../../src/workbench/notice';
import { stubOf } from '../../../kit/stubOf';
import { DiskWorld, filesOf } from '../diskWorld';

describe('notices of Keep, Undo and Restore', () => {
  let world: DiskWorld;
  let commands: ReviewCommands;
  let worktrees: readonly string[] = [];
  const session = stubOf<Session>({ id: 's', state: emptySession('s'), diff: () => undefined });
  const other = stubOf<Session>({ id: 'other', state: { title: 'The other session' } });
  const notices: { readonly notice: Notice | undefined; readonly session: string | undefined }[] = [];
  const last = (): Notice | undefined => notices.at(-1)?.notice;
  const showNotice: ShowNotice = (notice, id) => void notices.push({ notice, session: id });

  beforeEach(async () => {
    notices.length = 0;
    dialogs.asked.length = 0;
    dialogs.answers = [];
    worktrees = [];
    world = await DiskWorld.open();
    for (const name of ['a.txt', 'b.txt']) await writeFile(world.at(name), 'before\n');
    await world.begin(0);
    for (const name of ['a.txt', 'b.txt']) await writeFile(world.at(name), 'after\n');
    await world.end();
    const restore = new RestoreCheckpoint(world.checkpoints, () => true, showNotice);
    const multiFile = stubOf<MultiFileReview>({ open: async () => false });
    const chat = { compose: async () => undefined, showNotice };
    commands = new ReviewCommands(
      world.review,
      new ReviewScopes(
        () => world.folders,
        () => worktrees,
        undefined,
        () => 'parley/edit',
      ),
      multiFile,
      new Lazy(async () => restore),
      stubOf<Sessions>({ active: session, getOpen: (id) => ({ s: session, other })[id] }),
      chat,
    );
  });

  afterEach(() => world.close());

  const act = (intent: ReviewIntent): Promise<void> => commands.handle(session, intent);

  it('count the undone files, and redo them', async () => {
    await act({ type: 'undoAll' });
    assert.equal(notices[0]?.session, 's');
    assert.deepEqual([last()?.text, last()?.details, last()?.isWarning], ['Undid changes in 2 files', [], false]);
    assert.equal(last()?.button?.label, 'Redo');
    await last()?.button?.run();
    assert.deepEqual(await filesOf(world.folder), { 'a.txt': '- after\n', 'b.txt': '- after\n' });
    assert.equal(last(), undefined, 'the notice goes with the next act');
  });

  for (const command of ['keepAll', 'keepAllChanges'] as const) {
    it(`count the kept files, and undo that: ${command}`, async () => {
      await (command === 'keepAll' ? act({ type: command }) : commands.commands[command]());
      assert.deepEqual(world.review.files(), []);
      assert.deepEqual([last()?.text, last()?.details, last()?.isWarning], ['Kept changes in 2 files', [], false]);
      assert.deepEqual([last()?.button?.label, last()?.isOnlyInChat], ['Undo', undefined]);
      await last()?.button?.run();
      assert.equal(world.review.files('s').length, 2);
      assert.equal(last(), undefined, 'the notice goes with the next act');
    });
  }

  it('list undone files, and skipped files with the reason', async () => {
    const unsaved = world.at('a.txt');
    world.type(unsaved, 'typed\n');
    await act({ type: 'undoAll' });
    assert.equal(last()?.text, 'Undid changes in 1 file');
    assert.equal(last()?.details?.length, 1);
    assert.match(last()?.details?.[0] ?? '', /a\.txt: You also changed these lines/);
    assert.equal(last()?.isWarning, true);
  });

  it('name a single undone file, without a notification if no chat is visible', async () => {
    await act({ type: 'undoFile', path: world.at('a.txt') });
    assert.match(last()?.text ?? '', /^Undid changes in .*a\.txt$/);
    assert.deepEqual([last()?.isOnlyInChat, last()?.button?.label], [true, 'Redo']);
    await act({ type: 'keepFile', path: world.at('b.txt') });
    assert.equal(last(), undefined);
  });

  it('say that Undo also undid the changes of another session', async () => {
    const path = world.at('a.txt');
    await world.tracker.runAgentEdit('other', path, () => writeFile(path, 'after\nother\n'));
    world.type(path, 'after\nother\nmine\n');
    await world.tracker.refreshFile(path);
    dialogs.answers = [() => 'Undo All'];
    await act({ type: 'undoAll' });
    assert.match(
      dialogs.asked.join(),
      /^Undo changes that another program or chat may have made, too\?\n• .*a\.txt: also changed by “The other session”\n/,
    );
    assert.equal(last()?.details?.length, 1);
    assert.match(last()?.details?.[0] ?? '', /a\.txt: The changes of “The other session” were undone, too\.$/);
    assert.equal(last()?.isWarning, false);
    assert.equal(await readFile(path, 'utf8'), 'before\nmine\n');
  });

  for (const act of ['undoAll', 'undoFile'] as const) {
    it(`undo this chat’s part of a file only, and redo it: ${act}`, async () => {
      const path = world.at('a.txt');
      await world.tracker.runAgentEdit('other', path, () => writeFile(path, 'other\nafter\n'));
      dialogs.answers = [() => 'Only This Chat’s'];
      await commands.handle(session, act === 'undoAll' ? { type: act } : { type: act, path });
      assert.deepEqual(last()?.details, []);
      assert.equal(await readFile(path, 'utf8'), 'other\nbefore\n');
      await last()?.button?.run();
      assert.equal(await readFile(path, 'utf8'), 'other\nafter\n');
    });
  }

  it('mean the chat in use where a command undoes all, and ask before the changes of others', async () => {
    const path = world.at('other.txt');
    await world.tracker.runAgentEdit('other', path, () => writeFile(path, 'other\n'));
    await commands.commands.undoAllChanges();
    assert.deepEqual(dialogs.asked, []);
    assert.equal(await readFile(world.at('a.txt'), 'utf8'), 'before\n');
    assert.equal(await readFile(path, 'utf8'), 'other\n');
    // No change of this chat is left.
    await commands.commands.undoAllChanges();
    assert.match(dialogs.asked.join(), /other\.txt: changed by “The other session”/);
    assert.equal(await readFile(path, 'utf8'), 'other\n');
  });

  it('name files of a worktree by its branch, and leave them if the user presses Enter', async () => {
    const path = world.at('tree/a.txt');
    await mkdir(world.at('tree'));
    await world.tracker.runAgentEdit('other', path, () => writeFile(path, 'copy\n'));
    worktrees = [world.at('tree')];
    const item = world.modifiedFiles.get(path);
    assert.ok(item);
    world.modifiedFiles.set(path, { ...item, isUnsure: true, sessions: ['s'] });
    dialogs.answers = [pressEnter];
    await act({ type: 'undoAll' });
    assert.match(dialogs.asked.join(), /\n• a\.txt \(parley\/edit\): author unknown\n/);
    assert.equal(await readFile(path, 'utf8'), 'copy\n');
    assert.equal(await readFile(world.at('a.txt'), 'utf8'), 'before\n');
    dialogs.answers = [pressEnter];
    await act({ type: 'undoFile', path });
    assert.equal(last()?.text, 'Undid changes in a.txt (parley/edit)');
  });

  it('ask before a hunk of two chats is undone', async () => {
    const path = world.at('a.txt');
    await world.tracker.runAgentEdit('other', path, () => writeFile(path, 'after\nother\n'));
    const [hunk] = world.review.file(path)?.hunks ?? [];
    await commands.commands.undoHunk({ path, hunkId: hunk?.id });
    assert.match(dialogs.asked.join(), /a\.txt: also changed by “The other session”/);
    assert.equal(await readFile(path, 'utf8'), 'after\nother\n');
  });

  it('stay with Redo when a new file is undone, whose tab closes', async () => {
    const path = world.at('new.txt');
    await world.tracker.runAgentEdit('s', path, () => writeFile(path, 'new\n'));
    const other = tabOf(world.at('a.txt'));
    tabs.push(tabOf(path), other);
    const [hunk] = world.review.file(path)?.hunks ?? [];
    for (const file of ['a.txt', 'b.txt']) await world.review.keepFile(world.at(file));
    await commands.commands.undoHunk({ path, hunkId: hunk?.id });
    assert.deepEqual(tabs, [other]);
    tabs.length = 0;
    assert.deepEqual([last()?.button?.label, last()?.isOnlyInChat], ['Redo', false]);
    await last()?.button?.run();
    assert.equal(await readFile(path, 'utf8'), 'new\n');
  });

  const tabOf = (file: string): Tab => ({ label: file, input: new TabInputText(file) });

  it('close the tabs of files that a restore deletes, and also its undo', async () => {
    const made = world.at('new.txt');
    await world.tracker.runAgentEdit('s', made, () => writeFile(made, 'new\n'));
    const other = tabOf(world.at('a.txt'));
    tabs.push(tabOf(made), other);
    dialogs.answers = [() => 'Restore Files'];
    await act({ type: 'restoreCheckpoint', entry: 0 });
    assert.deepEqual(tabs, [other]);
    await last()?.button?.run();
    assert.equal(await readFile(made, 'utf8'), 'new\n');
    assert.deepEqual(tabs, [other]);
    tabs.length = 0;
  });

  it('leave the focus in the editor where a command closes the tab in front', async () => {
    const focus = 'workbench.action.focusActiveEditorGroup';
    const made = world.at('new.txt');
    const make = (): Promise<void> => world.tracker.runAgentEdit('s', made, () => writeFile(made, 'new\n'));
    const other = tabOf(world.at('a.txt'));
    for (const [front, behind, isFocused] of [
      [tabOf(made), other, true],
      [other, tabOf(made), false],
    ] as const) {
      await make();
      commandIds.length = 0;
      tabs.push(front, behind);
      await commands.commands.undoAllChanges();
      assert.deepEqual([tabs, commandIds.includes(focus)], [[other], isFocused]);
      tabs.length = 0;
    }
    // The focus is in the chat.
    await make();
    commandIds.length = 0;
    tabs.push(tabOf(made), other);
    await act({ type: 'undoAll' });
    assert.deepEqual([tabs, commandIds], [[other], []]);
    tabs.length = 0;
  });

  /** Another program may have changed `a.txt`. */
  function doubt(): void {
    const path = world.at('a.txt');
    const item = world.modifiedFiles.get(path);
    assert.ok(item);
    world.modifiedFiles.set(path, { ...item, isUnsure: true });
  }

  for (const [answer, left] of [
    [undefined, { 'a.txt': '- after\n', 'b.txt': '- after\n' }],
    ['Leave These Files', { 'a.txt': '- after\n', 'b.txt': '- before\n' }],
    ['Undo All', { 'a.txt': '- before\n', 'b.txt': '- before\n' }],
  ] as const) {
    it(`ask once before Undo takes back what may be of another program: ${answer ?? 'canceled'}`, async () => {
      doubt();
      if (answer !== undefined) dialogs.answers = [() => answer];
      await act({ type: 'undoAll' });
      assert.equal(dialogs.asked.length, 1);
      assert.match(dialogs.asked.join(), /\?\n• .*a\.txt: author unknown\n\nYou can redo an undo\.$/);
      assert.deepEqual(await filesOf(world.folder), left);
    });
  }

  it('name the first of many such files', async () => {
    const paths = Array.from({ length: 20 }, (_, at) => world.at(`${at}.txt`));
    assert.deepEqual(await askToUndo(paths, new Map(paths.map((path) => [path, 'why'])), world.checkpoints.scopes), {
      paths: [],
    });
    assert.equal(dialogs.asked.join().match(/txt: why/g)?.length, 15);
    assert.match(dialogs.asked.join(), /\nand 5 more\n/);
  });

  it('ask before such a file is undone alone, and never before Keep', async () => {
    doubt();
    await act({ type: 'undoFile', path: world.at('a.txt') });
    assert.equal(dialogs.asked.length, 1);
    dialogs.answers = [() => 'Undo'];
    await act({ type: 'undoFile', path: world.at('a.txt') });
    await last()?.button?.run();
    await act({ type: 'undoFile', path: world.at('b.txt') });
    await act({ type: 'keepFile', path: world.at('a.txt') });
    assert.equal(dialogs.asked.length, 2);
    assert.deepEqual(await filesOf(world.folder), { 'a.txt': '- after\n', 'b.txt': '- before\n' });
  });

  it('report that nothing is left to do', async () => {
    await act({ type: 'keepAll' });
    for (const type of ['keepAll', 'undoAll', 'reviewChanges'] as const) {
      await act({ type });
      assert.deepEqual([last()?.text, last()?.isWarning], ['There are no changes to review.', true], type);
    }
  });

  it('name the files that a restore skipped, and undo the restore', async () => {
    const large = 'x'.repeat(10 * 1024 * 1024 + 1);
    await writeFile(world.at('a.txt'), large);
    dialogs.answers = [() => 'Restore File'];
    await act({ type: 'restoreCheckpoint', entry: 0 });
    assert.equal(last()?.text, '1 file restored to the state before the message.');
    assert.match(last()?.details?.[0] ?? '', /a\.txt: .*larger than 10 MiB/);
    assert.equal(last()?.button?.label, 'Undo');
    await last()?.button?.run();
    assert.equal((await filesOf(world.folder))['b.txt'], '- after\n');
  });

  it('are for the message and session of the menu that was used', async () => {
    await commands.commands.restoreCheckpoint({ webviewSection: 'entry', session: 's', entry: 0, checkpoint: true });
    assert.equal(dialogs.asked.length, 1);
    assert.match(dialogs.asked[0] ?? '', /^Restore the files to the state before this message\?/);
    // Without a message of an open session the user selects one; here there is none.
    for (const target of [undefined, { session: 'closed', entry: 0 }, { session: 's', entry: 'x' }]) {
      await commands.commands.restoreCheckpoint(target);
      assert.match(last()?.text ?? '', /^This session has no checkpoints yet/);
    }
  });

  it('pass files that a restore before a message skipped to that message', async () => {
    await writeFile(world.at('a.txt'), 'x'.repeat(10 * 1024 * 1024 + 1));
    dialogs.answers = [() => 'Restore and Send'];
    const state = { ...session.state, checkpoints: world.checkpoints.infosOf('s') };
    const outcome = await commands.filesBefore({ ...session, state }, 0);
    assert.ok(outcome.type === 'ready' && outcome.restored);
    assert.equal(outcome.restored.text, '1 file restored to the state before the message.');
    assert.match(outcome.restored.skipped.join('\n'), /a\.txt: .*larger than 10 MiB/);
    assert.deepEqual(notices, []);
  });
});
