import assert from 'node:assert/strict';
import type { ParleyError } from '../../../src/base/errors';
import { asObject } from '../../../src/base/json';
import { SharedAgents } from '../../../src/session/agents/sharedAgents';
import { entriesFrom, entryAt, lastEntry } from '../../../src/shared/state/entryPages';
import type { SessionState } from '../../../src/shared/state/sessionState';
import type { PermissionEntry } from '../../../src/shared/state/toolCallState';
import { until } from '../../kit/waiting';
import { SessionBench } from './sessionBench';

describe('a session', function () {
  let bench: SessionBench;

  afterEach(async () => bench?.close());

  const idle = (state: SessionState): boolean => state.turn.status === 'idle';
  const hasPendingRequest = (state: SessionState): boolean => state.waiting.length > 0;

  function question(): PermissionEntry {
    const entry = entryAt(bench.session.state.entries, bench.session.state.waiting[0] ?? -1);
    assert.ok(entry?.kind === 'permission');
    return entry;
  }

  function kinds(): string[] {
    return Array.from(entriesFrom(bench.session.state.entries), ([, entry]) => entry.kind);
  }

  it('starts the fallback agent with the first prompt, and shows its answer', async () => {
    bench = await SessionBench.open();
    await bench.send('text Hello\\n', 'text there');
    assert.match(bench.text, /turn: idle end_turn[^]*\[agent\]\n {2}Hello\n {2}there\n/);
    assert.equal(bench.session.state.connection.status, 'ready');
  });

  it('explains what to do about an agent that is not available, and mentions missing trust', () => {
    for (const trusted of [true, false]) {
      const agents = new SharedAgents({
        definitions: () => [],
        isTrusted: () => trusted,
        connect: () => assert.fail('nothing is started'),
      });
      assert.throws(
        () => agents.acquire('helper'),
        (error: ParleyError) =>
          /trust the workspace first/.test(error.nextStep ?? '') === !trusted &&
          /Select another agent/.test(error.nextStep ?? ''),
      );
    }
  });

  it('I3: update, permission, update, response, update in one write take effect in exactly that order', async () => {
    bench = await SessionBench.open();
    const order: string[] = [];
    bench.session.onDidDispatch(({ action }) => order.push(action.type === 'textAppended' ? action.text : action.type));
    void bench.send(
      'burst',
      'text one',
      'permission p1 allow_once:Yes',
      'text two',
      'stop end_turn',
      'text three',
      'end',
    );
    await bench.until(() => order.includes('three'));
    const seen = order.filter((event) => ['one', 'permissionAsked', 'two', 'turnEnded', 'three'].includes(event));
    assert.deepEqual(seen, ['one', 'permissionAsked', 'two', 'turnEnded', 'three']);
  });

  it('I7: returns exactly the option that the user selected, once', async () => {
    bench = await SessionBench.open();
    const turn = bench.send('permission t1 allow_always:Always allow_once:Once reject_once:No');
    await bench.until(hasPendingRequest);
    const { permissionId } = question();
    bench.session.userRequests.answer(permissionId, 'not offered');
    assert.equal(bench.session.state.waiting.length, 1);
    bench.session.userRequests.answer(permissionId, 'allow_once');
    bench.session.userRequests.answer(permissionId, 'reject_once');
    await turn;
    assert.match(bench.text, /\[permission t1: allow_once\]/);
    const answers = bench.received().filter((message) => 'result' in message);
    assert.deepEqual(
      answers.map(({ result }) => result),
      [{ outcome: { outcome: 'selected', optionId: 'allow_once' } }],
    );
  });

  it('ends a turn with any stop reason', async () => {
    bench = await SessionBench.open();
    for (const result of ['{}', 'null', '{"stopReason":null}', '{"stopReason":"max_\\u202ecost"}'])
      await bench.send(`raw {"jsonrpc":"2.0","id":$PROMPT,"result":${result}}`);
    const reasons = bench.session.state.turns.map(({ stopReason }) => stopReason);
    assert.deepEqual(reasons, ['end_turn', 'end_turn', 'end_turn', 'max_\\u{202e}cost']);
    assert.match(bench.text, /\[notice\] Stopped: max_\\u\{202e\}cost/);
  });

  it('shows a permission request for an unknown tool call', async () => {
    bench = await SessionBench.open();
    const turn = bench.send('permission ghost allow_once:Yes');
    await bench.until(hasPendingRequest);
    assert.deepEqual(kinds(), ['user', 'tool', 'permission']);
    bench.session.userRequests.answer(question().permissionId, 'allow_once');
    await turn;
  });

  it('Stop cancels the turn and its permission requests, and marks its calls Canceled immediately', async () => {
    bench = await SessionBench.open();
    const turn = bench.send('tool t1 execute Build', 'permission t1 allow_once:Yes', 'text more');
    await bench.until(hasPendingRequest);
    bench.session.turn.stop();
    assert.match(bench.text, /\[tool execute\] Build: Canceled/);
    await turn;
    assert.match(bench.text, /turn: idle cancelled/);
    const methods = new Set(bench.received().map((message) => message['method'] ?? JSON.stringify(message['result'])));
    assert.ok(methods.has('session/cancel'));
    assert.ok(methods.has('{"outcome":{"outcome":"cancelled"}}'));
    await bench.send('text still usable');
    assert.match(bench.text, /still usable/);
  });

  it('offers Force Stop when the agent does not stop, and Force Stop ends its process', async () => {
    bench = await SessionBench.open({ stopDeadline: 20 });
    void bench.send('ignore-cancel', 'text working', 'hang');
    await bench.until((state) => lastEntry(state.entries)?.kind === 'agent');
    bench.session.turn.stop();
    await bench.until(({ turn }) => turn.status === 'running' && turn.overdue === true);
    await bench.session.restarter.forceStop();
    assert.equal(bench.session.state.connection.status, 'idle');
    assert.match(bench.text, /turn: idle cancelled/);
    await bench.send('text a new process');
    assert.match(bench.text, /\[notice\] Agent restarted[^]*a new process/);
  });

  it('shows an agent that exits during a turn with the end of its stderr, and restarts it', async () => {
    bench = await SessionBench.open();
    await bench.send('text half an ans', 'stderr out of memory', 'exit 3');
    const error = Array.from(entriesFrom(bench.session.state.entries)).find(([, entry]) => entry.kind === 'error')?.[1];
    assert.ok(error?.kind === 'error');
    assert.match(error.message, /Fake stopped unexpectedly \(exit code 3\)\. Restart/);
    assert.match(error.detail ?? '', /out of memory/);
    assert.ok(error.remedies.includes('restart'));
    assert.equal(kinds().filter((kind) => kind === 'error').length, 1);
    assert.match(bench.text, /turn: idle error[^]*half an ans/);
    await bench.session.restart();
    assert.equal(bench.session.state.connection.status, 'ready');
  });

  it('shows an agent that exits while it starts once, when it is selected and when it is restarted', async () => {
    bench = await SessionBench.open({ env: { FAKE_EXIT_ON_START: '3' } });
    await bench.session.chooseAgent('fake');
    assert.deepEqual(kinds(), ['error']);
    assert.match(bench.text, /Fake stopped unexpectedly \(exit code 3\)\. Restart/);
    await bench.session.restart();
    assert.deepEqual(kinds(), ['error', 'error']);
  });

  it('shows an agent that exits between two turns', async () => {
    bench = await SessionBench.open();
    await bench.send('text bye', 'stop end_turn', 'exit 1');
    await bench.until(({ connection }) => connection.status === 'exited');
    assert.deepEqual(kinds().slice(-1), ['error']);
  });

  it('reports that the command does not exist, and does not hang', async () => {
    bench = await SessionBench.open({ command: '/nowhere/agent' });
    await bench.send('hello');
    assert.match(bench.text, /turn: idle error[^]*\[error\] .*\/nowhere\/agent.*parley\.agents/);
  });

  it('names both protocol versions and sends nothing more to an agent of another version', async () => {
    bench = await SessionBench.open({ env: { FAKE_PROTOCOL: '99' } });
    await bench.send('hello');
    assert.match(bench.text, /\[error\] .*99.*/);
    assert.match(bench.text, /\[error\] .*\b1\b.*/);
    assert.deepEqual(
      bench.received().map((message) => message['method']),
      ['initialize'],
    );
  });

  it('shows the error of a prompt with Retry, and Retry sends it again', async () => {
    bench = await SessionBench.open();
    await bench.send('error -32603 The model is overloaded');
    const error = lastEntry(bench.session.state.entries);
    assert.ok(error?.kind === 'error' && error.remedies.includes('retry'));
    assert.match(error.message, /The model is overloaded/);
    await bench.session.retry();
    assert.equal(kinds().filter((kind) => kind === 'user').length, 2);
  });

  for (const reason of ['max_tokens', 'max_turn_requests', 'refusal', 'moon_phase']) {
    it(`ends the turn visibly for the stop reason ${reason}`, async () => {
      bench = await SessionBench.open();
      await bench.send(`stop ${reason}`);
      assert.ok(bench.text.includes(`turn: idle ${reason}`));
      assert.equal(lastEntry(bench.session.state.entries)?.kind, 'notice');
    });
  }

  it('keeps updates before the response of session/new, and after the turn', async () => {
    const early = { sessionUpdate: 'session_info_update', title: 'Early bird' };
    bench = await SessionBench.open({ env: { FAKE_UPDATE_BEFORE_NEW: JSON.stringify(early) } });
    const turn = bench.send('late after the end');
    await bench.until((state) => {
      const last = lastEntry(state.entries);
      return last?.kind === 'agent' && last.text.includes('after the end');
    });
    await turn;
    assert.match(bench.text, /title: Early bird/);
    assert.equal(bench.session.state.turn.status, 'idle');
  });

  it('shows and answers a permission request after the turn, also during the next turn', async () => {
    bench = await SessionBench.open();
    const turn = bench.send('stop end_turn', 'permission late allow_once:Allow reject_once:Reject');
    await turn;
    await bench.until(hasPendingRequest);
    assert.equal(bench.session.state.turn.status, 'idle');
    const { permissionId, options } = question();
    await bench.send('text next turn');
    assert.equal(question().permissionId, permissionId, 'the end of the next turn leaves it open');
    bench.session.userRequests.answer(permissionId, options[0]?.optionId ?? '');
    await bench.until((state) => {
      const last = lastEntry(state.entries);
      return last?.kind === 'agent' && last.text.includes('[permission late:');
    });
    assert.equal(hasPendingRequest(bench.session.state), false);
  });

  it('requests the list of background tasks from Claude, and shows it until the process ends', async () => {
    bench = await SessionBench.open({ env: { FAKE_NAME: '@agentclientprotocol/claude-agent-acp' } });
    const message = {
      subtype: 'background_tasks_changed',
      tasks: [{ task_id: 'a', task_type: 'local_bash', description: 'npm run dev' }],
    };
    await bench.send(`notify _claude/sdkMessage ${JSON.stringify({ sessionId: '$SESSION', message })}`);
    await bench.until(({ background }) => background.length > 0);
    assert.equal(bench.session.canClose, false);
    const created = bench.received().find(({ method }) => method === 'session/new');
    assert.match(JSON.stringify(created), /emitRawSDKMessages/);
    await bench.session.restart();
    await bench.until(({ background }) => background.length === 0);
  });

  it('uses messages and settings of Claude only with Claude', async () => {
    bench = await SessionBench.open();
    const message = { subtype: 'background_tasks_changed', tasks: [{ task_id: 'a' }] };
    await bench.send(`notify _claude/sdkMessage ${JSON.stringify({ sessionId: '$SESSION', message })}`, 'text done');
    assert.deepEqual(bench.session.state.background, []);
    const created = bench.received().find(({ method }) => method === 'session/new');
    const meta = asObject(asObject(created?.['params'])?.['_meta']) ?? {};
    assert.deepEqual(Object.keys(meta), ['traceparent']);
  });

  it('does not start a second turn during another, or for an empty message', async () => {
    bench = await SessionBench.open();
    const turn = bench.send('text one', 'until-cancel');
    await bench.until((state) => lastEntry(state.entries)?.kind === 'agent');
    await bench.send('text two');
    await bench.send('   ');
    assert.equal(kinds().filter((kind) => kind === 'user').length, 1);
    bench.session.turn.stop();
    await turn;
  });

  it('can be stopped before the agent has started, and does not send that prompt', async () => {
    bench = await SessionBench.open({ env: { FAKE_INITIALIZE_DELAY: '300' } });
    const turn = bench.send('text never');
    bench.session.turn.stop();
    assert.ok(idle(bench.session.state));
    await turn;
    await bench.send('text second');
    const prompts = bench.received().filter((message) => message['method'] === 'session/prompt');
    assert.equal(prompts.length, 1);
    assert.match(bench.text, /second/);
  });

  it('ends its turn in the agent and the transcript when it is closed', async () => {
    bench = await SessionBench.open();
    const { session, sessions } = bench;
    const turn = bench.send('text working', 'permission t1 allow_once:Yes reject_once:No', 'until-cancel');
    await bench.until((state) => state.waiting.length > 0);
    await sessions.close(session);
    await turn;
    assert.deepEqual(session.state.turn, { ...session.state.turn, status: 'idle', stopReason: 'cancelled' });
    const again = await sessions.open.load(session.id);
    assert.ok(again && again !== session);
    const { turn: kept, waiting } = again.state;
    assert.deepEqual([kept.status, kept.status === 'idle' && kept.stopReason, waiting], ['idle', 'cancelled', []]);
    await until(() => bench.methods().includes('session/cancel'));
  });

  it('is restored after a reload during a turn: Interrupted, with a canceled permission request', async () => {
    bench = await SessionBench.open();
    void bench.send('text all of this stays', 'tool t1 edit Write', 'permission t1 allow_once:Yes');
    await bench.until(hasPendingRequest);
    const before = kinds();
    await bench.sessions.flush();
    // The window is killed: nothing more is written or sent to the agent.
    const reopened = await SessionBench.open({ folder: bench.folder });
    await bench.closeWindow();
    bench = reopened;
    assert.deepEqual(kinds().slice(0, before.length), before);
    assert.match(
      bench.text,
      /turn: idle interrupted[^]*all of this stays[^]*Write: Interrupted[^]*\[notice\] Interrupted/,
    );
    assert.equal(bench.session.state.connection.status, 'idle');
    await bench.send('text and on');
    assert.match(bench.text, /and on/);
  });

  it('is Interrupted, not Canceled, after the window closed normally', async () => {
    bench = await SessionBench.open();
    void bench.send('text half', 'permission t1 allow_once:Yes');
    await bench.until(hasPendingRequest);
    bench.sessions.interrupt();
    // The agent goes on until its process has ended.
    bench.session.model.applyUpdate({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: 'too late' },
    });
    await bench.closeWindow();
    bench = await SessionBench.open({ folder: bench.folder });
    assert.match(bench.text, /turn: idle interrupted[^]*half[^]*=> window reloaded[^]*\[notice\] Interrupted/);
    assert.doesNotMatch(bench.text, /too late/);
    assert.doesNotMatch(bench.text, /\[notice\] Canceled/);
  });

  it('shares one process with another chat, each with its own answers', async () => {
    bench = await SessionBench.open();
    await bench.send('text first chat');
    const first = bench.session;
    bench.sessions.newChat();
    await bench.send('text second chat');
    assert.match(bench.text, /second chat/);
    assert.doesNotMatch(bench.text, /first chat/);
    assert.notEqual(first, bench.session);
    assert.equal(bench.received().filter((message) => message['method'] === 'initialize').length, 1);
  });
});
