import { resetStub, toasts } from '../vscodeStub';
import { ViewStub, asPanel, asView, extensionUri, panels, resetWebviews } from '../webviewStub';
import assert from 'node:assert/strict';
import type { Uri, ViewColumn } from 'vscode';
import { Emitter } from '../../../../src/base/event';
import type { Logger } from '../../../../src/base/logger';
import { nullLogger } from '../../../../src/base/logger';
import type { PageMessage } from '../../../../src/shared/protocol/chatPageProtocol';
import { ChatPages } from '../../../../src/ui/chat/chatPages';
import type { Badge } from '../../../../src/ui/chat/chatView';
import { DraftStore } from '../../../../src/ui/chat/draftStore';
import type { ToolsPanelSource, Intent } from '../../../../src/ui/window';
import type { Notice } from '../../../../src/workbench/notice';
import { hostile } from '../../../kit/hostile';
import { MemoryMemento } from '../../../kit/memoryMemento';
import { stubOf, standIn } from '../../../kit/stubOf';
import { settled, until } from '../../../kit/waiting';
import { FakeSession, FakeSessions, allowOnce, rejectOnce } from '../fakes';

/** View columns as VS Code numbers them. */
const [BESIDE, SECOND] = standIn<[ViewColumn, ViewColumn]>([-2, 2]);

interface Meant {
  readonly intent: Intent;
  readonly session: string;
}

const show = (pages: ChatPages, view: ViewStub): void => pages.view.resolveWebviewView(asView(view));

/** @param withView VS Code has created the view. */
function setUp(withView = true) {
  resetStub();
  resetWebviews();
  const [one, two] = [new FakeSession('one'), new FakeSession('two')] as const;
  const sessions = new FakeSessions([one, two]);
  const meant: Meant[] = [];
  const warnings: string[] = [];
  const notified: string[][] = [];
  const stored = new Map<string, unknown>();
  const memory = new MemoryMemento(stored);
  const log: Logger = { ...nullLogger, warn: (_tag: string, message: string) => void warnings.push(message) };
  const unchanged = new Emitter<void>().event;
  const pages = new ChatPages({
    extensionUri: extensionUri as Uri,
    sessions,
    tools: stubOf<ToolsPanelSource>({ onDidChange: unchanged }),
    drafts: new DraftStore(memory),
    environment: { environment: () => ({ agents: [], trusted: true, mac: false }), onDidChange: unchanged },
    log,
  });
  pages.onDidAct(({ intent, from: { session } }) => {
    meant.push({ intent, session: session.id });
    if (intent.type === 'answerPermission') session.userRequests.answer(intent.permissionId, intent.optionId);
  });
  pages.onDidUseNotification(({ type, id }) => notified.push([type, id]));
  const view = new ViewStub();
  if (withView) show(pages, view);
  return { one, two, sessions, pages, meant, notified, warnings, stored, memory, view };
}

const actionsIn = (posted: readonly { type: string; actions?: readonly unknown[] }[]): number =>
  posted.reduce((sum, { actions = [] }) => sum + actions.length, 0);

