// Imported first: later imports get this stub of `vscode`.
import { commandIds, shownBases, shownFiles, tabs } from './editorStub';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Lazy } from '../../../../src/base/lazy';
import { MultiFileReview } from '../../../../src/review/editor/openReviewDiff';
import { ReviewCommands } from '../../../../src/review/editor/reviewCommands';
import { ReviewScopes } from '../../../../src/review/tracking/reviewScope';
import type { Session } from '../../../../src/session/session';
import type { Sessions } from '../../../../src/session/sessions';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { stubOf } from '../../../kit/stubOf';
import { DiskWorld, filesOf } from '../diskWorld';

const NAMES = ['a.txt', 'b.txt', 'c.txt', 'd.txt'] as const;

describe('the multi-file diff editor', () => {
  let world: DiskWorld;
  let multiFile: MultiFileReview;
  let commands: ReviewCommands;
  let session: Session;
  let active: Session;
  const notices: (string | undefined)[] = [];
  const content = async (): Promise<string> => Object.values(await filesOf(world.folder)).join(' ');
  const shown = (): string[] => shownFiles.map((path) => basename(path));
  const left = (): string[] => world.review.files().map(({ label }) => label);

  beforeEach(async () => {
    notices.length = 0;
    tabs.length = 0;
    world = await DiskWorld.open();
    for (const name of NAMES) await writeFile(world.at(name), 'old');
    await world.begin(0);
    for (const name of NAMES) await writeFile(world.at(name), 'new');
    await world.end();
    changedBy('other', 'c.txt', 'd.txt');
    multiFile = new MultiFileReview(world.review);
    active = session = stubOf<Session>({ id: 's', state: emptySession('s'), diff: () => undefined });
    commands = new ReviewCommands(
      world.review,
      new ReviewScopes(() => world.folders),
      multiFile,
      new Lazy(() => Promise.reject(new Error('no checkpoints here'))),
      stubOf<Sessions>({
        get active() {
          return active;
        },
        getOpen: () => session,
      }),
      { compose: async () => undefined, showNotice: (notice, id) => void notices.push(`${id}: ${notice?.text}`) },
    );
  });

  afterEach(async () => {
    multiFile.dispose();
    await world.close();
  });

  /** Simulates changes of another session's agent. */
  function changedBy(id: string, ...names: string[]): void {
    for (const path of names.map((name) => world.at(name))) {
      const item = world.modifiedFiles.get(path);
      assert.ok(item);
      world.modifiedFiles.set(path, { ...item, sessions: [id] });
    }
  }

  /** The transcript's state, with the files of its last turn. */
  function turnChanged(...names: string[]): void {
    const files = names.map((name) => ({
      path: world.at(name),
      label: name,
      status: 'modified',
      added: 1,
      removed: 1,
    }));
    Object.assign(session, { state: { ...session.state, turns: [{ entry: 4, files }] } });
  }

  it('undoes and redoes the changes of its session', async () => {
    await commands.handle(session, { type: 'reviewChanges' });
    assert.deepEqual(shown(), ['a.txt', 'b.txt']);
    await commands.commands.undoShownChanges();
    assert.equal(await content(), '- old - old - new - new');
    assert.deepEqual(notices, ['s: Undid changes in 2 files']);
  });

  it('keeps the changes of its session', async () => {
    await commands.handle(session, { type: 'reviewChanges' });
    await commands.commands.keepShownChanges();
    assert.deepEqual(left(), ['c.txt', 'd.txt']);
    assert.equal(await content(), '- new - new - new - new');
  });

  it('undoes the changes of its turn, but none that it does not show', async () => {
    await writeFile(world.at('late.txt'), 'late');
    turnChanged('b.txt', 'c.txt');
    changedBy('s', 'c.txt');
    await commands.handle(session, { type: 'reviewTurn', entry: 4 });
    assert.deepEqual(shown(), ['b.txt', 'c.txt']);
    await commands.commands.undoShownChanges();
    assert.equal(await content(), '- new - old - old - new - late');
  });

  it('has by command the changes of the chat in use, and those of all chats where it has none', async () => {
    await commands.commands.reviewChanges();
    assert.deepEqual(shown(), ['a.txt', 'b.txt']);
    await commands.commands.keepShownChanges();
    assert.deepEqual(notices, ['s: Kept changes in 2 files']);
    await commands.commands.reviewChanges();
    assert.deepEqual(shown(), ['c.txt', 'd.txt']);
  });

  it('compares with the file without the changes of its session, where others changed it, too', async () => {
    const path = world.at('a.txt');
    await world.tracker.runAgentEdit('mine', path, () => writeFile(path, 'new\nmine\n'));
    const mine = stubOf<Session>({ id: 'mine' });
    await commands.handle(mine, { type: 'reviewChanges' });
    assert.deepEqual([shown(), shownBases], [['a.txt'], ['session=mine']]);
    await commands.handle(session, { type: 'openChange', path });
    assert.deepEqual(shownBases, ['session=s']);
    // Of all chats, also for a session that changed nothing in the file.
    await commands.commands.openChange(path);
    assert.deepEqual(shownBases, ['']);
    await commands.handle(stubOf<Session>({ id: 'other' }), { type: 'openChange', path });
    assert.deepEqual(shownBases, ['']);
    await commands.handle(session, { type: 'reviewChanges' });
    assert.deepEqual(
      [shown(), shownBases],
      [
        ['a.txt', 'b.txt'],
        ['session=s', ''],
      ],
    );
  });

  it('is opened only once: its buttons act on the last opened changes', async () => {
    await commands.handle(session, { type: 'reviewChanges' });
    active = stubOf<Session>({ id: 'new' });
    await commands.commands.reviewChanges();
    assert.deepEqual(
      tabs.map(({ label }) => label),
      ['Agent Changes (4 files)'],
    );
    await commands.commands.keepShownChanges();
    assert.deepEqual(left(), []);
  });

  for (const command of ['keepShownChanges', 'undoShownChanges'] as const)
    it(`closes when it is done, and leaves the focus in the editor: ${command}`, async () => {
      await commands.handle(session, { type: 'reviewChanges' });
      await commands.commands[command]();
      assert.deepEqual([tabs, commandIds.at(-1)], [[], 'workbench.action.focusActiveEditorGroup']);
    });

  it('does nothing if its content is unknown, as after a reload', async () => {
    tabs.push({ label: 'Agent Changes (2 files)', input: undefined });
    assert.equal(multiFile.shown, undefined);
    await commands.commands.undoShownChanges();
    assert.equal(await content(), '- new - new - new - new');
    assert.deepEqual(notices, ['undefined: There are no changes to review.']);
  });
});
