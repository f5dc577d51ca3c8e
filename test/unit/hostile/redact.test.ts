import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Redactor } from '../../../src/base/redactor';
import { LEAKS, ORDINARY, random } from './secrets';

/** Text of `length` characters on which a careless pattern backtracks. */
const HEAVY = [
  'eyJ-',
  'eyJaaaaaaaa',
  'a-',
  'sk-',
  'token',
  'token\\',
  'token ',
  'authorization: a',
  'basic ',
  'cookie: a.',
  'a://b:',
  'a://b',
  '-----BEGIN RSA PRIVATE KEY-----',
  '-----BEGIN RSA PRIVATE KEY-----a-',
  '-----BEGIN ',
  '--a-',
  '--api-key ',
  '?key=',
  'SG.aaaaaaaaaaaaaaaaa',
  'dp.pt.',
  '-u a',
  'hooks.slack.com/services/',
  '1234567890:',
  ' '.repeat(50),
  '\\',
  '"',
];

describe('hostile: secrets', () => {
  const redactor = new Redactor();

  for (const { name, text, hidden } of LEAKS) {
    it(`removes: ${name}`, () => {
      const redacted = redactor.redact(text);
      assert.ok(text.includes(hidden) || text.includes(JSON.stringify(hidden).slice(1, -1)), 'the corpus is wrong');
      assert.ok(!redacted.includes(hidden), redacted);
      assert.match(redacted, /\[redacted\]/);
      assert.equal(redactor.redact(redacted), redacted, 'a second time changes nothing');
    });
  }

  it('does not change ordinary text', () => {
    for (const text of ORDINARY) assert.equal(redactor.redact(text), text);
  });

  it('removes secrets anywhere in a message, and keeps its structure', () => {
    const place = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constant('PLACE'),
        fc.array(tie('tree'), { maxLength: 3, minLength: 1 }),
        fc.dictionary(fc.constantFrom('text', 'content', 'rawInput', 'x'), tie('tree'), { minKeys: 1 }),
      ),
    })).tree;
    fc.assert(
      fc.property(place, fc.constantFrom(...LEAKS), (tree, { text, hidden }) => {
        const message = JSON.parse(JSON.stringify(tree).replaceAll('"PLACE"', () => JSON.stringify(text))) as unknown;
        const redacted = redactor.value(message);
        assert.ok(!JSON.stringify(redacted).includes(JSON.stringify(hidden).slice(1, -1)));
        const shape = (value: unknown): unknown =>
          JSON.parse(JSON.stringify(value, (_, field: unknown) => (typeof field === 'string' ? '' : field)));
        assert.deepEqual(shape(redacted), shape(message));
      }),
    );
  });

  it('removes secrets after command-line options, and in name-value pairs', () => {
    const value = random(12);
    const message = {
      args: ['run', '--api-key', value, '--verbose', '--token', '--debug', '--client-secret', value],
      header: { name: 'X-Api-Key', value },
      variable: { name: 'MODE', value: 'production' },
    };
    assert.deepEqual(redactor.value(message), {
      args: ['run', '--api-key', '[redacted]', '--verbose', '--token', '--debug', '--client-secret', '[redacted]'],
      header: { name: 'X-Api-Key', value: '[redacted]' },
      variable: { name: 'MODE', value: 'production' },
    });
  });

  it('removes known values also in JSON and URL encoding, except very short ones', () => {
    const own = new Redactor();
    own.add(['p&ss "w/rd', 'ab', '\ud800lone']);
    for (const text of ['p&ss "w/rd', JSON.stringify('p&ss "w/rd'), `?x=${encodeURIComponent('p&ss "w/rd')}`]) {
      assert.match(own.redact(text), /\[redacted\]/);
    }
    assert.equal(own.redact('absolutely'), 'absolutely');
  });

  // A pattern that rescans characters for each start would take minutes: mocha's timeout ends the test.
  for (const part of HEAVY) {
    it(`handles a megabyte of ${JSON.stringify(part.slice(0, 40))} in linear time`, () => {
      const text = part.repeat(Math.ceil(1_048_576 / part.length));
      assert.equal(typeof redactor.redact(text), 'string');
      assert.equal(typeof redactor.redact(`${text}!`), 'string');
    });
  }

  it('copies JSON of any depth', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 100_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep };
    assert.ok(redactor.value(deep));
  });
});
