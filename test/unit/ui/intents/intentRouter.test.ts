import { resetStub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { errorMessage } from '../../../../src/base/errors';
import { Lazy } from '../../../../src/base/lazy';
import { nullLogger } from '../../../../src/base/logger';
import type { EditAndResend } from '../../../../src/session/commands/editAndResend';
import type { IntentTargets } from '../../../../src/ui/intents/intentRouter';
import { IntentRouter } from '../../../../src/ui/intents/intentRouter';
import type { Intent, IntentPage } from '../../../../src/ui/window';
import { stubOf } from '../../../kit/stubOf';
import { FakeSession, FakeSessions } from '../fakes';

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
  const targets = stubOf<IntentTargets>({
    editor: {
      openLink: note('openLink'),
      openFile: note('openFile'),
      showTerminal: note('showTerminal'),
      copy: note('copy'),
      openSettings: note('openSettings'),
      manageTrust: note('manageTrust'),
      editPlan: note('editPlan'),
      remember: note('remember'),
      rememberRule: note('rememberRule'),
      signIn: note('signIn'),
      selectAgent: note('selectAgent'),
      continueInNewChat: note('continueInNewChat'),
      openSession: note('openSession'),
      openElicitation: note('openElicitation'),
      reportFailure: async ({ type }, _from, error) => void calls.push(['failed', type, errorMessage(error)]),
    },
    diffs: { open: note('openDiff') },
    folders: { choose: (from, folder) => note('chooseFolder')(from.session, folder) },
    worktrees: {
      send: (from, ...more) => note('sendElsewhere')(from.session, ...more),
      race: ({ session: of }, intent) => note('race')(of, intent),
    },
    terminals: { stop: (id) => void note('stopCommand')(id) },
    follow: { toggle: note('toggleFollow') },
    tools: { handle: note('tools'), refresh: () => void note('refreshTools')() },
    review: { handle: note('review') },
    branches: new Lazy<EditAndResend>(() => Promise.reject(new Error('not asked here'))),
    entries: { handle: note('entries') },
    editorActions: { welcome: note('welcome') },
    installAgent: { show: note('installAgent'), add: note('addAgent') },
    attachments: {
      send: note('attaching.send'),
      find: note('find'),
      attachFrom: note('attachFrom'),
      attachUris: note('attachUris'),
    },
    log: {
      ...nullLogger,
      warn: (_tag, message) => void errors.push(message),
      error: (_tag, message) => void errors.push(message),
      show: () => void note('showLog')(),
    },
  });
  const page: IntentPage = {
    session,
    post: (message) => void note('tell')(message),
    showNotice: (notice) => void note('showNotice')(notice),
    reveal: note('show'),
    watchTools: (open) => void note('watchTools')(open),
    newChat: (name) => void note('newChat')(name),
    showChat: async () => page,
  };
  const all = new IntentRouter(targets);
  /** As if it came from a page that shows this session. */
  const intents = { handle: (intent: Intent, from = session) => all.handle(intent, { session: from, page }) };
  return { session, sessions, calls, errors, intents, page };
}

describe('ui/intents/intentRouter', () => {
  beforeEach(resetStub);

  it('passes queue intents to the queue of the session, and returns an edit that was too late', async () => {
    const { intents, session, calls } = setUp();
    await intents.handle({ type: 'changeQueued', id: 'q', text: 'other' });
    await intents.handle({ type: 'moveQueued', id: 'q', to: 1 });
    await intents.handle({ type: 'removeQueued', id: 'q' });
    await intents.handle({ type: 'sendQueued', id: 'q' });
    await intents.handle({ type: 'holdQueued', id: 'q' });
    await intents.handle({ type: 'holdQueued' });
    await intents.handle({ type: 'resumeQueue' });
    assert.deepEqual(session.calls, [
      ['queue.change', 'q', 'other'],
      ['queue.move', 'q', 1],
      ['queue.remove', 'q'],
      ['queue.sendNow', 'q'],
      ['queue.hold', 'q'],
      ['queue.hold', undefined],
      ['queue.resume'],
    ]);
    await intents.handle({ type: 'changeQueued', id: 'gone', text: 'too late' });
    const [told] = calls.map(([, message]) => message as { type: string; text: string });
    assert.deepEqual([told?.type, told?.text], ['sendRefused', 'too late']);
  });

  it('passes session intents to their own session, even if another is active', async () => {
    const { errors, intents, session } = setUp();
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
    assert.match(errors.join(), /^Ignored an answer to a permission request that is not pending/);
  });

  it('has the arguments of a command asked for before it is sent', async () => {
    const { intents, session, calls } = setUp();
    await intents.handle({ type: 'send', text: '/server:prompt' });
    assert.deepEqual(session.calls, []);
    assert.deepEqual(
      calls.map(([name, , text]) => [name, text]),
      [['attaching.send', '/server:prompt']],
    );
  });

  it('returns a message to its page and opens Select Agent where no agent can answer', async () => {
    const { intents, session, calls } = setUp();
    session.needsAgent = true;
    await intents.handle({ type: 'send', text: 'hi' });
    assert.deepEqual(session.calls, []);
    const [[, refused] = [], second] = calls;
    assert.deepEqual(refused, {
      type: 'sendRefused',
      session: session.id,
      text: 'hi',
      attachments: [],
      reason: 'Select an agent first.',
    });
    assert.deepEqual(second, ['selectAgent']);
  });

  it('passes other intents to the editor, with their session', async () => {
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
    await intents.handle({ type: 'rememberRule', permissionId: 'p' });
    assert.deepEqual(calls, [
      ['openLink', 'one', 'h'],
      ['openFile', 'one', 'f', { type: 'openFile', path: 'f', line: 2 }],
      ['openDiff', 'one', 'd'],
      ['stopCommand', 't'],
      ['showTerminal', 'one', 't'],
      ['copy', 'c'],
      ['openSettings'],
      ['manageTrust'],
      ['showLog'],
      ['installAgent'],
      ['addAgent', 'gemini'],
      ['remember', 'one', 'p', 'workspace'],
      ['rememberRule', 'one', 'p'],
    ]);
  });

  it('opens a new chat for another agent if the chat has messages', async () => {
    const { intents, session, calls } = setUp();
    await intents.handle({ type: 'chooseAgent', name: 'other' });
    assert.deepEqual(session.calls, [['chooseAgent', 'other']]);
    session.dispatch({ type: 'promptSent', text: 'hi', blocks: [], at: 1 });
    await intents.handle({ type: 'chooseAgent', name: 'other' });
    assert.deepEqual(calls, [['newChat', 'other']]);
    assert.equal(session.calls.length, 1);
  });

  it('logs failures and errors of the page, and continues', async () => {
    const { intents, errors, calls } = setUp(true);
    await intents.handle({ type: 'copy', text: 'c' });
    await intents.handle({ type: 'pageError', message: 'broken' });
    // The page polls by itself: no handler waits for it.
    await intents.handle({ type: 'findMentions', id: 1, query: 'x' });
    assert.match(errors[0] ?? '', /Failed to handle "copy": did not work/);
    assert.match(errors[1] ?? '', /Chat page failed: broken/);
    assert.match(errors[2] ?? '', /Failed to handle "findMentions"/);
    assert.deepEqual(
      calls.filter(([name]) => name === 'failed'),
      [['failed', 'copy', 'did not work']],
    );
  });
});
