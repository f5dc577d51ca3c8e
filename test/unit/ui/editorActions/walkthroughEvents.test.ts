import { resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/event';
import type { Session } from '../../../../src/session/session';
import type { Sessions } from '../../../../src/session/sessions';
import { Walkthrough } from '../../../../src/ui/editorActions/walkthrough';
import type { UserAction } from '../../../../src/ui/window';
import { stubOf } from '../../../kit/stubOf';
import { FakeSession } from '../fakes';

describe('ui/editorActions/walkthrough', () => {
  const { executeCommand } = stub.commands;
  afterEach(() => Object.assign(stub.commands, { executeCommand }));

  it('completes the steps of races and tools, no matter by which command', () => {
    resetStub();
    const done: string[] = [];
    Object.assign(stub.commands, {
      executeCommand: async (id: string, key: string, value: boolean) => void done.push(`${id} ${key} ${value}`),
    });
    const [changed, acted] = [new Emitter<Session>(), new Emitter<UserAction>()];
    const active = new FakeSession('s');
    const sessions = stubOf<Sessions>({ active, onDidChange: changed.event, onDidChangeActive: changed.event });
    const walkthrough = new Walkthrough(sessions, acted.event);
    const attempt = new FakeSession('attempt');
    attempt.dispatch({ type: 'folderChosen', folder: '/store/1', branch: 'parley/x' });
    changed.fire(attempt);
    const action: UserAction = { intent: { type: 'watchTools', open: true }, from: stubOf<UserAction['from']>({}) };
    acted.fire(action);
    acted.fire(action);
    walkthrough.dispose();
    assert.deepEqual(
      done,
      ['agent', 'race', 'tools'].map((step) => `setContext parley.done.${step} true`),
    );
  });
});
