import { answers, asked, resetAsked, workspace } from '../permissions/askStub';
import assert from 'node:assert/strict';
import { readWorkspaceAgents } from '../../../../src/agent/config/workspaceAgents';
import { ParleyError } from '../../../../src/base/errors';
import type { JsonObject } from '../../../../src/base/json';
import { ConfirmAgent } from '../../../../src/ui/trust/confirmAgent';
import { WorkspaceApprovals } from '../../../../src/ui/trust/workspaceApprovals';
import type { ReadOnlyDocuments } from '../../../../src/workbench/virtualDocuments';
import { fakeAgent } from '../../../fakeAgent/definition';
import { MemoryMemento } from '../../../kit/memoryMemento';

const variables = { workspaceFolder: '/ws', userHome: '/home/me', env: {} };

function agent(entry: JsonObject) {
  const [definition] = readWorkspaceAgents({ workspace: { Tool: entry }, folders: [] }, () => variables, true, [], []);
  assert.ok(definition);
  return definition;
}

describe('ui/trust/confirmAgent', () => {
  const kept = new MemoryMemento();
  let shown: string[] = [];
  const documents: Pick<ReadOnlyDocuments, 'show'> = {
    show: async (title, text) => void shown.push(`${title}\n${text}`),
  };
  const gate = new ConfirmAgent(new WorkspaceApprovals(kept), () => '/ws', documents as ReadOnlyDocuments);
  const refused = async (entry: JsonObject, message: RegExp): Promise<void> => {
    await assert.rejects(gate.allow(agent(entry)), (error) => {
      assert.ok(ParleyError.is(error, 'untrusted'));
      assert.match(`${error.message}. ${error.nextStep}`, message);
      return true;
    });
  };

  beforeEach(() => {
    resetAsked();
    kept.values.clear();
    shown = [];
  });

  it('starts the user’s agents without confirmation', async () => {
    await gate.allow(fakeAgent());
    assert.deepEqual(asked, []);
  });

  it('shows the whole command, and stores the approval of exactly that', async () => {
    const entry = { command: 'tool', args: ['\u202e--acp'], env: { A: '1' } };
    answers.push('Start Agent');
    await gate.allow(agent(entry));
    await gate.allow(agent(entry));
    assert.equal(asked.length, 1);
    assert.deepEqual(asked[0], {
      kind: 'modal',
      message: 'Start the agent “Tool (workspace)” defined by this workspace?',
      detail: [
        'Command: tool',
        'Arguments: "\\u{202e}--acp"',
        'Variables:',
        '  A=1',
        'Folder: /ws',
        '',
        'The agent runs with your permissions, like any program you start.',
        'Parley asks again if this definition changes. Parley cannot detect changes to the program itself.',
      ].join('\n'),
      buttons: ['Start Agent'],
    });
    assert.doesNotMatch(JSON.stringify([...kept.values]), /--acp/, 'only a hash is kept');
  });

  it('asks again after a change of one character, reports it, and drops the earlier approval', async () => {
    answers.push('Start Agent', 'Start Agent', 'Start Agent');
    await gate.allow(agent({ command: 'tool', args: ['--acp'] }));
    await gate.allow(agent({ command: 'tool', args: ['--acq'] }));
    await gate.allow(agent({ command: 'tool', args: ['--acp'] }));
    assert.equal(asked.length, 3);
    for (const question of asked.slice(1)) {
      assert.match('detail' in question ? question.detail : '', /^The definition has changed since you allowed it\.\n/);
    }
  });

  it('does not start a rejected agent, reports that, and asks again at the next attempt', async () => {
    answers.push(undefined, undefined);
    await refused(
      { command: 'tool' },
      /Tool \(workspace\) was not started: you did not allow it\. Start the agent again/,
    );
    await refused({ command: 'tool' }, /you did not allow it/);
    assert.equal(asked.length, 2);
  });

  it('starts no agent of an untrusted workspace, even if it was approved before', async () => {
    answers.push('Start Agent');
    await gate.allow(agent({ command: 'tool' }));
    workspace.isTrusted = false;
    await refused({ command: 'tool' }, /this workspace is not trusted\. Trust the workspace/);
    assert.equal(asked.length, 1);
  });

  it('asks once for all sessions that start the agent at the same time', async () => {
    answers.push('Start Agent');
    await Promise.all([gate.allow(agent({ command: 'tool' })), gate.allow(agent({ command: 'tool' }))]);
    assert.equal(asked.length, 1);
  });

  it('shows a long definition in an editor before it can be approved', async () => {
    const entry = { command: 'tool', args: [`${' '.repeat(5_000)}--evil`] };
    answers.push('Show All', 'Don’t Start');
    await refused(entry, /you did not allow it/);
    assert.deepEqual(
      asked.map((question) => 'buttons' in question && question.buttons),
      [['Show All'], ['Start Agent', 'Don’t Start']],
    );
    assert.match(shown[0] ?? '', /^Tool \(workspace\)\.txt\nCommand: tool\nArguments: " {5000}--evil"/);
    answers.push('Show All', 'Start Agent');
    await gate.allow(agent(entry));
    await gate.allow(agent(entry));
    assert.equal(asked.length, 4);
  });
});
