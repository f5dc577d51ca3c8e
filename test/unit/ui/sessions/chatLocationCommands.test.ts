import { picks, resetStub, toasts } from '../vscodeStub';
import { resetWebviews } from '../webviewStub';
import assert from 'node:assert/strict';
import type { SessionListItem } from '../../../../src/history/sessionSummary';
import type { Session } from '../../../../src/session/session';
import type { SessionCatalog } from '../../../../src/session/sessionCatalog';
import { ChatLocationCommands } from '../../../../src/ui/sessions/chatLocationCommands';
import { pickSession } from '../../../../src/ui/sessions/sessionPicker';
import type { Chat } from '../../../../src/ui/window';
import { sessionItem } from '../../../kit/sessionItem';
import { stubOf } from '../../../kit/stubOf';
import { until } from '../../../kit/waiting';
import { FakeSession, FakeSessions } from '../fakes';

function setUp(archived: readonly string[] = []) {
  resetStub();
  resetWebviews();
  const all = ['one', 'two', 'three'].map((id) => new FakeSession(id));
  const sessions = new FakeSessions([...all]);
  const calls: unknown[][] = [];
  /** Sessions whose agent was started. */
  const opened: string[] = [];
  const note = (name: string) => async (session: Session, column?: number) => {
    calls.push([name, session.id, ...(column === undefined ? [] : [column])]);
    sessions.setActive(session);
    return { page: { post: () => undefined } };
  };
  const items = (): SessionListItem[] => all.map(({ id }) => sessionItem(id, { archived: archived.includes(id) }));
  const catalog = {
    listNotRunning: () => [],
    items,
    refresh: async () => undefined,
    onDidChange: () => ({ dispose: () => undefined }),
    open: async (id: string, show: (session: Session) => void) => {
      const session = all.find((one) => one.id === id);
      if (!session) throw new Error('This session no longer exists.');
      opened.push(id);
      show(session);
      return session;
    },
  };
  const pages = { open: note('go to'), focus: async () => calls.push(['focus']), openTab: note('tab') };
  const commands = new ChatLocationCommands(stubOf<Chat>(pages as object), stubOf<SessionCatalog>(catalog), sessions);
  return { commands, calls, opened, sessions };
}

describe('ui/sessions/chatLocationCommands', () => {
  it('uses the active session, unless a tree row or a caller gives another', async () => {
    const { commands, calls, sessions } = setUp();
    await commands.openInEditor();
    await commands.openToSide('two');
    await commands.openInEditor({ type: 'session', item: { id: 'three' } });
    // The menu of an editor's title passes a URI.
    await commands.openInEditor({ scheme: 'webview-panel', path: 'x' });
    assert.deepEqual(calls, [
      ['tab', 'one'],
      ['tab', 'two', -2],
      ['tab', 'three'],
      ['tab', 'three'],
    ]);
    await commands.openInView('two');
    assert.deepEqual([sessions.viewSession.id, calls.at(-1)], ['two', ['focus']]);
  });

  it('cycles through the list, without archived sessions', async () => {
    const { commands, calls, opened } = setUp(['two']);
    await commands.nextSession();
    await commands.nextSession();
    await commands.previousSession();
    assert.deepEqual(calls, [
      ['go to', 'three'],
      ['go to', 'one'],
      ['go to', 'three'],
    ]);
    assert.deepEqual(opened, [], 'starts no agent on the way');
  });

  it('goes from an unlisted chat to the ends of the list, and nowhere if the list is empty', async () => {
    const { commands, calls, sessions } = setUp();
    sessions.setActive(sessions.open.create('new'));
    await commands.nextSession();
    sessions.setActive(sessions.open.create('newer'));
    await commands.previousSession();
    assert.deepEqual(calls, [
      ['go to', 'one'],
      ['go to', 'three'],
    ]);
    const alone = setUp(['two', 'three']);
    await alone.commands.nextSession();
    assert.deepEqual(alone.calls, []);
  });

  it('opens the selected session at the selected location', async () => {
    const { commands, calls } = setUp();
    // Imported in this file: a later import would get the editor of another test.
    assert.ok(pickSession);
    const shown = async (count: number): Promise<void> => {
      await until(() => picks.length >= count);
    };
    const opening = commands.open();
    await shown(1);
    picks[0]?.accept('$(comment-discussion) two');
    await opening;
    assert.deepEqual(calls, [['go to', 'two']]);
    const closing = commands.open();
    await shown(2);
    picks[1]?.hide();
    await closing;
    assert.equal(calls.length, 1);
  });

  it('reports errors, and never rejects', async () => {
    const { commands } = setUp();
    // A message stays open until the user closes it.
    await commands.openInEditor('deleted');
    assert.match(toasts[0]?.message ?? '', /no longer exists/);
  });
});
