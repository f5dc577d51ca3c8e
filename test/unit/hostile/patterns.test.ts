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
