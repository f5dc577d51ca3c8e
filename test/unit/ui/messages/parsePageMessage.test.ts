import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { PageMessage } from '../../../../src/shared/protocol/chatPageProtocol';
import { parsePageMessage } from '../../../../src/ui/messages/parsePageMessage';

const GOOD: readonly PageMessage[] = [
  { type: 'ready' },
  { type: 'ack', seq: 0 },
  { type: 'send', text: '' },
  { type: 'stop' },
  { type: 'forceStop' },
  { type: 'answerPermission', permissionId: 'p', optionId: '' },
  { type: 'chooseAgent', name: 'a' },
  { type: 'chooseFolder' },
  { type: 'chooseFolder', folder: '/w' },
  { type: 'chooseOption', id: '', value: 'https://x.test/y' },
  { type: 'chooseOption', id: 'fast', value: false },
  { type: 'stopSubagent', sessionId: 'c' },
  { type: 'addAgent', name: 'a' },
  { type: 'installAgent' },
  { type: 'focused' },
  { type: 'draft', text: 'half a', at: 5 },
  { type: 'restartAgent' },
  { type: 'retry' },
  { type: 'showLog' },
  { type: 'openSettings' },
  { type: 'manageTrust' },
  { type: 'openLink', href: 'https://example.test' },
  { type: 'openFile', path: 'a.ts' },
  { type: 'openFile', path: 'a.ts', line: 3 },
  { type: 'openDiff', diffId: 'd' },
  { type: 'stopCommand', terminalId: 't' },
  { type: 'showTerminal', terminalId: 't' },
  { type: 'copy', text: 'x' },
  { type: 'pageError', message: 'x' },
];

describe('ui/messages/parsePageMessage', () => {
  it('accepts every message of the page unchanged', () => {
    for (const message of GOOD) assert.deepEqual(parsePageMessage(message), { message });
  });

  it('drops unknown fields', () => {
    assert.deepEqual(parsePageMessage({ type: 'stop', command: 'rm' }), { message: { type: 'stop' } });
  });

  it('rejects a message with an invalid or missing field, and names it', () => {
    const wrong: [unknown, RegExp][] = [
      [undefined, /not an object/],
      ['ready', /not an object/],
      [[], /not an object/],
      [{}, /unknown type/],
      [{ type: 'toString' }, /unknown type "toString"/],
      [{ type: '__proto__' }, /unknown type/],
      [{ type: 'ack' }, /"seq"/],
      [{ type: 'ack', seq: -1 }, /"seq"/],
      [{ type: 'ack', seq: 1.5 }, /"seq"/],
      [{ type: 'send', text: 1 }, /"text"/],
      [{ type: 'answerPermission', permissionId: 'p' }, /"optionId"/],
      [{ type: 'answerPermission', permissionId: {}, optionId: 'o' }, /"permissionId"/],
      [{ type: 'chooseOption', id: 'm', value: 1 }, /"value"/],
      [{ type: 'openFile', path: 'a', line: 0 }, /"line"/],
      [{ type: 'openFile', path: 'a', line: '1' }, /"line"/],
      [{ type: 'openFile', path: '' }, /"path"/],
      [{ type: 'openLink', href: ['x'] }, /"href"/],
    ];
    for (const [value, expected] of wrong) {
      const parsed = parsePageMessage(value);
      assert.ok('problem' in parsed, JSON.stringify(value));
      assert.match(parsed.problem, expected);
    }
  });

  it('never throws, for any value', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.record({ type: fc.constantFrom(...GOOD.map(({ type }) => type)) })),
        (value) => {
          const parsed = parsePageMessage(value);
          assert.ok('message' in parsed !== 'problem' in parsed);
        },
      ),
    );
  });
});
