import assert from 'node:assert/strict';
import { setTranslations } from '../../../src/base/l10n';
import { capitalize, withFullStop, normalizeText } from '../../../src/base/text';

describe('base/text', () => {
  afterEach(() => setTranslations(undefined));

  it('ends a sentence with one full stop of the language', () => {
    assert.deepEqual(['It ended (code 1)', 'Restart it.', 'Wait…'].map(withFullStop), [
      'It ended (code 1).',
      'Restart it.',
      'Wait…',
    ]);
    setTranslations({ '{0}.': '{0}。' }, 'zh-cn');
    assert.deepEqual(['意外停止(信号 SIGKILL)', '请重启智能体。'].map(withFullStop), [
      '意外停止(信号 SIGKILL)。',
      '请重启智能体。',
    ]);
  });

  it('capitalizes the first word of a sentence, but not a path', () => {
    const cases = ['the command runs in /tmp', 'über alles', '/tmp/a is outside', '.env is protected', 'b'];
    const expected = ['The command runs in /tmp', 'Über alles', '/tmp/a is outside', '.env is protected', 'B'];
    assert.deepEqual(cases.map(capitalize), expected);
  });

  it('normalizes a run of combining marks as far as languages use them, in linear time', () => {
    assert.equal(
      normalizeText(`e\u0301 a${'\u0301\u0316'.repeat(15)}`, 'NFC'),
      `é a${'\u0301\u0316'.repeat(15)}`.normalize(),
    );
    assert.equal(normalizeText(`a${'\u0301\u0316'.repeat(500_000)}b`, 'NFD').length, 32);
    assert.ok(normalizeText('\uff9e\u0301'.repeat(500_000), 'NFKC').length <= 30);
  });
});
