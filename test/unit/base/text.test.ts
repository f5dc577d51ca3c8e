import assert from 'node:assert/strict';
import { setTranslations } from '../../../src/base/l10n';
import { withFullStop } from '../../../src/base/text';

describe('base/text', () => {
  afterEach(() => setTranslations(undefined));

  it('ends a sentence once, and as the language does', () => {
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
});
