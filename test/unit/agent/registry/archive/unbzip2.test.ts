import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { unbzip2 } from '../../../../../src/agent/registry/archive/unpack';
import { ParleyError } from '../../../../../src/base/errors';
import { setTranslations } from '../../../../../src/base/l10n';

const ZEROS = 3 * 1024 * 1024;
/** So many zeros, compressed. */
const BOMB = 'QlpoOTFBWSZTWWPyTp4AGBhQAMAAAAQACCAAMMwFKaYKAtiFAXi7kinChIMfknTw';

describe('registry: bzip2', () => {
  afterEach(() => setTranslations(undefined));

  async function lengthOf(maxAtOnce: number): Promise<number> {
    let length = 0;
    for await (const chunk of unbzip2(Readable.from([Buffer.from(BOMB, 'base64')]), maxAtOnce)) length += chunk.length;
    return length;
  }

  it('stops at a step that gives far too much, and says so in the user’s language', async () => {
    assert.equal(await lengthOf(ZEROS), ZEROS);
    setTranslations({ 'it unpacks to far more than it should': 'es ist entpackt weit größer, als es sein sollte' });
    await assert.rejects(lengthOf(ZEROS - 1), (error) => {
      assert.ok(ParleyError.is(error), String(error));
      assert.equal(error.message, 'Could not unpack the archive: es ist entpackt weit größer, als es sein sollte');
      return true;
    });
  });
});
