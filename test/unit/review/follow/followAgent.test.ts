import assert from 'node:assert/strict';
import { createDeferred } from '../../../../src/base/async';
import type { Deferred } from '../../../../src/base/async';
import { Emitter } from '../../../../src/base/event';
import type { FollowEditor } from '../../../../src/review/follow/followAgent';
import { Follow } from '../../../../src/review/follow/followAgent';
import type { FollowLocation } from '../../../../src/review/follow/followLocation';
import { followLocation } from '../../../../src/review/follow/followLocation';
import type { DiffContent } from '../../../../src/shared/state/contentBlocks';
import type { ToolPatch } from '../../../../src/shared/state/toolCallState';
import { TestClock } from '../../../kit/testClock';
import { settled } from '../../../kit/waiting';
import { FakeSession, FakeSessions } from '../../ui/fakes';

/** An editor that records what it is to show; the test completes each reveal. */
class FakeEditor implements FollowEditor {
  readonly takeOver = new Emitter<void>();
  readonly onDidTakeOver = this.takeOver.event;
  readonly shown: string[] = [];
  shows = true;
  marked = false;
  slow: Deferred<void> | undefined;

  async reveal({ path, line }: FollowLocation): Promise<boolean> {
    this.shown.push(line === undefined ? path : `${path}:${line}`);
    await this.slow?.promise;
    this.marked = this.shows;
    return this.shows;
  }
  isOnlyPreviewed(): boolean {
    return this.marked;
  }
  clear(): void {
    this.marked = false;
  }
  dispose(): void {}
}

async function setUp(options: { enabled?: boolean; running?: boolean } = {}) {
  const session = new FakeSession('one');
  const sessions = new FakeSessions([session, new FakeSession('two')]);
  const editor = new FakeEditor();
  const clock = new TestClock();
  const settings = new Emitter<void>();
  const keys = new Emitter<void>();
  let enabled = options.enabled ?? true;
  const setting = {
    isEnabled: () => enabled,
    setEnabled: async (value: boolean) => {
      enabled = value;
      settings.fire();
    },
    onDidChange: settings.event,
  };
  const follow = new Follow(sessions, editor, setting, keys.event, clock);
  if (options.running !== false) session.dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
  let calls = 0;
  const at = async (path: string, line?: number): Promise<void> => {
    const locations = [{ path, label: path, ...(line !== undefined && { line }) }];
    session.dispatch({ type: 'toolStarted', toolCallId: `t${calls++}`, patch: { locations }, at: 1 });
    await settled();
  };
  return { session, sessions, editor, clock, keys, follow, at };
}

