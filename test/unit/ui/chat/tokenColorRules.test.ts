import assert from 'node:assert/strict';
import { customRules, readRules, tokenColors } from '../../../../src/ui/chat/tokenColorRules';

const rule = (scope: unknown, foreground: unknown) => ({ scope, settings: { foreground } });

describe('the syntax colors of a theme', () => {
  it('are those of the longest scope, and of the later rule among equal ones', () => {
    const rules = readRules([
      rule('keyword', '#111111'),
      rule('comment, string', '#222222'),
      rule(['keyword.control', 'constant.numeric'], '#333333'),
      rule('comment', '#444444'),
    ]);
    const colors = tokenColors(rules);
    assert.equal(colors['keyword'], '#333333');
    assert.equal(colors['comment'], '#444444');
    assert.equal(colors['string'], '#222222');
    assert.equal(colors['constant'], '#333333');
    assert.equal(colors['function'], undefined);
  });

  it('are valid colors only, whatever a theme contains', () => {
    const rules = readRules([
      rule('keyword', 'red; background: url(https://a.test)'),
      rule('string', 'var(--x)'),
      rule('comment', 7),
      rule('source.js keyword', '#555555'),
      rule({}, '#666666'),
      null,
      'x',
    ]);
    assert.deepEqual(tokenColors(rules), {});
    assert.deepEqual(readRules({}), []);
  });

  it('can be changed by the user, for all themes or one', () => {
    const own = {
      comments: '#aaaaaa',
      '[Night*]': { textMateRules: [rule('keyword', '#bbbbbb')] },
      '[Day]': { strings: { foreground: '#cccccc' } },
    };
    const theme = readRules([rule('comment', '#000000'), rule('keyword', '#000000'), rule('string', '#000000')]);
    const colors = tokenColors([...theme, ...customRules(own, 'Night Owl')]);
    assert.equal(colors['comment'], '#aaaaaa');
    assert.equal(colors['keyword'], '#bbbbbb');
    assert.equal(colors['string'], '#000000');
  });
});
