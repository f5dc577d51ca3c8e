import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import type {
  FileRestoreOutcome,
  ResendOutcome,
  EditAndResendOptions,
} from '../../../../src/session/commands/editAndResend';
import { EditAndResend } from '../../../../src/session/commands/editAndResend';
import { transcriptBefore, forkCut } from '../../../../src/session/commands/forkFromEntry';
import type { LiveSession } from '../../../../src/session/liveSession';
import { entriesFrom, entryAt } from '../../../../src/shared/state/entryPages';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { render } from '../../../replay/render';
import { SessionBench } from '../sessionBench';

const CAPABILITIES = {
  loadSession: true,
  promptCapabilities: { embeddedContext: true },
  sessionCapabilities: { resume: {}, fork: {} },
};
const CLAUDE = '@agentclientprotocol/claude-agent-acp';

describe('continuing from an earlier message', function () {
  let bench: SessionBench;
  let files: FileRestoreOutcome;
  /** Inherited entries, and the messages whose files were requested. */
  let asked: unknown[];
  let options: EditAndResendOptions;
  let resending: EditAndResend;

  beforeEach(() => {
    files = { type: 'ready' };
    asked = [];
  });
  afterEach(() => bench.close());

  async function open(env: Record<string, string> = {}): Promise<void> {
    const store = join('/tmp', `parley-branch-${process.pid}-${Math.floor(performance.now())}`);
    bench = await SessionBench.open({
      env: { FAKE_CAPABILITIES: JSON.stringify(CAPABILITIES), FAKE_STORE: store, ...env },
    });
    after(() => rmSync(store, { recursive: true, force: true }));
    options = {
      sessions: bench.sessions,
      log: nullLogger,
      read: async (_session, attachments) => {
        if (attachments.some(({ label }) => label === 'gone')) throw new Error('gone cannot be read');
        return attachments.map(({ label }) => ({ type: 'resource', uri: `parley:${label}`, text: label }));
      },
      filesBefore: async (_session, entry) => {
        asked.push(entry);
        return files;
      },
      inherit: async (_from, _to, before) => void asked.push(`inherit ${before}`),
    };
    resending = new EditAndResend(options);
  }

  /** An answer with an id, at which agents fork. */
  const answer = (id: string, text: string): string =>
    `session-update ${JSON.stringify({ sessionUpdate: 'agent_message_chunk', messageId: id, content: { type: 'text', text } })}`;

  /** Three turns: prompts at the entries 0, 2, 4. */
  async function threeTurns(env?: Record<string, string>): Promise<LiveSession> {
    await open(env);
    await bench.session.send(answer('m1', 'first answer'));
    await bench.session.send(answer('m2', 'second answer'));
    await bench.session.send(answer('m3', 'third answer'));
    return bench.session;
  }

  async function resent(result: Promise<ResendOutcome>): Promise<LiveSession> {
    const done = await result;
    assert.ok(done.type === 'ready', done.type);
    await done.start();
    return bench.sessions.getOpen(done.session.id)!;
  }

  const prompts = (session: LiveSession): string[] =>
    Array.from(entriesFrom(session.state.entries)).flatMap(([, entry]) => (entry.kind === 'user' ? [entry.text] : []));
  const lastPrompt = (): string =>
    JSON.stringify(bench.received().findLast(({ method }) => method === 'session/prompt')?.['params']);
  const forks = (): number => bench.methods().filter((method) => method === 'session/fork').length;

  it('continues in a new session with the conversation so far and a notice, and keeps the old one', async () => {
    const source = await threeTurns();
    const before = source.state.entries;
    const session = await resent(resending.resend(source.id, 2, 'recall', []));
    assert.notEqual(session, source);
    assert.equal(source.state.entries, before);
    assert.equal(prompts(session).length, 2);
    const text = render(session.state);
    assert.match(text, /first answer[^]*A new session starts here[^]*\[remembers \[\]\]/);
    assert.doesNotMatch(text, /second answer|Agent restarted/);
    const sent = lastPrompt();
    assert.match(sent, /Conversation so far[^]*first answer/);
    assert.doesNotMatch(sent, /second answer/);
    assert.deepEqual(asked, [2, 'inherit 2']);
    assert.equal(forks(), 0);
    // It is reported once.
    await session.send('recall');
    assert.doesNotMatch(lastPrompt(), /Conversation so far/);
  });

  it('forks at the previous answer if the agent supports it', async () => {
    const source = await threeTurns({ FAKE_NAME: CLAUDE });
    const session = await resent(resending.resend(source.id, 4, 'recall', []));
    assert.equal(forks(), 1);
    const text = render(session.state);
    assert.match(text, /second answer[^]*\[user\]\n {2}recall\n/);
    const last = entryAt(session.state.entries, 5);
    assert.ok(last?.kind === 'agent' && /remembers .*first answer.*second answer/.test(last.text));
    assert.doesNotMatch(last.text, /third answer/);
    assert.doesNotMatch(text, /third answer|A new session starts here/);
    assert.doesNotMatch(lastPrompt(), /Conversation so far/);
  });

  it('sends the conversation if the agent rejects the fork', async () => {
    const source = await threeTurns({ FAKE_NAME: CLAUDE });
    // An answer that the agent does not know.
    source.dispatch({ type: 'promptSent', text: 'unknown', blocks: [], at: 1 });
    source.dispatch({ type: 'textAppended', role: 'agent', text: 'made up', messageId: 'other', at: 2 });
    source.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 3 });
    await source.send('text last');
    const session = await resent(resending.resend(source.id, 8, 'recall', []));
    assert.equal(forks(), 1);
    assert.match(lastPrompt(), /Conversation so far[^]*made up/);
    assert.match(render(session.state), /A new session starts here/);
  });

  it('starts a new session for the first message, without history', async () => {
    const source = await threeTurns();
    const session = await resent(resending.resend(source.id, 0, 'recall', []));
    assert.deepEqual(prompts(session), ['recall']);
    assert.match(render(session.state), /\[remembers \[\]\]/);
    assert.doesNotMatch(lastPrompt(), /Conversation so far/);
    assert.equal(session.state.agent?.name, source.state.agent?.name);
  });

  it('changes nothing if the user cancels the restore, or an attachment cannot be read', async () => {
    const source = await threeTurns();
    const { length } = bench.sessions.allOpen();
    files = { type: 'canceled' };
    assert.deepEqual(await resending.resend(source.id, 2, 'other', []), { type: 'canceled' });
    files = { type: 'failed', message: 'An agent is working on the files.' };
    assert.deepEqual(await resending.resend(source.id, 2, 'other', []), files);
    files = { type: 'ready' };
    asked = [];
    const unread = await resending.resend(source.id, 2, 'other', [{ kind: 'text', label: 'gone', text: '' }]);
    assert.deepEqual([unread, asked], [{ type: 'failed', message: 'gone cannot be read.' }, []]);
    const missing = await resending.resend(source.id, 1, 'other', []);
    assert.equal(missing.type, 'failed');
    assert.equal(bench.sessions.allOpen().length, length);
  });

  it('continues in one session with one message if it is requested twice', async () => {
    const source = await threeTurns();
    const { length } = bench.sessions.allOpen();
    const both = await Promise.all([
      resending.resend(source.id, 2, 'recall', []),
      resending.resend(source.id, 2, 'again', []),
    ]);
    const sessions = await Promise.all(both.map((one) => resent(Promise.resolve(one))));
    assert.equal(sessions[0], sessions[1]);
    assert.deepEqual(prompts(sessions[0]!).slice(1), ['recall']);
    assert.equal(bench.sessions.allOpen().length, length + 1);
    assert.deepEqual(asked, [2, 'inherit 2']);
    // Later it is another session, and meanwhile also another message.
    const later = await Promise.all([
      resending.resend(source.id, 2, 'recall', []),
      resending.resend(source.id, 0, 'recall', []),
    ]);
    assert.equal(new Set([sessions[0], ...later.map((one) => one.type === 'ready' && one.session)]).size, 3);
  });

  it('reports restored files even if the message could not be sent, and offers Undo', async () => {
    const source = await threeTurns();
    const restored = {
      text: '1 file restored to the state before the message.',
      skipped: [],
      undo: async () => undefined,
    };
    files = { type: 'ready', restored };
    const { open } = bench.sessions;
    const create = open.create.bind(open);
    open.create = () => {
      throw new Error('no room');
    };
    assert.deepEqual(await resending.resend(source.id, 2, 'other', []), {
      type: 'failed',
      message: 'no room.',
      restored,
    });
    open.create = create;
    const sent = await resending.resend(source.id, 2, 'other', []);
    assert.ok(sent.type === 'ready' && sent.restored === restored);
  });

  it('reports that no files were restored, and sends the attachments', async () => {
    const source = await threeTurns();
    files = { type: 'ready', note: 'Checkpoints are disabled.' };
    const session = await resent(
      resending.resend(source.id, 2, 'text on', [{ kind: 'text', label: 'note', text: 'x' }]),
    );
    assert.match(render(session.state), /The files were not restored[^]*text on/);
    assert.match(lastPrompt(), /parley:note/);
  });

  it('is rejected while the agent works', async () => {
    await open();
    void bench.send('text working', 'until-cancel');
    await bench.until(({ entries }) => entries.count > 1);
    const { session } = bench;
    assert.match(JSON.stringify(await resending.resend(session.id, 0, 'x', [])), /agent is working/);
    await assert.rejects(resending.fork(session.id, 0), /agent is working/);
    session.turn.stop();
    await bench.until(({ turn }) => turn.status === 'idle');
  });

  it('forks before a user message, with that as draft, or after an answer', async () => {
    const source = await threeTurns();
    const before = await resending.fork(source.id, 2);
    assert.match(before.draft?.text ?? '', /second answer/);
    assert.equal(prompts(before.session).length, 1);
    const after = await resending.fork(source.id, 3);
    assert.equal(after.draft, undefined);
    assert.equal(prompts(after.session).length, 2);
    assert.match(after.session.state.title ?? '', /\(fork\)$/);
    assert.equal(forks(), 0);
    await after.session.send('text on');
    assert.match(lastPrompt(), /Conversation so far[^]*second answer/);
    await resending.fork(source.id, 5);
    assert.equal(forks(), 1, 'all of a session can be forked by every agent that forks');
  });

  it('continues with another agent: the sessions link to each other, and the first message has the conversation', async () => {
    const source = await threeTurns();
    source.dispatch({ type: 'usageChanged', usage: { used: 1, size: 2, cost: { amount: 3, currency: 'USD' } } });
    const retryAt = Date.now() + 3_600_000;
    source.dispatch({ type: 'limitsChanged', limits: [{ id: 'week', isReached: true, resetsAt: retryAt }] });
    source.dispatch({ type: 'errorShown', message: 'Limit', remedies: ['retry'], retryAt, at: 3 });
    source.dispatch({ type: 'retryScheduled', retryAt });
    source.dispatch({ type: 'choicesKept', choices: { model: 'big' } });
    const count = source.state.entries.count;
    const session = await resending.continueWith(source.id, { name: 'other', title: 'Other' });
    assert.deepEqual(asked, [`inherit ${count}`]);
    assert.equal(forks(), 0);
    const { agent, title, usage, choices, agentSession, entries } = session.state;
    assert.deepEqual([agent?.name, usage, choices], ['other', undefined, undefined]);
    assert.deepEqual([session.state.limits, session.state.retryAt], [undefined, undefined]);
    const error = entryAt(entries, count - 1);
    assert.deepEqual(error, { kind: 'error', message: 'Limit', remedies: ['retry'], at: 3 }, 'no “Retry at”');
    assert.notEqual(agentSession?.id, source.state.agentSession?.id);
    assert.match(title ?? '', / \(Other\)$/);
    const [to, from] = [entryAt(source.state.entries, count), entryAt(entries, count)];
    assert.ok(to?.kind === 'notice' && from?.kind === 'notice');
    assert.deepEqual([to.session, from.session], [session.id, source.id]);
    // Stays true once that message is sent.
    assert.match(from.text ?? '', /^The first message below includes the conversation/);
    await session.send('text on');
    assert.match(lastPrompt(), /Conversation so far[^]*third answer/);
    assert.doesNotMatch(render(session.state), /Agent restarted/);
    await session.send('text on');
    assert.doesNotMatch(lastPrompt(), /Conversation so far/);
    assert.equal(source.state.entries.count, count + 1);
  });

  it('is rejected with another agent while the agent works', async () => {
    await open();
    void bench.send('text working', 'until-cancel');
    await bench.until(({ entries }) => entries.count > 1);
    const { length } = bench.sessions.allOpen();
    await assert.rejects(
      resending.continueWith(bench.session.id, { name: 'other', title: 'Other' }),
      /agent is working/,
    );
    assert.equal(bench.sessions.allOpen().length, length);
    bench.session.turn.stop();
    await bench.until(({ turn }) => turn.status === 'idle');
  });

  it('sends the conversation after a reload, and again if the first attempt fails', async () => {
    const source = await threeTurns();
    const { session } = await resending.fork(source.id, 3);
    const { id } = session;
    await bench.closeWindow();
    bench = await SessionBench.open({
      folder: bench.folder,
      env: { FAKE_CAPABILITIES: JSON.stringify(CAPABILITIES) },
    });
    const again = await bench.sessions.open.load(id);
    await again?.send('error -32603 overloaded');
    assert.match(lastPrompt(), /Conversation so far/);
    await again?.retry();
    assert.equal(lastPrompt().match(/Conversation so far/g)?.length, 1);
  });
});

