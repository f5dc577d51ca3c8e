import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asObject, asString } from '../../src/base/json';
import type { JsonObject } from '../../src/base/json';
import { replayTraffic } from './player';
import { render } from './render';

/**
 * Recorded traffic of real agents, played through the session model; the transcript must match golden/. After an intended change:
 * UPDATE_GOLDEN=1 npm test replay, and review the diff.
 */
const folder = join(process.cwd(), 'test/replay');
const golden = (name: string): string => join(folder, 'golden', `${name}.txt`);

function read(name: string): { dir: string; msg: JsonObject }[] {
  const lines = readFileSync(join(folder, 'traffic', `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const record = asObject(JSON.parse(line)) ?? {};
    return { dir: asString(record['dir']) ?? '', msg: asObject(record['msg']) ?? {} };
  });
}

describe('recorded traffic', () => {
  const names = readdirSync(join(folder, 'traffic'))
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => file.replace(/\.jsonl$/, ''));

  it('exists', () => assert.ok(names.length > 0));

  for (const name of names) {
    it(`${name} produces its transcript`, () => {
      const text = render(replayTraffic(read(name)));
      if (process.env['UPDATE_GOLDEN']) writeFileSync(golden(name), text);
      assert.equal(text, readFileSync(golden(name), 'utf8'));
    });

    it(`${name} produces the same transcript from the stored actions`, () => {
      const actions: Parameters<typeof replayTraffic>[1] = [];
      const live = replayTraffic(read(name), actions);
      assert.deepEqual(replayTraffic([], structuredClone(actions), true), live);
    });
  }
});
