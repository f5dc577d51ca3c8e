import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RpcError } from '../../../src/base/jsonRpc';
import { parseElicitation } from '../../../src/client/elicitationFeature';
import { validateField } from '../../../src/shared/state/elicitationState';
import type { FormField } from '../../../src/shared/state/elicitationState';

const form = (properties: object, more: object = {}) =>
  parseElicitation({
    message: 'm',
    sessionId: 's',
    mode: 'form',
    requestedSchema: { type: 'object', properties, ...more },
  });

function fields(properties: object, more: object = {}): readonly FormField[] {
  const { question } = form(properties, more);
  assert.ok(question.mode === 'form');
  return question.fields;
}

describe('client/elicitation: the requested fields', () => {
  it('reads every type of field with its limits, titles and defaults', () => {
    const read = fields(
      {
        mail: { type: 'string', title: 'Mail', description: 'Yours', format: 'email', minLength: 3, default: 'a@b' },
        count: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
        share: { type: 'number' },
        sure: { type: 'boolean', default: true },
        size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'], default: 'x' },
        colour: { type: 'string', oneOf: [{ const: 'r', title: 'Red', description: 'Warm' }], default: 'r' },
        tags: {
          type: 'array',
          items: { anyOf: [{ const: 'a', title: 'A' }, { const: 'b' }] },
          minItems: 1,
          default: ['b', 'q'],
        },
      },
      { required: ['mail', 'tags'] },
    );
    assert.deepEqual(read, [
      {
        key: 'mail',
        label: 'Mail',
        required: true,
        description: 'Yours',
        type: 'text',
        initial: 'a@b',
        minLength: 3,
        format: 'email',
      },
      {
        key: 'count',
        label: 'count',
        required: false,
        type: 'number',
        whole: true,
        minimum: 1,
        maximum: 9,
        initial: 2,
      },
      { key: 'share', label: 'share', required: false, type: 'number', whole: false },
      { key: 'sure', label: 'sure', required: false, type: 'boolean', initial: true },
      {
        key: 'size',
        label: 'size',
        required: false,
        type: 'choice',
        choices: [
          { value: 's', label: 'Small' },
          { value: 'l', label: 'Large' },
        ],
      },
      {
        key: 'colour',
        label: 'colour',
        required: false,
        type: 'choice',
        choices: [{ value: 'r', label: 'Red', description: 'Warm' }],
        initial: 'r',
      },
      {
        key: 'tags',
        label: 'tags',
        required: true,
        type: 'choices',
        choices: [
          { value: 'a', label: 'A' },
          { value: 'b', label: 'b' },
        ],
        minItems: 1,
        initial: ['b'],
      },
    ]);
  });

  it('rejects unsupported fields with -32602 that names them', () => {
    const wrong: [object, RegExp][] = [
      [{ message: 'm', sessionId: 's', mode: 'video' }, /"mode" "video" is not supported/],
      [{ sessionId: 's', mode: 'form' }, /"message"/],
      [
        { message: 'm', mode: 'form', requestedSchema: { type: 'object', properties: {} } },
        /"sessionId" or "requestId"/,
      ],
      [{ message: 'm', sessionId: 's', mode: 'form' }, /"requestedSchema"/],
      [{ message: 'm', sessionId: 's', mode: 'url', url: 'http://example.test/' }, /https/],
      [{ message: 'm', sessionId: 's', mode: 'url', url: 'file:///etc/passwd' }, /https/],
      [{ message: 'm', sessionId: 's', mode: 'url', url: 'https://bank.test@evil.test/' }, /user name/],
      [{ message: 'm', sessionId: 's', mode: 'url', url: 'not an address' }, /address/],
    ];
    for (const [params, text] of wrong) {
      assert.throws(
        () => parseElicitation(params),
        (error) => error instanceof RpcError && error.code === -32602 && text.test(error.message),
        JSON.stringify(params),
      );
    }
  });

  it('rejects more choices than a page can show', () => {
    const parse = (count: number): unknown =>
      parseElicitation({
        sessionId: 's',
        message: 'm',
        mode: 'form',
        requestedSchema: {
          type: 'object',
          properties: Object.fromEntries(
            ['a', 'b'].map((key) => [key, { type: 'string', enum: Array.from({ length: count }, (_, at) => `${at}`) }]),
          ),
        },
      });
    assert.ok(parse(2_500));
    assert.throws(() => parse(2_501), /more than 5000 choices/);
  });

  it('shows the real host of a URL, and warns about letters of other scripts', () => {
    const url = 'https://аpple.test/login?x=1';
    const { question } = parseElicitation({ message: 'm', requestId: 0, mode: 'url', url, elicitationId: 'e' });
    assert.ok(question.mode === 'url');
    assert.match(question.host, /^xn--/);
    assert.match(question.warning ?? '', /imitate/);
    const plain = parseElicitation({ message: 'm', requestId: 0, mode: 'url', url: 'https://a.test:8443/x' });
    assert.deepEqual(plain.question, { mode: 'url', url: 'https://a.test:8443/x', host: 'a.test:8443' });
  });

  it('throws nothing but -32602, for any input', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('form', 'url', undefined), (value, mode) => {
        for (const params of [value, { message: 'm', sessionId: 's', mode, requestedSchema: value, url: value }]) {
          try {
            parseElicitation(params);
          } catch (error) {
            assert.ok(error instanceof RpcError && error.code === -32602);
          }
        }
      }),
    );
  });
});

