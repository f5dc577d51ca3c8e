import { picks, resetStub } from '../vscodeStub';
import assert from 'node:assert/strict';
import type { PermissionOption } from '../../../../src/shared/state/toolCallState';
import { pendingRequests } from '../../../../src/ui/pendingRequests';
import { PendingRequestPicker, sameRequests } from '../../../../src/ui/permissions/pendingRequestPicker';
import type { WorktreeOf } from '../../../../src/ui/permissions/pendingRequestPicker';
import type { Chat } from '../../../../src/ui/window';
import { stubOf } from '../../../kit/stubOf';
import { settled } from '../../../kit/waiting';
import { FakeSession, FakeSessions, allowOnce, rejectOnce } from '../fakes';

const options = [allowOnce, rejectOnce];
const race = { id: 'r', title: 'Improve it' };

/** The attempts of a race, each in its own folder; the last session works in the workspace. */
function setUp() {
  const attempts = ['one', 'two', 'three'].map((id) => Object.assign(new FakeSession(id), { cwd: `/store/${id}` }));
  const sessions = new FakeSessions([...attempts, new FakeSession('main')]);
  const worktreeOf: WorktreeOf = ({ cwd }) => (cwd.startsWith('/store/') ? { path: cwd, race } : undefined);
  const same = (at = 0): string[] => {
    const all = pendingRequests(sessions);
    const request = all[at];
    assert.ok(request);
    return sameRequests(request, all, worktreeOf).map(({ session }) => session.id);
  };
  const [one, two, three] = attempts;
  assert.ok(one && two && three);
  return { one, two, three, main: sessions.allOpen()[3] as FakeSession, sessions, worktreeOf, same };
}

const build = (session: FakeSession, command = `make -C ${session.cwd}`): object => ({
  title: 'Build',
  rawInput: { command },
});
const later = <T>(run: () => T): T => {
  const now = performance.now.bind(performance);
  performance.now = () => now() + 600;
  try {
    return run();
  } finally {
    performance.now = now;
  }
};

describe('ui/permissions/pendingRequestPicker: same requests', () => {
  beforeEach(resetStub);

  it('are equal requests in the attempts of a race, each for its own folder', () => {
    const { one, two, three, main, same } = setUp();
    for (const session of [one, two]) session.ask(options, build(session));
    three.ask(options, build(three, 'make -C /store/one'));
    main.ask(options, build(one));
    assert.deepEqual(same(), ['one', 'two']);
    assert.deepEqual(same(2), [], 'a command in the folder of another attempt');
    assert.deepEqual(same(3), [], 'not of the race');
  });

  it('have the same title, options, reason and diff', () => {
    const { one, two, same } = setUp();
    one.ask(options, build(one));
    const differ = (other: () => number): void => {
      other();
      assert.deepEqual(same(), []);
      two.dispatch({ type: 'turnEnded', stopReason: 'cancelled', at: 9 });
    };
    const renamed: PermissionOption = { ...allowOnce, name: 'Allow all' };
    differ(() => two.ask(options, { ...build(two), title: 'Build it' }));
    differ(() => two.ask([renamed, rejectOnce], build(two)));
    differ(() => two.ask([rejectOnce, allowOnce], build(two)));
    differ(() => two.ask(options, build(two), 'it deletes folders'));
    two.ask(options, build(two));
    assert.deepEqual(same(), ['one', 'two']);
  });

  it('are answered together, each with its own option id; others stay pending', async () => {
    const { one, two, three, sessions, worktreeOf } = setUp();
    const entries = [one.ask(options, build(one)), two.ask([{ ...allowOnce, optionId: 'z' }, rejectOnce], build(two))];
    three.ask(options, build(three, 'rm -rf .'));
    const shown = new PendingRequestPicker(
      sessions,
      stubOf<Chat>({ reveal: async () => undefined, isShown: () => true }),
      worktreeOf,
    ).show();
    later(() => picks[0]?.accept('Build'));
    await settled();
    const labels = [
      '$(eye) Show in Chat',
      'Allow',
      'Reject',
      '$(comment) Reject and Explain…',
      'Same answer for all attempts',
      'Allow',
      'Reject',
    ];
    assert.deepEqual(picks[1]?.labels, labels);
    later(() => picks[1]?.accept('Allow', '2 requests'));
    await shown;
    assert.deepEqual(one.calls, [['answer', `p${(entries[0] ?? 0) - 1}`, allowOnce.optionId]]);
    assert.deepEqual(two.calls, [['answer', `p${(entries[1] ?? 0) - 1}`, 'z']]);
    assert.deepEqual(three.calls, []);
  });

  it('get the selected one of several options with the same name and kind', async () => {
    const { one, two, three, sessions, worktreeOf } = setUp();
    const twins = [allowOnce, { ...allowOnce, optionId: 'twin' }];
    const entries = [one.ask(twins, build(one)), two.ask(twins, build(two))];
    three.ask(options);
    const shown = new PendingRequestPicker(
      sessions,
      stubOf<Chat>({ reveal: async () => undefined, isShown: () => true }),
      worktreeOf,
    ).show();
    later(() => picks[0]?.accept('Build'));
    await settled();
    assert.deepEqual(picks[1]?.labels.slice(1, 3), ['Allow', 'Allow']);
    later(() => picks[1]?.accept('Allow', '2 requests', 1));
    await shown;
    assert.deepEqual(one.calls, [['answer', `p${(entries[0] ?? 0) - 1}`, 'twin']]);
    assert.deepEqual(two.calls, [['answer', `p${(entries[1] ?? 0) - 1}`, 'twin']]);
  });

  it('are no longer offered after another attempt was answered elsewhere', async () => {
    const { one, two, three, sessions, worktreeOf } = setUp();
    for (const session of [one, two]) session.ask(options, build(session));
    three.ask(options);
    const shown = new PendingRequestPicker(
      sessions,
      stubOf<Chat>({ reveal: async () => undefined, isShown: () => true }),
      worktreeOf,
    ).show();
    later(() => picks[0]?.accept('Build'));
    await settled();
    assert.equal(picks[1]?.labels.length, 7);
    two.dispatch({ type: 'turnEnded', stopReason: 'cancelled', at: 9 });
    sessions.fireChange(two);
    assert.deepEqual(picks[1].labels, ['$(eye) Show in Chat', 'Allow', 'Reject', '$(comment) Reject and Explain…']);
    picks[1].hide();
    await shown;
  });
});
