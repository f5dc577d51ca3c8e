import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { quirkOf } from '../../src/agent/quirks/agentQuirks';
import { systemClock } from '../../src/base/clock';
import { asArray, asObject, asString } from '../../src/base/json';
import type { JsonObject } from '../../src/base/json';
import { ReplayFilter } from '../../src/session/repeatedUpdates';
import { ReplayMatcher } from '../../src/session/replayMatcher';
import type { SessionState } from '../../src/shared/state/sessionState';
import { emptySession } from '../../src/shared/state/sessionState';
import { replayTraffic } from './player';
import { render } from './render';

/** Messages of real agents when a session is loaded, forked or resumed, up to the next prompt. */
const folder = join(process.cwd(), 'test/replay/traffic');

interface Recorded {
  readonly dir: string;
  readonly msg: JsonObject;
}

function replayed(file: string): Recorded[] {
  const records = readFileSync(join(folder, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const record = asObject(JSON.parse(line)) ?? {};
      return { dir: asString(record['dir']) ?? '', msg: asObject(record['msg']) ?? {} };
    });
  const prompt = records.findIndex(({ msg }) => msg['method'] === 'session/prompt');
  return records.slice(0, prompt);
}

function admitted(records: readonly Recorded[], replay: ReplayFilter): Recorded[] {
  return records.filter(({ msg }) => {
    if (msg['method'] !== 'session/update') return true;
    return replay.newPart(asObject(asObject(msg['params'])?.['update']) ?? {}) !== undefined;
  });
}

const known = (state: SessionState, isReplaying: boolean): ReplayFilter =>
  new ReplayFilter({ keeps: 'new', session: { state }, matcher: new ReplayMatcher(state, isReplaying) }, systemClock);

const conversation = (records: readonly Recorded[]): string =>
  render(replayTraffic(records))
    .split('\n')
    .filter((line) => !/^(title|turn|commands|usage):/.test(line))
    .join('\n')
    .trim();

describe('a session that a real agent loads', () => {
  const files = readdirSync(folder);
  const loads = files.filter((file) => file.endsWith('-load.jsonl'));

  it('was recorded from several agents', () => assert.ok(loads.length >= 7, loads.join(', ')));

  for (const file of loads) {
    it(`${file}: becomes a transcript if Parley has none`, () => {
      const text = conversation(admitted(replayed(file), new ReplayFilter({ keeps: 'all' }, systemClock)));
      assert.equal(text.match(/First-answer\.(?!\n {2}read)/g)?.length, 1, text);
      assert.match(text, /\[user\][^]*First-answer\.[^]*\[tool [^]*FINAL ok/);
    });

    it(`${file}: adds nothing to an existing transcript, also after the response`, () => {
      const records = replayed(file);
      assert.equal(conversation(admitted(records, known(replayTraffic(records), true))), '');
    });

    it(`${file}: adds nothing to an existing transcript when it is resumed with a replay`, () => {
      const records = replayed(file);
      assert.equal(conversation(admitted(records, known(replayTraffic(records), false))), '');
    });
  }

  for (const file of files.filter((name) => /-(fork|resume)\.jsonl$/.test(name))) {
    it(`${file}: adds nothing to an existing transcript`, () => {
      const swallow = file.includes('-fork')
        ? new ReplayFilter({ keeps: 'nothing' }, systemClock)
        : known(emptySession('s'), false);
      assert.equal(conversation(admitted(replayed(file), swallow)), '');
    });
  }

  it('keeps session state such as commands while the replay is dropped', () => {
    const text = render(
      replayTraffic(admitted(replayed('codex-load.jsonl'), new ReplayFilter({ keeps: 'nothing' }, systemClock))),
    );
    assert.match(text, /commands: .*\/plan/);
    assert.match(text, /title: think A first thought/);
  });
});

/** The history of a recorded conversation as an agent would replay it. */
function historyOf(file: string): JsonObject[] {
  const records = readFileSync(join(folder, file), 'utf8').trim().split('\n');
  const messages = records.map((line) => asObject(asObject(JSON.parse(line))?.['msg']) ?? {});
  const info = messages.map(({ result }) => asObject(asObject(result)?.['agentInfo'])).find((found) => found);
  const quirk = quirkOf(asString(info?.['name']));
  return messages.flatMap((msg) => {
    const params = asObject(msg['params']) ?? {};
    if (msg['method'] === 'session/prompt') {
      const blocks = asArray(params['prompt']).flatMap((block) => asObject(block) ?? []);
      return blocks.map((content) => ({ sessionUpdate: 'user_message_chunk', content }));
    }
    const sent = msg['method'] === 'session/update' ? asObject(params['update']) : undefined;
    const update = sent && quirk?.update ? quirk.update(sent) : sent;
    return update && /_chunk$|^tool_call/.test(String(update['sessionUpdate'])) ? [update] : [];
  });
}

/** The same history with its texts cut into pieces of this size. */
function cut(history: readonly JsonObject[], size: number): JsonObject[] {
  return history.flatMap((update): JsonObject[] => {
    const content = asObject(update['content']);
    const text = asString(content?.['text']);
    if (text === undefined || !String(update['sessionUpdate']).endsWith('_chunk')) return [update];
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    return pieces.map((piece) => ({ ...update, content: { ...content, text: piece } }));
  });
}

describe('a recorded conversation that is replayed', () => {
  const files = readdirSync(folder).filter((file) => !/-(load|fork|resume|background)\.jsonl$/.test(file));
  for (const file of files) {
    const records = (): Recorded[] =>
      readFileSync(join(folder, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Recorded);
    for (const isReplaying of [true, false]) {
      it(`${file}: adds nothing by ${isReplaying ? 'load' : 'resume'}, with and without ids, however it is cut`, () => {
        const state = replayTraffic(records());
        const history = historyOf(file);
        const bare = history.map(({ messageId: _id, ...update }) => update);
        const lastTurn = history.slice(history.findLastIndex((one) => one['sessionUpdate'] === 'user_message_chunk'));
        for (const replay of [history, bare, cut(history, 7), cut(history, 1_000_000), lastTurn]) {
          const filter = known(state, isReplaying);
          assert.deepEqual(
            replay.flatMap((update) => filter.newPart(update) ?? []),
            [],
          );
        }
      });
    }
  }
});
