import { commands, picks, resetStub, setFocused, toasts } from '../vscodeStub';
import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/event';
import type { NotifyMode } from '../../../../src/base/settings';
import { plainLabel } from '../../../../src/base/untrustedText';
import type { Session } from '../../../../src/session/session';
import type { ToolPatch } from '../../../../src/shared/state/toolCallState';
import { PendingRequestPicker } from '../../../../src/ui/permissions/pendingRequestPicker';
import { PermissionNotifications } from '../../../../src/ui/permissions/permissionNotifications';
import type { Chat } from '../../../../src/ui/window';
import { collectGarbage } from '../../../kit/collectGarbage';
import { settingsOf } from '../../../kit/settingsOf';
import { stubOf } from '../../../kit/stubOf';
import { TestClock } from '../../../kit/testClock';
import { settled } from '../../../kit/waiting';
import { FakeSession, FakeSessions, allowAlways, allowOnce, rejectOnce } from '../fakes';

const options = [allowOnce, allowAlways, rejectOnce];

function setUp() {
  const [one, two] = [new FakeSession('one'), new FakeSession('two')];
  const asked = new Emitter<{ session: Session; entry: number }>();
  const sessions = Object.assign(new FakeSessions([one, two]), { onDidAsk: asked.event });
  const revealed: [string, number][] = [];
  const reveal = async ({ session, entry }: { session: Session; entry: number }): Promise<void> => {
    revealed.push([session.id, entry]);
  };
  const ask = (session: FakeSession, tool: ToolPatch = {}): number => {
    const entry = session.ask(options, tool);
    asked.fire({ session, entry });
    return entry;
  };
  /** The turn ends, and with it the request. */
  const over = (session: FakeSession): void => {
    session.dispatch({ type: 'turnEnded', stopReason: 'cancelled', at: 9 });
    sessions.fireChange(session);
  };
  const tell = (session: FakeSession, entry: number): void => asked.fire({ session, entry });
  return { one, two, sessions, revealed, reveal, ask, over, asked: tell };
}

function withNotifications(notify: NotifyMode, shown: string[], reported = false) {
  const parts = setUp();
  const isShown = (session: Session): boolean => shown.includes(session.id);
  const clock = new TestClock();
  if (reported) setFocused(false);
  const settings = settingsOf({ 'permissions.notify': notify, 'notifications.system': 'whenUnfocused' });
  const pages = stubOf<Chat>({ isShown, reveal: parts.reveal });
  const racesChanged = new Emitter<void>();
  const onBoard = new Set<string>();
  const races = { shows: ({ id }: Session) => onBoard.has(id), onDidChange: racesChanged.event };
  const notifications = new PermissionNotifications(parts.sessions, pages, settings, races, clock);
  /** The tab of the races is closed. */
  const closeBoard = (): void => {
    onBoard.clear();
    racesChanged.fire();
  };
  return { ...parts, notifications, clock, onBoard, closeBoard };
}

