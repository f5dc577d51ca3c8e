import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/base/json';
import { asObject, asString } from '../../src/base/json';

export interface Recorded {
  readonly dir: string;
  readonly msg: JsonObject;
}

const folder = join(process.cwd(), 'test/replay/traffic');

/** The messages of every recording of a real agent, by name. */
export const recordings: ReadonlyMap<string, readonly Recorded[]> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => [file, read(file)]),
);

function read(file: string): Recorded[] {
  const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const record = asObject(JSON.parse(line)) ?? {};
    return { dir: asString(record['dir']) ?? '', msg: asObject(record['msg']) ?? {} };
  });
}

/** Messages of the agents, one of each kind (method, kind of update or response, agent), so that rare kinds are as frequent as others. */
export const agentMessages: readonly JsonObject[] = [...recordings].flatMap(([name, records]) => {
  const seen = new Map<string, JsonObject>();
  for (const { dir, msg } of records) if (dir === 'in') seen.set(`${name.split('-')[0]} ${kindOf(msg)}`, msg);
  return [...seen.values()];
});

function kindOf(message: JsonObject): string {
  const params = asObject(message['params']);
  const update = asObject(params?.['update']);
  const result = Object.keys(asObject(message['result']) ?? {}).join();
  return [message['method'], update?.['sessionUpdate'], update?.['status'], update?.['kind'], result].join(' ');
}
