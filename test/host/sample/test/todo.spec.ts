import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, complete, remaining } from '../src/todo.ts';

const twoThings = add(add([], 'write'), 'read');

test('a new item is open', () => {
  assert.deepEqual(add([], 'write'), [{ title: 'write', done: false }]);
});

test('what is done no longer counts as remaining', () => {
  const list = complete(add(twoThings, 'rest'), 'write');
  assert.equal(remaining(list), 2);
});
