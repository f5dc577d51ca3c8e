import assert from 'node:assert/strict';
import { isAttachments } from '../../../../../src/ui/chat/intents/parsePageMessage';

describe('ui/chat/intents/attachmentSchema', () => {
  const file = { kind: 'file', uri: 'file:///a', label: 'a' };

  it('takes attachments as they are', () => {
    const lines = { kind: 'lines', uri: 'file:///a', label: 'a', lines: { first: 1, last: 1 } };
    const data = { kind: 'data', label: 'a', mimeType: 'image/png', data: 'AA==' };
    assert.ok(isAttachments([file, lines, data, { kind: 'problems', label: 'Problems' }]));
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
    it(`refuses ${what}`, () => assert.equal(isAttachments(value), false));
  }
});
