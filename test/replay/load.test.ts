import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock';
import { asObject, asString } from '../../src/base/json';
import type { JsonObject } from '../../src/base/json';
import { ReplayFilter } from '../../src/session/agents/repeatedUpdates';
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
    return replay.accepts(asObject(asObject(msg['params'])?.['update']) ?? {});
  });
}

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
      const text = conversation(admitted(replayed(file), new ReplayFilter(false, systemClock)));
      assert.equal(text.match(/First-answer\.(?!\n {2}read)/g)?.length, 1, text);
      assert.match(text, /\[user\][^]*First-answer\.[^]*\[tool [^]*FINAL ok/);
    });

    it(`${file}: adds nothing to an existing transcript, also after the response`, () => {
      assert.equal(conversation(admitted(replayed(file), new ReplayFilter(true, systemClock))), '');
    });
  }

  for (const file of files.filter((name) => /-(fork|resume)\.jsonl$/.test(name))) {
    it(`${file}: adds nothing to an existing transcript`, () => {
      const swallow = new ReplayFilter(file.includes('-fork'), systemClock);
      assert.equal(conversation(admitted(replayed(file), swallow)), '');
    });
  }

  it('keeps session state such as commands while the replay is dropped', () => {
    const text = render(replayTraffic(admitted(replayed('codex-load.jsonl'), new ReplayFilter(true, systemClock))));
    assert.match(text, /commands: .*\/plan/);
    assert.match(text, /title: think A first thought/);
  });
});