describe('ui/permissions/permissionNotifications', () => {
  beforeEach(resetStub);

  it('leaves requests to the races in view, and shows them once those are hidden', () => {
    const { one, two, ask, onBoard, closeBoard, clock } = withNotifications('whenHidden', []);
    onBoard.add('one').add('two');
    ask(one, { title: 'First' });
    ask(two, { title: 'Second' });
    assert.equal(toasts.length, 0);
    closeBoard();
    closeBoard();
    clock.advance(300);
    assert.deepEqual(
      toasts.map(({ message }) => /First|Second/.exec(message)?.[0]),
      ['First', 'Second'],
    );
  });

  it('shows a request of a hidden chat, with the agent’s option names', () => {
    const { one, two, ask } = withNotifications('whenHidden', ['one']);
    ask(one);
    assert.equal(toasts.length, 0, 'the person sees this one in the page');
    ask(two, { title: 'Run tests', rawInput: { command: 'npm test' } });
    assert.equal(toasts[0]?.message, 'Fake: Run tests (npm test)');
    assert.deepEqual(
      toasts[0].buttons.map(({ title }) => title),
      ['Allow', 'Always allow', 'Reject', 'Show'],
    );
  });

  it('shows a request that still waits when its chat gets hidden, once', async () => {
    const shown = ['one'];
    const { one, sessions, ask, over, clock } = withNotifications('whenHidden', shown);
    ask(one, { title: 'Read' });
    sessions.hidden.fire(one);
    await clock.pass(1_000);
    assert.equal(toasts.length, 0, 'it is shown in another place');
    shown.length = 0;
    for (let time = 0; time < 2; time++) {
      sessions.hidden.fire(one);
      await clock.pass(1_000);
    }
    assert.deepEqual(
      toasts.map(({ message }) => message),
      ['Fake: Read'],
    );
    over(one);
    sessions.hidden.fire(one);
    await clock.pass(1_000);
    assert.equal(toasts.length, 1);
  });

  it('waits for the window focus, or a click, if the request is reported outside the window', async () => {
    const shown: string[] = [];
    setFocused(false);
    const { one, two, ask, over, clock } = withNotifications('whenHidden', shown, true);
    ask(one, { title: 'Read' });
    ask(two, { title: 'Run' });
    assert.equal(toasts.length, 0);
    over(one);
    setFocused(true);
    assert.equal(toasts.length, 0, 'a click shows the chat first');
    await clock.pass(2_000);
    assert.deepEqual(
      toasts.map(({ message, buttons }) => [message, buttons.length]),
      [['Fake: Run', 4]],
    );
    setFocused(false);
    ask(one, { title: 'Write' });
    setFocused(true);
    shown.push('one');
    await clock.pass(2_000);
    assert.equal(toasts.length, 1, 'its chat is visible');
  });

  it('is shown immediately if nothing reports the request outside the window', () => {
    setFocused(false);
    const { one, ask, over, notifications } = withNotifications('always', [], true);
    const entry = ask(one, { title: 'Read' });
    notifications.show({ sessionId: 'one', entry });
    notifications.show({ sessionId: 'one', entry });
    assert.deepEqual(
      toasts.map(({ message }) => message),
      ['Fake: Read'],
    );
    const next = ask(one, { title: 'Run' });
    over(one);
    notifications.show({ sessionId: 'one', entry: next });
    assert.equal(toasts.length, 1);
  });

  it('shows no links in text of an agent, because a click could run a command', () => {
    const { one, ask } = withNotifications('always', []);
    ask(one, { title: 'Read [details](command:workbench.action.terminal.sendSequence?%7B%7D)' });
    assert.equal(toasts[0]?.message.includes(']('), false);
    assert.match(toasts[0]?.message ?? '', /details/);
  });

  it('escapes icons in the name of an option', () => {
    const { one, asked } = withNotifications('always', []);
    asked(one, one.ask([allowOnce, { ...rejectOnce, name: '$(check) Fine' }]));
    assert.deepEqual(
      toasts[0]?.buttons.map(({ title }) => title),
      ['Allow', '$\u2060(check) Fine', 'Show'],
    );
  });

  it('names an option by its kind if its name looks like Show', () => {
    for (const name of ['Show', 'show …', 'Ｓｈｏｗ', '$(eye) Show', 'Sh\u200bow']) {
      resetStub();
      const { one, asked } = withNotifications('always', []);
      asked(
        one,
        one.ask([
          { ...allowOnce, name },
          { ...rejectOnce, kind: 'other', name },
        ]),
      );
      const titles = toasts[0]?.buttons.map(({ title }) => title.replace('\u2060', ''));
      assert.deepEqual(titles, ['Allow', plainLabel(`“${name}”`).replace('\u2060', ''), 'Show']);
    }
  });

  it('follows the setting', () => {
    const always = withNotifications('always', ['one']);
    always.ask(always.one);
    assert.equal(toasts.length, 1);
    const never = withNotifications('never', []);
    never.ask(never.one);
    assert.equal(toasts.length, 1);
  });

  it('answers with the option that was clicked', async () => {
    const { one, ask } = withNotifications('always', []);
    const entry = ask(one);
    await toasts[0]?.choose('Reject');
    assert.deepEqual(one.calls, [['answer', `p${entry - 1}`, 'r1']]);
  });

  it('does not answer when it is closed', async () => {
    const { one, ask } = withNotifications('always', []);
    ask(one);
    await toasts[0]?.choose(undefined);
    assert.deepEqual(one.calls, []);
    assert.equal(one.state.waiting.length, 1);
  });

  it('shows the request in the chat', async () => {
    const { two, ask, revealed } = withNotifications('always', []);
    const entry = ask(two);
    await toasts[0]?.choose('Show');
    assert.deepEqual(revealed, [['two', entry]]);
    assert.deepEqual(two.calls, []);
  });

  it('does not keep the session of an answered request in memory', async () => {
    const { sessions, asked, revealed } = withNotifications('always', []);
    const closed = (): WeakRef<FakeSession> => {
      const session = new FakeSession('closed');
      asked(session, session.ask(options));
      session.dispatch({ type: 'turnEnded', stopReason: 'cancelled', at: 9 });
      sessions.fireChange(session);
      return new WeakRef(session);
    };
    const ref = closed();
    await collectGarbage();
    assert.equal(ref.deref(), undefined);
    await toasts[0]?.choose('Always allow');
    assert.match(toasts[1]?.message ?? '', /was already answered or withdrawn/);
    await toasts[0]?.choose('Show');
    assert.deepEqual(revealed, [], 'the session is not there any more');
  });

  it('ignores a late click, and reports that', async () => {
    const { one, ask } = withNotifications('always', []);
    ask(one);
    one.dispatch({ type: 'turnEnded', stopReason: 'cancelled', at: 9 });
    await toasts[0]?.choose('Always allow');
    assert.deepEqual(one.calls, []);
    assert.match(toasts[1]?.message ?? '', /was already answered or withdrawn\. Nothing was changed/);
  });

  it('has no answer buttons if it cannot show the complete command', () => {
    const { one, ask } = withNotifications('always', []);
    ask(one, { title: 'Run', rawInput: { command: `echo ${'x'.repeat(500)}; rm -rf ~` } });
    assert.deepEqual(
      toasts[0]?.buttons.map(({ title }) => title),
      ['Show'],
    );
  });

  it('has no answer buttons for a change that it cannot show', () => {
    const { one, ask } = withNotifications('always', []);
    const counts = { isNew: false, added: 9_999, removed: 0, hunks: [], coarse: true };
    const diff = { type: 'diff', diffId: 'd', path: '/work/a.json', label: 'a.json', ...counts } as const;
    ask(one, { title: 'Edit a.json', content: [diff] });
    assert.equal(toasts[0]?.message, 'Fake: Edit a.json (+9999 −0)… Select “Show” to see the full text.');
    assert.deepEqual(
      toasts[0].buttons.map(({ title }) => title),
      ['Show'],
    );
  });

  it('says why the user is asked', () => {
    const { one, asked } = withNotifications('always', []);
    const why = 'the whole file a.md is replaced, and its old text is not shown';
    asked(one, one.ask(options, { title: 'Edit a.md' }, undefined, { why }));
    assert.equal(toasts[0]?.message, `Fake: Edit a.md. T${why.slice(1)}`);
  });

  it('names the chat if several chats have requests, and marks destructive actions', () => {
    const { two, ask, asked } = withNotifications('always', []);
    two.dispatch({ type: 'sessionRenamed', title: 'Clean up' });
    ask(two, { title: 'Run', rawInput: { command: 'rm -rf build' } });
    assert.equal(toasts[0]?.message, 'Fake, “Clean up”: Run (rm -rf build)');
    const entry = two.ask(
      options,
      { title: 'Run', rawInput: { command: 'rm -rf out' } },
      'deletes folders and their contents',
    );
    asked(two, entry);
    assert.match(toasts[1]?.message ?? '', /\(rm -rf out\)\. Destructive: deletes folders/);
    asked(two, two.ask(options, { title: 'Run' }, '> a\u202etxt replaces the content of a\u202etxt'));
    assert.match(toasts[2]?.message ?? '', /Destructive: > a\\u\{202e\}txt replaces/);
  });

  it('distinguishes two equal requests, because VS Code merges messages with the same text', async () => {
    const { one, two, ask } = withNotifications('always', []);
    const first = ask(one, { title: 'Run' });
    const second = ask(two, { title: 'Run' });
    assert.deepEqual(
      toasts.map(({ message }) => message),
      ['Fake: Run', 'Fake: Run (2)'],
    );
    await toasts[1]?.choose('Allow');
    await toasts[0]?.choose('Reject');
    assert.deepEqual(one.calls, [['answer', `p${first - 1}`, 'r1']]);
    assert.deepEqual(two.calls, [['answer', `p${second - 1}`, 'a1']]);
  });

  it('hides the notification of a withdrawn request, and shows the remaining ones again', async () => {
    const { one, two, ask, over } = withNotifications('always', []);
    ask(one, { title: 'Read' });
    const second = ask(two, { title: 'Run' });
    over(one);
    await settled();
    assert.deepEqual(commands, ['notifications.hideToasts']);
    assert.deepEqual(
      toasts.map(({ message }) => message),
      ['Fake: Read', 'Fake: Run', 'Fake: Run'],
    );
    // VS Code closes the first of two equal notifications.
    await toasts[1]?.choose(undefined);
    await toasts[2]?.choose('Allow');
    assert.deepEqual(two.calls, [['answer', `p${second - 1}`, 'a1']]);
    assert.deepEqual(one.calls, []);
  });

  it('hides no notification after its own was closed, disappeared, or gave the answer', async () => {
    const { one, ask, over } = withNotifications('always', []);
    ask(one);
    await toasts[0]?.choose(undefined);
    over(one);
    ask(one);
    await toasts[1]?.choose('Allow');
    const now = performance.now.bind(performance);
    ask(one, { title: 'Old' });
    performance.now = () => now() + 60_000;
    over(one);
    assert.deepEqual(commands, []);
    // In a window without focus VS Code leaves it open.
    performance.now = now;
    ask(one, { title: 'Older' });
    performance.now = () => now() + 60_000;
    setFocused(false);
    over(one);
    performance.now = now;
    await settled();
    assert.deepEqual(commands, ['notifications.hideToasts']);
  });

  it('has as many buttons as fit, the first of each kind', () => {
    const { one, asked } = withNotifications('always', []);
    const more = [
      ...options,
      { optionId: 'a3', name: 'Allow in src', kind: 'allow_always' },
      { optionId: 'r2', name: 'Never', kind: 'reject_always' },
    ] as const;
    asked(one, one.ask(more));
    assert.deepEqual(
      toasts[0]?.buttons.map(({ title }) => title),
      ['Allow', 'Always allow', 'Reject', 'Show'],
    );
    const long = options.map((option) => ({ ...option, name: `${option.name} ${'x'.repeat(60)}` }));
    asked(one, one.ask(long, { title: 'Long' }));
    assert.deepEqual(
      toasts[1]?.buttons.map(({ title }) => title),
      ['Allow', 'Always Allow', 'Reject', 'Show'],
    );
  });

  it('has no button where only the names of several options tell what they allow', () => {
    const { one, asked } = withNotifications('always', []);
    const once = { ...allowOnce, name: 'Yes, and never ask again about anything' };
    const again = { ...allowOnce, optionId: 'a9', name: 'Yes, only this time, and ask me again' };
    asked(one, one.ask([once, again, rejectOnce]));
    assert.deepEqual(
      toasts[0]?.buttons.map(({ title }) => title),
      ['Reject', 'Show'],
    );
  });

  it('uses the kind of an option as button label if the name would be cut', () => {
    const { one, asked } = withNotifications('always', []);
    const named = (...names: readonly string[]) => names.map((name, index) => ({ ...options[index]!, name }));
    const titles = () => toasts.at(-1)?.buttons.map(({ title }) => title);
    asked(one, one.ask(named('Allow once', 'Always allow npm test', 'Reject'), { title: 'A' }));
    assert.deepEqual(titles(), ['Allow once', 'Always Allow', 'Reject', 'Show']);
    asked(one, one.ask(named('允许这一次操作', '始终允许此类操作', '拒绝'), { title: 'B' }));
    assert.deepEqual(titles(), ['允许这一次操作', '始终允许此类操作', '拒绝', 'Show']);
    asked(one, one.ask(named('允许这一次操作执行', '始终允许此类操作执行', '拒绝'), { title: 'C' }));
    assert.deepEqual(titles(), ['Allow', 'Always Allow', '拒绝', 'Show']);
    asked(
      one,
      one.ask([{ optionId: 'o', name: 'Something else, and that at length', kind: 'other' }, ...options], {
        title: 'D',
      }),
    );
    assert.deepEqual(titles(), ['Allow', 'Always allow', 'Reject', 'Show']);
  });

  it('sends the option of the button, whatever its label is', async () => {
    const { one, asked } = withNotifications('always', []);
    const entry = one.ask(options.map((option) => ({ ...option, name: `${option.name} for all of it` })));
    asked(one, entry);
    await toasts[0]?.choose('Always Allow');
    assert.deepEqual(one.calls, [['answer', `p${entry - 1}`, allowAlways.optionId]]);
  });

  it('shows nothing after disposal', () => {
    const { one, ask, notifications } = withNotifications('always', []);
    notifications.dispose();
    ask(one);
    assert.equal(toasts.length, 0);
  });
});

