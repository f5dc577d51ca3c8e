import assert from 'node:assert/strict';
import { Redactor, secretEnvValues } from '../../../src/base/redactor';

describe('base/redactor', () => {
  it('removes known values, also inside JSON', () => {
    const redactor = new Redactor();
    redactor.add(['p"ss.word', 'other']);
    assert.equal(redactor.redact('a p"ss.word b'), 'a [redacted] b');
    assert.equal(redactor.redact(JSON.stringify({ a: 'p"ss.word' })), '{"a":"[redacted]"}');
    assert.equal(redactor.redact('p"ssXword'), 'p"ssXword');
  });

  it('removes the longer of two overlapping values', () => {
    const redactor = new Redactor();
    redactor.add(['abcd', 'abcdefgh']);
    assert.equal(redactor.redact('abcdefgh'), '[redacted]');
  });

  it('removes texts in the format of a secret', () => {
    const redactor = new Redactor();
    const secrets = [
      'Authorization: Bearer abc.def-ghi_123456',
      `sk-${'abcdefghij'.repeat(3)}`,
      `ghp_${'abcdefghij'.repeat(4)}`,
      'AKIAABCDEFGHIJKLMNOP',
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh',
      'https://user:hunter22@example.test/x',
      '"api_key": "verysecretvalue"',
      String.raw`{\"access_token\":\"verysecretvalue\"}`,
      'OPENAI_API_KEY=verysecretvalue',
    ];
    for (const text of secrets) {
      const redacted = redactor.redact(text);
      assert.match(redacted, /\[redacted\]/, text);
      assert.doesNotMatch(redacted, /abc\.def|api03|abcdefghij|ABCDEF|hunter22|verysecret/, redacted);
    }
  });

  it('does not change ordinary text', () => {
    const redactor = new Redactor();
    const text =
      '{"method":"session/update","params":{"sessionId":"sess_1","update":{"text":"a token of thanks, 12 tokens"}}}';
    assert.equal(redactor.redact(text), text);
  });

  it('removes a secret that a terminal colors in part, and keeps the colors of other text', () => {
    const redactor = new Redactor();
    redactor.add(['known-value']);
    const [on, off] = ['\u001b[01;31m\u001b[K', '\u001b[m\u001b[K'];
    assert.equal(redactor.redact(`x ${on}known${off}-value`), 'x [redacted]');
    assert.equal(redactor.redact(`${on}sk-ant-api03${off}-abcdefghijklmnopqrstuvwx`), '[redacted]');
    assert.equal(redactor.redact(`${on}red${off}`), `${on}red${off}`);
    const link = (target: string): string => `\u001b]8;;${target}\u001b\\here\u001b]8;;\u0007`;
    assert.equal(redactor.redact(link('https://known-value')), link('https://[redacted]'));
  });

  it('removes secrets from JSON by field name, and keeps its structure', () => {
    const redactor = new Redactor();
    redactor.add(['known-value']);
    const value = {
      apiKey: 'a1',
      password: 12345,
      cookie: '',
      list: ['x known-value', null, true, 3],
      headers: { Accept: 'b1' },
      env: [{ name: 'A', value: 'c1' }, 'odd'],
      nested: { env: 'd1', maxTokens: 5, sessionId: 's', key: 'k', token: { text: 'kept' } },
    };
    assert.deepEqual(redactor.value(value), {
      apiKey: '[redacted]',
      password: '[redacted]',
      cookie: '',
      list: ['x [redacted]', null, true, 3],
      headers: { Accept: '[redacted]' },
      env: [
        { name: 'A', value: '[redacted]' },
        { name: undefined, value: '[redacted]' },
      ],
      nested: { env: '[redacted]', maxTokens: 5, sessionId: 's', key: 'k', token: { text: 'kept' } },
    });
  });

  it('detects secret values in an environment', () => {
    const env = {
      MY_API_KEY: 'short',
      MODE: 'production',
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ODD: 'a1b2c3d4e5f6a7b8c9d0e1f2',
      EMPTY_TOKEN: '',
    };
    assert.deepEqual(secretEnvValues(env), ['short', 'a1b2c3d4e5f6a7b8c9d0e1f2']);
  });
});
