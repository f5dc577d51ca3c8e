// Imported first: later imports get this stub of `vscode`.
import { dialogs } from './editor/editorStub';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Emitter } from '../../../src/base/event';
import type { UnseenChanges } from '../../../src/review/checkpoints/unfinishedTurns';
import { reportUnseenChanges } from '../../../src/review/unseenChangesNotice';
import type { Session } from '../../../src/session/session';
import type { Sessions } from '../../../src/session/sessions';
import type { Action } from '../../../src/shared/state/sessionActions';
import { stubOf } from '../../kit/stubOf';
import { DiskWorld } from './diskWorld';

describe('a turn that a crash has cut off', () => {
  let world: DiskWorld;

  beforeEach(async () => {
    dialogs.asked.length = 0;
    world = await DiskWorld.open();
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) await writeFile(world.at(name), 'before\n');
    await world.begin(0);
  });

  afterEach(() => world.close());

  /** Changes that the window sees and records. */
  async function seen(): Promise<void> {
    await writeFile(world.at('a.txt'), 'agent\n');
    await world.tracker.scan();
    // The user saves a file, and accepts another.
    world.working = false;
    await writeFile(world.at('b.txt'), 'user\n');
    await world.tracker.trackFile(world.at('b.txt'));
    world.working = true;
    await writeFile(world.at('d.txt'), 'accepted\n');
    await world.tracker.scan();
    await world.review.keepFile(world.at('d.txt'));
    await world.file.write();
  }

  /** @returns what the next window lists */
  async function restart(program?: string): Promise<string[]> {
    world = await DiskWorld.reopen(world.base, program);
    const found = await world.checkpoints.endUnfinishedTurns(world.file.recorded);
    return found.flatMap(({ paths }) => paths.map((path) => relative(world.folder, path)));
  }

  it('lists what changed after the last window had recorded it', async () => {
    await seen();
    await writeFile(world.at('a.txt'), 'agent, again\n');
    await writeFile(world.at('new.txt'), 'agent\n');
    await rm(world.at('c.txt'));
    assert.deepEqual(await restart(), ['a.txt', 'c.txt', 'new.txt']);
    assert.deepEqual(await restart(), [], 'once');
  });

  it('lists nothing that the last window had recorded: of the agent, of the user, and accepted', async () => {
    await seen();
    assert.deepEqual(await restart(), []);
  });

  it('lists what the last window had no time to record', async () => {
    await writeFile(world.at('a.txt'), 'agent\n');
    await world.tracker.scan();
    assert.deepEqual(await restart(), ['a.txt']);
  });

  it('lists what changed at the first start that can compare it', async () => {
    await writeFile(world.at('a.txt'), 'agent\n');
    assert.deepEqual(await restart('no-such-git'), []);
    assert.deepEqual(await restart(), ['a.txt']);
    assert.deepEqual(await restart(), [], 'once');
  });

  it('says in an untrusted workspace that nobody knows, and lists it when that becomes trusted', async () => {
    await writeFile(world.at('a.txt'), 'agent\n');
    world = await DiskWorld.reopen(world.base);
    world.isTrusted = false;
    const look = (): Promise<readonly UnseenChanges[]> => world.checkpoints.endUnfinishedTurns(world.file.recorded);
    const sessions = stubOf<Sessions>({ getOpen: () => undefined, onDidChange: new Emitter<Session>().event });
    reportUnseenChanges(await look(), sessions, (path) => path).dispose();
    assert.deepEqual([dialogs.asked.length, /cannot check them now: /.test(dialogs.asked.join())], [1, true]);
    // A turn of this window is no turn that a crash has cut off, and its end says nothing about the other.
    world.isTrusted = true;
    await world.begin(1);
    assert.deepEqual(
      (await look()).map(({ paths }) => paths),
      [[world.at('a.txt')]],
    );
    assert.deepEqual(await look(), [], 'once');
    await world.end();
  });

  it('is compared later even if its session has gone on meanwhile', async () => {
    await writeFile(world.at('a.txt'), 'agent\n');
    assert.deepEqual(await restart('no-such-git'), []);
    await world.begin(1);
    await world.end();
    await world.checkpoints.endTurn('s');
    assert.deepEqual(await restart(), ['a.txt']);
  });

  it('lists nothing of a turn that has ended', async () => {
    await seen();
    await world.end();
    await world.file.write();
    await writeFile(world.at('a.txt'), 'user, later\n');
    assert.deepEqual(await restart(), []);
  });

  /** The disk is as it was when the agent of a next turn could start, and the window was killed. */
  async function killAtStart(): Promise<void> {
    await world.end();
    const file = join(world.storage, 'checkpoints.json');
    const { recorded, done } = world.checkpoints.create('s', 1);
    await recorded;
    const atStart = readFileSync(file);
    await done;
    await writeFile(file, atStart);
  }

  it('says that nobody knows if the checkpoint was not stored yet', async () => {
    await killAtStart();
    await writeFile(world.at('a.txt'), 'agent\n');
    world = await DiskWorld.reopen(world.base);
    const found = await world.checkpoints.endUnfinishedTurns(world.file.recorded);
    assert.deepEqual(found, [{ sessionId: 's', paths: [], isUnrecorded: true }]);
    const sessions = stubOf<Sessions>({ getOpen: () => undefined, onDidChange: new Emitter<Session>().event });
    reportUnseenChanges(found, sessions, (path) => path).dispose();
    assert.match(dialogs.asked.join(), /VS Code stopped right after a message was sent/);
    world = await DiskWorld.reopen(world.base);
    assert.deepEqual(await world.checkpoints.endUnfinishedTurns(world.file.recorded), [], 'once');
  });

  it('says nothing if a turn without a checkpoint has ended', async () => {
    await killAtStart();
    world = await DiskWorld.reopen(world.base);
    await world.checkpoints.endTurn('s');
    world = await DiskWorld.reopen(world.base);
    assert.deepEqual(await world.checkpoints.endUnfinishedTurns(world.file.recorded), []);
  });

  it('names the files in a notification, and in the transcript as soon as the session is open', () => {
    const actions: Action[] = [];
    const notices = (): unknown[] => actions.map((action) => ({ ...action, at: 0 }));
    const onDidChange = new Emitter<Session>();
    const session = stubOf<Session>({ dispatch: (action: Action) => void actions.push(action) });
    const open: Session[] = [];
    const sessions = stubOf<Sessions>({ getOpen: () => open[0], onDidChange: onDidChange.event });
    const report = reportUnseenChanges([{ sessionId: 's', paths: ['/w/a.txt', '/w/b.txt'] }], sessions, (path) =>
      relative('/w', path),
    );
    assert.match(dialogs.asked.join(), /^Changed while Parley did not run: a\.txt, b\.txt\. /);
    onDidChange.fire(session);
    assert.deepEqual(notices(), []);
    open.push(session);
    onDidChange.fire(session);
    onDidChange.fire(session);
    const [notice] = notices() as { severity?: string; title?: string; text?: string }[];
    assert.equal(actions.length, 1);
    assert.deepEqual([notice?.severity, notice?.title], ['warning', 'Changed while Parley did not run']);
    assert.match(notice?.text ?? '', /^a\.txt, b\.txt\. /);
    report.dispose();
  });
});