describe('the part of a transcript before an entry', () => {
  const actions = [
    { type: 'promptSent', text: 'one', blocks: [], at: 1 },
    { type: 'agentSessionOpened', session: { id: 'x', cwd: '/w' } },
    { type: 'toolStarted', toolCallId: 't', patch: { title: 'Look' }, at: 2 },
    { type: 'messageQueued', message: { id: 'q', text: 'later', attachments: [], at: 2 } },
    { type: 'textAppended', role: 'agent', text: 'half', at: 3 },
    { type: 'textAppended', role: 'agent', text: ' an answer', at: 3 },
    { type: 'toolChanged', entry: 1, patch: { status: 'done' }, at: 4 },
    { type: 'turnEnded', stopReason: 'end_turn', at: 5 },
    { type: 'promptSent', text: 'two', blocks: [], at: 6 },
  ] as const;
  const transcript = { id: 's', actions, diffs: new Map(), damaged: 0 };
  const state = (cut: number) => transcriptBefore(transcript, cut).actions.reduce(reduce, emptySession('s'));

  it('contains no state of the session itself', () => {
    const whole = state(3);
    assert.equal(whole.entries.count, 3);
    assert.deepEqual([whole.turn.status, whole.agentSession, whole.queue.messages.length], ['idle', undefined, 0]);
    const said = entryAt(whole.entries, 2);
    assert.ok(said?.kind === 'agent' && said.text === 'half an answer');
    assert.equal(
      transcriptBefore(transcript, 0).actions.some(({ type }) => type === 'promptSent'),
      false,
    );
  });

  it('ends a turn that is cut', () => {
    const half = state(2);
    assert.deepEqual(half.turn, { status: 'idle', stopReason: 'cancelled' });
    const tool = entryAt(half.entries, 1);
    assert.ok(tool?.kind === 'tool' && tool.status === 'canceled');
  });

  it('extends to the end of the turn after its last answer', () => {
    const all = actions.reduce(reduce, emptySession('s'));
    assert.deepEqual([forkCut(all, 0), forkCut(all, 1), forkCut(all, 2), forkCut(all, 3)], [0, 2, 3, 3]);
  });
});
