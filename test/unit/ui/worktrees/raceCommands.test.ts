import { resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import type { AgentDefinition } from '../../../../src/agent/config/agentDefinition';
import type { Sessions } from '../../../../src/session/sessions';
import type { UiSettings, MessageAttachments } from '../../../../src/ui/window';
import type { RaceBoard } from '../../../../src/ui/worktrees/raceBoard';
import { RaceCommands } from '../../../../src/ui/worktrees/raceCommands';
import type { WorktreeCreator } from '../../../../src/ui/worktrees/worktreeCreator';
import { stubOf } from '../../../kit/stubOf';

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
    await new RaceCommands(
      stubOf<WorktreeCreator>({}),
      stubOf<Sessions>({ active: {} }),
      stubOf<MessageAttachments>({ read: async () => [] }),
      stubOf<UiSettings>({ agents: () => agents as AgentDefinition[] }),
      stubOf<RaceBoard>({}),
    ).promptForMessage();
    Object.assign(stub.window, { showInputBox, showQuickPick });
    assert.deepEqual(
      rows,
      ['', ' second attempt', ' third attempt', ' fourth attempt'].flatMap((more) => [`Ann${more}`, `Ben${more}`]),
    );
  });
});