describe('ui/chat/chatPages', () => {
  it('sends a message written during a switch to the session in which it was written', async () => {
    const { one, two, sessions, view, meant } = setUp();
    view.webview.load();
    sessions.activate(two);
    // The page has not been notified yet.
    view.webview.say({ type: 'send', text: 'for one' }, one.id);
    view.webview.say({ type: 'answerPermission', permissionId: 'p', optionId: 'o' }, one.id);
    await until(() => view.webview.ofType('snapshot').some(({ state }) => state.id === two.id));
    view.webview.acknowledge();
    view.webview.say({ type: 'send', text: 'for two' }, two.id);
    assert.deepEqual(
      meant.map(({ intent, session }) => [intent.type, session]),
      [
        ['send', 'one'],
        ['answerPermission', 'one'],
        ['send', 'two'],
      ],
    );
  });

  it('ignores messages for a session that the page never showed', () => {
    const { two, view, meant, warnings } = setUp();
    view.webview.load();
    view.webview.say({ type: 'send', text: 'x' }, two.id);
    view.webview.say(hostile({ type: 'send', text: 'x', session: { toString: 1 } }));
    assert.deepEqual(meant, []);
    assert.match(warnings[0] ?? '', /Ignored "send" for session "two", which is not open here/);
    assert.match(warnings[1] ?? '', /session \(object\)/);
    view.webview.say({ type: 'findPlaces', texts: ['a.txt'] }, two.id);
    assert.equal(warnings.length, 2, 'no warning for what the page asks by itself');
  });

  it('returns a message whose session was closed before it arrived', async () => {
    const { one, two, sessions, view, meant } = setUp();
    view.webview.load();
    sessions.activate(two);
    sessions.close(one);
    view.webview.say({ type: 'send', text: 'too late' }, one.id);
    await until(() => view.webview.ofType('sendRefused').length > 0);
    assert.deepEqual(meant, []);
    const [refused] = view.webview.ofType('sendRefused');
    assert.deepEqual([refused?.session, refused?.text], ['two', 'too late']);
    assert.match(refused?.reason ?? '', /closed/);
  });

  it('synchronizes each page separately, so that a blocked page does not delay others', async () => {
    const { one, two, pages, view } = setUp();
    view.webview.load();
    await pages.tabs.open(two);
    const tab = panels[0]!.webview;
    tab.say({ type: 'ready' });
    for (let i = 0; i < 20; i++) {
      one.dispatch({ type: 'textAppended', role: 'agent', text: `a${i}`, at: i });
      two.dispatch({ type: 'textAppended', role: 'agent', text: `b${i}`, at: i });
      await until(() => actionsIn(view.webview.posted) === i + 1);
      view.webview.acknowledge();
    }
    assert.equal(actionsIn(view.webview.posted), 20);
    // A snapshot and three posts are not acknowledged; then the host waits.
    assert.equal(tab.posted.filter(({ type }) => type === 'actions' || type === 'snapshot').length, 4);
    tab.acknowledge();
    await until(() => tab.ofType('actions').at(-1)?.last === 20);
    assert.equal(tab.ofType('actions').length, 4, 'what waited comes in one post');
  });

  it('updates both pages of a session, and answers a request once', async () => {
    const { one, pages, view } = setUp();
    view.webview.load();
    await pages.tabs.open(one);
    panels[0]!.webview.load();
    one.ask([allowOnce, rejectOnce]);
    view.webview.say({ type: 'answerPermission', permissionId: 'p1', optionId: 'a1' }, one.id);
    panels[0]!.webview.say({ type: 'answerPermission', permissionId: 'p1', optionId: 'r1' }, one.id);
    await until(() =>
      [view.webview, panels[0]!.webview].every((page) => page.ofType('actions').at(-1)?.last === one.seq),
    );
    for (const { posted } of [view.webview, panels[0]!.webview]) {
      const answered = posted.flatMap((message) =>
        message.type === 'actions' ? message.actions.filter(({ type }) => type === 'permissionAnswered') : [],
      );
      assert.equal(answered.length, 1);
    }
  });

  it('copies a draft to the other page of the session, and never replaces a newer text', async () => {
    const { one, pages, view, memory } = setUp();
    view.webview.load();
    await pages.tabs.open(one);
    const tab = panels[0]!.webview;
    tab.load();
    view.webview.say({ type: 'draft', text: 'half a', attached: [{ kind: 'problems', label: 'P' }], at: 10 }, one.id);
    tab.say({ type: 'draft', text: 'half a sentence', at: 20 }, one.id);
    view.webview.say({ type: 'draft', text: 'late', at: 15 }, one.id);
    await until(() => tab.ofType('draft').length > 0 && view.webview.ofType('draft').length > 0);
    assert.equal(tab.ofType('draft').at(-1)?.text, 'half a');
    const last = view.webview.ofType('draft').at(-1);
    assert.deepEqual([last?.text, last?.attached], ['half a sentence', [{ kind: 'problems', label: 'P' }]]);
    // After a reload of the window.
    assert.equal(new DraftStore(memory).get(one.id)?.text, 'half a sentence');
  });

  it('sends a page that is shown again the draft written elsewhere', async () => {
    const { one, pages, view } = setUp();
    await pages.tabs.open(one);
    panels[0]!.webview.load();
    panels[0]!.change(false, false);
    view.webview.load();
    view.webview.say({ type: 'draft', text: 'meanwhile', at: 10 }, one.id);
    panels[0]!.webview.posted.length = 0;
    panels[0]!.change(true, false);
    panels[0]!.webview.load();
    await until(() => panels[0]!.webview.ofType('draft').length > 0);
    assert.equal(panels[0]!.webview.ofType('draft')[0]?.text, 'meanwhile');
    assert.equal(panels[0]!.webview.ofType('snapshot').length, 1);
  });

  it('sends the draft before an insertion into it', async () => {
    const { one, pages, view } = setUp();
    view.webview.load();
    view.webview.say({ type: 'draft', text: 'written', at: 10 }, one.id);
    view.change(false);
    view.webview.posted.length = 0;
    await pages.compose('added', []);
    view.change(true);
    view.webview.load();
    assert.deepEqual(
      view.webview.posted.map(({ type }) => type),
      ['snapshot', 'draft', 'compose'],
    );
  });

  it('opens one tab for a session, and reveals it instead of a second', async () => {
    const { two, sessions, pages } = setUp();
    const tab = await pages.tabs.open(two);
    panels[0]!.change(false, false);
    assert.deepEqual(sessions.lookedAt, [], 'a hidden tab is not looked at');
    assert.equal(await pages.tabs.open(two, BESIDE), tab);
    assert.equal(panels.length, 1);
    assert.deepEqual([sessions.held, sessions.lookedAt], [['two'], ['two']]);
    panels[0]!.dispose();
    assert.deepEqual([sessions.held, sessions.lookedAt], [[], []]);
    assert.equal(pages.tabs.tabOf(two), undefined);
  });

  it('uses the session that the user focused last for commands', async () => {
    const { one, two, sessions, pages, view } = setUp();
    view.webview.load();
    await pages.tabs.open(two);
    assert.equal(sessions.active, two);
    assert.equal(sessions.viewSession, one, 'the view keeps its own');
    await pages.compose('into the tab', []);
    view.webview.say({ type: 'focused' });
    assert.equal(sessions.active, one);
    await pages.attach([], ['into the view']);
    panels[0]!.webview.load();
    await until(() => panels[0]!.webview.ofType('compose').length === 1);
    await until(() => view.webview.ofType('attach').length === 1);
    panels[0]!.change(true, true);
    assert.equal(sessions.active, two);
    panels[0]!.dispose();
    assert.equal(sessions.active, one, 'the person is in the view when the tab is gone');
  });

  it('reveals a request in the tab of its session, else in the view', async () => {
    const { one, two, sessions, pages, view } = setUp();
    view.webview.load();
    await pages.tabs.open(two);
    const tab = panels[0]!;
    tab.webview.load();
    tab.change(false, false);
    await pages.reveal({ session: two, entry: 3 });
    assert.deepEqual([tab.visible, sessions.viewSession], [true, one]);
    tab.webview.load();
    await until(() => tab.webview.ofType('reveal')[0]?.entry === 3);
    const three = sessions.open.create('three');
    await pages.reveal({ session: three, entry: 1 });
    await until(() => view.webview.ofType('reveal')[0]?.entry === 1);
    assert.equal(sessions.viewSession.id, 'three');
  });

  it('inserts a message into a view that VS Code has not created yet', async () => {
    const { pages } = setUp(false);
    await pages.compose('Fix this', []);
    await pages.compose('and this', []);
    await pages.focus();
    const view = new ViewStub();
    show(pages, view);
    view.webview.load();
    assert.deepEqual(
      view.webview.posted.map(({ type }) => type),
      ['snapshot', 'compose', 'compose', 'focusComposer'],
    );
  });

  it('treats a session as shown if a visible page shows it', async () => {
    const { one, two, pages, view } = setUp();
    assert.deepEqual([pages.isShown(one), pages.isShown(two)], [true, false]);
    await pages.tabs.open(two);
    view.change(false);
    assert.deepEqual([pages.isShown(one), pages.isShown(two)], [false, true]);
    panels[0]!.change(false, false);
    assert.equal(pages.isShown(two), false);
  });

  it('plays a sound in one visible page only', async () => {
    const { two, pages, view } = setUp();
    view.webview.load();
    await pages.tabs.open(two);
    panels[0]!.webview.load();
    view.change(false);
    pages.playSound('finished');
    await until(() => panels[0]!.webview.ofType('playSound').length === 1);
    assert.equal(view.webview.ofType('playSound').length, 0);
  });
});

