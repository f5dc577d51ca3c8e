import assert from 'node:assert/strict';
import { decide } from '../../../../src/session/rules/decide';
import { rulesFrom } from '../../../../src/session/rules/remember';
import type { RuleRequest } from '../../../../src/session/rules/request';

const request: RuleRequest = {
  kind: 'other',
  title: 'Deploy *',
  agent: 'Mine',
  paths: [],
  folders: ['/ws'],
};

/** What the rules from an answer say to another request. */
function decisionOf(answered: RuleRequest, decision: 'allow' | 'deny', next: RuleRequest): string {
  const rules = rulesFrom(answered, decision).rules.map((rule) => ({ rule, source: 'remembered' as const }));
  return decide(next, rules, (path) => [path]).decision;
}

describe('rules from an answer “always”', () => {
  const cases: Readonly<Record<string, readonly [answered: Partial<RuleRequest>, other: Partial<RuleRequest>]>> = {
    'a title, taken literally': [{}, { title: 'Deploy all' }],
    'a tool': [{ tool: 'db__query' }, { tool: 'db__drop' }],
    'a file': [
      { kind: 'edit', paths: ['/ws/[a].ts'] },
      { kind: 'edit', paths: ['/ws/a.ts'] },
    ],
    'a command': [
      { kind: 'execute', command: { line: 'npm run "*"' } },
      { kind: 'execute', command: { line: 'npm run deploy' } },
    ],
    'an agent': [{}, { agent: 'Another' }],
  };
  for (const [what, [answered, other]] of Object.entries(cases)) {
    it(`hold for ${what}, and for nothing else`, () => {
      const first = { ...request, ...answered };
      for (const decision of ['allow', 'deny'] as const) {
        assert.equal(decisionOf(first, decision, first), decision);
        assert.equal(decisionOf(first, decision, { ...request, ...answered, ...other }), 'ask');
      }
    });
  }

  it('are none for a title that is cut short: other calls have the same', () => {
    for (const title of ['apply_patch: {"input":"*** Begin Patch\\n*** Add File: /ws...', 'Write …', 'Write … ']) {
      for (const decision of ['allow', 'deny'] as const) {
        const made = rulesFrom({ ...request, title }, decision);
        assert.deepEqual(made, {
          rules: [],
          note: 'No rule was made: the title is cut short, so that it fits other calls, too.',
        });
      }
    }
    assert.equal(rulesFrom({ ...request, title: 'Wait ... then write' }, 'allow').rules.length, 1);
    assert.equal(rulesFrom({ ...request, title: 'Write …', paths: ['/ws/a'] }, 'allow').rules.length, 1);
  });
});