describe('shared/elicitation: the entered values', () => {
  const [text, whole, choice, choices, day, time, mail, address] = fields(
    {
      text: { type: 'string', minLength: 2, maxLength: 3, pattern: '^[a-z]+$' },
      whole: { type: 'integer', minimum: 0, maximum: 5 },
      choice: { type: 'string', enum: ['a', 'b'] },
      choices: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 },
      day: { type: 'string', format: 'date' },
      time: { type: 'string', format: 'date-time' },
      mail: { type: 'string', format: 'email' },
      address: { type: 'string', format: 'uri' },
    },
    { required: ['text'] },
  );
  const cases: [FormField | undefined, unknown[], unknown[]][] = [
    [text, ['ab', 'abc', 'a\u0300'.slice(0, 1) + 'b'], [undefined, 'a', 'abcd', 'AB', 5]],
    [whole, [undefined, 0, 5], [-1, 6, 1.5, '1', Number.NaN]],
    [choice, [undefined, 'a'], ['c', '', 1]],
    [choices, [['a'], ['a', 'c']], [[], ['a', 'b', 'c'], ['d'], ['a', 'a'], 'a']],
    [day, ['2024-02-29'], ['2023-02-29', '2024-2-9', 'today']],
    [
      time,
      ['2026-01-31T14:00:00Z', '2026-01-31T14:00:00.5+02:00'],
      ['2026-01-31', '2026-02-31T14:00:00Z', '2026-01-31T25:00:00Z'],
    ],
    [mail, ['a@b.c'], ['a', 'a b@c']],
    [address, ['https://a.b/c'], ['a b', 'nothing']],
  ];
  for (const [field, right, wrong] of cases) {
    it(`are checked for ${field?.key}`, () => {
      assert.ok(field);
      for (const value of right) assert.equal(validateField(field, value as string, true), undefined, String(value));
      for (const value of wrong) assert.ok(validateField(field, value as string, true), String(value));
    });
  }

  it('are checked by the agent’s patterns only in the page, and only if they are short', () => {
    const [bad] = fields({ bad: { type: 'string', pattern: '^(a+)+$' } });
    assert.ok(bad);
    const long = `${'a'.repeat(300)}!`;
    assert.equal(validateField(bad, long, true), undefined);
    assert.equal(validateField(bad, `${'a'.repeat(60)}!`, false), undefined);
    const [broken] = fields({ broken: { type: 'string', pattern: '(' } });
    assert.ok(broken);
    assert.equal(validateField(broken, 'x', true), undefined);
  });
});