describe('ui/permissions/pendingRequestPicker', () => {
  beforeEach(resetStub);

  /** Open long enough for a list to accept an answer; uses the test's own clock. */
  function atLater<T>(run: () => T): T {
    const now = performance.now.bind(performance);
    performance.now = () => now() + 600;
    try {
      return run();
    } finally {
      performance.now = now;
    }
  }

  it('answers a request of any session with the agent’s option names', async () => {
    const { one, two, sessions, reveal, ask } = setUp();
    ask(one);
    const entry = ask(two, { title: 'Run', rawInput: { command: 'npm test' } });
    const shown = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true })).show();
    assert.deepEqual(picks[0]?.labels, ['Do it', 'Run']);
    atLater(() => picks[0]?.accept('Run'));
    await settled();
    assert.deepEqual(picks[1]?.labels, [
      '$(eye) Show in Chat',
      'Allow',
      'Always allow',
      'Reject',
      '$(comment) Reject and Explain…',
    ]);
    assert.equal(picks[1].placeholder, 'npm test');
    atLater(() => picks[1]?.accept('Allow'));
    await shown;
    assert.deepEqual(two.calls, [['answer', `p${entry - 1}`, 'a1']]);
  });

  it('names an option by its kind if its name looks like the row that shows the request', async () => {
    const { one, two, sessions, reveal, ask } = setUp();
    ask(one, { title: 'Read' });
    two.ask([{ ...allowOnce, name: '$(eye) Show in Chat' }, rejectOnce], { title: 'Run' });
    void new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true })).show();
    atLater(() => picks[0]?.accept('Run'));
    await settled();
    assert.deepEqual(picks[1]?.labels, ['$(eye) Show in Chat', 'Allow', 'Reject', '$(comment) Reject and Explain…']);
  });

  it('opens the only request directly', async () => {
    const { two, sessions, reveal, revealed, ask } = setUp();
    const entry = ask(two);
    await new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true })).show();
    assert.deepEqual([picks.length, revealed.length], [0, 1]);
    assert.deepEqual(revealed.at(-1), ['two', entry]);
  });

  it('ignores answers in the first half second', async () => {
    const { one, two, sessions, reveal, ask } = setUp();
    ask(one);
    ask(two);
    const shown = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true })).show();
    picks[0]?.accept('Do it');
    await settled();
    assert.equal(picks.length, 1, 'the second list was not opened');
    picks[0]?.hide();
    await shown;
    assert.deepEqual(one.calls, []);
  });

  it('removes requests answered elsewhere, and ignores answers for half a second after a change', async () => {
    const { one, two, sessions, reveal, ask, over } = setUp();
    ask(one, { title: 'first' });
    const entry = ask(two, { title: 'second' });
    const shown = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true })).show();
    assert.deepEqual(picks[0]?.labels, ['first', 'second']);
    assert.equal(picks[0].busy, true);
    const now = performance.now.bind(performance);
    performance.now = () => now() + 600;
    try {
      over(one);
      assert.deepEqual(picks[0].labels, ['second']);
      picks[0].accept('second');
      await settled();
      assert.equal(picks.length, 1, 'the rows have just moved');
    } finally {
      performance.now = now;
    }
    performance.now = () => now() + 1200;
    picks[0].accept('second');
    performance.now = now;
    await settled();
    assert.equal(picks[1]?.title, 'second');
    two.userRequests.answer(`p${entry - 1}`, 'r1');
    sessions.fireChange(two);
    await shown;
    assert.deepEqual(two.calls, [['answer', `p${entry - 1}`, 'r1']]);
  });

  it('names the chat, marks destructive actions, and escapes icons of an agent', async () => {
    const { one, two, sessions, reveal } = setUp();
    two.ask(options);
    one.dispatch({ type: 'sessionRenamed', title: 'Clean $(check) up' });
    one.ask(options, { title: 'Remove $(check)', rawInput: { command: 'rm -rf out' } }, 'it deletes folders');
    const inbox = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true }));
    const shown = inbox.show();
    assert.equal(picks[0]?.labels[0]?.includes('$(check)'), false);
    assert.match(picks[0]?.labels[0] ?? '', /^Remove/);
    atLater(() => picks[0]?.accept(picks[0].labels[0] ?? ''));
    await settled();
    assert.equal(picks[1]?.placeholder, 'rm -rf out. Destructive: it deletes folders');
    picks[1].hide();
    await shown;
  });

  it('allows nothing that its lines do not show', async () => {
    const { one, sessions, reveal, ask } = setUp();
    const long = ask(one, { title: 'Run', rawInput: { command: `echo ${'W'.repeat(240)} && rm -r src` } });
    ask(one, { title: 'Test', rawInput: { command: 'npm test' } });
    const picker = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true }));
    for (const show of [() => picker.show(), () => picker.answerBy(['allow_once'])]) {
      const shown = show();
      atLater(() => picks.at(-1)?.accept('Run'));
      await settled();
      assert.deepEqual(picks.at(-1)?.labels[0], '$(eye) Show in Chat');
      assert.equal(picks.at(-1)?.labels.includes('Allow'), false);
      picks.at(-1)?.hide();
      await shown;
    }
    assert.deepEqual(one.calls, []);
    const rejecting = picker.answerBy(['reject_once']);
    atLater(() => picks.at(-1)?.accept('Run'));
    await rejecting;
    assert.deepEqual(one.calls, [['answer', `p${long - 1}`, 'r1']]);
  });

  it('shows a longer request in several rows, below which it can be allowed', async () => {
    const { one, sessions, reveal, ask } = setUp();
    const command = `echo ${'W'.repeat(36)} && rm -r src`;
    const long = ask(one, { title: 'Run', rawInput: { command } });
    ask(one, { title: 'Test', rawInput: { command: 'npm test' } });
    const shown = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true })).answerBy([
      'allow_once',
    ]);
    atLater(() => picks.at(-1)?.accept('Run'));
    await settled();
    const list = picks.at(-1);
    const [title, ...rows] = list?.labels ?? [];
    assert.equal(title, 'Run');
    assert.deepEqual(rows, [`echo ${'W'.repeat(36)} `, '&& rm -r src', '$(eye) Show in Chat', 'Allow']);
    assert.deepEqual(list?.active, ['Run'], 'the first row has the focus');
    atLater(() => list?.accept('Allow'));
    await shown;
    assert.deepEqual(one.calls, [['answer', `p${long - 1}`, 'a1']]);
  });

  it('shows a longer edit with a row for each changed line', async () => {
    const { one, sessions, reveal, ask } = setUp();
    const lines = ['removed', 'added', 'added'] as const;
    const texts = ['  ' + 'a'.repeat(40), '  ' + 'b'.repeat(40), '  ' + 'c '.repeat(20)];
    const hunk = { oldStart: 1, newStart: 1, lines: lines.map((type, at) => ({ type, text: texts[at] ?? '' })) };
    const counts = { isNew: false, added: 2, removed: 1, hunks: [hunk] };
    const diff = { type: 'diff', diffId: 'd', path: '/work/a.ts', label: 'a.ts', ...counts } as const;
    ask(one, { title: 'Edit a.ts', content: [diff] });
    ask(one, { title: 'Test', rawInput: { command: 'npm test' } });
    void new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true })).answerBy(['allow_once']);
    atLater(() => picks.at(-1)?.accept('Edit a.ts'));
    await settled();
    assert.deepEqual(picks.at(-1)?.labels, [
      'Edit a.ts',
      `−   ${'a'.repeat(40)}`,
      `+   ${'b'.repeat(40)}`,
      `+   ${'c '.repeat(20)}`,
      '$(eye) Show in Chat',
      'Allow',
    ]);
    picks.at(-1)?.hide();
  });

  it('answers the only request by command, with the first option of its kind', async () => {
    const { one, sessions, reveal, ask } = setUp();
    const inbox = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true }));
    const first = ask(one);
    await inbox.answerBy(['allow_once']);
    const second = ask(one);
    await inbox.answerBy(['reject_once', 'reject_always']);
    assert.deepEqual(one.calls, [
      ['answer', `p${first - 1}`, 'a1'],
      ['answer', `p${second - 1}`, 'r1'],
    ]);
    assert.equal(picks.length, 0);
  });

  it('answers the request of the clicked row, and lists the options of a new one in its place', async () => {
    const { one, two, sessions, reveal, ask } = setUp();
    const inbox = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true }));
    ask(one);
    const entry = ask(two);
    sessions.activate(two);
    await inbox.answerBy(['allow_once'], two.id);
    assert.deepEqual([one.calls, two.calls], [[], [['answer', `p${entry - 1}`, 'a1']]]);

    const fresh = { permissionId: 'new', tool: entry - 1, title: 'Other', options: [allowOnce], at: Date.now() };
    two.dispatch({ type: 'permissionAsked', ...fresh });
    const deciding = inbox.answerBy(['allow_once'], two.id);
    assert.deepEqual(picks[0]?.labels, ['$(eye) Show in Chat', 'Allow']);
    picks[0].hide();
    await deciding;
    assert.equal(two.calls.length, 1);
  });

  for (const [how, outcome] of [
    ['withdrawn', { type: 'canceled', reason: 'withdrawn' }],
    ['answered', { type: 'selected', optionId: 'a1', by: 'person' }],
  ] as const) {
    it(`lists the options of a request that has just taken the place of an ${how} one`, async () => {
      const { one, sessions, reveal, ask } = setUp();
      const inbox = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true }));
      const entry = ask(one);
      const fresh = { permissionId: 'new', tool: entry - 1, title: 'Other', options: [allowOnce], at: Date.now() };
      one.dispatch({ type: 'permissionAnswered', entry, outcome, at: Date.now() - 2_000 });
      for (let count = 0; count < 30; count++)
        one.dispatch({ type: 'toolStarted', toolCallId: `t${count}`, patch: { title: 'Read' }, at: 1 });
      one.dispatch({ type: 'permissionAsked', ...fresh });
      const deciding = inbox.answerBy(['allow_once']);
      assert.deepEqual(picks[0]?.labels, ['$(eye) Show in Chat', 'Allow']);
      picks[0].hide();
      await deciding;
      assert.deepEqual(one.calls, []);
    });
  }

  it('shows a long request of a hidden chat before it allows it', async () => {
    const { one, sessions, reveal, ask } = setUp();
    ask(one, { title: 'Run', rawInput: { command: `echo ${'x '.repeat(3_000)}; rm -rf src` } });
    const deciding = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => false })).answerBy([
      'allow_once',
    ]);
    assert.deepEqual(picks[0]?.labels, ['$(eye) Show in Chat']);
    picks[0].hide();
    await deciding;
    assert.deepEqual(one.calls, []);
  });

  it('shows the request of a row whose session is not in the chat before it allows it', async () => {
    const { two, sessions, reveal, ask } = setUp();
    const inbox = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true }));
    const entry = ask(two, { title: 'Run', rawInput: { command: 'rm -r src' } });
    const deciding = inbox.answerBy(['allow_once'], two.id);
    assert.deepEqual(two.calls, []);
    assert.deepEqual([picks[0]?.title, picks[0]?.placeholder], ['Run', 'rm -r src']);
    assert.deepEqual(picks[0]?.labels, ['$(eye) Show in Chat', 'Allow']);
    atLater(() => picks[0]?.accept('Allow'));
    await deciding;
    assert.deepEqual(two.calls, [['answer', `p${entry - 1}`, 'a1']]);
    const rejected = ask(two);
    await inbox.answerBy(['reject_once', 'reject_always'], two.id);
    assert.deepEqual(two.calls[1], ['answer', `p${rejected - 1}`, 'r1']);
  });

  it('asks for the request if several are pending, and for the option if two have the same kind', async () => {
    const { one, sessions, reveal, ask } = setUp();
    const inbox = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true }));
    ask(one, { title: 'first' });
    ask(one, { title: 'second' });
    const answered = inbox.answerBy(['allow_once']);
    assert.deepEqual(picks[0]?.labels, ['first', 'second']);
    picks[0].hide();
    await answered;
    assert.deepEqual(one.calls, []);

    const other = setUp();
    other.one.ask([{ ...allowOnce, optionId: 'x', name: 'Allow in folder' }, allowOnce, rejectOnce]);
    const deciding = new PendingRequestPicker(
      other.sessions,
      stubOf<Chat>({ reveal: other.reveal, isShown: () => true }),
    ).answerBy(['allow_once']);
    assert.deepEqual(picks[1]?.labels, ['$(eye) Show in Chat', 'Allow in folder', 'Allow']);
    picks[1].hide();
    await deciding;
    assert.deepEqual(other.one.calls, []);
  });

  it('never selects “always” for “once”', async () => {
    const { one, sessions, reveal } = setUp();
    one.ask([allowAlways, rejectOnce]);
    const deciding = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true })).answerBy([
      'allow_once',
    ]);
    assert.deepEqual(one.calls, []);
    assert.deepEqual(picks[0]?.labels, [
      '$(eye) Show in Chat',
      'Always allow',
      'Reject',
      '$(comment) Reject and Explain…',
    ]);
    picks[0].hide();
    await deciding;
  });

  it('reports that no request is pending', async () => {
    const { sessions, reveal } = setUp();
    const inbox = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true }));
    await inbox.show();
    await inbox.answerBy(['allow_once']);
    assert.deepEqual(
      toasts.map(({ message }) => message),
      ['No requests are waiting.', 'No requests are waiting.'],
    );
  });
});
