import assert from 'node:assert/strict';
import fc from 'fast-check';
import { errorWithReason } from '../../../../src/agent/connection/errorReason';
import { Redactor } from '../../../../src/base/redactor';

describe('the reason of an agent’s error', () => {
  const nested = { message: 'Prompt failed', cause: { message: 'Socket closed', cause: { code: 'ECONNRESET' } } };
  const cases: [data: unknown, shown: string][] = [
    [undefined, 'Internal error'],
    [null, 'Internal error'],
    ['The disk is full', 'Internal error: The disk is full'],
    [{ details: 'Token revoked. Sign in again.' }, 'Internal error: Token revoked. Sign in again.'],
    [{ message: 'No such model' }, 'Internal error: No such model'],
    [{ error: 'No such model' }, 'Internal error: No such model'],
    [{ reason: 'quota' }, 'Internal error: quota'],
    [{ error: { type: 'overloaded_error', message: 'Overloaded' } }, 'Internal error: Overloaded'],
    [nested, 'Internal error: Prompt failed: Socket closed'],
    [{ errors: [{ message: 'one' }, { Message: 'two' }] }, 'Internal error: one: two'],
    [{ details: ['one', 'two'] }, 'Internal error: one: two'],
    ['{"error":{"message":"OAuth token has expired"}}', 'Internal error: OAuth token has expired'],
    [
      { details: 'API Error: 401 {"type":"error","error":{"message":"Expired"}}' },
      'Internal error: API Error: 401: Expired',
    ],
    [{ data: JSON.stringify({ cause: JSON.stringify({ message: 'deep' }) }) }, 'Internal error: deep'],
    [{ status: 503, hint: 'try again later', path: '/a' }, 'Internal error: try again later'],
    [{ sessionId: 's1', stack: 'Error: x\n at y' }, 'Internal error: Error: x'],
    [42, 'Internal error: 42'],
    [{}, 'Internal error'],
    [[], 'Internal error'],
    [
      { details: { code: 'ECONNREFUSED', port: 8080 } },
      'Internal error: {"details":{"code":"ECONNREFUSED","port":8080}}',
    ],
    [{ errors: { model: 'missing' } }, 'Internal error: {"errors":{"model":"missing"}}'],
    [{ issues: [{ path: ['cwd'], message: 'Required' }] }, 'Internal error: Required'],
    [{ details: 'internal error' }, 'Internal error'],
    [{ details: '\u001b[1;31mNo\u001b[0m space' }, 'Internal error: No space'],
    [
      'HTTP 502 <html><head><title>Bad</title><style>a{}</style></head><body><h1>Bad</h1>\n gateway</body></html>',
      'Internal error: HTTP 502 Bad gateway',
    ],
    ['<!DOCTYPE html><title>Blocked</title>', 'Internal error: Blocked'],
    ['Expected Map<html, text>', 'Internal error: Expected Map<html, text>'],
    [{ details: 'Internal error', message: 'Internal error: the same' }, 'Internal error: the same'],
    [{ details: 'a\u202eb' }, 'Internal error: a\\u{202e}b'],
    ['{ not json', 'Internal error: { not json'],
  ];
  for (const [data, shown] of cases)
    it(`is read from ${JSON.stringify(data) ?? 'nothing'}`, () =>
      assert.equal(errorWithReason('Internal error', data), shown));

  it('has no secrets of JSON in strings, also where nothing but JSON can be shown', () => {
    const redactor = new Redactor();
    const reason = (message: string, data: unknown): string =>
      errorWithReason(message, data, (value) => redactor.value(value));
    const inner = JSON.stringify({ message: 'The key is wrong', secret: 'two words' });
    assert.equal(reason('Failed', { details: inner }), 'Failed: The key is wrong');
    assert.equal(
      reason('Failed', `401 {"error":{"token":"two words"}}`),
      'Failed: 401 {"error":{"token":"[redacted]"}}',
    );
    assert.equal(reason('Failed {"apiKey":"two words"}', {}), 'Failed {"apiKey":"[redacted]"}');
    for (const data of [inner, { a: inner }, [inner], { a: JSON.stringify({ b: JSON.stringify({ c: inner }) }) }])
      for (const each of [data, JSON.stringify(data), { cause: { cause: { cause: JSON.stringify(data) } } }])
        assert.doesNotMatch(reason('Failed', each), /two words/, JSON.stringify(each));
  });

  it('has no secrets of data without a text', () => {
    const redactor = new Redactor();
    const data = { status: 502, headers: { authorization: 'two words' } };
    const reason = errorWithReason('Failed', data, (value) => redactor.value(value));
    assert.equal(reason, 'Failed: {"status":502,"headers":{"authorization":"[redacted]"}}');
  });

  it('does not repeat data whose values are in the message', () => {
    const message = '"Method not found": session/set_model';
    assert.equal(errorWithReason(message, { method: 'session/set_model' }), message);
    const other = errorWithReason(message, { method: 'session/set_model', code: 'off' });
    assert.equal(other, `${message}: {"method":"session/set_model","code":"off"}`);
  });

  it('stands alone where the error has no message', () => assert.equal(errorWithReason('', 'Full'), 'Full'));

  it('is read in linear time', () => {
    const blanks = ' :'.repeat(100_000);
    assert.equal(errorWithReason(`a${blanks}b {"message":"c"}`, undefined).length, 'ab: c'.length + blanks.length);
  });

  it('is read from any data', () => {
    fc.assert(fc.property(fc.anything(), (data) => typeof errorWithReason('m', data) === 'string'));
  });

  it('is read in linear time', () => {
    const blanks = ' '.repeat(200_000);
    assert.equal(errorWithReason(`a${blanks}b {"message":"Full"}`, undefined), `a${blanks}b: Full`);
  });
});
