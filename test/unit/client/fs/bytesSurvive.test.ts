import assert from 'node:assert/strict';
import { BytesSurviveTarget } from '../../../fuzz/bytesSurviveTarget';
import { fuzz } from '../../../fuzz/runner';

describe('an edit of one word', () => {
  it('property: changes no other byte of a file in any encoding, with any line ends and marks', async () => {
    let left = 3;
    const { failures } = await fuzz(new BytesSurviveTarget(), {
      seed: 7,
      goesOn: () => left-- > 0,
      beat: () => undefined,
    });
    assert.deepEqual(failures, []);
  });
});
