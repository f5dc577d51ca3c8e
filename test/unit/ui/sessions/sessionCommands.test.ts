import { copied, resetStub, terminals, toasts } from '../vscodeStub';
import assert from 'node:assert/strict';
import { createDeferred } from '../../../../src/base/async';
import type { SessionStatus } from '../../../../src/history/sessionSummary';
import type { Session } from '../../../../src/session/session';
import type { SessionCatalog } from '../../../../src/session/sessionCatalog';
import type { Sessions } from '../../../../src/session/sessions';
import type { AgentSession } from '../../../../src/shared/state/sessionState';
import { SessionCommands } from '../../../../src/ui/sessions/sessionCommands';
import type { SessionTree } from '../../../../src/ui/sessions/sessionTree';
import type { Chat } from '../../../../src/ui/window';
import type { ShowNotice } from '../../../../src/workbench/notice';
import { stubOf } from '../../../kit/stubOf';
import { settled } from '../../../kit/waiting';
import { FakeSession } from '../fakes';

interface Setting {
  readonly isShown?: boolean;
  /** The selected row. */
  readonly selected?: string;
  /** Shows it again in its earlier location. */
  readonly show?: () => Promise<void>;
  /** The agent's session is restored. */
  readonly back?: Promise<void>;
  readonly agentSession?: AgentSession;
}

function setUp(status: SessionStatus, { isShown = true, selected, show, back, agentSession }: Setting = {}) {
  resetStub();
  const calls: unknown[][] = [];
  const session = new FakeSession('one');
  const note =
    (name: string) =>
    async (...args: unknown[]): Promise<void> =>
      void calls.push([name, ...args]);
  const agent = { name: 'Fake', title: 'Fake Agent' };
  const item = { id: 'one', title: 'One', status, isActive: true, agent, agentSession };
  const catalog = {
    item: (id: string) => (id === 'one' ? item : undefined),
    setArchived: note('setArchived'),
    hide: note('hide'),
    unhide: (id: string) => void calls.push(['unhide', id]),
    remove: note('remove'),
    open: async (id: string, show: (opened: Session) => void) => {
      calls.push(['open', id]);
      show(session);
      await back;
    },
  };
  const again = async ({ id }: Session): Promise<void> => {
    calls.push(['shown again', id]);
    await show?.();
  };
  const notices: (string | undefined)[] = [];
  const pages = stubOf<Chat>({
    focus: note('focus'),
    rememberLocation: () => (isShown ? again : undefined),
  });
  const showNotice: ShowNotice = (notice) => void notices.push(notice?.text);
  const stopped = (id: string) => ({ id, turn: { stop: () => void calls.push(['stop', id]) } });
  const sessions = { active: stopped('active'), allOpen: () => [stopped('active'), stopped('one')] };
  const focusedId = async (): Promise<string | undefined> => selected;
  const tree = stubOf<SessionTree>({ findFocusedId: focusedId });
  const commands = new SessionCommands(
    stubOf<SessionCatalog>(catalog as object),
    pages,
    showNotice,
    stubOf<Sessions>(sessions as object),
    tree,
  );
  return { commands, calls, settled, notices };
}

