import { resetStub, toasts } from './vscodeStub';
import assert from 'node:assert/strict';
import type { SessionStatus } from '../../../src/session/catalogItems';
import type { ViewSession } from '../../../src/view/ports';
import type { SessionCommandOptions } from '../../../src/view/sessionCommands';
import { SessionCommands } from '../../../src/view/sessionCommands';
import { FakeSession } from './fakes';

function setUp(status: SessionStatus, isShown = true) {
  resetStub();
  const calls: unknown[][] = [];
  const session = new FakeSession('one');
  const note =
    (name: string) =>
    async (...args: unknown[]): Promise<void> =>
      void calls.push([name, ...args]);
  const catalog = {
    item: () => ({ id: 'one', title: 'One', status, isActive: true }),
    setArchived: note('setArchived'),
    hide: note('hide'),
    unhide: (id: string) => void calls.push(['unhide', id]),
    remove: note('remove'),
    open: async (id: string, show: (opened: ViewSession) => void) => {
      calls.push(['open', id]);
      show(session);
    },
  };
  const again = async ({ id }: ViewSession): Promise<void> => void calls.push(['shown again', id]);
  const pages = { focus: note('focus'), again: () => (isShown ? again : undefined) };
  const commands = new SessionCommands({ catalog, pages } as unknown as SessionCommandOptions);
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { commands, calls, settled };
}

describe('view/sessionCommands', () => {
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

  it('archive without a question where nothing runs, and show it again where it was when that is undone', async () => {
    const { commands, calls, settled } = setUp('idle');
    await commands.archive('one');
    await settled();
    assert.equal(toasts[0]?.message, '“One” was archived.');
    await toasts[0]?.choose();
    await settled();
    assert.deepEqual(calls, [
      ['setArchived', 'one', true],
      ['setArchived', 'one', false],
      ['open', 'one'],
      ['shown again', 'one'],
    ]);
  });

  it('bring back one that was shown nowhere without showing it', async () => {
    const { commands, calls, settled } = setUp('idle', false);
    await commands.delete('one');
    await settled();
    await toasts[0]?.choose();
    await settled();
    assert.deepEqual(calls, [
      ['hide', 'one'],
      ['unhide', 'one'],
    ]);
  });
});
