import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { mapStack } = createRequire(`${process.cwd()}/package.json`)('./test/host/sourceStack.cjs') as {
  mapStack(this: void, stack: string): string;
};

describe('stack traces of failed tests', () => {
  it('name the source and its line', () => {
    const { stack = '' } = new Error('made on line 11');
    assert.match(stack, /sourceStack\.test\.js:\d+/);
    const [place = ''] = /\S+\.test\.ts:\d+/.exec(mapStack(stack)) ?? [];
    assert.equal(place.replace(/^\(/, ''), join('test/unit/host/sourceStack.test.ts:11'));
  });

  it('keep what has no source', () => {
    const stack = 'Error: see a.js:1:2\n    at f (node:events:1:2)\n    at missing.js:3:4';
    assert.equal(mapStack(stack), stack);
  });
});
