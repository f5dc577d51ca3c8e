import assert from 'node:assert/strict';
import { FetchedPackages } from '../../../../src/agent/process/fetchedPackages';

const npx = (version: string) => ({ command: 'npx', args: ['-y', `agent@${version}`] });

describe('agent/process/fetchedPackages', () => {
  it('remembers packages that package runners have fetched; other commands need no download', () => {
    const stored = new Map<string, unknown>();
    const memory = {
      get: (key: string) => stored.get(key),
      update: async (key: string, value: unknown) => void stored.set(key, JSON.parse(JSON.stringify(value))),
    };
    const packages = new FetchedPackages(memory);
    assert.equal(packages.isFetched({ command: '/usr/bin/agent', args: [] }), true);
    packages.record({ command: '/usr/bin/agent', args: ['--key=secret'] });
    assert.equal(stored.size, 0);
    assert.equal(packages.isFetched(npx('1')), false);
    packages.record(npx('1'));
    assert.equal(new FetchedPackages(memory).isFetched(npx('1')), true, 'in another window too');
    assert.equal(packages.isFetched(npx('2')), false, 'another version is another package');
    assert.doesNotMatch(JSON.stringify([...stored]), /agent@/);
    for (let version = 2; version < 150; version++) packages.record(npx(String(version)));
    assert.deepEqual([packages.isFetched(npx('1')), packages.isFetched(npx('149'))], [false, true]);
    stored.set('parley.fetchedPackages', 'broken');
    assert.equal(packages.isFetched(npx('149')), false);
  });
});