describe('review/follow/followAgent', () => {
  it('shows the location of a tool call immediately', async () => {
    const { editor, at } = await setUp();
    await at('/a', 3);
    assert.deepEqual(editor.shown, ['/a:3']);
    assert.ok(editor.marked);
  });

  it('shows files read and written through the editor, only for the active session', async () => {
    const { editor, follow, clock } = await setUp();
    follow.recordFileAccess({ sessionId: 'one', path: '/a', kind: 'read', line: 7 });
    await clock.expire();
    follow.recordFileAccess({ sessionId: 'two', path: '/b', kind: 'write' });
    await clock.expire();
    follow.recordFileAccess({ sessionId: 'one', path: '/c', kind: 'write' });
    await settled();
    assert.deepEqual(editor.shown, ['/a:7', '/c']);
  });

  it('opens two editors for any number of files edited at once', async () => {
    const { editor, clock, at } = await setUp();
    for (let file = 0; file < 200; file++) await at(`/file${file}`);
    assert.deepEqual(editor.shown, ['/file0']);
    assert.ok(
      clock.delays.every((ms) => ms >= 500),
      String(clock.delays),
    );
    await clock.expire();
    await clock.expire();
    assert.deepEqual(editor.shown, ['/file0', '/file199']);
  });

  it('shows the end of a burst, and no file that the burst has left', async () => {
    const { editor, clock, at } = await setUp();
    await at('/first');
    for (let file = 0; file < 100; file++) {
      await clock.pass(100);
      await at(`/file${file}`);
    }
    assert.deepEqual(editor.shown, ['/first']);
    await clock.pass(500);
    assert.deepEqual(editor.shown, ['/first', '/file99']);
  });

  it('shows each line of a burst in the file that is open', async () => {
    const { editor, clock, at } = await setUp();
    await at('/a', 1);
    for (let line = 2; line < 12; line++) {
      await clock.pass(100);
      await at('/a', line);
    }
    assert.deepEqual(editor.shown, ['/a:1', '/a:5', '/a:10']);
  });

  it('opens the next editor only after five times what the last one took', async () => {
    const { editor, clock, at } = await setUp();
    editor.slow = createDeferred();
    await at('/a');
    clock.sleep(800);
    editor.slow.resolve();
    editor.slow = undefined;
    await settled();
    await at('/b');
    await clock.pass(3999);
    assert.deepEqual(editor.shown, ['/a']);
    await clock.pass(1);
    assert.deepEqual(editor.shown, ['/a', '/b']);
  });

  it('opens no editor within a second of a key, in the page or in an editor', async () => {
    const { editor, clock, keys, follow, at } = await setUp();
    follow.noteTyping();
    await at('/a');
    await clock.pass(900);
    keys.fire();
    await clock.pass(999);
    assert.deepEqual(editor.shown, []);
    await clock.pass(1);
    assert.deepEqual(editor.shown, ['/a']);
  });

  it('follows edits, and follows a read only if the agent stays there', async () => {
    const { editor, clock, session, at } = await setUp();
    const read = async (path: string): Promise<void> => {
      const locations = [{ path, label: path }];
      session.dispatch({ type: 'toolStarted', toolCallId: path, patch: { tool: 'read' }, at: 1 });
      const entry = session.state.entries.count - 1;
      session.dispatch({ type: 'toolChanged', entry, patch: { locations }, at: 1 });
      await settled();
    };
    for (const path of ['/a', '/b', '/c']) await read(path);
    assert.deepEqual(editor.shown, []);
    await clock.expire();
    assert.deepEqual(editor.shown, ['/c']);
    await clock.expire();
    await read('/d');
    await at('/edited', 1);
    await clock.expire();
    assert.deepEqual(editor.shown, ['/c', '/edited:1']);
    await read('/e');
    session.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
    await clock.expire();
    assert.deepEqual(editor.shown, ['/c', '/edited:1']);
  });

  it('shows the latest of fast locations, and each one once', async () => {
    const { editor, clock, at } = await setUp();
    await at('/a', 1);
    await at('/b', 1);
    await at('/c', 1);
    assert.deepEqual(editor.shown, ['/a:1']);
    await clock.expire();
    assert.deepEqual(editor.shown, ['/a:1', '/c:1']);
    await clock.expire();
    await at('/c', 1);
    await clock.expire();
    assert.deepEqual(editor.shown, ['/a:1', '/c:1']);
  });

  it('waits for an editor that opens slowly', async () => {
    const { editor, clock, at } = await setUp();
    editor.slow = createDeferred();
    await at('/a');
    await at('/b');
    await clock.expire();
    assert.deepEqual(editor.shown, ['/a']);
    editor.slow.resolve();
    editor.slow = undefined;
    await settled();
    await clock.expire();
    assert.deepEqual(editor.shown, ['/a', '/b']);
  });

  it('retries a location that could not be shown, such as a file being created', async () => {
    const { editor, clock, at } = await setUp();
    editor.shows = false;
    await at('/new', 1);
    await clock.expire();
    editor.shows = true;
    await at('/new', 1);
    assert.deepEqual(editor.shown, ['/new:1', '/new:1']);
    assert.ok(editor.marked);
  });

  it('pauses for the user, and resumes at the agent’s location on request', async () => {
    const { editor, clock, follow, at } = await setUp();
    const told: string[] = [];
    follow.onDidChange((status) => told.push(status));
    await at('/a');
    await clock.expire();
    editor.takeOver.fire();
    assert.equal(follow.status, 'paused');
    assert.equal(editor.marked, false);
    await at('/b', 5);
    await clock.expire();
    assert.deepEqual(editor.shown, ['/a']);
    await follow.toggle();
    await settled();
    assert.deepEqual(editor.shown, ['/a', '/b:5']);
    assert.deepEqual(told, ['paused', 'following']);
  });

  it('is not paused by the user while no agent works', async () => {
    const { editor, follow, session } = await setUp();
    session.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
    editor.takeOver.fire();
    assert.equal(follow.status, 'following');
  });

  it('is turned on and off, which changes the setting', async () => {
    const { editor, follow, at } = await setUp();
    await follow.toggle();
    assert.equal(follow.status, 'off');
    await at('/a');
    assert.deepEqual(editor.shown, []);
    await follow.toggle();
    await settled();
    assert.equal(follow.status, 'following');
    assert.deepEqual(editor.shown, ['/a']);
  });

  it('removes the decoration at the end of the turn, after the last location was shown', async () => {
    const { editor, clock, session, at } = await setUp();
    await at('/a');
    await at('/b');
    session.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
    await clock.expire();
    assert.deepEqual(editor.shown, ['/a', '/b']);
    await clock.expire();
    assert.equal(editor.marked, false);
  });

  it('opens nothing over what the user opened after the turn', async () => {
    const { editor, clock, session, at } = await setUp();
    await at('/a');
    await at('/b');
    session.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
    editor.takeOver.fire();
    await clock.expire();
    assert.deepEqual(editor.shown, ['/a']);
  });

  it('shows the last location soon after the turn, however slow editors are', async () => {
    const { editor, clock, session, at } = await setUp();
    editor.slow = createDeferred();
    await at('/a');
    await clock.pass(10_000);
    editor.slow.resolve();
    await settled();
    await clock.pass(1000);
    await at('/b');
    session.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
    await settled();
    assert.deepEqual(editor.shown, ['/a', '/b']);
  });

  it('ignores locations of earlier turns, replays and other sessions', async () => {
    const { editor, clock, sessions, at } = await setUp({ running: false });
    await at('/old');
    sessions.activate(sessions.sessions[1] as FakeSession);
    sessions.active.dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
    await at('/a');
    await clock.expire();
    assert.deepEqual(editor.shown, []);
  });

  it('decorates nothing for a session that was left while its file opened', async () => {
    const { editor, sessions, at } = await setUp();
    editor.slow = createDeferred();
    await at('/a');
    sessions.activate(sessions.sessions[1] as FakeSession);
    editor.slow.resolve();
    await settled();
    assert.equal(editor.marked, false);
  });

  it('does nothing after disposal', async () => {
    const { editor, follow, at } = await setUp();
    follow.dispose();
    await at('/a');
    assert.deepEqual(editor.shown, []);
  });
});

