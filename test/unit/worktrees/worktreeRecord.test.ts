import assert from 'node:assert/strict';
import { tryParse } from '../../../src/base/schema';
import { worktreeRecord } from '../../../src/worktrees/worktreeRecord';

describe('worktreeRecord', () => {
  const id = '0123456789abcdef0123456789abcdef01234567';
  const record = {
    id: 'one',
    repository: '/r',
    path: '/r/one',
    prefix: '',
    branch: 'parley/one',
    head: id,
    base: id,
    createdAt: 1,
    isReady: true,
    isDiscarded: false,
  };

  it('has complete ids of Git objects', () => {
    assert('value' in tryParse(worktreeRecord, record));
    assert('value' in tryParse(worktreeRecord, { ...record, head: `${id}0123456789abcdef01234567` }));
  });

  for (const field of ['head', 'base']) {
    it(`is damaged if Git would read a field as an option: ${field}`, () => {
      const read = tryParse(worktreeRecord, { ...record, [field]: '--output=/file' });
      assert('error' in read);
      assert.equal(read.error.path, field);
    });
  }
});
