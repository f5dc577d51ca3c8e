import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { LiveSession } from '../../../src/session/liveSession';
import { entriesFrom, lastEntry } from '../../../src/shared/state/entryPages';
import { render } from '../../replay/render';
import { SessionBench } from './sessionBench';

describe('restarting an agent process of several chats', function () {
  let bench: SessionBench;

  afterEach(async () => bench?.close());

  async function twoChats(capabilities: object): Promise<[LiveSession, LiveSession]> {
    const blank = await SessionBench.open();
    await blank.closeWindow();
    bench = await SessionBench.open({
      folder: blank.folder,
      env: { FAKE_CAPABILITIES: JSON.stringify(capabilities), FAKE_STORE: join(blank.folder, 'agent') },
    });
    await bench.send('first chat');
    const first = bench.session;
    bench.sessions.newChat();
    await bench.send('second chat');
    return [first, bench.session];
  }

  it('starts no agent after the window has closed', async () => {
    bench = await SessionBench.open();
    await bench.send('hello');
    await bench.agents.shutdown();
    // A prompt sent while the window closes: its agent would outlive the window.
    await bench.session.send('again');
    assert.deepEqual(bench.agents.all(), []);
    assert.notEqual(bench.session.state.turn.status, 'running');
  });

  it('restores all chats after Restart Agent, and names the others in a notice', async () => {
    const [first, second] = await twoChats({ sessionCapabilities: { resume: {} } });
    await second.restart();
    const notice = lastEntry(second.state.entries);
    assert.ok(notice?.kind === 'notice');
    assert.equal(notice.title, 'Fake was restarted');
    assert.match(notice.text ?? '', /The agent also reopened these sessions, which share its process: “first chat”\./);
    for (const session of [first, second]) assert.equal(session.state.connection.status, 'ready');
    assert.deepEqual(bench.methods().slice(-2), ['session/resume', 'session/resume']);
    await first.send('recall');
    assert.match(render(first.state), /\[remembers \["first chat"\]\]/);
  });

  it('ends the turns of all chats on Force Stop, shows that, and restores the other chats', async () => {
    const [first, second] = await twoChats({ loadSession: true });
    const working = first.send('text working\nuntil-cancel');
    void second.send('ignore-cancel\ntext stubborn\nhang');
    await bench.until((state) => {
      const last = lastEntry(state.entries);
      return last?.kind === 'agent' && last.text === 'stubborn';
    });
    await second.restarter.forceStop();
    await working;
    assert.match(render(first.state), /turn: idle agentRestarted[^]*\[notice\] Interrupted/);
    assert.match(render(second.state), /turn: idle cancelled[^]*\[notice\] Fake was restarted/);
    await first.send('recall');
    assert.match(render(first.state), /\[remembers \["first chat"/);
  });

  it('names the chats that the agent does not remember', async () => {
    const [first, second] = await twoChats({});
    await second.restart();
    const notice = lastEntry(second.state.entries);
    assert.match(
      (notice?.kind === 'notice' && notice.text) || '',
      /could not reopen these sessions, which share its process: “first chat”\./,
    );
    await first.send('recall');
    assert.match(render(first.state), /Agent restarted/);
  });

  it('leaves an empty chat without a title, which its first message sets', async () => {
    bench = await SessionBench.open();
    await bench.session.restart();
    assert.equal(bench.session.state.title, undefined);
    await bench.send('text Fix the login', 'text second line');
    assert.equal(bench.session.state.title, 'text Fix the login');
  });

  it('shows once, after the next message, which messages the agent does not remember', async () => {
    bench = await SessionBench.open();
    await bench.send('text one');
    await bench.session.restart();
    await bench.send('text two');
    await bench.send('text three');
    const shown = Array.from(entriesFrom(bench.session.state.entries)).map(([, entry]) => {
      if (entry.kind === 'notice') return `${entry.title}: ${entry.text}`;
      return entry.kind === 'user' || entry.kind === 'agent' ? `${entry.kind}: ${entry.text}` : entry.kind;
    });
    assert.deepEqual(shown, [
      'user: text one',
      'agent: one',
      'user: text two',
      'Agent restarted: It knows only the message above and what follows.',
      'agent: two',
      'user: text three',
      'agent: three',
    ]);
  });

  it('does not mention other chats if there are none', async () => {
    bench = await SessionBench.open();
    await bench.send('alone');
    await bench.session.restart();
    assert.doesNotMatch(bench.text, /was restarted/);
  });
});