describe('review/follow/followLocation', () => {
  const diff = (path: string, newStart: number, same: number): DiffContent => ({
    type: 'diff',
    diffId: path,
    path,
    label: path,
    isNew: false,
    added: 1,
    removed: 0,
    hunks: [
      {
        oldStart: newStart,
        newStart,
        lines: [
          ...Array.from({ length: same }, () => ({ type: 'same', text: '' }) as const),
          { type: 'added', text: 'x' },
        ],
      },
    ],
  });
  const at = (path: string, line?: number) => ({ path, label: path, ...(line !== undefined && { line }) });
  const cases: readonly (readonly [string, ToolPatch, FollowLocation | undefined])[] = [
    ['nothing', {}, undefined],
    ['no places', { locations: [], content: [] }, undefined],
    ['the last location', { locations: [at('/a', 1), at('/b', 2)] }, { path: '/b', line: 2 }],
    ['a diff’s first changed line', { content: [diff('/a', 10, 3)] }, { path: '/a', line: 13 }],
    [
      'the diff’s line for its location',
      { locations: [at('/a')], content: [diff('/a', 4, 0)] },
      { path: '/a', line: 4 },
    ],
    [
      'the location’s own line first',
      { locations: [at('/a', 9)], content: [diff('/a', 4, 0)] },
      { path: '/a', line: 9 },
    ],
    ['no line of another file', { locations: [at('/a')], content: [diff('/b', 4, 0)] }, { path: '/a' }],
  ];
  for (const [name, patch, place] of cases) it(`is ${name}`, () => assert.deepEqual(followLocation(patch), place));
});
