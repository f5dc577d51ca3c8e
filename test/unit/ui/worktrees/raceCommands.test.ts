import { resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { RaceCommands } from '../../../../src/ui/worktrees/raceCommands';

type Deps = ConstructorParameters<typeof RaceCommands>[0];

describe('ui/worktrees/raceCommands', () => {
  beforeEach(resetStub);

  it('allows up to four attempts of each agent', async () => {
    const { showInputBox, showQuickPick } = stub.window;
    const rows: string[] = [];
    Object.assign(stub.window, {
      showInputBox: async () => 'Improve it',
      showQuickPick: async (items: readonly { label: string; description: string }[]) =>
        void rows.push(...items.map(({ label, description }) => `${label} ${description}`.trim())),
    });
    const agents = ['Ann', 'Ben'].map((title) => ({ name: title.toLowerCase(), title }));
    const deps = {
      settings: { agents: () => agents },
      attachmentService: { read: async () => [] },
      sessions: {},
    } as unknown as Deps;
    await new RaceCommands(deps).promptForMessage();
    Object.assign(stub.window, { showInputBox, showQuickPick });
    assert.deepEqual(
      rows,
      ['', ' second attempt', ' third attempt', ' fourth attempt'].flatMap((more) => [`Ann${more}`, `Ben${more}`]),
    );
  });
});
