import assert from 'node:assert/strict';
import { silentLog } from '../../../src/base/log';
import type { IntentTargets } from '../../../src/view/intents';
import { Intents } from '../../../src/view/intents';
import { FakeSession, FakeSessions } from './fakes';

function setUp(failing = false) {
  const session = new FakeSession('one');
  const sessions = new FakeSessions([session]);
  const calls: unknown[][] = [];
  const errors: string[] = [];
  const note =
    (name: string) =>
    (...args: unknown[]): Promise<void> => {
      calls.push([name, ...args.map((arg) => (arg instanceof FakeSession ? arg.id : arg))]);
      return failing ? Promise.reject(new Error('did not work')) : Promise.resolve();
    };
  const targets: IntentTargets = {
    openLink: note('openLink'),
    openFile: note('openFile'),
    openDiff: note('openDiff'),
    stopCommand: (...args) => void note('stopCommand')(...args),
    showTerminal: (...args) => void note('showTerminal')(...args),
    copy: note('copy'),
    toggleFollow: note('toggleFollow'),
    watchTools: (...args) => void note('watchTools')(...args),
    switchTools: note('switchTools'),
    refreshTools: () => void note('refreshTools')(),
    review: note('review'),
    openSettings: note('openSettings'),
    manageTrust: note('manageTrust'),
    showLog: () => void note('showLog')(),
    installAgent: note('installAgent'),
    addAgent: note('addAgent'),
    remember: note('remember'),
    signIn: note('signIn'),
    attaching: {
      send: note('attaching.send'),
      find: note('find'),
      attachFrom: note('attachFrom'),
      attachUris: note('attachUris'),
    },
    openElicitation: note('openElicitation'),
  };
  const log = { ...silentLog, error: (_tag: string, message: string) => void errors.push(message) };
  return { session, sessions, calls, errors, intents: new Intents(sessions, targets, log) };
}

describe('view/intents', () => {
  it('hands what is about the session to the active session', async () => {
    const { intents, session } = setUp();
    await intents.handle({ type: 'send', text: 'hi' });
    await intents.handle({ type: 'stop' });
    await intents.handle({ type: 'forceStop' });
    await intents.handle({ type: 'retry' });
    await intents.handle({ type: 'restartAgent' });
    await intents.handle({ type: 'answerPermission', permissionId: 'p', optionId: 'o' });
    await intents.handle({ type: 'chooseOption', id: 'mode', value: 'plan' });
    await intents.handle({ type: 'stopSubagent', sessionId: 'c' });
    assert.deepEqual(session.calls, [
      ['send', 'hi'],
      ['stop'],
      ['forceStop'],
      ['retry'],
      ['restart'],
      ['answer', 'p', 'o'],
      ['choose', 'mode', 'plan'],
      ['stopSubagent', 'c'],
    ]);
  });

  it('hands the rest to the editor, with the session it came from', async () => {
    const { intents, calls } = setUp();
    await intents.handle({ type: 'openLink', href: 'h' });
    await intents.handle({ type: 'openFile', path: 'f', line: 2 });
    await intents.handle({ type: 'openDiff', diffId: 'd' });
    await intents.handle({ type: 'stopCommand', terminalId: 't' });
    await intents.handle({ type: 'showTerminal', terminalId: 't' });
    await intents.handle({ type: 'copy', text: 'c' });
    await intents.handle({ type: 'openSettings' });
    await intents.handle({ type: 'manageTrust' });
    await intents.handle({ type: 'showLog' });
    await intents.handle({ type: 'installAgent' });
    await intents.handle({ type: 'addAgent', name: 'gemini' });
    await intents.handle({ type: 'rememberPermission', permissionId: 'p', scope: 'workspace' });
    assert.deepEqual(calls, [
      ['openLink', 'one', 'h'],
      ['openFile', 'one', 'f', 2],
      ['openDiff', 'one', 'd'],
      ['stopCommand', 'one', 't'],
      ['showTerminal', 'one', 't'],
      ['copy', 'c'],
      ['openSettings'],
      ['manageTrust'],
      ['showLog'],
      ['installAgent'],
      ['addAgent', 'gemini'],
      ['remember', 'one', 'p', 'workspace'],
    ]);
  });

  it('opens a new chat for another agent once the chat has begun', async () => {
    const { intents, session, sessions } = setUp();
    await intents.handle({ type: 'chooseAgent', name: 'other' });
    assert.deepEqual(session.calls, [['chooseAgent', 'other']]);
    session.dispatch({ type: 'promptSent', text: 'hi', blocks: [], at: 1 });
    await intents.handle({ type: 'chooseAgent', name: 'other' });
    assert.deepEqual(sessions.calls, [['newChat', 'other']]);
    assert.equal(session.calls.length, 1);
  });

  it('logs what failed and what went wrong in the page, and goes on', async () => {
    const { intents, errors } = setUp(true);
    await intents.handle({ type: 'copy', text: 'c' });
    await intents.handle({ type: 'pageError', message: 'broken' });
    assert.match(errors[0] ?? '', /"copy" failed: did not work/);
    assert.match(errors[1] ?? '', /In the page: broken/);
  });
});
