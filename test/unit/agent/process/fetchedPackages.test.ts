import assert from 'node:assert/strict';
import { FetchedPackages } from '../../../../src/agent/process/fetchedPackages';
import { MemoryMemento } from '../../../kit/memoryMemento';

const npx = (version: string) => ({ command: 'npx', args: ['-y', `agent@${version}`] });

describe('agent/process/fetchedPackages', () => {
  it('remembers packages that package runners have fetched; other commands need no download', () => {
    const memory = new MemoryMemento();
    const packages = new FetchedPackages(memory);
    assert.equal(packages.isFetched({ command: '/usr/bin/agent', args: [] }), true);
    packages.record({ command: '/usr/bin/agent', args: ['--key=secret'] });
    assert.equal(memory.values.size, 0);
    assert.equal(packages.isFetched(npx('1')), false);
    packages.record(npx('1'));
    assert.equal(new FetchedPackages(memory).isFetched(npx('1')), true, 'in another window too');
    assert.equal(packages.isFetched(npx('2')), false, 'another version is another package');
    assert.doesNotMatch(JSON.stringify([...memory.values]), /agent@/);
    for (let version = 2; version < 150; version++) packages.record(npx(String(version)));
    assert.deepEqual([packages.isFetched(npx('1')), packages.isFetched(npx('149'))], [false, true]);
    memory.values.set('parley.fetchedPackages', 'broken');
    assert.equal(packages.isFetched(npx('149')), false);
  });
});
