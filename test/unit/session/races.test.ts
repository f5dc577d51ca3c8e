import assert from 'node:assert/strict';
import { createDeferred } from '../../../src/base/async';
import { entryAt, lastEntry } from '../../../src/shared/state/entryPages';
import type { SessionState } from '../../../src/shared/state/sessionState';
import { settled } from '../../kit/waiting';
import { SessionBench } from './sessionBench';

describe('races in a session', function () {
  let bench: SessionBench;

  afterEach(async () => bench?.close());

  const hasPendingRequest = (state: SessionState): boolean => state.waiting.length > 0;
  const says = (state: SessionState, text: string): boolean => {
    const last = lastEntry(state.entries);
    return last?.kind === 'agent' && last.text.includes(text);
  };

  it('I7: a permission request that crosses a cancellation is answered "cancelled", and not shown', async () => {
    bench = await SessionBench.open();
    let wasAsked = false;
    bench.session.onDidAsk(() => {
      wasAsked = true;
    });
    const turn = bench.send('ignore-cancel', 'text working', 'until-cancel', 'permission late allow_once:Yes');
    await bench.until((state) => says(state, 'working'));
    bench.session.turn.stop();
    await turn;
    assert.match(bench.text, /\[permission late: cancelled\]/);
    assert.deepEqual(bench.session.state.waiting, []);
    assert.equal(wasAsked, false);
  });

  it('a form that crosses a cancellation is canceled, and not shown', async () => {
    bench = await SessionBench.open();
    let wasAsked = false;
    bench.session.onDidAsk(() => {
      wasAsked = true;
    });
    const form = {
      mode: 'form',
      sessionId: '$SESSION',
      message: 'Which?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    };
    const turn = bench.send(
      'ignore-cancel',
      'text working',
      'until-cancel',
      `request elicitation/create ${JSON.stringify(form)}`,
    );
    await bench.until((state) => says(state, 'working'));
    bench.session.turn.stop();
    await turn;
    assert.match(bench.text, /elicitation\/create: {"action":"cancel"}/);
    assert.equal(wasAsked, false);
  });

  it('a prompt sent during Force Stop starts a new process', async () => {
    bench = await SessionBench.open();
    void bench.send('ignore-cancel', 'spawn-child stubborn', 'hang');
    await bench.until((state) => says(state, '[child'));
    const stopping = bench.session.restarter.forceStop();
    await bench.send('text at once');
    assert.equal(bench.session.state.connection.status, 'ready');
    await stopping;
    assert.equal(bench.session.state.connection.status, 'ready');
  });

  it('a session that is opened again while it is being closed has all entries and one writer', async () => {
    bench = await SessionBench.open({ env: { FAKE_CAPABILITIES: '{"loadSession":true}' } });
    const { session, sessions } = bench;
    await bench.send('text the end');
    session.dispatch({ type: 'sessionRenamed', title: 'At the last moment' });
    const written = session.history.close.bind(session.history);
    const disk = createDeferred<void>();
    session.history.close = async () => {
      await disk.promise;
      await written();
    };
    const { store: shelf } = sessions;
    const read = shelf.readTranscript.bind(shelf);
    let reads = 0;
    shelf.readTranscript = (id) => {
      reads += 1;
      return read(id);
    };
    const closing = sessions.close(session);
    const loading = sessions.open.load(session.id);
    await settled();
    assert.equal(reads, 0, 'its last lines are not on disk yet');
    disk.resolve();
    const again = await loading;
    assert.ok(again && again !== session);
    assert.equal(again.state.title, 'At the last moment');
    assert.equal(again.state.entries.count, session.state.entries.count);
    await closing;
    const [one, other] = await Promise.all([sessions.open.load(again.id), sessions.open.load(again.id)]);
    assert.ok(one === again && other === again);
  });

  it('a session that is opened during the pruning is either kept or not opened', async () => {
    bench = await SessionBench.open({ env: { FAKE_CAPABILITIES: '{"loadSession":true}' } });
    const { session, sessions } = bench;
    await bench.send('text the old one');
    sessions.newChat('fake');
    await sessions.close(session);
    const limits = { maxAgeDays: 1, maxSizeMB: 10 };
    const later = Date.now() + 9 * 24 * 60 * 60_000;
    const loading = sessions.open.load(session.id);
    assert.deepEqual(await sessions.store.prune(limits, sessions.open, later), []);
    const again = await loading;
    assert.ok(again);
    await sessions.close(again);
    const pruning = sessions.store.prune(limits, sessions.open, later);
    const [loaded, gone] = await Promise.all([pruning.then(() => sessions.open.load(session.id)), pruning]);
    assert.deepEqual([loaded, gone.length], [undefined, 1]);
    // Late updates about the session do not create a file.
    await sessions.store.append(session.id, { type: 'sessionRenamed', title: 'late' });
    assert.equal(sessions.store.get(session.id), undefined);
    assert.equal(await sessions.store.readTranscript(session.id), undefined);
  });

  it('a session that the agent opens for a closed chat is closed', async () => {
    const capabilities = { sessionCapabilities: { close: {}, delete: {} } };
    bench = await SessionBench.open({ env: { FAKE_CAPABILITIES: JSON.stringify(capabilities) } });
    const { session } = bench;
    const { connection } = bench.agents.acquire('fake');
    const request = connection.request.bind(connection);
    const left: Promise<unknown>[] = [];
    connection.request = (...args) => {
      const asking = request(...args);
      if (args[0] === 'session/new') void bench.sessions.close(session);
      if (args[0] === 'session/delete') left.push(asking);
      return asking;
    };
    await session.send('hello');
    await Promise.allSettled(left);
    assert.deepEqual(bench.methods(), ['session/new', 'session/close', 'session/delete']);
  });

  it('a permission request between turns is canceled after the window was killed', async () => {
    bench = await SessionBench.open();
    void bench.send('stop end_turn', 'permission p1 allow_once:Yes');
    await bench.until((state) => hasPendingRequest(state) && state.turn.status === 'idle');
    await bench.sessions.flush();
    const reopened = await SessionBench.open({ folder: bench.folder });
    await bench.closeWindow();
    bench = reopened;
    const { state } = bench.session;
    assert.deepEqual(state.waiting, []);
    const question = Array.from({ length: state.entries.count }, (_, at) => entryAt(state.entries, at)).find(
      (entry) => entry?.kind === 'permission',
    );
    assert.deepEqual(question?.kind === 'permission' && question.outcome, {
      type: 'canceled',
      reason: 'window reloaded',
    });
  });
});
