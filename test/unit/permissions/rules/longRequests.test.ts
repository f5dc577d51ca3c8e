import assert from 'node:assert/strict';
import { withRealPaths } from '../../../../src/permissions/permissionPolicy';
import { decide } from '../../../../src/permissions/rules/decide';
import type { Rule } from '../../../../src/permissions/rules/permissionRule';
import { readCommand, requestFacts } from '../../../../src/permissions/rules/requestFacts';
import type { Decision, RuleCommand, RuleRequest } from '../../../../src/permissions/rules/ruleRequest';
import { sourced } from './corpus';

describe('rules: long requests', () => {
  const decisionOf = (request: Partial<RuleRequest>, ...rules: Rule[]): Decision =>
    decide(
      { kind: 'execute', title: 'x', agent: 'a', paths: [], folders: ['/ws'], cwd: '/ws', ...request },
      sourced(rules),
    );
  const allowed: Rule[] = [
    { decision: 'allow', command: 'git log **' },
    { decision: 'allow', path: '**' },
    { decision: 'allow', path: '**/*.pem', kind: 'edit' },
  ];

  for (const [name, command, reason] of [
    ['a line of more than 100,000 characters', { line: `git log ${'a '.repeat(60_000)}` }, /longer than 100000/],
    [
      'more than 100,000 characters of words',
      { argv: ['git', 'log', ...Array<string>(60_000).fill('a')] },
      /longer than 100000/,
    ],
    [
      'a shell with a line of more than 100,000 characters',
      { argv: ['bash', '-c', `ls ${'a'.repeat(100_000)}`] },
      /longer than 100000/,
    ],
    ['more than 1,000 chained commands', { line: 'git log;'.repeat(1_001) }, /too many parts/],
    ['more than 10,000 words', { argv: ['git', 'log', ...Array<string>(10_000).fill('a')] }, /too many parts|longer/],
    ['more than 1,000 redirects', { line: `ls ${'>a '.repeat(1_001)}` }, /too many parts/],
    ['more than 1,000 open substitutions', { line: `git log ${'$('.repeat(1_001)}` }, /nested too deeply/],
  ] satisfies [string, RuleCommand, RegExp][]) {
    it(`asks about ${name}, whatever is allowed`, () => {
      const decision = decisionOf({ command }, ...allowed, { decision: 'allow', kind: 'execute' });
      assert.equal(decision.decision, 'ask');
      assert.match(readCommand(command).problem ?? '', reason);
      const { commands } = readCommand(command);
      assert.ok(commands.length <= 1_000);
      assert.ok(commands.flat().length <= 10_000);
    });
  }

  for (const word of ['npx', 'sudo', 'env', 'xargs'])
    it(`follows nested commands up to a number of words: ${word}`, () => {
      const { finalCommands, unclear } = requestFacts({
        kind: 'execute',
        title: 'x',
        agent: 'a',
        paths: [],
        folders: ['/ws'],
        cwd: '/ws',
        command: { line: `${word} `.repeat(25_000) },
      });
      const words = finalCommands.reduce((sum, { argv }) => sum + argv.length, 0);
      assert.ok(words <= 20_000, `${words} words`);
      assert.ok(unclear !== undefined);
    });

  // Each would be read to the end from every opening character, for hours.
  for (const [open, times] of [
    ['{', 95_000],
    ['?(', 47_000],
    ['[', 95_000],
    ['{[', 47_000],
  ] as const)
    it(`compares a word of ${times} × ${open} with rules that deny`, () => {
      const denied: Rule[] = [
        { decision: 'deny', command: 'rm **' },
        { decision: 'deny', path: 'secrets/**' },
      ];
      assert.notEqual(decisionOf({ command: { line: `ls ${open.repeat(times)}*` } }, ...denied).decision, 'allow');
    });

  it('looks at as many names of a request as may be looked up', () => {
    const paths = Array.from({ length: 999 }, (_, at) => `/ws/${'a/'.repeat(1_900)}${at}`);
    const real = withRealPaths({ kind: 'read', title: 'x', agent: 'a', folders: ['/ws'], paths });
    assert.ok(real.paths.join('/').split('/').length <= 60_000);
    assert.equal(real.hasUnresolved, true);
    const { by, decision } = decisionOf({ ...real, kind: 'read' }, ...allowed);
    assert.deepEqual([decision, by], ['ask', 'protection']);
  });

  it('keeps the first parts of a long command for rules that deny', () => {
    const deny: Rule = { decision: 'deny', command: 'rm **' };
    assert.equal(decisionOf({ command: { line: 'rm a;'.repeat(5_000) } }, deny).decision, 'deny');
    assert.equal(decisionOf({ command: { argv: ['rm', ...Array<string>(20_000).fill('a')] } }, deny).decision, 'deny');
    assert.equal(decisionOf({ command: { line: `rm ${'a'.repeat(100_000)}` } }, deny).decision, 'ask');
  });

  it('asks about a path of more than 4,096 characters, whatever rules say of paths', () => {
    const path = `/ws/${'a/'.repeat(2_050)}b.pem`;
    const deny: Rule = { decision: 'deny', path: '**/*.pem' };
    for (const rules of [allowed, [deny]]) {
      const decision = decisionOf({ kind: 'edit', paths: ['/ws/a', path] }, ...rules);
      assert.deepEqual([decision.decision, decision.by], ['ask', 'protection']);
      assert.match(decision.reason, /a path is longer than 4096 characters/);
    }
    assert.equal(decisionOf({ kind: 'edit', paths: [path] }, { decision: 'deny', kind: 'edit' }).decision, 'deny');
    const decision = decisionOf({ command: { argv: ['git', 'log'], cwd: path } }, ...allowed);
    assert.match(decision.reason, /a path is longer than 4096 characters/);
  });

  it('finalCommands a glob that takes too long to the user', () => {
    const path = `/ws/${'a'.repeat(4_000)}`;
    const glob = '**/*+(*(*a)|*(*b))*!(*!(*!(*c)))';
    assert.equal(decisionOf({ kind: 'read', paths: [path] }, { decision: 'ask', path: glob }).by, 'rule');
    assert.equal(decisionOf({ kind: 'read', paths: [path] }, { decision: 'allow', path: glob }).decision, 'ask');
  });
});
