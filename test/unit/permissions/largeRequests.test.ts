import assert from 'node:assert/strict';
import { ruleEngine } from '../../../src/permissions/ruleEngine';
import type { RuleRequest } from '../../../src/permissions/rules/ruleRequest';
import { toRuleRequest } from '../../../src/permissions/toolCallRequest';

/** Requests whose input is too large to be read at once are shown, and approve nothing. */
describe('permissions: large inputs', () => {
  const about = { agent: 'claude', cwd: '/w', folders: ['/w'], confined: undefined };
  const requestOf = (rawInput: unknown): RuleRequest =>
    toRuleRequest(ruleEngine, { title: 'x', tool: 'execute', content: [], locations: [], rawInput }, 'x', about);
  it('with too many files or parts cannot be read as one action', () => {
    const locations = Array.from({ length: 1_001 }, (_, at) => ({ path: `/w/${at}`, label: `${at}` }));
    const content = locations.map(() => ({ type: 'raw' as const, value: 1 }));
    for (const more of [{ locations }, { content }]) {
      const call = { title: 'x', tool: 'edit' as const, content: [], locations: [], ...more };
      assert.match(toRuleRequest(ruleEngine, call, 'x', about).unclear ?? '', /more than 1000 files or parts/);
    }
  });

  it('with a long string is read up to a limit', () => {
    const paths = [`x\n/etc/y\n${'z'.repeat(1_000_000)}`, `${'z\n'.repeat(1_000_000)}/etc/y`];
    const found = paths.map((text) => ruleEngine.argumentFacts({ text }, '/w', 'posix').paths.includes('/etc/y'));
    assert.deepEqual(found, [true, false]);
  });

  let deep: unknown = 'rm -rf /';
  for (let count = 0; count < 20_000; count++) deep = { deep };
  const many = Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`K${at}`, 'v']));
  // Reading would fail, or take longer than the test.
  const trap = new Proxy(many, {
    get: (target, key) =>
      typeof key === 'string' && Number(key.slice(1)) > 5_000 ? assert.fail(key) : target[String(key)],
  });

  for (const [what, rawInput] of [
    ['fields', trap],
    ['variables of a command', { command: 'ls', env: trap }],
    ['levels', deep],
    ['levels of a list', JSON.parse(`${'['.repeat(600)}${']'.repeat(600)}`)],
  ] as const) {
    it(`with too many ${what} cannot be read as one action`, () => {
      const { unclear, subject, command } = requestOf(rawInput);
      assert.match(unclear ?? '', /more than 5000 values or 500 levels/);
      assert.deepEqual([subject, command], [undefined, undefined]);
      const facts = ruleEngine.argumentFacts(rawInput, '/w', 'posix');
      assert.deepEqual([facts.hasUnresolved, facts.subject], [true, undefined]);
    });
  }
});
