import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { parsePageMessage, parseTrafficMessage } from '../../../src/ui/messages/parsePageMessage';
import { hostileValue } from '../../fuzz/hostile';

describe('hostile: messages of the pages', () => {
  it('rejects objects and lists where a string is expected, even with a matching toString', () => {
    const answers = [['accept'], { toString: 1 }, { toString: 'accept' }, null, 1];
    for (const action of answers) {
      const parsed = parsePageMessage({ type: 'answerElicitation', elicitationId: 'e', answer: { action } });
      assert.deepEqual(parsed, { problem: '"answerElicitation" with a wrong field "answer.action"' });
    }
    const parsed = parsePageMessage({ type: 'rememberPermission', permissionId: 'p', scope: ['everywhere'] });
    assert.deepEqual(parsed, { problem: '"rememberPermission" with a wrong field "scope"' });
  });

  it('reports an error in a short message for input of any size', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    for (const type of ['x'.repeat(1_000_000), deep, { type: deep }, '\u202e', undefined]) {
      for (const parse of [parsePageMessage, parseTrafficMessage]) {
        const parsed = parse({ type });
        assert.ok('problem' in parsed && parsed.problem.length < 100);
      }
    }
  });

  it('accepts only the messages of the traffic page', () => {
    assert.deepEqual(parseTrafficMessage({ type: 'choose', id: 1, more: 2 }), { message: { type: 'choose', id: 1 } });
    assert.deepEqual(parseTrafficMessage({ type: 'copy', text: 'x' }), { message: { type: 'copy', text: 'x' } });
    assert.ok('problem' in parseTrafficMessage({ type: 'choose', id: 1.5 }));
    assert.ok('problem' in parseTrafficMessage({ type: 'send', text: 'x' }));
  });

  it('accepts only messages that it would accept unchanged again', () => {
    const type = fc.constantFrom('send', 'openFile', 'openLink', 'chooseOption', 'answerElicitation', 'ack', 'copy');
    const field = fc.constantFrom('text', 'path', 'line', 'href', 'id', 'value', 'elicitationId', 'answer', 'seq');
    fc.assert(
      fc.property(type, fc.dictionary(field, hostileValue), (name, fields) => {
        const parsed = parsePageMessage({ ...fields, type: name });
        if ('message' in parsed) assert.deepEqual(parsePageMessage(parsed.message), parsed);
      }),
    );
  });
});
