import assert from 'node:assert/strict';
import type { FormField } from '../../../src/shared/state/elicitationState';
import { validateField } from '../../../src/shared/state/elicitationState';

const field = (pattern: string): FormField => ({ key: 'a', label: 'A', required: true, type: 'text', pattern });

describe('hostile: patterns of forms', () => {
  // Any of these would block the page for years: mocha's timeout ends the test.
  const bad = [
    '^(a+)+$',
    '^(a|a)*$',
    '^(?:a{1,9}){9,}$',
    '^a*a*a*a*a*a*a*$',
    '^[a]+[a]+[a]+[a]+[a]+$',
    '(x+x+)+y',
    '^((a))*b$',
  ];
  it('are not evaluated if alternatives or optional parts can hang', () => {
    const text = `${'a'.repeat(30)}bx`;
    for (const pattern of [`^${'(?:a|a)'.repeat(30)}(?:b|c)$`, `^${'a?'.repeat(30)}a{30}$`, `^${'(a|a)?'.repeat(12)}$`])
      assert.equal(validateField(field(pattern), text, true), undefined, pattern);
  });

  it('are evaluated with alternatives and optional parts', () => {
    const countries = 'at|be|bg|cy|cz|de|dk|ee|es|fi|fr|gr|hr|hu|ie|it|lt|lu|lv|mt|nl|pl|pt|ro|se|si|sk';
    for (const pattern of [`^(?:${countries})$`, '^https?://[a-z]+(?::\\d+)?/?$', countries])
      assert.ok(validateField(field(pattern), '??', true), pattern);
  });

  for (const pattern of bad) {
    it(`are not evaluated if they can hang: ${pattern}`, () => {
      assert.equal(validateField(field(pattern), `${'a'.repeat(250)}!`, true), undefined);
      assert.equal(validateField(field(pattern), `${'x'.repeat(250)}!`, true), undefined);
    });
  }

  it('are evaluated in common forms', () => {
    const good: [pattern: string, right: string, wrong: string][] = [
      ['^[A-Z]{2}-\\d+$', 'AB-12', 'ab-12'],
      ['^\\S+@\\S+$', 'a@b', 'a b'],
      ['^[0-9a-f]{8}-[0-9a-f]{4}$', '0123abcd-0123', 'x'],
      ['^https?://.+$', 'https://x.test', 'ftp://x'],
      ['^[+*]\\+\\*\\{1,2\\}$', '++*{1,2}', '+'],
      ['^(yes|no)$', 'yes', 'maybe'],
    ];
    for (const [pattern, right, wrong] of good) {
      assert.equal(validateField(field(pattern), right, true), undefined, pattern);
      assert.ok(validateField(field(pattern), wrong, true), pattern);
    }
  });
});
