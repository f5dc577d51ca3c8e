import assert from 'node:assert/strict';
import { useTranslations } from '../../../src/base/l10n';
import { asSentence } from '../../../src/base/text';

describe('base/text', () => {
  afterEach(() => useTranslations(undefined));

  it('ends a sentence once, and as the language does', () => {
    assert.deepEqual(['It ended (code 1)', 'Restart it.', 'Wait…'].map(asSentence), [
      'It ended (code 1).',
      'Restart it.',
      'Wait…',
    ]);
    useTranslations({ '{0}.': '{0}。' }, 'zh-cn');
    assert.deepEqual(['意外停止(信号 SIGKILL)', '请重启智能体。'].map(asSentence), [
      '意外停止(信号 SIGKILL)。',
      '请重启智能体。',
    ]);
  });
});