describe('ui/chat/chatNotices', () => {
  const texts = ({ webview }: { readonly webview: ViewStub['webview'] }): (string | undefined)[] =>
    webview.ofType('notice').map(({ notice }) => notice?.text);
  const done: Notice = { text: 'Undid changes in 3 files', details: ['a.ts: unsaved'] };

  it('are shown in the visible page of their session only', async () => {
    const { one, two, pages, view } = setUp();
    view.webview.load();
    await pages.tabs.open(two);
    panels[0]!.webview.load();
    pages.notices.show(done, one.id);
    await until(() => texts(view).length === 1);
    assert.deepEqual([texts(view), texts(panels[0]!), toasts.length], [[done.text], [], 0]);
    assert.deepEqual(view.webview.ofType('notice')[0]?.notice?.details, ['a.ts: unsaved']);
  });

  it('are notifications while no page shows the session, with the same button', async () => {
    const { one, pages, view } = setUp();
    view.webview.load();
    view.change(false);
    const ran: string[] = [];
    const button = { label: 'Redo', run: async () => void ran.push('redone') };
    pages.notices.show({ ...done, button }, one.id);
    assert.equal(toasts[0]?.message, 'Undid changes in 3 files a.ts: unsaved');
    assert.deepEqual(toasts[0].buttons, [{ title: 'Redo' }]);
    pages.notices.show({ ...done, isOnlyInChat: true }, one.id);
    assert.deepEqual([toasts.length, ran, texts(view)], [1, [], []]);
  });

  it('without a session are shown in the visible page', async () => {
    const { pages, view } = setUp();
    view.webview.load();
    pages.notices.show(done);
    await until(() => texts(view).length === 1);
    assert.equal(toasts.length, 0);
  });

  for (const [how, go] of [
    ['the next message', (id) => ({ type: 'send', text: 'next', id })],
    ['a close button', (id) => ({ type: 'dismissNotice', id })],
    ['its button', (id) => ({ type: 'pressNotice', id })],
  ] as const satisfies readonly [string, (id: string) => PageMessage & { readonly id: string }][]) {
    it(`are removed by ${how}`, async () => {
      const { one, pages, view, meant } = setUp();
      view.webview.load();
      const ran: string[] = [];
      pages.notices.show({ ...done, button: { label: 'Redo', run: async () => void ran.push('redone') } }, one.id);
      await until(() => texts(view).length === 1);
      view.webview.say(go(view.webview.ofType('notice')[0]?.notice?.id ?? ''), one.id);
      await until(() => texts(view).length === 2);
      assert.deepEqual(texts(view), [done.text, undefined]);
      assert.deepEqual(ran, how === 'its button' ? ['redone'] : []);
      assert.equal(meant.length, how === 'the next message' ? 1 : 0);
    });
  }

  it('disappear with the next action, and ignore a late click', async () => {
    const { one, pages, view } = setUp();
    view.webview.load();
    const ran: string[] = [];
    pages.notices.show({ ...done, button: { label: 'Redo', run: async () => void ran.push('redone') } }, one.id);
    await until(() => texts(view).length === 1);
    pages.notices.show(undefined, one.id);
    await until(() => texts(view).length === 2);
    view.webview.say({ type: 'pressNotice', id: view.webview.ofType('notice')[0]?.notice?.id ?? '' }, one.id);
    assert.deepEqual(ran, []);
  });

  it('reappear after a reload of the page, and with their session', async () => {
    const { one, two, sessions, pages, view } = setUp();
    view.webview.load();
    pages.notices.show(done, one.id);
    await until(() => texts(view).length === 1);
    view.change(false);
    view.change(true);
    view.webview.load();
    const [first, again] = view.webview.ofType('notice');
    assert.equal(again?.notice?.id, first?.notice?.id);
    sessions.activate(two);
    await until(() => texts(view).length === 3);
    sessions.activate(one);
    await until(() => texts(view).length === 4);
    assert.deepEqual(texts(view), [done.text, done.text, undefined, done.text]);
  });

  it('are limited to the length of a row', async () => {
    const { one, pages, view } = setUp();
    view.webview.load();
    pages.notices.show(
      { text: 'x'.repeat(9_000), details: Array.from({ length: 99 }, (_each, at) => `${at}`) },
      one.id,
    );
    await until(() => texts(view).length === 1);
    const shown = view.webview.ofType('notice')[0]?.notice;
    assert.deepEqual([(shown?.text.length ?? 0) <= 500, shown?.details.length], [true, 20]);
  });
});

