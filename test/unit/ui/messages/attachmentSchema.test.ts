import assert from 'node:assert/strict';
import { tryParse } from '../../../../src/base/schema';
import { attachments } from '../../../../src/ui/messages/attachmentSchema';

describe('ui/messages/attachmentSchema', () => {
  const file = { kind: 'file', uri: 'file:///a', label: 'a' };

  it('accepts attachments unchanged', () => {
    const lines = { kind: 'lines', uri: 'file:///a', label: 'a', lines: { first: 1, last: 1 } };
    const data = { kind: 'data', label: 'a', mimeType: 'image/png', data: 'AA==' };
    const given = [file, lines, data, { kind: 'problems', label: 'Problems' }];
    assert.deepEqual(tryParse(attachments, given), { value: given });
  });

  for (const [what, value] of [
    ['no list', file],
    ['a kind that is not known', [{ ...file, kind: 'constructor' }]],
    ['a missing field', [{ kind: 'file', label: 'a' }]],
    ['lines that are none', [{ ...file, kind: 'lines', lines: { first: 0, last: 2 } }]],
    ['lines that end before they begin', [{ ...file, kind: 'lines', lines: { first: 3, last: 2 } }]],
    ['what is not base64', [{ kind: 'data', label: 'a', mimeType: 'image/png', data: '"><script>' }]],
    ['too many', Array.from({ length: 51 }, () => file)],
  ] as const) {
    it(`rejects ${what}`, () => assert.ok('error' in tryParse(attachments, value)));
  }
});
