import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asObject, asString } from '../../../../src/base/json';
import type { JsonObject } from '../../../../src/base/json';
import { ReplayMatcher } from '../../../../src/session/replayMatcher';
import { SessionBench } from '../sessionBench';

const RESUME = JSON.stringify({ sessionCapabilities: { resume: {} } });
const LOAD = JSON.stringify({ loadSession: true });
const chunk = (kind: string, text: string): JsonObject => ({
  sessionUpdate: `${kind}_chunk`,
  content: { type: 'text', text },
});

/** In chunks of so many characters. */
const cut =
  (size: number) =>
  (history: readonly JsonObject[]): readonly JsonObject[] =>
    history.flatMap((update) => {
      const text = asString(asObject(update['content'])?.['text']);
      const pieces = text?.match(new RegExp(`[^]{1,${size}}`, 'g'));
      return pieces?.map((piece) => ({ ...update, content: { type: 'text', text: piece } })) ?? [update];
    });
const isUser = (update: JsonObject): boolean => update['sessionUpdate'] === 'user_message_chunk';
/** How agents tell a history. */
const forms: Record<string, (history: readonly JsonObject[]) => readonly JsonObject[]> = {
  'single characters': cut(1),
  'small chunks': cut(3),
  'messages with context of their own': (history) =>
    history.flatMap((update) =>
      isUser(update) ? [chunk('user_message', '<env>\nFolder: /app\n</env>\n'), update] : [update],
    ),
  'messages with an image first': (history) =>
    history.flatMap((update) =>
      isUser(update)
        ? [{ ...update, content: { type: 'image', mimeType: 'image/png', data: 'AAAA' } }, update]
        : [update],
    ),
  'a summary and the last turn': (history) => [
    chunk('user_message', 'This session continues an earlier one, about nuts.'),
    ...history.slice(history.findLastIndex(isUser)),
  ],
  'answers without messages': (history) => history.filter((update) => !isUser(update)),
};