describe('ui/sessions/sessionCommands', () => {
  for (const status of ['running', 'waiting'] as const) {
    it(`ask before they stop an agent whose session is ${status}`, async () => {
      const { commands, calls, settled } = setUp(status);
      void commands.archive('one');
      void commands.delete('one');
      await settled();
      assert.deepEqual(
        toasts.map(({ message }) => message),
        ['Stop the agent and archive the session “One”?', 'Stop the agent and delete the session “One”?'],
      );
      for (const toast of toasts) await toast.choose('No');
      await settled();
      assert.deepEqual(calls, []);
    });
  }

  it('archive an idle session without confirmation, and Undo shows it again', async () => {
    const { commands, calls, settled } = setUp('idle');
    await commands.archive('one');
    await settled();
    assert.equal(toasts[0]?.message, '“One” was archived.');
    await toasts[0]?.choose('Undo');
    await settled();
    assert.deepEqual(calls, [
      ['setArchived', 'one', true],
      ['setArchived', 'one', false],
      ['open', 'one'],
      ['shown again', 'one'],
    ]);
  });

  it('delete the selected session by key, after a confirmation that names it', async () => {
    const none = setUp('idle');
    await none.commands.delete({ selected: true });
    assert.deepEqual([none.calls, toasts], [[], []]);
    const { commands, calls, settled } = setUp('idle', { selected: 'one' });
    const deleted = commands.delete({ selected: true });
    await settled();
    assert.deepEqual([calls, toasts[0]?.message], [[], 'Delete the session “One”?']);
    await toasts[0]?.choose('Delete');
    await deleted;
    assert.deepEqual(calls, [['hide', 'one']]);
  });

  it('stop the session of a row, else the shown one', async () => {
    const { commands, calls } = setUp('running');
    await commands.stop({ type: 'session', item: { id: 'one' } });
    await commands.stop();
    assert.deepEqual(calls, [
      ['stop', 'one'],
      ['stop', 'active'],
    ]);
  });

  it('restore a session that was not shown without showing it', async () => {
    const { commands, calls, settled } = setUp('idle', { isShown: false });
    await commands.delete('one');
    await settled();
    await toasts[0]?.choose('Undo');
    await settled();
    assert.deepEqual(calls, [
      ['hide', 'one'],
      ['unhide', 'one'],
    ]);
  });

  it('report why a restored session cannot be shown, even before the agent responds', async () => {
    const back = createDeferred<void>();
    const show = (): Promise<void> => Promise.reject(new Error('no room for a tab'));
    const { commands, settled } = setUp('idle', { show, back: back.promise });
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', note);
    try {
      await commands.archive('one');
      await settled();
      await toasts[0]?.choose('Undo');
      await settled();
      back.resolve();
      await settled();
    } finally {
      process.off('unhandledRejection', note);
      for (const other of others) process.on('unhandledRejection', other);
    }
    assert.deepEqual(unhandled, []);
    assert.equal(toasts[1]?.message, 'no room for a tab.');
  });

  it('copy the command that resumes the session, and explain where to run it', async () => {
    const agentSession = { id: 'ses_1', cwd: '/work/app', program: 'OpenCode' };
    const { commands, notices } = setUp('idle', { agentSession });
    await commands.copyResumeCommand('one');
    assert.deepEqual(copied, ['opencode --session ses_1']);
    assert.deepEqual([notices, toasts], [['Copied. Run the command in /work/app.'], []]);
  });

  it('continue the session in a terminal, in its folder, but not during a turn', async () => {
    const agentSession = { id: 'ses_1', cwd: '/work/app', program: 'OpenCode' };
    await setUp('running', { agentSession }).commands.continueInTerminal('one');
    assert.deepEqual(terminals, []);
    assert.match(toasts[0]?.message ?? '', /^A turn is running in this session/);
    await setUp('idle', { agentSession }).commands.continueInTerminal('one');
    assert.deepEqual(terminals, ['One in /work/app', 'shown', 'opencode --session ses_1']);
    await setUp('idle').commands.continueInTerminal('one');
    assert.match(toasts[0]?.message ?? '', /^This session has not been sent to an agent yet/);
    assert.deepEqual(terminals, []);
  });

  it('copy nothing for an agent without such a command, or before the first message', async () => {
    const agentSession = { id: 'ses_1', cwd: '/work/app', program: 'fake-agent' };
    await setUp('idle', { agentSession }).commands.copyResumeCommand('one');
    assert.match(toasts[0]?.message ?? '', /^Parley knows no Fake Agent command that resumes this session/);
    await setUp('idle').commands.copyResumeCommand('one');
    assert.match(toasts[0]?.message ?? '', /^This session has not been sent to an agent yet/);
    assert.deepEqual(copied, []);
  });
});
