import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { entryAt } from '../../../../src/shared/state/entryPages';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import type { RemoteServer } from '../../../remoteAgent/server';
import { startRemoteServer } from '../../../remoteAgent/server';
import { SessionBench } from '../sessionBench';

const capabilities = JSON.stringify({ loadSession: true, sessionCapabilities: { resume: {}, close: {} } });

for (const type of ['ws', 'http'] as const) {
  describe(`a remote agent over ${type}`, function () {
    let bench: SessionBench;
    let server: RemoteServer;
    let store: string;
    /** Messages that the agents behind the server received. */
    let log: string;
    let isConfigured: boolean;

    beforeEach(async () => {
      isConfigured = true;
      store = temporaryFolder();
      log = `${store}.jsonl`;
      server = await startRemoteServer({ FAKE_STORE: store, FAKE_CAPABILITIES: capabilities, FAKE_LOG: log });
    });
    afterEach(async () => {
      await bench?.close();
      await server.close();
      for (const path of [store, log]) rmSync(path, { recursive: true, force: true });
    });

    async function open(reconnectDelays: readonly number[] = [1, 2, 4]): Promise<void> {
      bench = await windowOf(reconnectDelays);
    }
    /** @param others Default: it is the only window of its folder. */
    function windowOf(
      reconnectDelays: readonly number[],
      others?: { readonly folder?: string },
    ): Promise<SessionBench> {
      const url = `${type}://127.0.0.1:${server.port}/acp`;
      return SessionBench.open({
        ...(others && { ...others, sessions: { isShared: true } }),
        remote: { type, url, headers: { Authorization: 'Bearer ${input:token}' } },
        isConfigured: () => isConfigured,
        connection: { reconnectDelays, secrets: { get: async () => 'sesame-open-9' } },
      });
    }
    /** The window that opens the folder again. */
    function nextWindow(): Promise<SessionBench> {
      return SessionBench.open({
        folder: bench.folder,
        remote: {
          type,
          url: `${type}://127.0.0.1:${server.port}/acp`,
          headers: { Authorization: 'Bearer ${input:token}' },
        },
        connection: { secrets: { get: async () => 'sesame-open-9' } },
      });
    }
    const is = (status: SessionState['connection']['status']) => (state: SessionState) =>
      state.connection.status === status;

    it('answers, with the headers of the settings and the secret in them', async () => {
      await open();
      await bench.send('text Hello from afar');
      assert.match(bench.text, /Hello from afar/);
      assert.ok(server.headers.length > 0);
      for (const headers of server.headers) assert.equal(headers.authorization, 'Bearer sesame-open-9');
      const { traffic } = bench.agents.acquire('fake').connection;
      assert.ok(traffic.size > 3);
      assert.doesNotMatch(JSON.stringify(traffic.entries()), /sesame/);
    });

    it('stays a remote agent when the settings no longer have it', async () => {
      await open();
      await bench.send('text hello');
      isConfigured = false;
      assert.equal(bench.session.userRequests.requester().confined, 'remote');
      assert.ok(bench.session.isRemote);
    });

    it('reconnects after a lost connection, resumes the session and continues', async () => {
      await open();
      await bench.send('text before');
      const statuses: string[] = [];
      bench.session.onDidDispatch(({ action }) => {
        if (action.type === 'connectionChanged') statuses.push(action.connection.status);
      });
      const { agentSession } = bench.session.state;
      server.drop();
      await bench.until(is('reconnecting'));
      await bench.send('text after');
      assert.match(bench.text, /before[^]*after/);
      assert.doesNotMatch(bench.text, /Agent restarted/);
      assert.deepEqual(bench.session.state.agentSession, agentSession);
      assert.equal(statuses[0], 'reconnecting');
      assert.equal(bench.session.state.connection.status, 'ready');
      assert.equal(bench.text.match(/\[agent\]\n {2}before/g)?.length, 1, 'nothing is shown twice');
    });

    it('ends a running turn, and reports that', async () => {
      await open();
      const turn = bench.send('text half an', 'until-cancel');
      await bench.until((state) => state.entries.count > 1);
      server.drop();
      await turn;
      assert.match(bench.text, /The connection to Fake was lost/);
      await bench.until(is('ready'));
      await bench.send('text here again');
      assert.match(bench.text, /here again/);
    });

    it('asks again after a reload and gets the answer; the earlier request was not answered', async () => {
      await open();
      void bench.send('tool t1 execute Deploy', 'permission t1 allow_once:Go reject_once:No', 'hang');
      await bench.until(({ waiting }) => waiting.length === 1);
      bench.sessions.interrupt();
      await bench.closeWindow();
      assert.match(bench.text, /window reloaded/);
      assert.doesNotMatch(readFileSync(log, 'utf8'), /"outcome"/, 'the agent was told nothing for the person');
      await server.close();
      server = await startRemoteServer(
        { FAKE_STORE: store, FAKE_CAPABILITIES: capabilities, FAKE_RESUME_ASK: 'Deploy, again' },
        server.port,
      );
      bench = await nextWindow();
      await bench.until(({ waiting }) => waiting.length === 1);
      const [index = 0] = bench.session.state.waiting;
      const asked = entryAt(bench.session.state.entries, index);
      assert.ok(asked?.kind === 'permission');
      assert.equal(asked.title, 'Deploy, again');
      bench.session.userRequests.answer(asked.permissionId, 'yes');
      await bench.until(({ entries }) => JSON.stringify(entries).includes('asked again: '));
      assert.match(bench.text, /asked again: \{"outcome":\{"outcome":"selected","optionId":"yes"\}\}/);
    });

    it('is resumed when the next window starts, after its window was killed during a turn', async () => {
      await server.close();
      server = await startRemoteServer(
        { FAKE_STORE: store, FAKE_CAPABILITIES: capabilities, FAKE_LOG: log, FAKE_RESUME_ASK: 'Deploy, again' },
        server.port,
      );
      await open();
      void bench.send('text half', 'tool t1 execute Deploy', 'permission t1 allow_once:Go reject_once:No', 'hang');
      await bench.until(({ waiting }) => waiting.length === 1);
      await bench.sessions.flush();
      // The window is killed: nothing more is written or sent to the agent.
      const killed = bench;
      bench = await nextWindow();
      await bench.until(is('ready'));
      await bench.until(({ waiting }) => waiting.length === 1);
      assert.doesNotMatch(readFileSync(log, 'utf8'), /"outcome"/);
      const { waiting, entries } = bench.session.state;
      const asked = entryAt(entries, waiting[0] ?? 0);
      assert.ok(asked?.kind === 'permission' && asked.title === 'Deploy, again');
      bench.session.userRequests.answer(asked.permissionId, 'no');
      await bench.until((state) => JSON.stringify(state.entries).includes('asked again: '));
      assert.match(bench.text, /half[^]*window reloaded[^]*asked again: .*"optionId":"no"/);
      await bench.send('text and on');
      assert.match(bench.text, /and on/);
      await killed.closeWindow();
    });

    it('stays asleep when the next window starts, if no turn was running', async () => {
      await open();
      await bench.send('text done');
      await bench.closeWindow();
      bench = await nextWindow();
      assert.equal(bench.session.state.connection.status, 'idle');
      await bench.send('text woken');
      assert.match(bench.text, /done[^]*woken/);
    });

    it('continues when another window takes over its session', async () => {
      bench = await windowOf([1], {});
      const { id } = bench.session;
      void bench.send('text half an', 'until-cancel');
      await bench.until((state) => state.entries.count > 1);
      const two = await windowOf([1], { folder: bench.folder });
      const mine = await two.sessions.takeOver(id);
      assert.equal(bench.sessions.getOpen(id), undefined);
      // After all messages to the agent about the other session.
      await bench.send('text another chat');
      assert.doesNotMatch(readFileSync(log, 'utf8'), /session\/(close|cancel)/);
      mine.dispose();
      await two.closeWindow();
    });

    it('receives no answer to a pending form when the window closes', async () => {
      await open();
      const form = {
        message: 'Who?',
        mode: 'form',
        requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
      };
      const params = JSON.stringify(form).slice(1);
      void bench.send(`request elicitation/create {"sessionId":"$SESSION",${params}`, 'hang');
      await bench.until(({ waiting }) => waiting.length === 1);
      bench.sessions.interrupt();
      await bench.closeWindow();
      assert.deepEqual(bench.session.state.waiting, []);
      assert.doesNotMatch(readFileSync(log, 'utf8'), /"action"/, 'the agent was told nothing for the person');
    });

    it('fails after too many attempts; Restart Agent connects again', async () => {
      await open([1, 1]);
      await bench.send('text before');
      server.drop(true);
      await bench.until(is('failed'));
      const { connection } = bench.session.state;
      assert.ok(connection.status === 'failed');
      assert.match(connection.message, /The connection to Fake was lost/);
      server.drop(false);
      await bench.session.restart();
      assert.equal(bench.session.state.connection.status, 'ready');
      await bench.send('text back');
      assert.match(bench.text, /back/);
    });

    it('is reported as unreachable with its URL', async () => {
      await open();
      server.drop(true);
      await bench.send('text nobody hears this');
      assert.match(bench.text, new RegExp(`Could not connect to Fake at ${type}://127\\.0\\.0\\.1:\\d+/acp`));
    });
  });
}