describe('history that an agent replays into a transcript', () => {
  let bench: SessionBench;
  afterEach(async () => bench.close());

  /** Changes the history that the agent has stored. */
  function changeStored(change: (history: readonly JsonObject[]) => readonly JsonObject[]): void {
    const folder = join(bench.folder, 'agent');
    const file = join(folder, readdirSync(folder)[0] ?? '');
    const stored = JSON.parse(readFileSync(file, 'utf8')) as { updates: JsonObject[] };
    writeFileSync(file, JSON.stringify({ ...stored, updates: change(stored.updates) }));
  }

  /** Two turns, then a new window whose agent replays. */
  async function reload(
    env: Record<string, string>,
    more: readonly JsonObject[] = [],
    change: (history: readonly JsonObject[]) => readonly JsonObject[] = (history) => history,
  ): Promise<void> {
    const common = { FAKE_STORE: 'agent', FAKE_CAPABILITIES: RESUME, ...env };
    bench = await SessionBench.open({ env: { FAKE_STORE: 'agent', FAKE_CAPABILITIES: common.FAKE_CAPABILITIES } });
    await bench.send(
      'thought a nut',
      'tool t1 execute Crack',
      'update t1 completed open',
      'text walnut is',
      'text  a nut',
    );
    await bench.send('text hazel too');
    const { folder } = bench;
    await bench.closeWindow();
    changeStored(change);
    const moreEnv = more.length > 0 ? { FAKE_REPLAY_MORE: JSON.stringify(more) } : {};
    bench = await SessionBench.open({ folder, env: { ...common, ...moreEnv } });
  }
  const conversation = (): string => bench.text.replace(/^(?:turn|usage|title):.*\n/gm, '');

  for (const how of ['before', 'after', 'before last', 'after last']) {
    it(`is not doubled by session/resume that replays ${how}`, async () => {
      await reload({ FAKE_RESUME_REPLAY: how });
      const before = conversation();
      await bench.send('text rowan');
      const after = conversation();
      assert.ok(after.startsWith(before.trimEnd()), after);
      assert.equal(after.match(/^\[user\]/gm)?.length, 3, after);
      assert.equal(after.match(/walnut is/g)?.length, before.match(/walnut is/g)?.length, after);
      assert.match(after, /rowan\n*$/);
    });
  }

  for (const [form, change] of Object.entries(forms)) {
    it(`is not doubled by session/resume as ${form}`, async () => {
      for (const how of ['before', 'after']) {
        await reload({ FAKE_RESUME_REPLAY: how }, [], change);
        const before = conversation();
        await bench.send('text rowan');
        assert.equal(conversation(), `${before}[user]\n  text rowan\n[agent]\n  rowan\n`, how);
        if (how === 'before') await bench.close();
      }
    });
  }

  it('is not doubled while the agent works on the next message, in small chunks', async () => {
    await reload({});
    const history = [chunk('user_message', 'text hazel too'), chunk('agent_message', 'hazel too')];
    const live = [chunk('user_message', 'rowan, not hazel text'), chunk('agent_message', 'rowan')];
    const matcher = new ReplayMatcher(bench.session.state, false);
    const news = [...cut(3)(history), ...cut(3)(live)].map((update) =>
      matcher.newPart(update, 'rowan, not hazel text'),
    );
    assert.deepEqual(
      news.filter((update) => update !== undefined),
      cut(3)(live),
    );
  });

  it('is not doubled where the agent puts context in front of messages, or begins with a call', async () => {
    await reload({});
    const before = bench.session.state;
    const context = '<context>\nFolder: /app\n</context>\n';
    const prompt = 'thought a nut\ntool t1 execute Crack\nupdate t1 completed open\ntext walnut is\ntext  a nut';
    const call = { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Crack' };
    const added = [chunk('user_message', 'text rowan'), chunk('agent_message', 'rowan')];
    for (const start of [
      [chunk('user_message', context + prompt), call, chunk('agent_message', 'walnut is a nut')],
      [],
      [call, chunk('agent_message', 'walnut is'), chunk('agent_message', ' a nut')],
    ]) {
      const rest = [chunk('user_message', `${context}text hazel too`), chunk('agent_message', 'hazel too')];
      const matcher = new ReplayMatcher(before, false);
      const news = [...start, ...rest, ...added].map((update) => matcher.newPart(update));
      assert.deepEqual(
        news.filter((update) => update !== undefined),
        added,
      );
    }
  });

  const beyond = [chunk('user_message', 'text from another window'), chunk('agent_message', 'An answer elsewhere')];

  it('is completed by what the agent knows beyond it, on a resume', async () => {
    await reload({ FAKE_RESUME_REPLAY: 'before' }, beyond);
    await bench.send('text rowan');
    assert.equal(bench.text.match(/^\[user\]/gm)?.length, 4, bench.text);
    assert.match(bench.text, /hazel too[^]*from another window[^]*An answer elsewhere[^]*rowan/);
  });

  it('is completed by the rest of an answer, and by the end of a call', async () => {
    bench = await SessionBench.open({ env: { FAKE_STORE: 'agent', FAKE_CAPABILITIES: RESUME } });
    void bench.send('tool t1 execute Crack', 'text walnut is', 'hang');
    await bench.until(({ entries }) => entries.count === 3);
    const { folder } = bench;
    await bench.closeWindow();
    assert.match(bench.text, /Crack: Canceled/);
    const done = { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' };
    const more = [chunk('agent_message', 'walnut is a nut'), done];
    const env = { FAKE_STORE: 'agent', FAKE_CAPABILITIES: RESUME, FAKE_REPLAY_MORE: JSON.stringify(more) };
    bench = await SessionBench.open({ folder, env: { ...env, FAKE_RESUME_REPLAY: 'before' } });
    await bench.session.reopen();
    assert.match(bench.text, /\[agent\]\n {2}walnut is\n[^]*\[agent\]\n {3}a nut/);
    assert.match(bench.text, /Crack: Done/);
    assert.equal(bench.text.match(/walnut is/g)?.length, 2, 'the message and the answer');
  });

  it('is completed by the end of a call that the crash of the agent cut off', async () => {
    bench = await SessionBench.open({ env: { FAKE_STORE: 'agent', FAKE_CAPABILITIES: LOAD } });
    await bench.send('tool t1 execute Crack', 'tool t2 execute Peel', 'update t2 failed no knife', 'exit 1');
    assert.match(bench.text, /Crack: Interrupted/);
    const call = { sessionUpdate: 'tool_call', kind: 'execute', status: 'completed' };
    const calls = [
      { ...call, toolCallId: 't1', title: 'Crack', rawOutput: 'open' },
      { ...call, toolCallId: 't2', title: 'Peel' },
    ];
    changeStored((history) => [...history.filter(isUser), ...calls]);
    await bench.send('text rowan');
    assert.match(bench.text, /Crack: Done\n\[tool execute\] Peel: Failed/);
  });

  for (const how of ['before', 'after']) {
    it(`is the transcript of a listed session that session/resume replays ${how}`, async () => {
      const env = {
        FAKE_STORE: 'agent',
        FAKE_CAPABILITIES: JSON.stringify({ sessionCapabilities: { resume: {}, list: {} } }),
      };
      bench = await SessionBench.open({ env });
      await bench.send('tool t1 execute Crack', 'text walnut');
      const { folder } = bench;
      const before = conversation();
      await bench.closeWindow();
      // Only the agent knows the session.
      const ours = readdirSync(folder).filter((name) => name !== 'agent');
      for (const name of ours) rmSync(join(folder, name), { recursive: true });
      bench = await SessionBench.open({ folder, env: { ...env, FAKE_RESUME_REPLAY: how } });
      await bench.session.chooseAgent('fake');
      await bench.session.warmStart.start();
      await bench.catalog.refresh();
      const listed = bench.catalog.items().find(({ isOurs }) => !isOurs);
      await bench.catalog.open(listed?.id ?? '');
      assert.equal(conversation(), before);
      await bench.send('text rowan');
      assert.equal(conversation(), `${before}[user]\n  text rowan\n[agent]\n  rowan\n`);
    });
  }

  it('is not doubled by session/load', async () => {
    await reload({ FAKE_CAPABILITIES: LOAD });
    const before = conversation();
    await bench.send('text rowan');
    assert.ok(conversation().startsWith(before.trimEnd()));
    assert.equal(bench.text.match(/^\[user\]/gm)?.length, 3);
  });

  it('does not swallow an answer that repeats an earlier one', async () => {
    await reload({ FAKE_RESUME_REPLAY: '' });
    await bench.send('text hazel too');
    await bench.send('text walnut is', 'text  a nut');
    assert.equal(bench.text.match(/\[agent\]\n {2}hazel too/g)?.length, 2, bench.text);
    assert.equal(bench.text.match(/\[agent\]\n {2}walnut isa nut/g)?.length, 2, bench.text);
  });
});