describe('ui/chat/chatView', () => {
  it('takes over a page that was loaded before the application', () => {
    const { pages } = setUp(false);
    const view = new ViewStub();
    view.webview.html = 'loaded';
    pages.view.resolveWebviewView(asView(view), [{ type: 'ready' }]);
    assert.equal(view.webview.html, 'loaded');
    assert.equal(view.webview.ofType('snapshot').length, 1);
  });

  it('leaves the badge to another view until it is shown for the first time', () => {
    const { pages } = setUp(false);
    const tree: { badge: Badge } = { badge: undefined };
    pages.view.setBadge({ value: 1, tooltip: '1 waiting' }, tree);
    assert.equal(tree.badge?.value, 1);
    const view = new ViewStub();
    show(pages, view);
    assert.deepEqual([view.badge, tree.badge], [{ value: 1, tooltip: '1 waiting' }, undefined]);
    pages.view.setBadge(undefined, tree);
    assert.deepEqual([view.badge, tree.badge], [undefined, undefined]);
  });
});

describe('ui/chat/chatTabs', () => {
  it('names the session and shows its state', async () => {
    const { two, sessions, pages } = setUp();
    await pages.tabs.open(two);
    const panel = panels[0]!;
    assert.equal(panel.title, 'New Chat');
    assert.equal(panel.iconPath?.dark.path, '/ext/media/tab/idle-dark.svg');
    two.dispatch({ type: 'titleChanged', title: 'Fix the\nparser' });
    two.ask([allowOnce]);
    sessions.fireChange(two);
    await settled();
    assert.equal(panel.title, 'Fix the (waiting for you)');
    assert.equal(panel.iconPath?.light.path, '/ext/media/tab/waiting-light.svg');
    two.userRequests.answer('p1', 'a1');
    sessions.fireChange(two);
    await settled();
    assert.equal(panel.iconPath?.light.path, '/ext/media/tab/running-light.svg');
    two.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 9 });
    sessions.unread.add('two');
    sessions.fireChange(two);
    await settled();
    assert.deepEqual([panel.title, panel.iconPath?.light.path], ['Fix the', '/ext/media/tab/unread-light.svg']);
  });

  it('restores tabs with a transcript or without messages, but none of deleted sessions', async () => {
    const { two, sessions, pages } = setUp();
    const { PanelStub } = await import('../webviewStub');
    const restore = async (state: unknown) => {
      const panel = new PanelStub();
      panel.active = false;
      await pages.tabs.deserializeWebviewPanel(asPanel(panel), state);
      return panel;
    };
    const known = await restore({ drafts: {}, session: { id: 'two', blank: false } });
    assert.ok(pages.tabs.tabOf(two));
    assert.match(known.webview.html, /page\.js/);
    const blank = await restore({ session: { id: 'empty', blank: true, preset: 'Deep work' } });
    assert.deepEqual([blank.closed, sessions.allOpen().at(-1)?.id], [false, 'empty']);
    assert.deepEqual(sessions.sessions.at(-1)?.calls, [['choosePreset', 'Deep work']]);
    for (const state of [undefined, {}, { session: { id: 'deleted', blank: false } }, { session: 7 }]) {
      assert.equal((await restore(state)).closed, true, JSON.stringify(state));
    }
    assert.equal((await restore({ session: { id: 'two', blank: false } })).closed, true, 'one tab for a session');
    assert.equal(toasts.length, 0);
    assert.equal(sessions.active.id, 'one', 'tabs in the background take nothing over');
  });

  it('explains why a transcript could not be read', async () => {
    const { sessions, pages } = setUp();
    const { PanelStub } = await import('../webviewStub');
    Object.assign(sessions.open, { load: async () => Promise.reject(new Error('written by a newer Parley')) });
    const panel = new PanelStub();
    await pages.tabs.deserializeWebviewPanel(asPanel(panel), { session: { id: 'x', blank: false } });
    assert.equal(panel.closed, true);
    assert.match(toasts[0]?.message ?? '', /written by a newer Parley/);
  });

  it('closes the tab of a closed session, but no tab when the window closes', async () => {
    const { one, two, sessions, pages } = setUp();
    await pages.tabs.open(one);
    await pages.tabs.open(two);
    sessions.close(two);
    assert.deepEqual(
      panels.map(({ closed }) => closed),
      [false, true],
    );
    pages.dispose();
    assert.equal(panels[0]!.closed, false, 'VS Code brings back what is open');
  });

  it('opens a new chat from a tab in a tab, and from the view in the view', async () => {
    const { two, sessions, pages, view } = setUp();
    const tab = await pages.tabs.open(two, SECOND);
    tab.page.newChat('other');
    await settled();
    const opened = sessions.sessions.at(-1) as FakeSession;
    assert.ok(pages.tabs.tabOf(opened));
    assert.deepEqual([opened.calls, panels.at(-1)?.viewColumn], [[['chooseAgent', 'other']], 2]);
    pages.view.page.newChat();
    assert.deepEqual(sessions.calls, [['newChat', undefined]]);
    assert.equal(view.visible, true);
  });

  it('shows a system notification in one visible page with permission, but not in a hidden or reloaded page', async () => {
    const { one, two, pages, view, notified } = setUp();
    const notification = { id: 'n1', title: 'Title', body: 'Body' };
    view.webview.load();
    assert.equal(await pages.showNotification(notification), false, 'not known to be permitted');
    view.webview.say({ type: 'notificationPermission', granted: true });
    await pages.tabs.open(two);
    const tab = panels[0]!;
    tab.webview.load();
    tab.webview.say({ type: 'notificationPermission', granted: true });
    assert.equal(await pages.showNotification(notification), true);
    const shown = [view.webview, tab.webview].flatMap((webview) => webview.ofType('showNotification'));
    assert.deepEqual(shown, [{ type: 'showNotification', ...notification }]);
    view.webview.say({ type: 'notificationClicked', id: 'n1' }, one.id);
    view.webview.say({ type: 'notificationFailed', id: 'n1' }, 'a session that was never here');
    assert.deepEqual(notified, [
      ['notificationClicked', 'n1'],
      ['notificationFailed', 'n1'],
    ]);
    tab.webview.say({ type: 'notificationPermission', granted: false });
    view.change(false);
    assert.equal(await pages.showNotification(notification), false);
    view.change(true);
    assert.equal(await pages.showNotification(notification), true, 'the page was kept');
    view.dispose();
    const again = new ViewStub();
    pages.view.resolveWebviewView(asView(again));
    again.webview.load();
    assert.equal(await pages.showNotification(notification), false, 'a new page has not said so yet');
  });
});
