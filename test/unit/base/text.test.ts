import assert from 'node:assert/strict';
import { setTranslations } from '../../../src/base/l10n';
import { capitalize, withFullStop } from '../../../src/base/text';

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
});
